/* Arrays joined along a dim, as rows: what one index of the dims before it holds of each array is
 * one run of bytes, and those runs follow each other. */
#ifndef KAEL_JOIN_H
#define KAEL_JOIN_H

#include "kael/copy.h"
#include "kael/runtime.h"

enum {
    /* Bytes of the output that are filled by one array after another: they stay in L1, where each
     * array would otherwise fetch and write back the lines that two of them share. */
    KL_JOIN_BLOCK = 16384,
    /* Longer rows are copied array by array, which may share one row between threads and store
     * past the caches. */
    KL_JOIN_ROW = 1 << 18
};

struct kl_joined {
    const char *data;
    int64_t bytes; /* of a row */
};

struct kl_join {
    char *out;
    int64_t row; /* bytes of a row of the output: of all arrays */
    int64_t count;
    const struct kl_joined *arrays;
};

/* Rows [first, last): a body for parallel_for. */
static KL_UNUSED int kl_join_range(void *context, int64_t first, int64_t last) {
    const struct kl_join *job = context;
    const int64_t step = kl_max(1, KL_JOIN_BLOCK / job->row);
    for (int64_t r = first; r < last; r += step) {
        const int64_t rows = kl_min(step, last - r);
        char *to = job->out + r * job->row;
        for (int64_t k = 0; k < job->count; ++k) {
            const int64_t bytes = job->arrays[k].bytes;
            kl_copy_rows(to, job->row, job->arrays[k].data + r * bytes, bytes, rows, bytes);
            to += bytes;
        }
    }
    return KL_OK;
}

/* Fills `rows` rows of the output. */
static KL_UNUSED int kl_join_run(const struct kl_runtime *rt, struct kl_join *job, int64_t rows) {
    if (rows == 0 || job->row == 0) return KL_OK;
    const int64_t grain = kl_grain(rt, rows, kl_max(1, job->row / 4));
    if (rows <= grain) return kl_join_range(job, 0, rows);
    return rt->parallel_for(0, rows, grain, kl_join_range, job);
}

#endif
