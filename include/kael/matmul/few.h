/* The last columns of a block, so few that two rows share a vector.
 */
#ifndef KAEL_MATMUL_FEW_H
#define KAEL_MATMUL_FEW_H

#include "kael/matmul/product.h"

/* Whether the columns left are so few that two rows share a vector (the last 4 of 100 x 100 x 100
 * f32, Zen 4: 1.4 us instead of 2.0). */
KL_INLINE bool kl_takes_few(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                            int64_t columns) {
    enum { LEAST_ROWS = 16 };
    return kernels->few != NULL && columns <= kernels->few->columns && block->inner > 0 &&
           block->rows >= LEAST_ROWS && block->a_inner == kernels->size && !block->a_packed &&
           block->a_panels == NULL && !block->b_packed && block->mode != KL_TILE_PARK &&
           !block->resumed;
}

/* The columns from `left` on, the last ones; b is copied to rows of 16 bytes. Groups of rows are
 * chains enough from 4 on; where rows lie far apart, more lines of them would meet in a set of L1
 * (1000 x 512 x 4: 66 us, 82 with 5 groups at a time). */
static void kl_run_few(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                       int64_t left, struct kl_tile *tile) {
    _Alignas(KL_ALIGNMENT) char panel[KL_LONGEST_VISIT * KL_FEW_BYTES + KL_PACK_SLACK];
    const int tallest = KL_FEW_GROUPS - (block->a_row >= KL_L1_SPAN / 2);
    const struct kl_panels panels = kl_balance(kl_ceil_div(block->rows, KL_FEW_ROWS), tallest);
    const char *const bias = tile->bias;
    kernels->pack(tile->b, block->b_column, block->b_inner, tile->columns, block->inner,
                  KL_FEW_BYTES / kernels->size, panel);
    int64_t top = 0;
    for (int64_t p = 0; p < panels.count; ++p) {
        const int groups = panels.height + (p < panels.taller);
        tile->rows = (int)kl_min(groups * KL_FEW_ROWS, block->rows - top);
        tile->out = block->out + left * kernels->size + top * block->out_row;
        for (int64_t first = 0; first < block->inner; first += KL_INNER_BLOCK) {
            tile->inner = kl_min(KL_INNER_BLOCK, block->inner - first);
            tile->a = block->a + top * block->a_row + first * kernels->size;
            tile->b = panel + first * KL_FEW_BYTES;
            tile->mode = first > 0 ? KL_TILE_ADD : block->mode;
            tile->bias = first + tile->inner == block->inner ? bias : NULL;
            kernels->few->kernel[groups - 1](tile);
        }
        top += tile->rows;
    }
}

#endif
