/* Matrix products: entry points, choice of path, split over threads, batches.
 *
 * kl_matmul_* return a kl_status; scratch comes from rt->alloc before anything is written. The
 * path and the split change speed only: each adds the inner blocks of numerics R2 in order.
 */
#ifndef KAEL_MATMUL_H
#define KAEL_MATMUL_H

#include "kael/matmul/blas.h"
#include "kael/matmul/loops.h"
#include "kael/runtime.h"

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

typedef void (*kl_exact_rows)(const struct kl_product *product, int64_t first, int64_t last);

static const kl_exact_rows kl_exact_table[KL_ISA_COUNT][KL_DTYPE_f32] = {
#define X(isa, title, usable)                                              \
    {NULL, kl_exact8_rows_any_##isa, kl_exact32_rows_any_##isa, kl_exact64_rows_any_##isa},
    KL_ISAS(X)
#undef X
};

KL_INLINE const struct kl_matmul_row *kl_matmul_row_of(const struct kl_runtime *rt, int dtype) {
    return kl_matmul_table[rt->isa][dtype == KL_DTYPE_f64];
}

/* Multiply-adds below which a product, or a group of a batch, stays on one thread: 36 us of f32
 * at the peak of one core, three times what it costs to wake a sleeping worker. */
enum { KL_WORK_PER_TASK = 1 << 21 };

/* Multiply-adds of a product, saturating: sizes are 64-bit and may be huge beside a zero. */
KL_INLINE int64_t kl_work(int64_t rows, int64_t inner, int64_t columns) {
    int64_t work;
    if (__builtin_mul_overflow(rows, inner, &work) || __builtin_mul_overflow(work, columns, &work))
        return INT64_MAX;
    return work;
}

KL_INLINE int64_t kl_threads_for(const struct kl_runtime *rt, const struct kl_product *product) {
    const int64_t tasks =
        kl_work(product->rows, product->inner, product->columns) / KL_WORK_PER_TASK;
    return tasks < 2 ? 1 : kl_min(rt->num_threads(), tasks);
}

/* ---- Packed: shared panels of b, private panels of a, tiles of out handed out one by one ---- */

struct kl_packed_job {
    const struct kl_tile_kernels *kernels;
    struct kl_block block; /* all rows, the packed columns, one inner block */
    int64_t b_column;
    char *b, *a;
    int64_t a_bytes;    /* of one thread's buffer */
    int64_t row_block;  /* rows of a tile of work */
    int64_t column_block;
    int64_t row_blocks, column_blocks;
    int64_t next; /* atomic: first tile not yet claimed */
};

static int kl_pack_columns_body(void *context, int64_t first, int64_t last) {
    const struct kl_packed_job *const job = context;
    kl_pack_columns(job->kernels, &job->block, job->b_column, first, last, job->b);
    return KL_OK;
}

/* Packs the rows of tile row r, unless buffer holds them already, and multiplies column block c. */
static void kl_packed_tile(const struct kl_packed_job *job, int64_t r, int64_t c, bool packed,
                           char *buffer) {
    const int64_t size = job->kernels->size;
    const int64_t top = r * job->row_block, left = c * job->column_block;
    struct kl_block block = job->block;
    block.rows = kl_min(job->row_block, job->block.rows - top);
    block.a += top * block.a_row;
    if (!packed) kl_pack_rows(job->kernels, &block, buffer);
    block.a = buffer;
    block.a_packed = true;
    block.b = job->b + left * block.inner * size;
    block.b_packed = true;
    block.columns = kl_min(job->column_block, job->block.columns - left);
    block.out += top * block.out_row + left * size;
    if (block.bias != NULL) block.bias += left * size;
    kl_run_block(job->kernels, &block);
}

static int kl_packed_body(void *context, int64_t first, int64_t last) {
    struct kl_packed_job *const job = context;
    const int64_t tiles = job->row_blocks * job->column_blocks;
    for (int64_t slot = first; slot < last; ++slot) {
        char *const buffer = job->a + slot * job->a_bytes;
        int64_t held = -1;
        for (;;) {
            const int64_t tile = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
            if (tile >= tiles) break;
            const int64_t r = tile / job->column_blocks;
            kl_packed_tile(job, r, tile % job->column_blocks, r == held, buffer);
            held = r;
        }
    }
    return KL_OK;
}

/* Rows of a block: the whole of `largest`, or less so that every thread gets one. */
KL_INLINE int64_t kl_row_block_for(int64_t rows, int64_t largest, int64_t threads, int tile_rows) {
    return kl_min(largest, kl_round_up(kl_ceil_div(rows, threads), tile_rows));
}

static int kl_run_packed(const struct kl_runtime *rt, const struct kl_product *product,
                         struct kl_packed_job *job, int64_t threads, int64_t column_block) {
    const int64_t panel = kl_panel_columns(job->kernels);
    for (int64_t left = 0; left < product->columns; left += column_block) {
        const int64_t columns = kl_min(column_block, product->columns - left);
        for (int64_t first = 0; first < product->inner; first += KL_INNER_BLOCK) {
            job->block = kl_block_at(job->kernels, product, 0, product->rows, first, left, columns);
            job->b_column = product->b.column;
            job->column_blocks = kl_ceil_div(columns, job->column_block);
            job->next = 0;
            const int64_t panels = kl_ceil_div(columns, panel);
            const int64_t share = threads > 1 ? kl_ceil_div(panels, threads * 4) : panels;
            KL_TRY(rt->parallel_for(0, panels, share, kl_pack_columns_body, job));
            KL_TRY(rt->parallel_for(0, threads, 1, kl_packed_body, job));
        }
    }
    return KL_OK;
}

static int kl_multiply_packed(const struct kl_runtime *rt, const struct kl_tile_kernels *kernels,
                              const struct kl_product *product, int64_t threads) {
    const int64_t panel = kl_panel_columns(kernels);
    /* The sizes are for f32; f64 takes half as many for the same bytes. */
    const int64_t share = kernels->size / (int64_t)sizeof(float);
    const int64_t rows = kl_round_up(kl_packed_blocks.rows / share, kernels->rows);
    const int64_t columns = kl_min(kl_round_up(kl_packed_blocks.columns / share, panel),
                                   kl_round_up(product->columns, panel));
    struct kl_packed_job job = {.kernels = kernels};
    job.row_block = kl_row_block_for(product->rows, rows, threads, kernels->rows);
    job.row_blocks = kl_ceil_div(product->rows, job.row_block);
    /* About eight tiles a thread, so that one slowed down leaves work for the others. */
    const int64_t wanted = threads > 1 ? kl_ceil_div(threads * 8, job.row_blocks) : 1;
    job.column_block = kl_round_up(kl_ceil_div(kl_min(columns, product->columns), wanted), panel);
    job.a_bytes = kl_round_up(kl_packed_bytes(kernels, job.row_block, product->inner), KL_ALIGNMENT);
    const int64_t b_bytes =
        kl_round_up(kl_packed_bytes(kernels, columns, product->inner), KL_ALIGNMENT);
    const int64_t bytes = b_bytes + threads * job.a_bytes;
    job.b = rt->alloc(bytes);
    if (job.b == NULL) return KL_NO_MEMORY;
    job.a = job.b + b_bytes;
    const int status = kl_run_packed(rt, product, &job, threads, columns);
    rt->release(job.b, bytes);
    return status;
}

/* ---- Strips: rows or columns cut into independent products, each on one thread ---- */

enum kl_way { KL_DIRECT, KL_PANELS, KL_STREAM };

struct kl_strips_job {
    const struct kl_tile_kernels *kernels;
    const struct kl_product *product;
    enum kl_way way;
    bool by_rows;
    int64_t strip; /* rows or columns of a strip */
    char *scratch; /* NULL for KL_DIRECT */
    int64_t scratch_bytes;
};

static int kl_strips_body(void *context, int64_t first, int64_t last) {
    const struct kl_strips_job *const job = context;
    for (int64_t s = first; s < last; ++s) {
        struct kl_product part = *job->product;
        const int64_t at = s * job->strip;
        if (job->by_rows) {
            part.rows = kl_min(job->strip, part.rows - at);
            part.a.data += at * part.a.row;
            part.out += at * part.out_row;
        } else {
            part.columns = kl_min(job->strip, part.columns - at);
            part.b.data += at * part.b.column;
            part.out += at * job->kernels->size;
            if (part.bias != NULL) part.bias += at * job->kernels->size;
        }
        if (job->way == KL_DIRECT) {
            kl_multiply_direct(job->kernels, &part);
            continue;
        }
        char *const scratch = job->scratch + s * job->scratch_bytes;
        (job->way == KL_PANELS ? kl_multiply_panels : kl_multiply_stream)(job->kernels, &part,
                                                                          scratch);
    }
    return KL_OK;
}

static int kl_multiply_strips(const struct kl_runtime *rt, const struct kl_tile_kernels *kernels,
                              const struct kl_product *product, int64_t threads, enum kl_way way) {
    const int tallest = (int)kl_min(product->rows, kernels->rows);
    const int64_t panel = (int64_t)kernels->vectors[tallest - 1] * kernels->width;
    struct kl_strips_job job = {.kernels = kernels, .product = product, .way = way};
    job.by_rows = way == KL_DIRECT && product->rows > product->columns;
    const int64_t whole = job.by_rows ? product->rows : product->columns;
    const int64_t step = job.by_rows ? kernels->rows : panel;
    job.strip = kl_round_up(kl_ceil_div(whole, threads), step);
    const int64_t strips = kl_ceil_div(whole, job.strip);
    if (way == KL_DIRECT) return rt->parallel_for(0, strips, 1, kl_strips_body, &job);
    job.scratch_bytes = kl_round_up(way == KL_PANELS
                                        ? kl_packed_bytes(kernels, panel, product->inner)
                                        : product->rows * job.strip * kernels->size,
                                    KL_ALIGNMENT);
    job.scratch = rt->alloc(strips * job.scratch_bytes);
    if (job.scratch == NULL) return KL_NO_MEMORY;
    const int status = rt->parallel_for(0, strips, 1, kl_strips_body, &job);
    rt->release(job.scratch, strips * job.scratch_bytes);
    return status;
}

/* ---- One product ---- */

enum { KL_L1_SPAN = 4096 }; /* bytes from one line of a set of L1 to the next one of it */

/* Whether b is best read where it lies: its rows are contiguous and a block of it stays in L2. */
KL_INLINE bool kl_direct_b(const struct kl_tile_kernels *kernels,
                           const struct kl_product *product) {
    enum { LARGEST = 640 << 10, MOST_COLUMNS = 1024 };
    if (product->b.column != kernels->size && product->columns > 1) return false;
    if (product->columns > MOST_COLUMNS) return false;
    const int64_t bytes = kl_min(product->inner, KL_INNER_BLOCK) * product->columns * kernels->size;
    return bytes <= (product->b.row % (KL_L1_SPAN / 2) == 0 ? LARGEST / 2 : LARGEST);
}

/* Whether a is best read where it lies: all of it stays in L2, and the rows of a tile do not fall
 * on one set of L1. A single panel of rows has no second use that would pay for packing. */
KL_INLINE bool kl_direct_a(const struct kl_tile_kernels *kernels,
                           const struct kl_product *product) {
    enum { LARGEST = 512 << 10 };
    if (product->rows <= kernels->rows) return true;
    return product->a.row % KL_L1_SPAN != 0 &&
           kl_work(product->rows, product->inner, kernels->size) <= LARGEST;
}

/* Whether so few rows wait for a b so large that reading it once, in order, is what counts. */
KL_INLINE bool kl_streams_b(const struct kl_tile_kernels *kernels,
                            const struct kl_product *product) {
    enum { FEW_ROWS = 14, SOME_ROWS = 32, L2_BYTES = 1 << 20, L3_BYTES = 8 << 20 };
    if (product->b.column != kernels->size) return false;
    const int64_t bytes = kl_work(product->inner, product->columns, kernels->size);
    return (product->rows <= FEW_ROWS && bytes > L2_BYTES) ||
           (product->rows <= SOME_ROWS && bytes > L3_BYTES);
}

/* An empty inner dimension: sums of nothing, 0, and the bias. The operands may have no memory. */
static void kl_multiply_nothing(const struct kl_tile_kernels *kernels,
                                const struct kl_product *product) {
    struct kl_block block =
        kl_block_at(kernels, product, 0, product->rows, 0, 0, product->columns);
    block.a = block.b = product->out;
    block.a_row = 0;
    kl_run_block(kernels, &block);
}

static int kl_multiply_floats(const struct kl_runtime *rt, int dtype,
                              const struct kl_product *product) {
    const struct kl_tile_kernels *const kernels = kl_matmul_row_of(rt, dtype)->v5_simd;
    if (product->inner == 0) {
        if (product->fresh) kl_multiply_nothing(kernels, product);
        return KL_OK;
    }
    const int64_t threads = kl_threads_for(rt, product);
    if (kl_direct_b(kernels, product) &&
        (product->rows <= kernels->rows || product->a.row % KL_L1_SPAN != 0))
        return kl_multiply_strips(rt, kernels, product, threads, KL_DIRECT);
    if (kl_streams_b(kernels, product))
        return kl_multiply_strips(rt, kernels, product, threads, KL_STREAM);
    if (kl_direct_a(kernels, product))
        return kl_multiply_strips(rt, kernels, product, threads, KL_PANELS);
    return kl_multiply_packed(rt, kernels, product, threads);
}

struct kl_exact_job {
    kl_exact_rows rows;
    const struct kl_product *product;
};

static int kl_exact_body(void *context, int64_t first, int64_t last) {
    const struct kl_exact_job *const job = context;
    job->rows(job->product, first, last);
    return KL_OK;
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
        .fresh = product->fresh,
    };
}

/* The product in any dtype but bool. out's columns lie side by side, or its rows do and there is no
 * bias; bias is for floats. */
static int kl_matmul(const struct kl_runtime *rt, int dtype, const struct kl_product *product) {
    if (product->rows == 0 || product->columns == 0) return KL_OK;
    /* A single column is best seen as a row, too: vectors run along it. */
    struct kl_product turned;
    if (product->rows > 1 && product->bias == NULL && product->out_row == kl_itemsize(dtype)) {
        turned = kl_transposed(product);
        product = &turned;
    }
    if (kl_is_float(dtype)) return kl_multiply_floats(rt, dtype, product);
    const struct kl_exact_job job = {kl_exact_table[rt->isa][dtype], product};
    const int64_t work = kl_max(1, kl_work(1, product->inner, product->columns));
    return rt->parallel_for(0, product->rows, kl_ceil_div(KL_WORK_PER_TASK, work), kl_exact_body,
                            (void *)&job);
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
    for (int64_t index = first; index < last; ++index) {
        struct kl_product product = batch->first;
        int64_t rest = index;
        for (int d = batch->dims - 1; d >= 0; --d) {
            const int64_t i = rest % batch->shape[d];
            rest /= batch->shape[d];
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

/* Tiny products are grouped into one task; large ones run one after the other, each on all the
 * threads, unless there is one for every thread. */
static int kl_matmul_batched(struct kl_batch *batch) {
    kl_fold_batch(batch);
    if (batch->dims == 0) return kl_matmul(batch->rt, batch->dtype, &batch->first);
    int64_t count = 1;
    for (int d = 0; d < batch->dims; ++d) count *= batch->shape[d];
    if (count == 0) return KL_OK;
    const struct kl_product *const product = &batch->first;
    const int64_t work = kl_max(1, kl_work(product->rows, product->inner, product->columns));
    const bool one_by_one = count < batch->rt->num_threads();
    const int64_t grain = one_by_one ? count : kl_max(1, KL_WORK_PER_TASK / work);
    return batch->rt->parallel_for(0, count, grain, kl_batch_body, batch);
}

/* ---- The ladder ---- */

enum kl_rung_name { KL_V1, KL_V2, KL_V3, KL_V4, KL_V5, KL_V6 };

KL_INLINE struct kl_product kl_rung_product(const struct kl_rung *rung, int64_t size) {
    return (struct kl_product){
        .rows = rung->rows,
        .inner = rung->inner,
        .columns = rung->columns,
        .a = {rung->a, rung->inner * size, size},
        .b = {rung->b, rung->columns * size, size},
        .out = rung->out,
        .out_row = rung->columns * size,
        .out_column = size,
    };
}

/* out += a @ b by the rung of that name; a zero size leaves out untouched. */
static int kl_matmul_rung(const struct kl_runtime *rt, int dtype, int name, struct kl_rung *rung) {
    const struct kl_matmul_row *const row = kl_matmul_row_of(rt, dtype);
    if (rung->rows == 0 || rung->inner == 0 || rung->columns == 0) return KL_OK;
    const struct kl_product product = kl_rung_product(rung, kl_itemsize(dtype));
    switch (name) {
        case KL_V4: return kl_multiply_packed(rt, row->v4_packed, &product, 1);
        case KL_V5: return kl_multiply_packed(rt, row->v5_simd, &product, 1);
        case KL_V6:
            return kl_multiply_packed(rt, row->v5_simd, &product, kl_threads_for(rt, &product));
    }
    if (name == KL_V1) {
        row->v1_ijk(rung);
        return KL_OK;
    }
    const int64_t width =
        name == KL_V2 ? rung->columns : kl_min(rung->columns, kl_tile_blocks.columns);
    const int64_t height = name == KL_V2 ? 1 : kl_min(rung->rows, kl_tile_blocks.rows);
    const int64_t bytes = height * width * kl_itemsize(dtype);
    rung->scratch = rt->alloc(bytes);
    if (rung->scratch == NULL) return KL_NO_MEMORY;
    (name == KL_V2 ? row->v2_ikj : row->v3_tiled)(rung);
    rt->release(rung->scratch, bytes);
    return KL_OK;
}

/* out += a @ b on integers. */
static int kl_matmul_exact(const struct kl_runtime *rt, int dtype, const struct kl_rung *rung) {
    if (rung->rows == 0 || rung->inner == 0 || rung->columns == 0) return KL_OK;
    const struct kl_product product = kl_rung_product(rung, kl_itemsize(dtype));
    return kl_matmul(rt, dtype, &product);
}

#endif
