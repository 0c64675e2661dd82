/* Few rows against a b beyond L3 whose rows are contiguous: b is read once, from beginning to end.
 *
 * An inner block goes a few rows of b at a time over all columns, its sums waiting in scratch in
 * between. Up to `stream->rows` rows have kernels that walk along rows of b and ask for lines
 * KL_STREAM_AHEAD bytes further on, into L2: one row reads as fast as a loop that only adds b up
 * (4096 x 4096 f32, one thread of Zen 4: 37 GB/s, 20 where tiles went 512 bytes along 8 rows). The
 * rows that end a block, and more rows of a, go by tiles.
 */
#ifndef KAEL_MATMUL_STREAM_H
#define KAEL_MATMUL_STREAM_H

#include <string.h>

#include "kael/matmul/loops.h"

enum { KL_STREAM_AHEAD = 2048, KL_STREAM_LEAST = 512 }; /* bytes of a row of b */

/* Bytes between the rows of sums, and from the first byte of scratch to the first sum: the loads of
 * sums begin where lines do when those of b do. */
KL_INLINE int64_t kl_stream_row(const struct kl_tile_kernels *kernels, int64_t columns) {
    return kl_round_up(columns * kernels->size, KL_ALIGNMENT) + KL_ALIGNMENT;
}
KL_INLINE int64_t kl_stream_gap(const struct kl_tile_kernels *kernels,
                                const struct kl_block *block) {
    return kl_head_columns(kernels, block) == 0
               ? 0
               : KL_ALIGNMENT - kl_head_columns(kernels, block) * kernels->size;
}

/* One visit: `steps` rows of b, in parts that differ in what is `ahead`: near the end of the rows
 * it is the beginning of the next ones. */
static void kl_stream_visit(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                            int64_t head, int64_t steps) {
    const int64_t size = kernels->size, columns = block->columns;
    const int64_t last = kl_max(head, columns - KL_STREAM_AHEAD / size);
    const int64_t ends[] = {head, last, columns};
    int64_t left = 0;
    for (int part = 0; part < 3; ++part) {
        if (left == ends[part]) continue;
        const struct kl_stream job = {
            .a = block->a,
            .a_row = block->a_row,
            .a_inner = block->a_inner,
            .b = block->b + left * size,
            .b_inner = block->b_inner,
            .ahead = KL_STREAM_AHEAD + (part == 2 ? steps * block->b_inner - columns * size : 0),
            .sums = block->parked + left * size,
            .sums_row = block->parked_row,
            .columns = ends[part] - left,
        };
        kernels->stream->kernel[block->rows - 1](&job);
        left = ends[part];
    }
}

/* The steps of an inner block that kernels of whole visits take; at least one is left over. */
static int64_t kl_stream_steps(const struct kl_tile_kernels *kernels,
                               const struct kl_block *whole) {
    const struct kl_stream_kernels *const stream = kernels->stream;
    if (stream == NULL || whole->rows > stream->rows ||
        whole->columns * kernels->size < KL_STREAM_LEAST)
        return 0;
    struct kl_block block = *whole;
    const int64_t steps = stream->steps[whole->rows - 1], head = kl_head_columns(kernels, whole);
    int64_t k = 0;
    for (int64_t i = 0; i < whole->rows; ++i)
        memset(whole->parked + i * whole->parked_row, 0, (size_t)(whole->columns * kernels->size));
    for (; k + steps < whole->inner; k += steps) {
        kl_stream_visit(kernels, &block, head, steps);
        block.a += steps * block.a_inner;
        block.b += steps * block.b_inner;
    }
    return k;
}

/* scratch holds kl_stream_row for each row. From memory, tiles of 8 rows of b beat 16 by 7% where
 * up to 4 rows wait. */
static void kl_multiply_stream(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product, char *scratch) {
    const int64_t chunk = product->rows > 4 ? 16 : 8;
    for (int64_t first = 0; first < product->inner; first += KL_INNER_BLOCK) {
        const int64_t inner = kl_min(product->inner - first, KL_INNER_BLOCK);
        struct kl_block whole =
            kl_block_at(kernels, product, 0, product->rows, first, inner, 0, product->columns);
        whole.parked = scratch + kl_stream_gap(kernels, &whole);
        whole.parked_row = kl_stream_row(kernels, product->columns);
        for (int64_t k = kl_stream_steps(kernels, &whole); k < inner; k += chunk) {
            struct kl_block block = whole;
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
}

#endif
