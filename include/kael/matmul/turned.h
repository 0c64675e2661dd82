/* Few rows against a b that lies transposed, x @ w.T: rows of w are turned in registers on their
 * way from memory to fma.
 *
 * R2 gives each output one chain of fma, so vectors run along the columns, each lane on a row of w
 * of its own. Few rows lead two streams abreast, whose chains do not wait for each other: of one
 * set of columns, two inner blocks, which are chains of their own; of two sets what is left. Not
 * two sets from the beginning, because their lines would meet in one set of L1, which holds 8,
 * where rows lie a multiple of 4096 bytes apart (1 x 1024 x 1024 f32 in L3, one thread of Zen 4:
 * 87 us, and 141 with two sets). From 5 rows on, rows are chains enough for a single stream of
 * wider vectors, where the set has them. a is packed, [inner][rows], so that its values have
 * constant places.
 *
 * Columns of out may lie apart: then this is the transposed of a product of few columns.
 */
#ifndef KAEL_MATMUL_TURNED_H
#define KAEL_MATMUL_TURNED_H

#include <string.h>

#include "kael/matmul/loops.h"

/* One set of columns: where it begins; the last one begins early enough to be whole, and of its
 * lanes the first `skip` belong to the set before. */
struct kl_turned_set {
    int64_t left, skip;
    char *out; /* for whole sets of columns side by side that of the product, else a buffer */
    int64_t out_row;
};

/* More rows than a kernel takes pass one after the other, from the second pass on with b in L1. A
 * set has at most KL_TURNED_ROWS rows of a vector of 64 bytes (turned_x86.inc.h sees to it). */
enum { KL_TURNED_PASSES = 2, KL_TURNED_SET_BYTES = KL_TURNED_ROWS * 64 + KL_PACK_SLACK };

/* Whether the lines of a square meet in one set of L1. */
KL_INLINE bool kl_turned_collide(const struct kl_turned_kernels *turned,
                                 const struct kl_product *product) {
    return product->b.column % KL_L1_SPAN == 0 && turned->lanes > KL_L1_WAYS;
}

/* From 5 rows on wider kernels are faster, by a fifth to a third (8 x 784 x 128 f32: 15 us instead
 * of 20), unless their lanes collide (8 x 1024 x 1024: 284 instead of 210). */
KL_INLINE const struct kl_turned_kernels *kl_turned_kernels_for(
    const struct kl_tile_kernels *kernels, const struct kl_product *product) {
    enum { FEW_ROWS = 4 };
    const struct kl_turned_kernels *const turned = kernels->turned, *const wider = turned->wider;
    if (wider == NULL || product->rows <= FEW_ROWS) return turned;
    return product->rows <= turned->rows && kl_turned_collide(wider, product) ? turned : wider;
}

struct kl_turned_job {
    const struct kl_tile_kernels *kernels;
    const struct kl_turned_kernels *turned;
    const struct kl_product *product;
    const char *a; /* packed: [inner][height] of each pass */
    const char *bias;
    int64_t bias_row, bias_column; /* what it steps by, or 0 */
};

/* Where an inner block of b begins for the set at `left`, or for the last one. */
KL_INLINE const char *kl_turned_b(const struct kl_turned_job *job, int64_t left, int64_t block) {
    const struct kl_product *const product = job->product;
    left = kl_min(left, product->columns - job->turned->lanes);
    return product->b.data + left * product->b.column + block * KL_INNER_BLOCK * job->kernels->size;
}

/* An inner block of a set, and the block `ahead` that the same stream will come to `later` sets
 * on. Written in place: a copy by vectors of what was just written word by word waits. */
KL_INLINE void kl_turned_lead(const struct kl_turned_job *job, const struct kl_turned_set *set,
                              int64_t block, int64_t later, int64_t ahead,
                              struct kl_turned_stream *stream) {
    const struct kl_product *const product = job->product;
    const int64_t first = block * KL_INNER_BLOCK;
    const bool biased = job->bias != NULL && first + KL_INNER_BLOCK >= product->inner;
    stream->first = first;
    stream->b = kl_turned_b(job, set->left, block);
    stream->next = kl_turned_b(job, set->left + later * job->turned->lanes, ahead);
    stream->out = set->out;
    stream->out_row = set->out_row;
    stream->bias = biased ? job->bias + set->left * job->bias_column : NULL;
    stream->bias_row = job->bias_row;
    stream->mode = product->fresh && first == 0 ? KL_TILE_FRESH : KL_TILE_ADD;
}

/* The streams of all rows, as many at a time as a kernel takes; used up. */
static void kl_turned_run(const struct kl_turned_job *job, struct kl_turned *pass) {
    const struct kl_turned_kernels *const turned = job->turned;
    const struct kl_panels passes = kl_balance(job->product->rows, turned->rows);
    const int64_t size = job->kernels->size;
    int64_t top = 0;
    for (int64_t p = 0; p < passes.count; ++p) {
        const int height = passes.height + (p < passes.taller);
        for (int x = 0; x < turned->streams; ++x) {
            struct kl_turned_stream *const stream = &pass->stream[x];
            stream->a = job->a + (top * job->product->inner + stream->first * height) * size;
            if (p > 0) stream->next = stream->b;
        }
        turned->kernel[height - 1](pass);
        for (int x = 0; x < turned->streams; ++x) {
            struct kl_turned_stream *const stream = &pass->stream[x];
            stream->out += height * stream->out_row;
            if (stream->bias != NULL) stream->bias += height * stream->bias_row;
        }
        top += height;
    }
}

/* The whole inner blocks of a set two by two, but for the last one of an odd number. */
static void kl_turned_blocks(const struct kl_turned_job *job, const struct kl_turned_set *set) {
    const int64_t paired = job->product->inner / KL_INNER_BLOCK / 2 * 2;
    for (int64_t block = 0; block < paired; block += 2) {
        const int64_t later = block + 2 == paired, ahead = later ? 0 : block + 2;
        struct kl_turned pair;
        pair.b_column = job->product->b.column;
        pair.inner = KL_INNER_BLOCK;
        kl_turned_lead(job, set, block, later, ahead, &pair.stream[0]);
        kl_turned_lead(job, set, block + 1, later, ahead + 1, &pair.stream[1]);
        kl_turned_run(job, &pair);
    }
}

/* One block of two sets. */
KL_INLINE void kl_turned_abreast(const struct kl_turned_job *job, const struct kl_turned_set *first,
                                 const struct kl_turned_set *second, int64_t block) {
    struct kl_turned pair;
    pair.b_column = job->product->b.column;
    pair.inner = kl_min(KL_INNER_BLOCK, job->product->inner - block * KL_INNER_BLOCK);
    kl_turned_lead(job, first, block, 2, block, &pair.stream[0]);
    kl_turned_lead(job, second, block, 2, block, &pair.stream[1]);
    kl_turned_run(job, &pair);
}

/* Set s of the product. */
KL_INLINE struct kl_turned_set kl_turned_begin(const struct kl_turned_job *job, int64_t s,
                                               char *buffer) {
    const struct kl_product *const product = job->product;
    const int64_t lanes = job->turned->lanes, size = job->kernels->size;
    const int64_t left = kl_min(s * lanes, product->columns - lanes);
    struct kl_turned_set set = {left, s * lanes - left, product->out + left * product->out_column,
                                product->out_row};
    if (set.skip == 0 && product->out_column == size) return set;
    if (!product->fresh)
        job->kernels->pack(set.out, product->out_column, product->out_row, lanes, product->rows,
                           lanes, buffer);
    set.out = buffer;
    set.out_row = lanes * size;
    return set;
}

KL_INLINE void kl_turned_end(const struct kl_turned_job *job, const struct kl_turned_set *set) {
    const struct kl_product *const product = job->product;
    const int64_t size = job->kernels->size, rows = product->rows, skipped = set->skip * size;
    if (skipped == 0 && product->out_column == size) return;
    char *const out = product->out + (set->left + set->skip) * product->out_column;
    if (product->out_column == size) {
        for (int64_t i = 0; i < rows; ++i)
            memcpy(out + i * product->out_row, set->out + i * set->out_row + skipped,
                   (size_t)(set->out_row - skipped));
        return;
    }
    _Alignas(KL_ALIGNMENT) char turned[KL_TURNED_SET_BYTES];
    const int64_t lanes = job->turned->lanes - set->skip, bytes = rows * size;
    job->kernels->pack(set->out + skipped, set->out_row, size, rows, lanes, rows, turned);
    if (product->out_column == bytes)
        memcpy(out, turned, (size_t)(lanes * bytes));
    else
        for (int64_t l = 0; l < lanes; ++l)
            memcpy(out + l * product->out_column, turned + l * bytes, (size_t)bytes);
}

/* Two sets of columns; of the second one, where there is none, the values go nowhere. Each adds its
 * inner blocks in order. */
static void kl_turned_sets(const struct kl_turned_job *job, int64_t s, bool alone) {
    const int64_t whole = job->product->inner / KL_INNER_BLOCK;
    _Alignas(KL_ALIGNMENT) char buffer[2][KL_TURNED_SET_BYTES];
    const struct kl_turned_set first = kl_turned_begin(job, s, buffer[0]);
    struct kl_turned_set second = first;
    if (alone) {
        memset(buffer[1], 0, sizeof buffer[1]);
        second.out = buffer[1];
        second.out_row = job->turned->lanes * job->kernels->size;
    } else {
        second = kl_turned_begin(job, s + 1, buffer[1]);
    }
    kl_turned_blocks(job, &first);
    if (!alone) kl_turned_blocks(job, &second);
    if (whole % 2 != 0) kl_turned_abreast(job, &first, &second, whole - 1);
    if (job->product->inner % KL_INNER_BLOCK != 0) kl_turned_abreast(job, &first, &second, whole);
    kl_turned_end(job, &first);
    if (!alone) kl_turned_end(job, &second);
}

/* A set of columns alone, where a kernel leads a single stream. */
static void kl_turned_alone(const struct kl_turned_job *job, int64_t s) {
    _Alignas(KL_ALIGNMENT) char buffer[KL_TURNED_SET_BYTES];
    const struct kl_turned_set set = kl_turned_begin(job, s, buffer);
    const int64_t blocks = kl_ceil_div(job->product->inner, KL_INNER_BLOCK);
    for (int64_t block = 0; block < blocks; ++block) {
        const bool last = block + 1 == blocks;
        struct kl_turned one;
        one.b_column = job->product->b.column;
        one.inner = kl_min(KL_INNER_BLOCK, job->product->inner - block * KL_INNER_BLOCK);
        kl_turned_lead(job, &set, block, last, last ? 0 : block + 1, &one.stream[0]);
        kl_turned_run(job, &one);
    }
    kl_turned_end(job, &set);
}

/* Bytes of a packed, unless it lies so. */
KL_INLINE int64_t kl_turned_a_bytes(const struct kl_tile_kernels *kernels,
                                    const struct kl_product *product) {
    if (product->rows == 1 && product->a.column == kernels->size) return 0;
    return product->rows * product->inner * kernels->size + KL_PACK_SLACK;
}

/* Up to KL_TURNED_PASSES times turned->rows rows, and columns enough for two sets. */
static void kl_multiply_abreast(const struct kl_tile_kernels *kernels,
                                const struct kl_product *product, char *scratch) {
    const struct kl_turned_kernels *const turned = kl_turned_kernels_for(kernels, product);
    _Alignas(KL_ALIGNMENT) char spread[KL_TURNED_SET_BYTES]; /* a bias of rows over the lanes */
    struct kl_turned_job job = {
        kernels, turned, product, product->a.data, product->bias, 0, kernels->size};
    if (product->bias != NULL && product->out_column != kernels->size) {
        kernels->pack(product->bias, 0, kernels->size, turned->lanes, product->rows, turned->lanes,
                      spread);
        job.bias = spread;
        job.bias_row = turned->lanes * kernels->size;
        job.bias_column = 0;
    }
    if (kl_turned_a_bytes(kernels, product) > 0) {
        const struct kl_block rows =
            kl_block_at(kernels, product, 0, product->rows, 0, product->inner, 0, 0);
        kl_pack_rows(kernels, turned->rows, &rows, scratch);
        job.a = scratch;
    }
    const int64_t sets = kl_ceil_div(product->columns, turned->lanes);
    for (int64_t s = 0; s < sets; s += turned->streams) {
        if (turned->streams == 1)
            kl_turned_alone(&job, s);
        else
            kl_turned_sets(&job, s, s + 1 == sets);
    }
    if (product->activation.kernel != NULL)
        kl_activate(&product->activation, product->out, product->out_row, product->rows,
                    product->columns, kernels->size);
}

/* Through L1, where nothing turns in registers: a chunk of a panel at a time, the sums waiting
 * there in between. scratch holds the chunk and the sums (kl_turned_bytes). */
enum { KL_TURNED_CHUNK = 256, KL_TURNED_VECTORS = 4 }; /* bytes of a row of b; vectors of a panel */

KL_INLINE int64_t kl_turned_bytes(const struct kl_tile_kernels *kernels, int64_t rows) {
    const int64_t panel = KL_TURNED_VECTORS * kernels->width;
    return panel * (KL_TURNED_CHUNK + rows * kernels->size) + KL_PACK_SLACK;
}

static void kl_multiply_turned(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product, char *scratch) {
    const int64_t size = kernels->size, chunk = KL_TURNED_CHUNK / size;
    const int64_t panel = kl_min(KL_TURNED_VECTORS * kernels->width,
                                 kl_panel_columns(kernels, product->rows));
    for (int64_t left = 0; left < product->columns; left += panel) {
        const int64_t columns = kl_min(panel, product->columns - left);
        for (int64_t first = 0; first < product->inner; first += KL_INNER_BLOCK) {
            const int64_t inner = kl_min(product->inner - first, KL_INNER_BLOCK);
            struct kl_block block =
                kl_block_at(kernels, product, 0, product->rows, first, inner, left, columns);
            const int mode = block.mode;
            const char *const bias = block.bias;
            block.vectors = (int)(panel / kernels->width);
            block.b_panel = scratch;
            block.parked = scratch + panel * KL_TURNED_CHUNK + KL_PACK_SLACK;
            block.parked_row = panel * size;
            for (int64_t k = 0; k < inner; k += block.inner) {
                block.inner = kl_min(chunk, inner - k);
                const bool last = k + block.inner == inner;
                block.mode = last ? mode : KL_TILE_PARK;
                block.bias = last ? bias : NULL;
                block.resumed = k > 0;
                kl_run_block(kernels, &block);
                block.a += block.inner * block.a_inner;
                block.b += block.inner * block.b_inner;
            }
        }
    }
}

#endif
