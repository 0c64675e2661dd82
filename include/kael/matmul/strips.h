/* Products cut into strips, each an independent product on one thread.
 *
 * Operands are read where they lie (direct, stream), or a strip packs what it needs itself
 * (panels): about `kl_strip_rows` rows of a, and one panel of b at a time, which is copied
 * while its first tile reads it. A strip shares nothing, so that no thread waits for another.
 */
#ifndef KAEL_MATMUL_STRIPS_H
#define KAEL_MATMUL_STRIPS_H

#include "kael/matmul/stream.h"
#include "kael/matmul/turned.h"
#include "kael/runtime.h"

/* How a product goes: the strips' four ways, or packed.h. */
enum kl_way { KL_DIRECT, KL_STREAM, KL_TURNED, KL_PANELS, KL_PACKED };

struct kl_strips_job {
    const struct kl_tile_kernels *kernels;
    const struct kl_product *product;
    enum kl_way way;
    bool pack_a, b_in_l3;
    int64_t row_strips, column_strips;
    int64_t column_step; /* columns of a strip are a multiple */
    char *scratch;       /* of each thread; NULL for KL_DIRECT */
    int64_t scratch_bytes;
    int64_t next; /* atomic: first strip not yet claimed */
};

/* The part of `product` that is strip s. */
KL_INLINE struct kl_product kl_strip(const struct kl_strips_job *job, int64_t s) {
    struct kl_product part = *job->product;
    const int64_t r = s / job->column_strips, c = s % job->column_strips;
    const int64_t steps = kl_ceil_div(part.columns, job->column_step);
    const int64_t top = part.rows * r / job->row_strips;
    const int64_t left = steps * c / job->column_strips * job->column_step;
    part.rows = part.rows * (r + 1) / job->row_strips - top;
    part.columns =
        kl_min(steps * (c + 1) / job->column_strips * job->column_step, part.columns) - left;
    part.a.data += top * part.a.row;
    part.b.data += left * part.b.column;
    part.out += top * part.out_row + left * part.out_column;
    if (part.bias != NULL && part.out_column == job->kernels->size)
        part.bias += left * job->kernels->size;
    return part;
}

static int kl_strips_body(void *context, int64_t first, int64_t last) {
    struct kl_strips_job *const job = context;
    for (int64_t slot = first; slot < last; ++slot) {
        char *const scratch = job->scratch + slot * job->scratch_bytes;
        for (;;) {
            const int64_t s = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
            if (s >= job->row_strips * job->column_strips) break;
            const struct kl_product part = kl_strip(job, s);
            if (job->way == KL_DIRECT)
                kl_multiply_direct(job->kernels, &part);
            else if (job->way == KL_STREAM)
                kl_multiply_stream(job->kernels, &part, job->b_in_l3, scratch);
            else if (job->way == KL_TURNED && job->kernels->turned != NULL)
                kl_multiply_abreast(job->kernels, &part, scratch);
            else if (job->way == KL_TURNED)
                kl_multiply_turned(job->kernels, &part, scratch);
            else
                kl_multiply_panels(job->kernels, &part, job->pack_a, scratch);
        }
    }
    return KL_OK;
}

/* Rows of a strip of panels: 1 MiB of a, which is read in order and so may come from L3. Half of
 * it would stay in L2, but every strip copies b. Low tiles, which read a more often, find three
 * quarters of it in L2. */
KL_INLINE int64_t kl_strip_rows(const struct kl_tile_kernels *kernels) {
    return (kernels->packs_from > 0 ? 1560 : 2080) / kernels->size;
}

/* Strips of panels: rows first, since a strip of rows packs no row of a twice and a panel of b
 * costs little; columns only where too few rows are left for the threads. */
static void kl_cut_panels(struct kl_strips_job *job, int64_t threads) {
    const struct kl_product *const product = job->product;
    const int64_t least = 4 * job->kernels->rows;
    const int64_t steps = kl_ceil_div(product->columns, job->column_step);
    /* A b that has to be turned is turned once for all rows. */
    int64_t strips = product->b.column == job->kernels->size
                         ? kl_ceil_div(product->rows, kl_strip_rows(job->kernels))
                         : 1;
    if (strips > 1 && product->rows / kl_round_up(strips, threads) >= least)
        strips = kl_round_up(strips, threads);
    job->row_strips = strips;
    while (threads > 1 && strips * job->column_strips < 2 * threads &&
           2 * job->column_strips <= steps)
        job->column_strips *= 2;
}

/* Strips of a stream: of columns, unless those would be as narrow as NARROW bytes, or twice that
 * for 8 rows and more, since memory is slow to bring pieces so short. Then of rows as well, if they
 * are enough for the threads, of which one finds in L3 what another has read: 8 x 50257 x 256 f32
 * on two threads of Zen 4 with AVX2 takes 2.5 ms where strips of columns take 3.5. */
static void kl_cut_stream(struct kl_strips_job *job, int64_t threads) {
    enum { NARROW = 512, MANY_ROWS = 8 };
    const struct kl_product *const product = job->product;
    const int64_t narrow = NARROW * (product->rows < MANY_ROWS ? 1 : 2);
    const int64_t bytes = product->columns * job->kernels->size;
    const int64_t wide = kl_max(1, bytes / (2 * narrow));
    job->column_strips = kl_min(threads, kl_ceil_div(product->columns, job->column_step));
    if (bytes > threads * narrow || product->rows < threads / wide) return;
    job->column_strips = wide;
    job->row_strips = threads / wide;
}

static int kl_multiply_strips(const struct kl_runtime *rt, const struct kl_tile_kernels *kernels,
                              const struct kl_product *product, int64_t threads, enum kl_way way,
                              bool pack_a) {
    if (way == KL_DIRECT && threads == 1) {
        kl_multiply_direct(kernels, product);
        return KL_OK;
    }
    const int64_t panel = kl_panel_columns(kernels, product->rows);
    struct kl_strips_job job = {.kernels = kernels,
                                .product = product,
                                .way = way,
                                .pack_a = pack_a,
                                .b_in_l3 = kl_b_within(kernels, product, KL_L3_BYTES),
                                .row_strips = 1,
                                .column_strips = 1,
                                .column_step = panel};
    if (way == KL_PANELS)
        kl_cut_panels(&job, threads);
    else if (way == KL_STREAM)
        kl_cut_stream(&job, threads);
    else if (way == KL_DIRECT && (product->rows > product->columns || product->columns <= panel))
        job.row_strips = kl_min(threads, kl_ceil_div(product->rows, kernels->rows));
    else
        job.column_strips = kl_min(threads, kl_ceil_div(product->columns, panel));
    threads = kl_min(threads, job.row_strips * job.column_strips);
    if (way == KL_DIRECT) return rt->parallel_for(0, threads, 1, kl_strips_body, &job);
    const int64_t rows = kl_ceil_div(product->rows, job.row_strips);
    const int64_t columns =
        kl_ceil_div(kl_ceil_div(product->columns, panel), job.column_strips) * panel;
    if (way == KL_STREAM)
        job.scratch_bytes = rows * kl_stream_row(kernels, rows, columns);
    else if (way == KL_TURNED)
        job.scratch_bytes = kl_round_up(
            kernels->turned != NULL ? kl_max(1, kl_turned_a_bytes(kernels, product))
                                    : kl_turned_bytes(kernels, rows),
            KL_ALIGNMENT);
    else
        job.scratch_bytes = kl_packed_bytes(kernels, panel, product->inner) +
                            (pack_a ? kl_packed_bytes(kernels, rows, product->inner) : 0);
    job.scratch = rt->alloc(threads * job.scratch_bytes);
    if (job.scratch == NULL) return KL_NO_MEMORY;
    const int status = rt->parallel_for(0, threads, 1, kl_strips_body, &job);
    rt->release(job.scratch, threads * job.scratch_bytes);
    return status;
}

#endif
