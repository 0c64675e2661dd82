/* The elementwise function that ends a product, of sums that are still in L2. */
#ifndef KAEL_MATMUL_ACTIVATION_H
#define KAEL_MATMUL_ACTIVATION_H

#include "kael/elementwise/loops.h"

struct kl_activation {
    kl_kernel kernel; /* or NULL */
    int64_t result;   /* its results go that many bytes beyond the sums */
};

/* Bytes of sums that wait for it: they stay in L2, and its calls are long. */
enum { KL_WAITING_BYTES = 128 << 10 };

/* Of sums[rows, columns], whose rows lie `row` bytes apart. */
static KL_UNUSED void kl_activate(const struct kl_activation *activation, const char *sums,
                                  int64_t row, int64_t rows, int64_t columns, int64_t size) {
    if (row == columns * size) {
        columns *= rows;
        rows = 1;
    }
    for (int64_t r = 0; r < rows; ++r, sums += row) {
        const void *const in[] = {sums};
        void *const out = (void *)((uintptr_t)sums + (uintptr_t)activation->result);
        (void)activation->kernel(out, in, columns, NULL); /* which has no way to fail */
    }
}

#endif
