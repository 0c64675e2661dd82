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
    KL_PAGE = 4096,
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

/* Pieces of the planes of two dims of a walk, numbered down each plane and then across. */
struct kl_pieces {
    const struct kl_walk *walk;
    int rows; /* the dim along which an input is contiguous; the output is along the last */
    int64_t tall, wide;      /* rows and columns of a piece; longer where the plane is narrow */
    int64_t blocks, columns; /* of a plane: pieces down, and across */
    int64_t skew; /* rows that the first piece lacks, so that others begin lines of the input */
};

struct kl_piece {
    int64_t rows, size;
    int64_t offset[KL_MAX_OPERANDS]; /* bytes */
};

struct kl_transpose {
    struct kl_pieces pieces;
    kl_turn turn; /* NULL: the input is not contiguous along `rows` */
    bool streamed;
};

/* Plans pieces of at most tall x wide, the skew being set; returns how many there are. */
static inline KL_UNUSED int64_t kl_pieces_plan(struct kl_pieces *pieces, int64_t size, int64_t tall,
                                               int64_t wide) {
    const struct kl_walk *walk = pieces->walk;
    const int64_t height = walk->shape[pieces->rows], width = walk->shape[walk->dims - 1];
    const int64_t elements = tall * wide;
    pieces->tall = tall;
    pieces->wide = wide;
    if (width < wide) {
        pieces->tall = elements / width / KL_ALIGNMENT * KL_ALIGNMENT;
        if (pieces->tall == 0) pieces->tall = tall;
    } else if (height < tall) {
        pieces->wide = elements / height / KL_ALIGNMENT * KL_ALIGNMENT;
    }
    pieces->blocks = kl_ceil_div(height + pieces->skew, pieces->tall);
    pieces->columns = kl_ceil_div(width, pieces->wide);
    return size / (height * width) * pieces->blocks * pieces->columns;
}

/* Elements of a whole piece. */
KL_INLINE int64_t kl_pieces_size(const struct kl_pieces *pieces) {
    const struct kl_walk *walk = pieces->walk;
    return kl_min(pieces->tall, walk->shape[pieces->rows]) *
           kl_min(pieces->wide, walk->shape[walk->dims - 1]);
}

static inline KL_UNUSED struct kl_piece kl_piece_at(const struct kl_pieces *pieces, int64_t i) {
    const struct kl_walk *walk = pieces->walk;
    const int inner = walk->dims - 1, rows = pieces->rows;
    const int64_t end = (i % pieces->blocks + 1) * pieces->tall - pieces->skew;
    const int64_t row = kl_max(0, end - pieces->tall);
    const int64_t column = i / pieces->blocks % pieces->columns * pieces->wide;
    int64_t plane = i / pieces->blocks / pieces->columns;
    struct kl_piece piece = {kl_min(end, walk->shape[rows]) - row,
                             kl_min(pieces->wide, walk->shape[inner] - column), {0}};
    for (int k = 0; k < walk->operands; ++k)
        piece.offset[k] = row * walk->operand[k].strides[rows] +
                          column * walk->operand[k].strides[inner];
    for (int d = inner - 1; d >= 0; --d) {
        if (d == rows) continue;
        for (int k = 0; k < walk->operands; ++k)
            piece.offset[k] += plane % walk->shape[d] * walk->operand[k].strides[d];
        plane /= walk->shape[d];
    }
    return piece;
}

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
    const struct kl_walk *walk = job->pieces.walk;
    const int inner = walk->dims - 1, rows = job->pieces.rows;
    const struct kl_operand *out = &walk->operand[0], *in = &walk->operand[1];
    const int64_t itemsize = out->itemsize;
    for (int64_t i = first; i < last; ++i) {
        const struct kl_piece piece = kl_piece_at(&job->pieces, i);
        const struct kl_plane target = {out->data + piece.offset[0],
                                        out->strides[rows] / itemsize, 1};
        const struct kl_plane source = {in->data + piece.offset[1], in->strides[rows] / itemsize,
                                       in->strides[inner] / itemsize};
        if (job->turn != NULL) {
            job->turn(target, source, piece.rows, piece.size, job->streamed);
        } else {
            kl_plane_copy(target, source, piece.rows, piece.size, itemsize);
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

/* Runs a planned walk without a kernel; `rows` is kl_transpose_dim of it. */
static inline KL_UNUSED int kl_transpose_run(const struct kl_runtime *rt, struct kl_walk *walk,
                                             int64_t size, int rows) {
    if (size == 0) return KL_OK;
    const int64_t itemsize = walk->operand[0].itemsize;
    const bool aligned = kl_transpose_aligned(walk);
    struct kl_transpose job = {.pieces = {.walk = walk, .rows = rows},
                               .streamed = aligned && walk->streamed};
    if (walk->operand[1].strides[rows] == itemsize && itemsize > 1) {
        job.turn = kl_turn_table[rt->isa][!aligned][itemsize == 8];
        job.pieces.skew = kl_transpose_skew(&walk->operand[1], walk->dims - 1);
    }
    const int64_t count = kl_pieces_plan(&job.pieces, size, KL_TRANSPOSE_ROWS,
                                         KL_TRANSPOSE_COLUMNS);
    const int64_t grain = kl_max(1, rt->element_grain() / kl_pieces_size(&job.pieces));
    return rt->parallel_for(0, count, grain, kl_transpose_range, &job);
}

#endif
