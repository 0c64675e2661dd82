/* Few rows against a large b whose rows are contiguous: b is read once, along its rows.
 *
 * An inner block goes a few rows of b at a time over KL_STREAM_BYTES of columns, its sums waiting in
 * scratch in between. Kernels walk along rows of b, a group of rows of a after the other, and ask
 * for the same columns of the rows below, into L2: one row reads as fast as a loop that only adds b
 * up (4096 x 4096 f32, one thread of Zen 4: 37 GB/s, 20 where tiles went 512 bytes along 8 rows), 8
 * rows take 1.7 times as long as one. What is left of a block goes by tiles.
 */
#ifndef KAEL_MATMUL_STREAM_H
#define KAEL_MATMUL_STREAM_H

#include <string.h>

#include "kael/matmul/loops.h"

/* Of a row of b: the columns that a visit takes, and the fewest that kernels are worth. */
enum { KL_STREAM_BYTES = 16384, KL_STREAM_LEAST = 512 };

/* Bytes between the rows of sums, and from the first byte of scratch to the first sum: the loads of
 * sums begin where lines do when those of b do. */
KL_INLINE int64_t kl_stream_row(const struct kl_tile_kernels *kernels, int64_t columns) {
    const int64_t bytes = kl_min(columns * kernels->size, KL_STREAM_BYTES + KL_ALIGNMENT);
    return kl_round_up(bytes, KL_ALIGNMENT) + KL_ALIGNMENT;
}
KL_INLINE int64_t kl_stream_gap(const struct kl_tile_kernels *kernels,
                                const struct kl_block *block) {
    return kl_head_columns(kernels, block) == 0
               ? 0
               : KL_ALIGNMENT - kl_head_columns(kernels, block) * kernels->size;
}

/* Whether the set has kernels for it: not for integers. */
KL_INLINE bool kl_walks(const struct kl_tile_kernels *kernels, int64_t columns) {
    return kernels->stream != NULL && columns * kernels->size >= KL_STREAM_LEAST;
}

/* One visit: `steps` rows of b, for all rows of a. */
static void kl_stream_visit(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                            const struct kl_panels *groups, int64_t steps) {
    const int64_t head = kl_head_columns(kernels, block);
    struct kl_stream job = {.a = block->a,
                            .a_row = block->a_row,
                            .a_inner = block->a_inner,
                            .b_inner = block->b_inner,
                            .ahead = steps * block->b_inner,
                            .sums_row = block->parked_row};
    char *sums = block->parked;
    for (int64_t g = 0; g < groups->count; ++g) {
        const int height = groups->height + (g < groups->taller);
        const int64_t ends[] = {0, head, block->columns};
        for (int part = 0; part < 2; ++part) {
            job.b = block->b + ends[part] * kernels->size;
            job.sums = sums + ends[part] * kernels->size;
            job.columns = ends[part + 1] - ends[part];
            if (job.columns > 0) kernels->stream->kernel[steps][height - 1](&job);
        }
        job.a += height * block->a_row;
        sums += height * block->parked_row;
    }
}

/* The steps of an inner block that visits take; at least one is left over. */
static int64_t kl_stream_steps(const struct kl_tile_kernels *kernels, struct kl_block block) {
    if (!kl_walks(kernels, block.columns)) return 0;
    const struct kl_stream_kernels *const stream = kernels->stream;
    const struct kl_panels groups = kl_balance(block.rows, stream->rows);
    const int64_t steps = stream->steps[groups.height + (groups.taller > 0) - 1];
    int64_t k = 0;
    for (int64_t i = 0; i < block.rows; ++i)
        memset(block.parked + i * block.parked_row, 0, (size_t)(block.columns * kernels->size));
    for (; k + steps < block.inner; k += steps) {
        kl_stream_visit(kernels, &block, &groups, steps);
        block.a += steps * block.a_inner;
        block.b += steps * block.b_inner;
    }
    return k;
}

/* An inner block of some columns, whose sums have their place. Without kernels, tiles of 8 rows of
 * b from memory beat 16 by 7% where up to 4 rows wait. */
static void kl_stream_block(const struct kl_tile_kernels *kernels, const struct kl_block *whole) {
    const int64_t chunk = whole->rows > 4 ? 16 : 8, inner = whole->inner;
    for (int64_t k = kl_stream_steps(kernels, *whole); k < inner; k += chunk) {
        struct kl_block block = *whole;
        block.a += k * block.a_inner;
        block.b += k * block.b_inner;
        block.inner = kl_min(chunk, inner - k);
        block.resumed = k > 0;
        if (k + block.inner < inner) {
            block.mode = KL_TILE_PARK;
            block.bias = NULL;
        }
        kl_run_block(kernels, &block);
    }
}

/* scratch holds kl_stream_row for each row. */
static void kl_multiply_stream(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product, char *scratch) {
    const int64_t rows = product->rows, columns = product->columns;
    for (int64_t first = 0; first < product->inner; first += KL_INNER_BLOCK) {
        const int64_t inner = kl_min(product->inner - first, KL_INNER_BLOCK);
        int64_t width;
        for (int64_t left = 0; left < columns; left += width) {
            struct kl_block block =
                kl_block_at(kernels, product, 0, rows, first, inner, left, columns - left);
            width = kl_min(kl_head_columns(kernels, &block) + KL_STREAM_BYTES / kernels->size,
                           columns - left);
            block.columns = width;
            block.parked = scratch + kl_stream_gap(kernels, &block);
            block.parked_row = kl_stream_row(kernels, columns);
            kl_stream_block(kernels, &block);
        }
    }
}

#endif
