/* Kernels on transposed inputs: a piece of each is turned into a tile, beside which the others are
 * read where they lie. The walk would gather the transposed ones element by element, and a copy of
 * them, made first, passes memory twice. */
#ifndef KAEL_ELEMENTWISE_TURNED_H
#define KAEL_ELEMENTWISE_TURNED_H

#include "kael/elementwise/transpose.h"

/* A piece: as many rows as a line has elements, and rows long enough for a call of the kernel; its
 * tile and the lines of its input stay in L1. */
enum {
    KL_TURNED_ROWS = 16,
    KL_TURNED_COLUMNS = 256,
    KL_TURNED_ELEMENTS = KL_TURNED_ROWS * KL_TURNED_COLUMNS,
    KL_TURNED_BYTES = 8 * KL_TURNED_ELEMENTS,
    KL_TURNED_LEAST = 32 /* columns, unless rows of all operands follow each other */
};

struct kl_turned {
    struct kl_pieces pieces;
    kl_turn turn[KL_MAX_OPERANDS]; /* of an input to be turned, unless its items are bytes */
    bool in_tile[KL_MAX_OPERANDS], fixed[KL_MAX_OPERANDS];
    bool flat; /* the rows of a piece follow each other: the kernel takes them at once */
};

/* Whether the operand repeats one element. */
KL_INLINE bool kl_turned_fixed(const struct kl_walk *walk, const struct kl_operand *operand) {
    for (int d = 0; d < walk->dims; ++d)
        if (operand->strides[d] != 0) return false;
    return true;
}

KL_INLINE bool kl_turned_direct(const struct kl_walk *walk, const struct kl_operand *operand) {
    return operand->strides[walk->dims - 1] == operand->itemsize &&
           kl_aligned(operand->data, operand->itemsize);
}

/* Whether rows of what is not in a tile follow each other, and fit a piece. */
KL_INLINE bool kl_turned_flat(const struct kl_walk *walk, int rows) {
    const int inner = walk->dims - 1;
    for (int k = 0; k < walk->operands; ++k) {
        const struct kl_operand *operand = &walk->operand[k];
        if (operand->strides[inner] == operand->itemsize &&
            operand->strides[rows] != operand->itemsize * walk->shape[inner])
            return false;
    }
    return walk->shape[inner] <= KL_TURNED_COLUMNS;
}

/* Whether columns of an input from memory are a multiple of a page apart, which all go to the same
 * few lines of a cache. */
KL_INLINE bool kl_turned_collides(const struct kl_walk *walk) {
    for (int k = 1; k < walk->operands; ++k) {
        const int64_t step = walk->operand[k].strides[walk->dims - 1];
        if (step != 0 && step % KL_PAGE == 0) return walk->far;
    }
    return false;
}

/* Whether pieces are better than a copy made first. They are not for what is streamed, nor for few
 * rows that are long, of which a piece would be short bursts. With pieces, without: add of
 * (4096, 4096).T 19 ms and 11, > of the same 16 and 10, relu of (1000000, 3).T 2.9 and 1.9. */
KL_INLINE bool kl_turned_pays(const struct kl_walk *walk, int rows) {
    const int64_t height = walk->shape[rows], width = walk->shape[walk->dims - 1];
    if (walk->streamed || height < KL_TRANSPOSE_LEAST / width) return false;
    if (height < KL_TURNED_ROWS && width > KL_TURNED_ELEMENTS / height) return false;
    if (kl_turned_collides(walk)) return false;
    return width >= KL_TURNED_LEAST || kl_turned_flat(walk, rows);
}

/* The dim along which every transposed input is contiguous, or -1 when the walk is to be run. */
static inline KL_UNUSED int kl_turned_dim(const struct kl_walk *walk) {
    const int inner = walk->dims - 1;
    int rows = -1;
    if (walk->kernel == NULL || !kl_turned_direct(walk, &walk->operand[0])) return -1;
    for (int k = 1; k < walk->operands; ++k) {
        const struct kl_operand *operand = &walk->operand[k];
        if (kl_turned_direct(walk, operand) || kl_turned_fixed(walk, operand)) continue;
        if (operand->strides[inner] == 0) return -1;
        int found = rows;
        for (int d = 0; d < inner && rows < 0; ++d)
            if (operand->strides[d] == operand->itemsize) found = d;
        if (found < 0 || operand->strides[found] != operand->itemsize) return -1;
        rows = found;
    }
    return rows >= 0 && kl_turned_pays(walk, rows) ? rows : -1;
}

/* Fills the tile of input k. */
KL_INLINE void kl_turned_tile(const struct kl_turned *job, const struct kl_piece *piece, int k,
                              char *tile) {
    const struct kl_walk *walk = job->pieces.walk;
    const struct kl_operand *in = &walk->operand[k];
    const struct kl_plane target = {tile, piece->size, 1};
    const struct kl_plane source = {in->data + piece->offset[k],
                                   in->strides[job->pieces.rows] / in->itemsize,
                                   in->strides[walk->dims - 1] / in->itemsize};
    if (job->turn[k] != NULL) {
        job->turn[k](target, source, piece->rows, piece->size, false);
    } else {
        kl_plane_copy(target, source, piece->rows, piece->size, in->itemsize);
    }
}

/* The kernel on every row of a piece. */
static inline KL_UNUSED int kl_turned_piece(const struct kl_turned *job,
                                            const struct kl_piece *piece,
                                            char (*tiles)[KL_TURNED_BYTES]) {
    const struct kl_walk *walk = job->pieces.walk;
    const int64_t times = job->flat ? 1 : piece->rows;
    const int64_t n = job->flat ? piece->rows * piece->size : piece->size;
    const void *in[KL_MAX_OPERANDS] = {0};
    int64_t itemsizes[KL_MAX_OPERANDS] = {0};
    for (int k = 0; k < walk->operands; ++k) {
        itemsizes[k] = walk->operand[k].itemsize;
        if (job->in_tile[k]) kl_turned_tile(job, piece, k, tiles[k - 1]);
    }
    for (int64_t r = 0; r < times; ++r) {
        for (int k = 1; k < walk->operands; ++k) {
            const struct kl_operand *operand = &walk->operand[k];
            in[k - 1] = job->in_tile[k] ? tiles[k - 1] + r * n * itemsizes[k]
                        : job->fixed[k] ? tiles[k - 1]
                        : operand->data + piece->offset[k] + r * operand->strides[job->pieces.rows];
        }
        char *out = walk->operand[0].data + piece->offset[0] +
                    r * walk->operand[0].strides[job->pieces.rows];
        KL_TRY(walk->kernel(out, in, n, NULL));
    }
    return KL_OK;
}

/* Pieces [first, last): a body for parallel_for. */
static inline KL_UNUSED int kl_turned_range(void *context, int64_t first, int64_t last) {
    const struct kl_turned *job = context;
    const struct kl_walk *walk = job->pieces.walk;
    _Alignas(KL_ALIGNMENT) char tiles[KL_MAX_OPERANDS - 1][KL_TURNED_BYTES];
    for (int k = 1; k < walk->operands; ++k)
        if (job->fixed[k])
            kl_move_run(tiles[k - 1], walk->operand[k].itemsize, walk->operand[k].data, 0,
                        walk->operand[k].itemsize, kl_pieces_size(&job->pieces));
    for (int64_t i = first; i < last; ++i) {
        const struct kl_piece piece = kl_piece_at(&job->pieces, i);
        KL_TRY(kl_turned_piece(job, &piece, tiles));
    }
    return KL_OK;
}

/* Runs a planned walk of size elements, each worth cost additions; `rows` is kl_turned_dim. */
static inline KL_UNUSED int kl_turned_run(const struct kl_runtime *rt, struct kl_walk *walk,
                                          int64_t size, int64_t cost, int rows) {
    if (size == 0) return KL_OK;
    struct kl_turned job = {.pieces = {.walk = walk, .rows = rows}};
    job.flat = kl_turned_flat(walk, rows);
    for (int k = 1; k < walk->operands; ++k) {
        const struct kl_operand *in = &walk->operand[k];
        job.fixed[k] = kl_turned_fixed(walk, in);
        job.in_tile[k] = !job.fixed[k] && !kl_turned_direct(walk, in);
        if (!job.in_tile[k] || in->itemsize == 1) continue;
        job.turn[k] = kl_turn_table[rt->isa][0][in->itemsize == 8];
        job.pieces.skew = kl_transpose_skew(in, walk->dims - 1);
    }
    const int64_t count = kl_pieces_plan(&job.pieces, size, KL_TURNED_ROWS, KL_TURNED_COLUMNS);
    const int64_t grain = kl_grain(rt, count, kl_pieces_size(&job.pieces) * cost);
    return rt->parallel_for(0, count, grain, kl_turned_range, &job);
}

#endif
