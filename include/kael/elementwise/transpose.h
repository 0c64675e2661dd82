/* Copies between row-major memory and its transpose: squares that use whole cache lines on both
 * sides, where the walk row by row would fetch each line of the source once per element. */
#ifndef KAEL_ELEMENTWISE_TRANSPOSE_H
#define KAEL_ELEMENTWISE_TRANSPOSE_H

#include "kael/elementwise/walk.h"
#include "kael/plane.h"

/* A piece of the output copied at a time: lines and pages of both sides stay in L1 and its page
 * table. Pieces follow each other down the output, along the input, which is then read by as many
 * streams as a piece has columns. (4096, 4096) f32, one thread of Zen 4: 6.2 ms so, 6.6 by pieces
 * of whole rows, 7.7 without streaming, 10.2 by squares of 4 x 4. */
enum {
    KL_TRANSPOSE_ROWS = 64,
    KL_TRANSPOSE_COLUMNS = 256,
    KL_TRANSPOSE_LEAST = 64 /* elements of a plane; those of smaller ones are moved one by one */
};

#define KL_BODY "kael/elementwise/turn.inc.h"
#include "kael/foreach_isa.h"

typedef void (*kl_turn)(struct kl_plane to, struct kl_plane from, int64_t rows, int64_t size,
                        bool streamed);

/* [set][across lines][f64]. Where rows of the output do not begin lines, vectors of a whole line
 * would cross one each time, at twice the cost: (1000, 1000) f32 takes 178 us so, and 116 by the
 * set whose vectors are half a line. */
#define KL_TURNS(isa) {KL_CAT2(kl_turn_f32_, isa), KL_CAT2(kl_turn_f64_, isa)}
static const kl_turn kl_turn_table[KL_ISA_COUNT][2][2] = {
#define X(isa, title, usable) {KL_TURNS(isa), KL_TURNS(KL_NARROWER_##isa)},
    KL_ISAS(X)
#undef X
};
#undef KL_TURNS

struct kl_transpose {
    const struct kl_walk *walk;
    kl_turn turn; /* NULL: the input is not contiguous along `rows` */
    int rows;     /* the dim along which the input is contiguous; the last is that of the output */
    int64_t tall, wide;      /* rows and columns of a piece; longer where the plane is narrow */
    int64_t blocks, columns; /* of a plane: pieces down, and across */
    int64_t skew; /* rows that the first piece lacks, so that the others begin lines of the input */
    bool streamed;
};

/* The dim for struct kl_transpose, or -1 when the walk does just as well. */
static inline KL_UNUSED int kl_transpose_dim(const struct kl_walk *walk) {
    const int64_t itemsize = walk->operand[0].itemsize;
    const int inner = walk->dims - 1;
    const int64_t *in = walk->operand[1].strides;
    if (walk->kernel != NULL || walk->operand[0].strides[inner] != itemsize) return -1;
    if (in[inner] == 0 || in[inner] == itemsize) return -1;
    for (int d = 0; d < inner; ++d)
        if ((in[d] == itemsize || in[d] == -itemsize) &&
            walk->shape[d] >= KL_TRANSPOSE_LEAST / walk->shape[inner])
            return d;
    return -1;
}

/* Pieces [first, last): a body for parallel_for. */
static inline KL_UNUSED int kl_transpose_range(void *context, int64_t first, int64_t last) {
    const struct kl_transpose *job = context;
    const struct kl_walk *walk = job->walk;
    const int inner = walk->dims - 1;
    const struct kl_operand *out = &walk->operand[0], *in = &walk->operand[1];
    const int64_t itemsize = out->itemsize;
    for (int64_t i = first; i < last; ++i) {
        const int64_t end = (i % job->blocks + 1) * job->tall - job->skew;
        const int64_t row = kl_max(0, end - job->tall);
        const int64_t column = i / job->blocks % job->columns * job->wide;
        int64_t to = row * out->strides[job->rows] + column * itemsize;
        int64_t from = row * in->strides[job->rows] + column * in->strides[inner];
        int64_t plane = i / job->blocks / job->columns;
        for (int d = inner - 1; d >= 0; --d) {
            if (d == job->rows) continue;
            to += plane % walk->shape[d] * out->strides[d];
            from += plane % walk->shape[d] * in->strides[d];
            plane /= walk->shape[d];
        }
        const struct kl_plane target = {out->data + to, out->strides[job->rows] / itemsize, 1};
        const struct kl_plane source = {in->data + from, in->strides[job->rows] / itemsize,
                                       in->strides[inner] / itemsize};
        const int64_t rows = kl_min(end, walk->shape[job->rows]) - row;
        const int64_t size = kl_min(job->wide, walk->shape[inner] - column);
        if (job->turn != NULL) {
            job->turn(target, source, rows, size, job->streamed);
        } else {
            kl_plane_copy(target, source, rows, size, itemsize);
        }
    }
    if (job->streamed) kl_streamed_end();
    return KL_OK;
}

/* Whether every row of the output begins a line. */
KL_INLINE bool kl_transpose_aligned(const struct kl_walk *walk) {
    bool aligned = kl_aligned(walk->operand[0].data, KL_ALIGNMENT);
    for (int d = 0; d < walk->dims - 1; ++d)
        aligned = aligned && walk->operand[0].strides[d] % KL_ALIGNMENT == 0;
    return aligned;
}

/* See struct kl_transpose; 0 where the input's rows begin here and there. */
KL_INLINE int64_t kl_transpose_skew(const struct kl_operand *in, int inner) {
    if (in->strides[inner] % KL_ALIGNMENT != 0) return 0;
    return (int64_t)((uintptr_t)in->data & (KL_ALIGNMENT - 1)) / in->itemsize;
}

/* Pieces of a plane: as many elements in narrow ones too, in whole cache lines. */
KL_INLINE void kl_transpose_shape(struct kl_transpose *job, int64_t height, int64_t width) {
    enum { ELEMENTS = KL_TRANSPOSE_ROWS * KL_TRANSPOSE_COLUMNS };
    job->tall = KL_TRANSPOSE_ROWS;
    job->wide = KL_TRANSPOSE_COLUMNS;
    if (width < KL_TRANSPOSE_COLUMNS) {
        job->tall = ELEMENTS / width / KL_ALIGNMENT * KL_ALIGNMENT;
    } else if (height < KL_TRANSPOSE_ROWS) {
        job->wide = ELEMENTS / height / KL_ALIGNMENT * KL_ALIGNMENT;
    }
    job->blocks = kl_ceil_div(height + job->skew, job->tall);
    job->columns = kl_ceil_div(width, job->wide);
}

/* Runs a planned walk without a kernel; `rows` is kl_transpose_dim of it. */
static inline KL_UNUSED int kl_transpose_run(const struct kl_runtime *rt, struct kl_walk *walk,
                                             int64_t size, int rows) {
    if (size == 0) return KL_OK;
    const int64_t itemsize = walk->operand[0].itemsize;
    const int64_t height = walk->shape[rows], width = walk->shape[walk->dims - 1];
    const bool aligned = kl_transpose_aligned(walk);
    struct kl_transpose job = {.walk = walk, .rows = rows, .streamed = aligned && walk->streamed};
    if (walk->operand[1].strides[rows] == itemsize && itemsize > 1) {
        job.turn = kl_turn_table[rt->isa][!aligned][itemsize == 8];
        job.skew = kl_transpose_skew(&walk->operand[1], walk->dims - 1);
    }
    kl_transpose_shape(&job, height, width);
    const int64_t pieces = size / (height * width) * job.blocks * job.columns;
    const int64_t piece = kl_min(job.tall, height) * kl_min(job.wide, width);
    const int64_t grain = kl_max(1, rt->element_grain() / piece);
    return rt->parallel_for(0, pieces, grain, kl_transpose_range, &job);
}

#endif
