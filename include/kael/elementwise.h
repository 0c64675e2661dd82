/* Elementwise operations: the kernels by operation, dtype and instruction set, and their two
 * drivers, one for contiguous memory and one for any layout (elementwise/walk.h). */
#ifndef KAEL_ELEMENTWISE_H
#define KAEL_ELEMENTWISE_H

#include "kael/elementwise/loops.h"
#include "kael/elementwise/operations.h"
#include "kael/elementwise/walk.h"

/* NULL where the operation does not take the dtype. */
struct kl_elementwise_kernels {
    kl_kernel unary[KL_UNARY_COUNT][KL_DTYPE_COUNT];
    kl_kernel binary[KL_BINARY_COUNT][KL_DTYPE_COUNT];
    kl_kernel where[KL_DTYPE_COUNT];
    kl_kernel clamp[KL_DTYPE_COUNT];
    kl_kernel convert[KL_DTYPE_COUNT][KL_DTYPE_COUNT]; /* [from][to] */
    kl_kernel copy[2]; /* of elements of 4 bytes, of 8 */
};

#define KL_BODY "kael/elementwise.inc.h"
#include "kael/foreach_isa.h"

#define KL_BODY "kael/elementwise/table.inc.h"
#define KL_ONCE_PER_ISA
#include "kael/foreach_isa.h"

static const struct kl_elementwise_kernels *const kl_elementwise_table[KL_ISA_COUNT] = {
#define X(isa, title, usable) &kl_elementwise_any_##isa,
    KL_ISAS(X)
#undef X
};

#include "kael/elementwise/copies.h"
#include "kael/elementwise/transpose.h"
#include "kael/elementwise/turned.h"

/* ---- operands of any layout ---- */

/* Runs a planned walk of size elements, each worth cost additions. */
static int kl_strided_run(const struct kl_runtime *rt, struct kl_walk *walk, int64_t size,
                          int64_t cost) {
    if (walk->kernel != NULL) {
        const int turned = kl_turned_dim(walk);
        return turned >= 0 ? kl_turned_run(rt, walk, size, cost, turned)
                           : kl_walk_run(rt, walk, size, cost);
    }
    const int rows = kl_transpose_dim(walk);
    return rows >= 0 ? kl_transpose_run(rt, walk, size, rows) : kl_copies_run(rt, walk, size);
}

/* ---- contiguous operands ---- */

struct kl_flat {
    kl_kernel kernel;
    int operands;                     /* as in struct kl_walk */
    char *data[KL_MAX_OPERANDS];
    int64_t itemsize[KL_MAX_OPERANDS];
    bool streamed;
};

static int kl_flat_range(void *context, int64_t first, int64_t last) {
    const struct kl_flat *flat = context;
    const void *in[KL_MAX_OPERANDS];
    for (int k = 1; k < flat->operands; ++k)
        in[k - 1] = flat->data[k] + first * flat->itemsize[k];
    const int status = kl_run_kernel(flat->kernel, flat->data[0] + first * flat->itemsize[0], in,
                                     flat->itemsize, flat->operands - 1, last - first,
                                     flat->streamed ? kl_all_ahead : NULL);
    if (flat->streamed) kl_streamed_end();
    return status;
}

/* Applies a kernel to size elements of contiguous, aligned operands, each worth cost additions. */
static int kl_flat_run(const struct kl_runtime *rt, struct kl_flat *flat, int64_t size,
                       int64_t cost) {
    if (size == 0) return KL_OK;
    flat->streamed = kl_streamed(size * flat->itemsize[0], flat->data[0], flat->data + 1,
                                 flat->operands - 1);
    const int64_t grain = kl_grain(rt, size, cost);
    if (size <= grain) return kl_flat_range(flat, 0, size);
    return rt->parallel_for(0, size, grain, kl_flat_range, flat);
}

#endif
