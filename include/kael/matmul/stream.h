/* Few rows against a large b whose rows are contiguous: b is read once, along its rows.
 *
 * An inner block goes a few rows of b at a time, its sums waiting in scratch in between. Rows of a
 * that one kernel takes go over all columns, and ask for lines KL_STREAM_AHEAD bytes further on,
 * into L2: one row reads as fast as a loop that only adds b up (4096 x 4096 f32, one thread of
 * Zen 4: 37 GB/s, 20 where tiles went 512 bytes along 8 rows). More rows go in groups, of which all
 * but the first find b in L2, over KL_STREAM_BYTES of columns, and ask for the same columns of the
 * rows below: 8 rows take 1.7 times as long as one. What is left of a block goes by tiles.
 */
#ifndef KAEL_MATMUL_STREAM_H
#define KAEL_MATMUL_STREAM_H

#include <string.h>

#include "kael/matmul/loops.h"

/* Bytes of a row of b; it has kernels from the least on. */
enum { KL_STREAM_AHEAD = 2048, KL_STREAM_BYTES = 16384, KL_STREAM_LEAST = 512 };

/* Whether the set has kernels for it: not for integers. */
KL_INLINE bool kl_walks(const struct kl_tile_kernels *kernels, int64_t columns) {
    return kernels->stream != NULL && columns * kernels->size >= KL_STREAM_LEAST;
}

/* Columns of a visit, `head` of them before loads begin where lines do. */
KL_INLINE int64_t kl_stream_width(const struct kl_tile_kernels *kernels, int64_t rows,
                                  int64_t head, int64_t columns) {
    const bool whole = !kl_walks(kernels, columns) || rows <= kernels->stream->rows;
    return whole ? columns : kl_min(head + KL_STREAM_BYTES / kernels->size, columns);
}

/* Bytes between the rows of sums, and from the first byte of scratch to the first sum: the loads of
 * sums begin where lines do when those of b do. */
KL_INLINE int64_t kl_stream_row(const struct kl_tile_kernels *kernels, int64_t rows,
                                int64_t columns) {
    const int64_t most = KL_ALIGNMENT / kernels->size;
    const int64_t width = kl_stream_width(kernels, rows, most, columns);
    return kl_round_up(width * kernels->size, KL_ALIGNMENT) + KL_ALIGNMENT;
}
KL_INLINE int64_t kl_stream_gap(const struct kl_tile_kernels *kernels, int64_t head) {
    return head == 0 ? 0 : KL_ALIGNMENT - head * kernels->size;
}

/* How rows go along b. */
struct kl_visits {
    struct kl_panels groups;
    int64_t steps; /* rows of b of a visit */
    bool in_l3;    /* b is: its lines come by themselves, but for those the last group asks for */
};

KL_INLINE struct kl_visits kl_visits_for(const struct kl_stream_kernels *stream, int64_t rows,
                                         bool in_l3) {
    const struct kl_panels groups = kl_balance(rows, stream->rows);
    const int tallest = groups.height + (groups.taller > 0);
    const int64_t near = in_l3 ? stream->l3_steps[tallest - 1] : 0;
    return (struct kl_visits){groups, near > 0 ? near : stream->steps[tallest - 1], near > 0};
}

/* One visit: `steps` rows of b, for all rows of a, in parts of the columns that differ in where
 * they begin and in what to ask for: near the end of rows read to their end, it is the beginning of
 * the next ones. */
static void kl_stream_visit(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                            const struct kl_visits *visits) {
    const struct kl_panels *const groups = &visits->groups;
    const int64_t size = kernels->size, below = visits->steps * block->b_inner;
    const int64_t along = groups->count == 1 ? KL_STREAM_AHEAD : 0;
    const int64_t head = kl_head_columns(kernels, block);
    const int64_t last = kl_max(head, block->columns - along / size);
    const int64_t ends[] = {0, head, last, block->columns};
    struct kl_stream job = {.a = block->a,
                            .a_row = block->a_row,
                            .a_inner = block->a_inner,
                            .b_inner = block->b_inner,
                            .sums_row = block->parked_row};
    char *sums = block->parked;
    for (int64_t g = 0; g < groups->count; ++g) {
        const int height = groups->height + (g < groups->taller);
        const bool quiet = visits->in_l3 && (g == 0 || g + 1 < groups->count);
        for (int part = 0; part < 3; ++part) {
            job.b = block->b + ends[part] * size;
            job.sums = sums + ends[part] * size;
            job.columns = ends[part + 1] - ends[part];
            job.ahead = along == 0 ? below : along;
            if (along != 0 && part == 2) job.ahead += below - block->columns * size;
            if (quiet) job.ahead = 0;
            if (job.columns > 0) kernels->stream->kernel[visits->steps][height - 1](&job);
        }
        job.a += height * block->a_row;
        sums += height * block->parked_row;
    }
}

/* The steps of an inner block that visits take; at least one is left over. */
static int64_t kl_stream_steps(const struct kl_tile_kernels *kernels, struct kl_block block,
                               bool in_l3) {
    if (!kl_walks(kernels, block.columns)) return 0;
    const struct kl_visits visits = kl_visits_for(kernels->stream, block.rows, in_l3);
    const int64_t steps = visits.steps;
    int64_t k = 0;
    for (int64_t i = 0; i < block.rows; ++i)
        memset(block.parked + i * block.parked_row, 0, (size_t)(block.columns * kernels->size));
    for (; k + steps < block.inner; k += steps) {
        kl_stream_visit(kernels, &block, &visits);
        block.a += steps * block.a_inner;
        block.b += steps * block.b_inner;
    }
    return k;
}

/* An inner block of some columns, whose sums have their place. Without kernels, tiles of 8 rows of
 * b from memory beat 16 by 7% where up to 4 rows wait. */
static void kl_stream_block(const struct kl_tile_kernels *kernels, const struct kl_block *whole,
                            bool in_l3) {
    const int64_t chunk = whole->rows > 4 ? 16 : 8, inner = whole->inner;
    for (int64_t k = kl_stream_steps(kernels, *whole, in_l3); k < inner; k += chunk) {
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

/* scratch holds kl_stream_row for each row; in_l3: all of b fits there. */
static void kl_multiply_stream(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product, bool in_l3, char *scratch) {
    const int64_t rows = product->rows, columns = product->columns;
    for (int64_t first = 0; first < product->inner; first += KL_INNER_BLOCK) {
        const int64_t inner = kl_min(product->inner - first, KL_INNER_BLOCK);
        int64_t width;
        for (int64_t left = 0; left < columns; left += width) {
            struct kl_block block =
                kl_block_at(kernels, product, 0, rows, first, inner, left, columns - left);
            const int64_t head = kl_head_columns(kernels, &block);
            width = kl_stream_width(kernels, rows, head, columns - left);
            block.columns = width;
            block.parked = scratch + kl_stream_gap(kernels, head);
            block.parked_row = kl_stream_row(kernels, rows, columns);
            kl_stream_block(kernels, &block, in_l3);
        }
    }
}

#endif
