/* Both operands packed, on any number of threads: the panels of b are shared, those of a private,
 * and tiles of out are handed out one by one (loops.h has the picture).
 */
#ifndef KAEL_MATMUL_PACKED_H
#define KAEL_MATMUL_PACKED_H

#include "kael/matmul/loops.h"
#include "kael/runtime.h"

struct kl_packed_job {
    const struct kl_tile_kernels *kernels;
    struct kl_block block; /* all rows, the packed columns, one inner block */
    int64_t b_column;
    char *b, *a;
    int64_t a_bytes;   /* of one thread's buffer */
    int64_t row_block; /* rows of a tile of work */
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
    if (!packed) kl_pack_rows(job->kernels, job->kernels->rows, &block, buffer);
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
    const int64_t panel = kl_panel_columns(job->kernels, job->kernels->rows);
    int64_t inner;
    for (int64_t left = 0; left < product->columns; left += column_block) {
        const int64_t columns = kl_min(column_block, product->columns - left);
        for (int64_t first = 0; first < product->inner; first += inner) {
            inner = kl_visit(product->inner, first);
            job->block =
                kl_block_at(job->kernels, product, 0, product->rows, first, inner, left, columns);
            job->block.vectors = job->kernels->vectors[job->kernels->rows - 1];
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
    const int64_t panel = kl_panel_columns(kernels, kernels->rows);
    /* The sizes are for f32; wider elements take fewer for the same bytes. */
    const int64_t each = sizeof(float), size = kernels->size;
    const int64_t rows = kl_round_up(kl_packed_blocks.rows * each / size, kernels->rows);
    const int64_t columns = kl_min(kl_round_up(kl_packed_blocks.columns * each / size, panel),
                                   kl_round_up(product->columns, panel));
    struct kl_packed_job job = {.kernels = kernels};
    job.row_block = kl_row_block_for(product->rows, rows, threads, kernels->rows);
    job.row_blocks = kl_ceil_div(product->rows, job.row_block);
    /* About eight tiles a thread, so that one slowed down leaves work for the others. */
    const int64_t wanted = threads > 1 ? kl_ceil_div(threads * 8, job.row_blocks) : 1;
    job.column_block = kl_round_up(kl_ceil_div(kl_min(columns, product->columns), wanted), panel);
    job.a_bytes = kl_packed_bytes(kernels, job.row_block, product->inner);
    const int64_t b_bytes = kl_packed_bytes(kernels, columns, product->inner);
    const int64_t bytes = b_bytes + threads * job.a_bytes;
    job.b = rt->alloc(bytes);
    if (job.b == NULL) return KL_NO_MEMORY;
    job.a = job.b + b_bytes;
    const int status = kl_run_packed(rt, product, &job, threads, columns);
    rt->release(job.b, bytes);
    return status;
}

#endif
