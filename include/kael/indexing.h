/* Rows picked by number: take, put and add.
 *
 * A row is row_bytes consecutive bytes; positions[i] is the row that entry i means, already checked
 * by the caller. Everything that indexes with arrays or masks is brought to this form first, but
 * for one array of indices, which kl_lookup_rows checks on its way.
 */
#ifndef KAEL_INDEXING_H
#define KAEL_INDEXING_H

#include <string.h>

#include "kael/runtime.h"

struct kl_rows_job {
    char *out;
    const char *source;
    const int64_t *positions;
    int64_t count;
    int64_t width; /* bytes of a row for take, elements of a row for add */
};

/* Copies of a few bytes are calls to memcpy unless the size is a constant. */
KL_INLINE void kl_copy_row(char *out, const char *source, int64_t width) {
    switch (width) {
        case 1: memcpy(out, source, 1); break;
        case 4: memcpy(out, source, 4); break;
        case 8: memcpy(out, source, 8); break;
        case 12: memcpy(out, source, 12); break;
        case 16: memcpy(out, source, 16); break;
        default: memcpy(out, source, (size_t)width);
    }
}

static KL_UNUSED int kl_take_rows_body(void *context, int64_t first, int64_t last) {
    const struct kl_rows_job *job = (const struct kl_rows_job *)context;
    for (int64_t i = first; i < last; ++i) {
        kl_copy_row(job->out + i * job->width, job->source + job->positions[i] * job->width,
                    job->width);
    }
    return KL_OK;
}

/* out[i] = source[positions[i]]. */
static KL_UNUSED int kl_take_rows(const struct kl_runtime *rt, char *out, const char *source,
                                  const int64_t *positions, int64_t count, int64_t row_bytes) {
    if (count == 0 || row_bytes == 0) return KL_OK;
    struct kl_rows_job job = {out, source, positions, count, row_bytes};
    const int64_t grain = kl_grain(rt, count, kl_max(1, row_bytes / 4));
    return rt->parallel_for(0, count, grain, kl_take_rows_body, &job);
}

struct kl_lookup {
    char *out;
    const char *source;
    const int64_t *indices;
    int64_t least, size; /* indices are least .. size - 1; those below 0 count from the end */
    int64_t row_bytes;
};

static KL_UNUSED int kl_lookup_body(void *context, int64_t first, int64_t last) {
    const struct kl_lookup *job = (const struct kl_lookup *)context;
    for (int64_t i = first; i < last; ++i) {
        const int64_t at = job->indices[i]; /* read once: another thread may be writing to it */
        if (at < job->least || at >= job->size) return KL_INDEX_RANGE;
        kl_copy_row(job->out + i * job->row_bytes,
                    job->source + (at < 0 ? at + job->size : at) * job->row_bytes,
                    job->row_bytes);
    }
    return KL_OK;
}

/* out[i] = source[indices[i]]; KL_INDEX_RANGE where one is none. */
static KL_UNUSED int kl_lookup_rows(const struct kl_runtime *rt, struct kl_lookup *job,
                                    int64_t count) {
    const int64_t grain = kl_grain(rt, count, kl_max(1, job->row_bytes / 4));
    if (count <= grain) return kl_lookup_body(job, 0, count);
    return rt->parallel_for(0, count, grain, kl_lookup_body, job);
}

/* out[positions[i]] = source[i], in order: the last of equal positions stays. One thread. */
static KL_UNUSED void kl_put_rows(char *out, const char *source, const int64_t *positions,
                                  int64_t count, int64_t row_bytes) {
    if (row_bytes == 0) return; /* then there may be no memory at all */
    for (int64_t i = 0; i < count; ++i) {
        kl_copy_row(out + positions[i] * row_bytes, source + i * row_bytes, row_bytes);
    }
}

/* out[positions[i]] += source[i], in order of i for every element, so that the bits do not depend
 * on the threads: they share the columns, not the rows. */
#define KL_ADD_ROWS(name, T)                                                                      \
    static KL_UNUSED int kl_add_rows_body_##name(void *context, int64_t first, int64_t last) {    \
        const struct kl_rows_job *job = (const struct kl_rows_job *)context;                      \
        for (int64_t i = 0; i < job->count; ++i) {                                                \
            T *out = (T *)job->out + job->positions[i] * job->width;                              \
            const T *source = (const T *)job->source + i * job->width;                            \
            for (int64_t c = first; c < last; ++c) out[c] += source[c];                           \
        }                                                                                         \
        return KL_OK;                                                                             \
    }
KL_ADD_ROWS(f32, float)
KL_ADD_ROWS(f64, double)
#undef KL_ADD_ROWS

static KL_UNUSED int kl_add_rows(const struct kl_runtime *rt, int dtype, char *out,
                                 const char *source, const int64_t *positions, int64_t count,
                                 int64_t width) {
    if (count == 0 || width == 0) return KL_OK;
    struct kl_rows_job job = {out, source, positions, count, width};
    const int64_t grain = kl_max(16, kl_grain(rt, width, count));
    return rt->parallel_for(
        0, width, grain,
        dtype == KL_DTYPE_f32 ? kl_add_rows_body_f32 : kl_add_rows_body_f64, &job);
}

#endif
