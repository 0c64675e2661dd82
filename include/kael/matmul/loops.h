/* The loops around the micro-kernels, written once: sizes and kernels are data.
 *
 *     for 4096 columns of b                       kl_multiply_packed
 *       for an inner block of 512
 *         pack b: panels [inner][panel]           8 MiB f32: L3, shared by the threads
 *         for a block of rows of a
 *           pack a: panels [inner][height]        768 KiB f32: L2, private
 *           for a panel of b                      kl_run_block
 *             for a panel of a
 *               micro-kernel                      registers; out read and written once
 *
 * Other products pack one panel of b at a time, and rows of a only where they are many
 * (kl_multiply_panels), or nothing at all (kl_multiply_direct); few rows against a large b read it
 * once from beginning to end (stream.h) or, if it is transposed, turn it on its way (turned.h).
 * Every path adds the same inner blocks in the same order.
 */
#ifndef KAEL_MATMUL_LOOPS_H
#define KAEL_MATMUL_LOOPS_H

#include "kael/matmul/few.h"

/* The kernels of the next tile: those of half a vector where no more columns are left. */
KL_INLINE const struct kl_tile_kernels *kl_tile_set(const struct kl_tile_kernels *kernels,
                                                    int64_t columns) {
    const struct kl_tile_kernels *const narrow = kernels->narrow;
    return narrow != NULL && columns <= narrow->width ? narrow : kernels;
}

/* Vectors of the next tile: enough for the columns left, or the next narrower width there is. Half
 * a vector is left to a tile of its own where that still has sums enough; in a packed b both lie
 * in one panel. */
KL_INLINE int kl_tile_width(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                            int64_t columns) {
    const int64_t whole = columns / kernels->width, part = columns % kernels->width;
    const bool split = whole > 0 && part > 0 && !block->b_packed &&
                       block->rows >= KL_INDEPENDENT_SUMS && kl_tile_set(kernels, part) != kernels;
    int vectors = (int)kl_min(block->vectors, whole + (part > 0 && !split));
    while (kernels->kernel[vectors - 1][0] == NULL) --vectors;
    return vectors;
}

/* Rows that a tile may ask for besides those of out; below 0 where it has no time for these. */
KL_INLINE int64_t kl_fetches(int64_t inner, int rows) {
    const int64_t pauses = (inner - KL_TILE_LAST_STEPS) / KL_TILE_STEPS;
    return (pauses - kl_ceil_div(rows, KL_TILE_FETCHES)) * KL_TILE_FETCHES;
}

/* One inner block of a tile. */
KL_INLINE void kl_run_inner(struct kl_tile *tile, int64_t inner, int64_t fetches,
                            kl_tile_kernel kernel) {
    const int64_t most = kl_fetches(inner, tile->rows);
    tile->fetches = kl_max(0, kl_min(fetches, most));
    tile->out_fetches = most > 0 ? tile->rows : 0;
    tile->inner = inner;
    tile->last_steps = most > 0 ? KL_TILE_LAST_STEPS : 0;
    const int64_t outs = kl_ceil_div(tile->out_fetches, KL_TILE_FETCHES) * KL_TILE_STEPS;
    const int64_t pauses = kl_ceil_div(tile->fetches, KL_TILE_FETCHES);
    const int64_t rest = inner - tile->last_steps - outs;
    tile->fetch_steps = pauses > 0 ? rest / pauses : 0;
    tile->steps = rest - tile->fetch_steps * pauses;
    kernel(tile);
}

/* The inner blocks of a visit, one after the other, while the lines of out are in L1. */
KL_INLINE void kl_run_tile(const struct kl_block *block, struct kl_tile *tile, int64_t fetches,
                           bool tails, kl_tile_kernel kernel) {
    const int64_t rest = block->inner - KL_INNER_BLOCK;
    if (KL_LIKELY(rest <= 0)) {
        kl_run_inner(tile, block->inner, fetches, kernel);
        return;
    }
    if (tails && rest <= KL_LONGEST_TAIL && tile->saved == NULL) {
        tile->tail = rest;
        kl_run_inner(tile, KL_INNER_BLOCK, fetches, kernel);
        tile->tail = 0;
        return;
    }
    const struct kl_tile whole = *tile;
    tile->bias = NULL;
    kl_run_inner(tile, KL_INNER_BLOCK, fetches, kernel);
    if (tile->mode == KL_TILE_FRESH) tile->mode = KL_TILE_ADD;
    tile->a += KL_INNER_BLOCK * tile->a_inner;
    tile->b += KL_INNER_BLOCK * tile->b_inner;
    if (tile->saved != NULL) tile->saved += KL_INNER_BLOCK * tile->saved_inner;
    tile->bias = whole.bias;
    kl_run_inner(tile, rest, 0, kernel);
    *tile = whole;
}

/* Lines of b to ask for in advance, in rows of it: 64-byte vectors use more than L1's own
 * prefetcher brings. The first tile of a panel finds them beyond L2, which takes 16 steps. */
enum { KL_ROWS_AHEAD = 4, KL_FIRST_ROWS_AHEAD = 16 };

/* One panel of columns. */
struct kl_panel {
    int vectors;
    bool edge;        /* its last vector is partly beyond the matrix */
    const char *next; /* or NULL: the next one */
    int64_t next_row;
};

/* Where the tiles of a panel read b: packed before, copied by the first of them, or where it
 * lies. */
KL_INLINE void kl_set_b(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                        const struct kl_panel *panel, bool again, struct kl_tile *tile) {
    const int64_t bytes = (int64_t)panel->vectors * kernels->width * kernels->size;
    tile->saved = NULL;
    tile->saved_inner = bytes;
    const bool pack = block->b_column != kernels->size || (panel->edge && kernels->padded);
    if (block->b_panel != NULL && pack) {
        kernels->pack(tile->b, block->b_column, block->b_inner, tile->columns, block->inner,
                      bytes / kernels->size, block->b_panel);
        tile->b = block->b_panel;
        tile->b_inner = bytes;
    } else if (block->b_panel != NULL && again) {
        tile->saved = block->b_panel;
    }
    tile->b_ahead = (again ? KL_FIRST_ROWS_AHEAD : KL_ROWS_AHEAD) * tile->b_inner;
}

/* Where tile `top` of a reads it: packed before, packed now, or where it lies. */
KL_INLINE void kl_set_a(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                        int64_t top, int height, struct kl_tile *tile) {
    const int64_t offset = top * block->inner * kernels->size;
    tile->rows = height;
    if (!block->a_packed) tile->a = block->a + top * block->a_row;
    if (!block->a_packed && block->a_panels == NULL) return;
    if (block->a_packed) {
        tile->a = block->a + offset;
    } else {
        char *const packed = block->a_panels + offset;
        kernels->pack(tile->a, block->a_row, block->a_inner, height, block->inner, height, packed);
        tile->a = packed;
    }
    tile->a_row = kernels->size;
    tile->a_inner = height * kernels->size;
}

static void kl_run_panel(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                         struct kl_tile *tile, const struct kl_panel *panel) {
    const struct kl_panels panels = kl_balance(block->rows, block->tallest);
    const kl_tile_kernel *const kernel = panel->edge ? kernels->edge[panel->vectors - 1]
                                                     : kernels->kernel[panel->vectors - 1];
    char *const out = tile->out;
    char *const parked = tile->parked;
    kl_set_b(kernels, block, panel, panels.count > 1, tile);
    /* The tiles ask for the rows of the next panel of b, each for its share. */
    const int64_t share = panel->next == NULL ? 0 : kl_ceil_div(block->inner, panels.count);
    const char *fetch = panel->next != NULL ? panel->next : tile->b;
    int64_t left = block->inner, top = 0;
    for (int64_t p = 0; p < panels.count; ++p) {
        const int height = panels.height + (p < panels.taller);
        const int64_t fetches = kl_min(share, left);
        kl_set_a(kernels, block, top, height, tile);
        tile->out = out + top * block->out_row;
        tile->parked = parked + top * block->parked_row;
        tile->fetch = fetch;
        tile->fetch_row = panel->next_row;
        kl_run_tile(block, tile, fetches, kernels->tails && height >= panel->vectors,
                    kernel[height - 1]);
        fetch += fetches * panel->next_row;
        if (tile->saved != NULL) {
            tile->b = tile->saved;
            tile->b_inner = tile->saved_inner;
            tile->saved = NULL;
        }
        tile->b_ahead = KL_ROWS_AHEAD * tile->b_inner;
        left -= fetches;
        top += height;
    }
}

/* Columns of a first tile, narrower than a vector, after which the loads of b begin where lines
 * do; 0 if they do so anyway. Elsewhere, where arrays of NumPy begin, each would take two lines,
 * and few rows do little else than load (1 x 1024 x 1024 f32, Zen 4: 85 us instead of 58). */
KL_INLINE int64_t kl_head_columns(const struct kl_tile_kernels *kernels,
                                  const struct kl_block *block) {
    enum { FEW_ROWS = 4, VECTORS = 4 };
    const int64_t vector = (int64_t)kernels->width * kernels->size;
    if (block->rows > FEW_ROWS || block->b_packed || block->b_panel != NULL ||
        block->b_column != kernels->size || block->b_inner % vector != 0 ||
        block->columns < VECTORS * kernels->width)
        return 0;
    const int64_t bytes = (int64_t)(-(uintptr_t)block->b & (uintptr_t)(vector - 1));
    return bytes % kernels->size == 0 ? bytes / kernels->size : 0;
}

/* The panel of columns that begins at `left`, `rest` being left. */
KL_INLINE struct kl_panel kl_panel_at(const struct kl_tile_kernels *kernels,
                                      const struct kl_block *block, int64_t left, int64_t rest,
                                      struct kl_tile *tile) {
    const int64_t size = kernels->size;
    const struct kl_tile_kernels *const set = kl_tile_set(kernels, rest);
    struct kl_panel panel = {.vectors = set == kernels ? kl_tile_width(kernels, block, rest) : 1};
    tile->columns = kl_min((int64_t)panel.vectors * set->width, rest);
    panel.edge = tile->columns % set->width != 0;
    const bool wanted = rest > tile->columns && block->rows > block->tallest;
    if (block->b_packed) {
        tile->b = block->b + left * block->inner * size;
        tile->b_inner = panel.vectors * kernels->width * size;
        if (wanted) panel.next = tile->b + block->inner * tile->b_inner;
        panel.next_row = tile->b_inner;
    } else {
        tile->b = block->b + left * block->b_column;
        tile->b_inner = block->b_inner;
        if (wanted && block->b_panel != NULL && block->b_column == size)
            panel.next = tile->b + tile->columns * size;
        panel.next_row = block->b_inner;
    }
    return panel;
}

/* The block is used up: a may have moved to its panels. It is not copied, since a copy by vectors
 * of what was just written word by word waits for the stores before it, among them the sums of the
 * product before: a tenth of 32 x 32 x 32. */
static void kl_run_block(const struct kl_tile_kernels *kernels, struct kl_block *block) {
    const int64_t size = kernels->size;
    const bool activates = block->activation.kernel != NULL && block->mode != KL_TILE_PARK;
    int64_t waiting = 0; /* finished columns that wait for it */
    struct kl_tile tile;
    tile.a_row = block->a_row;
    tile.a_inner = block->a_inner;
    tile.out_row = block->out_row;
    tile.parked_row = block->parked_row;
    tile.tail = 0;
    tile.mode = block->mode;
    tile.resumed = block->resumed;
    const int64_t head = kl_head_columns(kernels, block);
    for (int64_t left = 0; left < block->columns; left += tile.columns) {
        const int64_t rest = left == 0 && head > 0 ? head : block->columns - left;
        const struct kl_panel panel = kl_panel_at(kernels, block, left, rest, &tile);
        tile.out = block->out + left * size;
        tile.parked = block->parked + left * size;
        tile.bias = block->bias != NULL ? block->bias + left * size : NULL;
        if (kl_takes_few(kernels, block, rest))
            kl_run_few(kernels, block, left, &tile);
        else
            kl_run_panel(kl_tile_set(kernels, rest), block, &tile, &panel);
        if (block->a_panels != NULL) {
            block->a = block->a_panels;
            block->a_packed = true;
            block->a_panels = NULL;
        }
        waiting += tile.columns;
        const bool last = left + tile.columns == block->columns;
        if (activates && (last || block->rows * waiting * size >= KL_WAITING_BYTES)) {
            kl_activate(&block->activation,
                        block->out + (left + tile.columns - waiting) * size, block->out_row,
                        block->rows, waiting, size);
            waiting = 0;
        }
    }
}

/* The inner size of the visit that starts at `first`: a block, and the last one with it if that is
 * short. */
KL_INLINE int64_t kl_visit(int64_t inner, int64_t first) {
    return inner - first <= KL_LONGEST_VISIT ? inner - first : KL_INNER_BLOCK;
}

/* The block of `product` at (top, first, left), operands direct. */
KL_INLINE struct kl_block kl_block_at(const struct kl_tile_kernels *kernels,
                                      const struct kl_product *product, int64_t top, int64_t rows,
                                      int64_t first, int64_t inner, int64_t left, int64_t columns) {
    const bool last = first + inner == product->inner;
    const int64_t size = kernels->size;
    return (struct kl_block){
        .rows = rows,
        .inner = inner,
        .columns = columns,
        .a = product->a.data + top * product->a.row + first * product->a.column,
        .a_row = product->a.row,
        .a_inner = product->a.column,
        .b = product->b.data + first * product->b.row + left * product->b.column,
        .b_inner = product->b.row,
        .b_column = product->columns > 1 ? product->b.column : size,
        .a_packed = false,
        .b_packed = false,
        .a_panels = NULL,
        .b_panel = NULL,
        .vectors = kernels->vectors[kl_min(product->rows, kernels->rows) - 1],
        .tallest = kernels->rows,
        .out = product->out + top * product->out_row + left * size,
        .out_row = product->out_row,
        .bias = last && product->bias != NULL ? product->bias + left * size : NULL,
        .activation = last ? product->activation : (struct kl_activation){NULL, 0},
        .parked = product->out + top * product->out_row + left * size, /* unused */
        .parked_row = product->out_row,
        .mode = product->fresh && first == 0 ? KL_TILE_FRESH : KL_TILE_ADD,
        .resumed = false,
    };
}

/* Takes tiles of fewer sums, which end sooner, where a block has few steps and rows for several. */
KL_INLINE void kl_be_brief(const struct kl_tile_kernels *kernels, struct kl_block *block) {
    if (block->inner > KL_BRIEF_STEPS || block->rows <= kernels->rows || kernels->brief.rows == 0)
        return;
    block->tallest = kernels->brief.rows;
    block->vectors = kernels->brief.vectors;
}

/* Nothing packed; b's columns lie side by side. */
static void kl_multiply_direct(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product) {
    int64_t inner;
    for (int64_t first = 0; first < product->inner; first += inner) {
        inner = kl_visit(product->inner, first);
        struct kl_block block =
            kl_block_at(kernels, product, 0, product->rows, first, inner, 0, product->columns);
        kl_be_brief(kernels, &block);
        kl_run_block(kernels, &block);
    }
}

/* dst <- panels of rows of the block, none above `tallest`, each [inner][its height]. */
static void kl_pack_rows(const struct kl_tile_kernels *kernels, int tallest,
                         const struct kl_block *block, char *dst) {
    const struct kl_panels panels = kl_balance(block->rows, tallest);
    int64_t top = 0;
    for (int64_t p = 0; p < panels.count; ++p) {
        const int height = panels.height + (p < panels.taller);
        kernels->pack(block->a + top * block->a_row, block->a_row, block->a_inner, height,
                      block->inner, height, dst + top * block->inner * kernels->size);
        top += height;
    }
}

/* dst <- panels [first, end) of columns of the block, each [inner][panel], the last one as wide
 * as whole vectors allow. column is the stride between columns of b. */
static void kl_pack_columns(const struct kl_tile_kernels *kernels, const struct kl_block *block,
                            int64_t column, int64_t first, int64_t end, char *dst) {
    const int64_t panel = (int64_t)block->vectors * kernels->width;
    for (int64_t p = first; p < end; ++p) {
        const int64_t left = p * panel;
        const int64_t lanes = kl_min(panel, block->columns - left);
        kernels->pack(block->b + left * column, column, block->b_inner, lanes, block->inner,
                      kl_round_up(lanes, kernels->width),
                      dst + left * block->inner * kernels->size);
    }
}

/* Bytes of a packed block of rows (or columns) x the longest visit there is. */
KL_INLINE int64_t kl_packed_bytes(const struct kl_tile_kernels *kernels, int64_t lanes,
                                  int64_t inner) {
    const int64_t last = inner % KL_INNER_BLOCK;
    const int64_t longest = kl_min(
        inner, KL_INNER_BLOCK + (last <= KL_LONGEST_VISIT - KL_INNER_BLOCK ? last : 0));
    const int64_t bytes = kl_round_up(lanes, kernels->width) * longest * kernels->size;
    return kl_round_up(bytes + KL_PACK_SLACK, KL_ALIGNMENT);
}

/* One panel of b at a time in scratch, which holds kl_packed_bytes of it and then, unless a is read
 * where it lies, of a. */
static void kl_multiply_panels(const struct kl_tile_kernels *kernels,
                               const struct kl_product *product, bool pack_a, char *scratch) {
    const int64_t bytes = kl_packed_bytes(kernels, kl_panel_columns(kernels, product->rows),
                                          product->inner);
    int64_t inner;
    for (int64_t first = 0; first < product->inner; first += inner) {
        inner = kl_visit(product->inner, first);
        struct kl_block block =
            kl_block_at(kernels, product, 0, product->rows, first, inner, 0, product->columns);
        block.b_panel = scratch;
        if (pack_a)
            block.a_panels = scratch + bytes;
        else
            kl_be_brief(kernels, &block);
        kl_run_block(kernels, &block);
    }
}

#endif
