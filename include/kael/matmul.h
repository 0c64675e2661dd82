/* Matrix products: entry points, choice of path, split over threads, batches.
 *
 * kl_matmul_* return a kl_status; scratch comes from rt->alloc before anything is written. The
 * path and the split change speed only: each adds the inner blocks of numerics R2 in order.
 */
#ifndef KAEL_MATMUL_H
#define KAEL_MATMUL_H

#include "kael/matmul/packed.h"
#include "kael/matmul/strips.h"

#define KL_BODY "kael/matmul/kernels.inc.h"
#include "kael/foreach_isa.h"

static const struct kl_matmul_row *const kl_matmul_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) {&kl_matmul_row_f32_##isa, &kl_matmul_row_f64_##isa},
    KL_ISAS(X)
#undef X
};

#define KL_BODY "kael/matmul/exact.inc.h"
#define KL_ONCE_PER_ISA
#include "kael/foreach_isa.h"

static const struct kl_tile_kernels *const kl_exact_table[KL_ISA_COUNT][KL_DTYPE_f32] = {
#define X(isa, title, usable)                                  \
    {NULL, &kl_exact8_kernels_any_##isa, &kl_exact32_kernels_any_##isa, \
     &kl_exact64_kernels_any_##isa},
    KL_ISAS(X)
#undef X
};

KL_INLINE const struct kl_matmul_row *kl_matmul_row_of(const struct kl_runtime *rt, int dtype) {
    return kl_matmul_table[rt->isa][dtype == KL_DTYPE_f64];
}

/* Multiply-adds below which a product, or a group of a batch, stays on one thread while workers
 * sleep, 36 us of f32 at the peak of one core; and those that count as one cheap operation. */
enum { KL_WORK_PER_TASK = 1 << 21, KL_WORK_PER_ELEMENT = KL_WORK_PER_TASK / kElementGrain };

/* A thread for each KL_WORK_PER_TASK, or for a sixteenth of that where workers are awake. What few
 * rows wait for is b: one takes as long as four. */
KL_INLINE int64_t kl_threads_for(const struct kl_runtime *rt, const struct kl_product *product) {
    enum { FEW_ROWS = 4 };
    const int64_t rows = kl_max(FEW_ROWS, product->rows);
    const int64_t work = kl_work(rows, product->inner, product->columns) / KL_WORK_PER_ELEMENT;
    const int64_t tasks = work / kl_grain(rt, work, 1);
    return tasks < 2 ? 1 : kl_min(rt->num_threads(), tasks);
}

/* ---- One product ---- */

/* Whether b is best read where it lies: its rows are contiguous and a block of it stays in L2. */
KL_INLINE bool kl_direct_b(const struct kl_tile_kernels *kernels,
                           const struct kl_product *product) {
    enum { LARGEST = 640 << 10, MOST_COLUMNS = 1024 };
    if (product->b.column != kernels->size) return false;
    if (product->columns > MOST_COLUMNS) return false;
    const int64_t bytes = kl_min(product->inner, KL_INNER_BLOCK) * product->columns * kernels->size;
    return bytes <= (product->b.row % (KL_L1_SPAN / 2) == 0 ? LARGEST / 2 : LARGEST);
}

/* Whether all of a stays in L2. */
KL_INLINE bool kl_small_a(const struct kl_tile_kernels *kernels,
                          const struct kl_product *product) {
    enum { LARGEST = 512 << 10 };
    return kl_work(product->rows, product->inner, kernels->size) <= LARGEST;
}

/* Whether the rows of a tile throw each other out of L1, all on one set of it and more than it has
 * ways. A single panel of rows is read once, and nothing would be gained by moving it. */
KL_INLINE bool kl_rows_collide(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product) {
    const struct kl_panels panels = kl_balance(product->rows, kernels->rows);
    return panels.count > 1 && product->a.row % KL_L1_SPAN == 0 &&
           panels.height + (panels.taller > 0) > KL_L1_WAYS;
}

/* Whether a is best read where it lies: along its rows, or when all of it stays in L2. */
KL_INLINE bool kl_direct_a(const struct kl_tile_kernels *kernels,
                           const struct kl_product *product) {
    return !kl_rows_collide(kernels, product) &&
           (product->rows <= kernels->rows || kl_small_a(kernels, product) ||
            (product->a.column == kernels->size && !kernels->lanes));
}

/* Whether a strip of panels packs its rows of a. */
KL_INLINE bool kl_packs_a(const struct kl_tile_kernels *kernels,
                          const struct kl_product *product) {
    const bool often = kernels->packs_from > 0 && product->columns >= kernels->packs_from;
    const bool copies_b = product->b.column == kernels->size && product->rows > kernels->rows;
    return !kl_direct_a(kernels, product) ||
           (often && copies_b && !kl_small_a(kernels, product));
}

/* Whether so few rows wait for a b so large that reading it once, in order, is what counts: from
 * memory, and from L3 where vectors are narrow (8 x 1024 x 1024 f32 with AVX2, Zen 4: 220 us, by
 * tiles 340 to 610 as its pages lie). */
KL_INLINE bool kl_streams_b(const struct kl_tile_kernels *kernels,
                            const struct kl_product *product) {
    enum { FEW_ROWS = 16 };
    if (product->b.column != kernels->size || product->rows > FEW_ROWS) return false;
    const bool walks = kl_walks(kernels, product->columns);
    const bool beyond = !kl_b_within(kernels, product, KL_L3_BYTES);
    if (kl_direct_b(kernels, product)) return beyond && walks;
    return beyond || (walks && kernels->stream->l3_steps[0] > 0);
}

/* Whether few rows, which read each panel of b once or twice, find it in L3. */
KL_INLINE bool kl_passes_b(const struct kl_tile_kernels *kernels,
                           const struct kl_product *product) {
    enum { FEW_ROWS = 14 };
    return product->b.column == kernels->size && product->rows <= FEW_ROWS &&
           kl_b_within(kernels, product, KL_L3_BYTES);
}

/* An empty inner dimension: sums of nothing are 0. The operands may have no memory. */
static void kl_multiply_nothing(const struct kl_tile_kernels *kernels,
                                const struct kl_product *product) {
    struct kl_block block =
        kl_block_at(kernels, product, 0, product->rows, 0, 0, 0, product->columns);
    block.a = block.b = product->out;
    block.a_row = 0;
    kl_run_block(kernels, &block);
}

/* Whether so few rows wait for a transposed b that turning it costs more than multiplying: in
 * registers, or through L1. */
KL_INLINE bool kl_turns_b(const struct kl_tile_kernels *kernels,
                          const struct kl_product *product) {
    enum { FEW_ROWS = 4 };
    if (product->b.row != kernels->size) return false;
    if (kernels->turned == NULL)
        return product->rows <= FEW_ROWS &&
               product->columns >= KL_TURNED_VECTORS * kernels->width;
    const struct kl_turned_kernels *const turned = kl_turned_kernels_for(kernels, product);
    if (kl_turned_collide(turned, product) && kl_b_within(kernels, product, KL_L2_BYTES))
        return false;
    const int passes = kl_b_within(kernels, product, turned->once) ? 1 : KL_TURNED_PASSES;
    return product->rows <= passes * turned->rows &&
           product->columns >= turned->streams * turned->lanes;
}

/* The way of operands too large for the caches: b in panels, packed by every strip of rows for
 * itself while it reads them (also v5 and v6, whose b is never turned). A b that must be turned is
 * turned a panel at a time into L2 where a fits L3 and costs every strip of columns little, else
 * once for all threads. */
KL_INLINE enum kl_way kl_large_way(const struct kl_tile_kernels *kernels,
                                   const struct kl_product *product) {
    enum { LARGEST = 2 << 20, LEAST_SQUAT = 4 };
    if (product->b.column == kernels->size) return KL_PANELS;
    /* The way is chosen before anyone asks whether there is an inner dimension at all. */
    const int64_t block = kl_max(1, kl_min(product->inner, KL_INNER_BLOCK)) * kernels->size;
    return product->rows <= LARGEST / block && (kl_direct_a(kernels, product) ||
                                                product->rows <= product->columns / LEAST_SQUAT)
               ? KL_PANELS
               : KL_PACKED;
}

/* The way that suits the operands best. */
static enum kl_way kl_choose_way(const struct kl_tile_kernels *kernels,
                                 const struct kl_product *product) {
    if (kernels->padded && product->columns % kernels->width != 0 &&
        product->b.column == kernels->size)
        return KL_PANELS;
    if (kl_streams_b(kernels, product)) return KL_STREAM;
    if ((kl_direct_b(kernels, product) || kl_passes_b(kernels, product)) &&
        !kl_rows_collide(kernels, product))
        return KL_DIRECT;
    if (kl_turns_b(kernels, product)) return KL_TURNED;
    if (kl_small_a(kernels, product) && kl_direct_a(kernels, product)) return KL_PANELS;
    return kl_large_way(kernels, product);
}

static int kl_multiply(const struct kl_runtime *rt, const struct kl_tile_kernels *kernels,
                       const struct kl_product *product, int64_t threads, enum kl_way way) {
    if (product->inner == 0) {
        if (product->fresh) kl_multiply_nothing(kernels, product);
        return KL_OK;
    }
    if (way == KL_PACKED) return kl_multiply_packed(rt, kernels, product, threads);
    return kl_multiply_strips(rt, kernels, product, threads, way,
                              way == KL_PANELS && kl_packs_a(kernels, product));
}

/* The transposed product: out.T = b.T @ a.T. The factors of every fma change places, no more. */
KL_INLINE struct kl_product kl_transposed(const struct kl_product *product) {
    return (struct kl_product){
        .rows = product->columns,
        .inner = product->inner,
        .columns = product->rows,
        .a = {product->b.data, product->b.column, product->b.row},
        .b = {product->a.data, product->a.column, product->a.row},
        .out = product->out,
        .out_row = product->out_column,
        .out_column = product->out_row,
        .bias = product->bias,
        .activation = product->activation,
        .fresh = product->fresh,
    };
}

KL_INLINE const struct kl_tile_kernels *kl_kernels_of(const struct kl_runtime *rt, int dtype) {
    return kl_is_float(dtype) ? kl_matmul_row_of(rt, dtype)->v5_simd
                              : kl_exact_table[rt->isa][dtype];
}

/* Whether a last vector of one or two columns costs more than to turn a, so that vectors run along
 * its rows (64 x 128 x 10 f32, Zen 4: 2.0 us instead of 2.3, b transposed 2.0 instead of 2.5). */
KL_INLINE bool kl_turns_a(const struct kl_tile_kernels *kernels,
                          const struct kl_product *product) {
    enum { LANES = 8, FEW_ROWS = 32, FEW_STEPS = 128 };
    const int64_t columns = product->columns, over = columns % LANES;
    return kernels->turned != NULL && kernels->turned->wider != NULL && columns > LANES &&
           columns < kernels->width * 3 / 2 && (over == 1 || over == 2) &&
           product->rows >= FEW_ROWS && product->inner >= FEW_STEPS &&
           product->a.column == kernels->size && product->a.row != kernels->size &&
           product->a.row % KL_L1_SPAN != 0 && product->activation.kernel == NULL;
}

/* The product, or its transposed in `space`: a single column is best seen as a row, vectors run
 * along it; and an out whose rows lie side by side has no other way, and no bias. Where neither is
 * so, the columns of the transposed out lie apart, which suits the way `turned` alone, and the bias
 * is one of rows. */
KL_INLINE const struct kl_product *kl_oriented(const struct kl_tile_kernels *kernels,
                                               const struct kl_product *product,
                                               struct kl_product *space) {
    if (product->rows <= 1) return product;
    const bool side_by_side = product->out_row == kernels->size;
    if (side_by_side ? product->bias != NULL : !kl_turns_a(kernels, product)) return product;
    *space = kl_transposed(product);
    return side_by_side || kl_choose_way(kernels, space) == KL_TURNED ? space : product;
}

/* The product in any dtype but bool. out's columns lie side by side, or its rows do and there is no
 * bias; bias is for floats. */
static int kl_matmul(const struct kl_runtime *rt, int dtype, const struct kl_product *product) {
    if (product->rows == 0 || product->columns == 0) return KL_OK;
    const struct kl_tile_kernels *const kernels = kl_kernels_of(rt, dtype);
    struct kl_product space;
    const struct kl_product *const best = kl_oriented(kernels, product, &space);
    return kl_multiply(rt, kernels, best, kl_threads_for(rt, best),
                       kl_choose_way(kernels, best));
}

/* The way that kl_matmul goes. */
KL_INLINE enum kl_way kl_matmul_way(const struct kl_runtime *rt, int dtype,
                                    const struct kl_product *product) {
    const struct kl_tile_kernels *const kernels = kl_kernels_of(rt, dtype);
    struct kl_product space;
    return kl_choose_way(kernels, kl_oriented(kernels, product, &space));
}

/* ---- Batches ---- */

/* Products of one shape at places that step through `dims` batch dimensions (byte strides; 0
 * where an operand is broadcast). */
struct kl_batch {
    const struct kl_runtime *rt;
    int dtype;
    struct kl_product first;
    int dims;
    int64_t shape[KL_MAX_DIMS];
    int64_t a[KL_MAX_DIMS], b[KL_MAX_DIMS], out[KL_MAX_DIMS];
};

static int kl_batch_body(void *context, int64_t first, int64_t last) {
    const struct kl_batch *const batch = context;
    struct kl_product product = batch->first;
    for (int64_t index = first; index < last; ++index) {
        product.a.data = batch->first.a.data;
        product.b.data = batch->first.b.data;
        product.out = batch->first.out;
        int64_t rest = index;
        for (int d = batch->dims - 1; d >= 0; --d) {
            const int64_t i = d > 0 ? rest % batch->shape[d] : rest;
            if (d > 0) rest /= batch->shape[d];
            product.a.data += i * batch->a[d];
            product.b.data += i * batch->b[d];
            product.out += i * batch->out[d];
        }
        KL_TRY(kl_matmul(batch->rt, batch->dtype, &product));
    }
    return KL_OK;
}

/* Moves the innermost batch dimension into the rows while b is shared and rows step on evenly: one
 * product of many rows instead of many products. */
static void kl_fold_batch(struct kl_batch *batch) {
    struct kl_product *const product = &batch->first;
    while (batch->dims > 0) {
        const int d = batch->dims - 1;
        if (product->rows == 1) { /* the stride of a single row is anything */
            product->a.row = batch->a[d];
            product->out_row = batch->out[d];
        }
        if (batch->b[d] != 0 || batch->a[d] != product->rows * product->a.row ||
            batch->out[d] != product->rows * product->out_row)
            return;
        product->rows *= batch->shape[d];
        batch->dims = d;
    }
}

/* Whether a product may fail for want of scratch after others of the batch were written. */
static bool kl_batch_may_stop(struct kl_batch *batch) {
    kl_fold_batch(batch);
    return batch->dims > 0 &&
           kl_matmul_way(batch->rt, batch->dtype, &batch->first) != KL_DIRECT;
}

/* Tiny products are grouped into one task; large ones run one after the other, each on all the
 * threads, unless there is one for every thread. */
static int kl_matmul_batched(struct kl_batch *batch) {
    kl_fold_batch(batch);
    if (batch->dims == 0) return kl_matmul(batch->rt, batch->dtype, &batch->first);
    int64_t count = 1;
    for (int d = 0; d < batch->dims; ++d) count *= batch->shape[d];
    if (count == 0) return KL_OK;
    const struct kl_product *const one = &batch->first;
    const int64_t each =
        kl_max(1, kl_work(one->rows, one->inner, one->columns) / KL_WORK_PER_ELEMENT);
    const int64_t task = kl_max(1, kl_grain(batch->rt, kl_work(count, each, 1), 1) / each);
    const int64_t grain = count < batch->rt->num_threads() ? count : task;
    return batch->rt->parallel_for(0, count, grain, kl_batch_body, batch);
}

/* Distinct elements that a batch touches, and its operations: what a profile reckons with. */
static inline void kl_batch_work(const struct kl_batch *batch, int64_t *elements, int64_t *flops) {
    const struct kl_product *one = &batch->first;
    int64_t a = one->rows * one->inner, b = one->inner * one->columns;
    int64_t out = one->rows * one->columns;
    for (int d = 0; d < batch->dims; d++) {
        out *= batch->shape[d];
        a *= batch->a[d] ? batch->shape[d] : 1;
        b *= batch->b[d] ? batch->shape[d] : 1;
    }
    *elements = a + b + out + (one->bias ? one->columns : 0);
    *flops = 2 * out * one->inner + (one->bias ? out : 0) + (one->activation.kernel ? out : 0);
}

#include "kael/matmul/rungs.h"

#endif
