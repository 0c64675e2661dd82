/* Elementwise results stored past the caches. */
#ifndef KAEL_ELEMENTWISE_STREAMED_H
#define KAEL_ELEMENTWISE_STREAMED_H

#include "kael/elementwise/loops.h"
#include "kael/streamed.h"

enum {
    KL_STREAMED_AHEAD = 2048, /* bytes */
    KL_STREAMED_COST = 8      /* additions; dearer operations wait for arithmetic */
};

/* Whether results of so many bytes at out, made from inputs at in[count], are to be streamed. */
KL_INLINE bool kl_streamed(int64_t bytes, const void *out, char *const *in, int count) {
    for (int k = 0; k < count; ++k)
        if (in[k] == out) return false;
    return bytes >= KL_STREAMED_BYTES;
}

/* `ahead` of a kernel whose inputs all come from memory. */
static const int64_t kl_all_ahead[KL_MAX_OPERANDS - 1] = {KL_STREAMED_AHEAD, KL_STREAMED_AHEAD,
                                                          KL_STREAMED_AHEAD};

/* Runs a kernel on n elements of contiguous operands, the output first; of streamed results (ahead
 * is not NULL) what lies before the first line goes the ordinary way. */
KL_INLINE int kl_run_kernel(kl_kernel kernel, char *out, const void *const *in,
                            const int64_t *itemsizes, int inputs, int64_t n,
                            const int64_t *ahead) {
    const void *rest[KL_MAX_OPERANDS - 1];
    if (ahead == NULL) return kernel(out, in, n, NULL);
    const int64_t before = -(uintptr_t)out & (KL_ALIGNMENT - 1);
    const int64_t head = kl_min(n, before / itemsizes[0]);
    if (head > 0) KL_TRY(kernel(out, in, head, NULL));
    for (int k = 0; k < inputs; ++k) rest[k] = (const char *)in[k] + head * itemsizes[1 + k];
    return kernel(out + head * itemsizes[0], rest, n - head, ahead);
}

#endif
