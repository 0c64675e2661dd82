/* Rows or columns of out cut into strips, each an independent product on one thread that reads a,
 * and perhaps b, where they lie.
 */
#ifndef KAEL_MATMUL_STRIPS_H
#define KAEL_MATMUL_STRIPS_H

#include "kael/matmul/loops.h"
#include "kael/runtime.h"

/* How a product goes: the strips' three ways, or packed.h. */
enum kl_way { KL_DIRECT, KL_PANELS, KL_STREAM, KL_PACKED };

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
    job.scratch_bytes =
        kl_round_up(way == KL_PANELS ? kl_packed_bytes(kernels, panel, product->inner)
                                     : product->rows * job.strip * kernels->size,
                    KL_ALIGNMENT);
    job.scratch = rt->alloc(strips * job.scratch_bytes);
    if (job.scratch == NULL) return KL_NO_MEMORY;
    const int status = rt->parallel_for(0, strips, 1, kl_strips_body, &job);
    rt->release(job.scratch, strips * job.scratch_bytes);
    return status;
}

#endif
