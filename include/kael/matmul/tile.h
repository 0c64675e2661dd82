/* What the loops and the micro-kernels agree on: one tile of the product, and a row of kernels.
 *
 * Strides are in bytes and tile shapes are data, so that the loops (loops.h) are compiled once
 * and serve every element type and instruction set; only micro-kernels and packing are stamped.
 */
#ifndef KAEL_MATMUL_TILE_H
#define KAEL_MATMUL_TILE_H

#include "kael/config.h"

/* numerics R2: inner blocks of 512, whatever the caches, the type, the set or the threads. */
enum { KL_INNER_BLOCK = 512 };
/* Inner size up to which two blocks are added in one visit of out: a short last block alone would
 * cost another pass over it. */
enum { KL_LONGEST_VISIT = 640 };
/* Steps of the second block up to which it is added while the sums of the first are in registers:
 * each row of a tile reads its steps of b again. */
enum { KL_LONGEST_TAIL = 4 };

/* What becomes of the sums of a tile. */
enum kl_tile_mode {
    KL_TILE_FRESH, /* out = 0 + acc: the first block of an output never written before */
    KL_TILE_ADD,   /* out = out + acc */
    KL_TILE_PARK   /* acc goes to `parked`: the block goes on in a later call */
};

/* out[rows, columns] from a[rows, inner] and b[inner, columns]; rows of b and out have their
 * columns side by side. bias[columns], or NULL, is added last. */
struct kl_tile {
    const char *a;
    int64_t a_row, a_inner;
    const char *b;
    int64_t b_inner;
    int64_t b_ahead; /* what to prefetch, from a row of b on: bytes */
    char *saved;     /* or NULL: a panel to which the rows of b are copied, saved_inner apart */
    int64_t saved_inner;
    const char *fetch; /* `fetches` rows as wide as the tile that will be wanted soon */
    int64_t fetch_row, fetches;
    int64_t out_fetches; /* rows of out to ask for */
    int64_t steps, last_steps; /* of inner that come before the first and after the last of them */
    int64_t fetch_steps;       /* and between those of `fetch` */
    char *out;
    int64_t out_row;
    const char *bias;
    char *parked; /* sums of this inner block so far: acc starts there if `resumed`, else at +0 */
    int64_t parked_row;
    int64_t inner;
    int64_t tail;    /* steps of the inner block after this one, which are added to out, too */
    int64_t columns; /* valid ones: more than (vectors - 1) * width, at most vectors * width */
    int rows;
    int mode;
    bool resumed;
};

/* May use up what is to be asked for: from `fetch` to `last_steps`. */
typedef void (*kl_tile_kernel)(struct kl_tile *tile);

/* Copies lanes x inner elements into dst[inner][pitch] (lanes <= pitch); element (lane, k) of the
 * source lies at lane * lane_stride + k * inner_stride. The lanes of padding may hold anything:
 * edge tiles of floats do not read them, those of integers store nothing of them. May write up to
 * KL_PACK_SLACK bytes beyond the panel. */
typedef void (*kl_pack)(const char *src, int64_t lane_stride, int64_t inner_stride, int64_t lanes,
                        int64_t inner, int64_t pitch, char *dst);

/* Steps of k between which some rows are asked for, at least, how many, and the steps after the
 * last of out: 200 ns, for lines that come from memory. */
enum { KL_TILE_STEPS = 4, KL_TILE_FETCHES = 2, KL_TILE_LAST_STEPS = 32 };

/* Steps up to which what it takes to end a tile and begin the next counts. A store of a sum takes
 * two places of a queue of 64 (Zen 4), where it waits for the last fma; where the stores that begin
 * the next tile find none, all wait: 18 sums of 512 bits cost 20 cycles, 22 cost 70. */
enum { KL_BRIEF_STEPS = 128 };

enum { KL_PACK_SLACK = 64 };
/* Bytes from one line of a set of L1 to the next one of it, and how many lines a set keeps. */
enum { KL_L1_SPAN = 4096, KL_L1_WAYS = 8 };
enum { KL_TILE_ROWS = 14, KL_TILE_VECTORS = 8 };
/* Sums a tile needs to cover the latency of fma: 4 cycles, two a cycle. */
enum { KL_INDEPENDENT_SUMS = 8 };

/* Tiles of the last `columns` columns or fewer: rows of a have their steps side by side, those of b
 * are 16 bytes. kernel[g - 1] is for up to g groups of 4 rows; of the last group the first rows may
 * lie above the tile. Never resumed or parked. */
enum { KL_FEW_GROUPS = 5, KL_FEW_ROWS = 4, KL_FEW_BYTES = 16 };
struct kl_few_kernels {
    int columns;
    kl_tile_kernel kernel[KL_FEW_GROUPS];
};

/* The kernels of one element type and instruction set. A tile of h rows is at most
 * vectors[h - 1] vectors of `width` columns wide; vectors[rows - 1] is the panel of the packed
 * path. kernel[v - 1][h - 1] serves whole tiles, edge[v - 1][h - 1] tiles whose last vector is
 * partly beyond the matrix. Of the widths some are NULL, but never the first. */
struct kl_tile_kernels {
    int size;
    int width;
    int rows;
    struct {
        int rows, vectors;
    } brief; /* or none: tiles for up to KL_BRIEF_STEPS */
    bool padded; /* edge tiles read whole vectors of b: of packed panels */
    bool lanes; /* full tiles read values of a from vectors: only of packed panels */
    int64_t packs_from; /* columns of b from which many rows of a are packed however they lie; or 0,
                         * never: where tiles are low and narrow, a passes by so often */
    bool tails; /* tiles as high as they are wide, in vectors, or higher see to `tail`: others would
                 * find no registers for its sums */
    int vectors[KL_TILE_ROWS];
    kl_tile_kernel kernel[KL_TILE_VECTORS][KL_TILE_ROWS];
    kl_tile_kernel edge[KL_TILE_VECTORS][KL_TILE_ROWS];
    kl_pack pack;
    const struct kl_stream_kernels *stream; /* or NULL: few rows go by tiles, too */
    const struct kl_turned_kernels *turned; /* or NULL: b goes through L1 to be turned */
    const struct kl_tile_kernels *narrow; /* or NULL: for columns left over, vectors half as wide */
    const struct kl_few_kernels *few;     /* or NULL: for no more columns left over than these */
};

/* The kernels of stream.h: sums[h, columns] += a[h, steps] @ b[steps, columns] by
 * kernel[steps][h - 1]. Groups of rows that differ by one take as many steps as the taller of them,
 * steps[h - 1] for h rows, and so have a kernel for either height. */
enum { KL_STREAM_ROWS = 4, KL_STREAM_STEPS = 8 };
struct kl_stream {
    const char *a;
    int64_t a_row, a_inner;
    const char *b;
    int64_t b_inner;
    int64_t ahead; /* what to prefetch, from a row of b on: bytes; or 0, nothing */
    char *sums;
    int64_t sums_row;
    int64_t columns;
};
struct kl_stream_kernels {
    int rows, steps[KL_STREAM_ROWS];
    int l3_steps[KL_STREAM_ROWS]; /* where b is in L3; 0: not worth it from there */
    void (*kernel[KL_STREAM_STEPS + 1][KL_STREAM_ROWS])(const struct kl_stream *job);
};

/* The kernels of turned.h, one inner block of each of `streams`; kernel[h - 1] is for h rows of a,
 * packed: [inner][h]. A stream makes `lanes` columns of out from as many rows of a transposed b,
 * b_column apart. */
enum { KL_TURNED_ROWS = 24, KL_TURNED_STREAMS = 2 };
struct kl_turned_stream {
    const char *a, *b;
    int64_t first;    /* step of the product */
    const char *next; /* the block it will come to next: asked for meanwhile */
    char *out;
    int64_t out_row;
    const char *bias; /* or NULL; bias_row apart for each row, or 0 */
    int64_t bias_row;
    int mode; /* never KL_TILE_PARK */
};
struct kl_turned {
    struct kl_turned_stream stream[KL_TURNED_STREAMS]; /* ended in this order */
    int64_t b_column, inner;
};
struct kl_turned_kernels {
    int streams, lanes, rows;
    int64_t once; /* bytes of a b too small for more rows than these */
    const struct kl_turned_kernels *wider; /* or NULL: of wider vectors, for more rows */
    void (*kernel[KL_TURNED_ROWS])(const struct kl_turned *job);
};

/* X(h, vectors) for every height up to the last. */
#define KL_HEIGHTS_1(X, v) X(1, v)
#define KL_HEIGHTS_2(X, v) KL_HEIGHTS_1(X, v) X(2, v)
#define KL_HEIGHTS_3(X, v) KL_HEIGHTS_2(X, v) X(3, v)
#define KL_HEIGHTS_4(X, v) KL_HEIGHTS_3(X, v) X(4, v)
#define KL_HEIGHTS_6(X, v) KL_HEIGHTS_4(X, v) X(5, v) X(6, v)
#define KL_HEIGHTS_8(X, v) KL_HEIGHTS_6(X, v) X(7, v) X(8, v)
#define KL_HEIGHTS_12(X, v) KL_HEIGHTS_8(X, v) X(9, v) X(10, v) X(11, v) X(12, v)
#define KL_HEIGHTS_14(X, v) KL_HEIGHTS_12(X, v) X(13, v) X(14, v)
#define KL_HEIGHTS_18(X, v) KL_HEIGHTS_14(X, v) X(15, v) X(16, v) X(17, v) X(18, v)
#define KL_HEIGHTS_24(X, v) \
    KL_HEIGHTS_18(X, v) X(19, v) X(20, v) X(21, v) X(22, v) X(23, v) X(24, v)

/* Columns of a panel of b for that many rows. */
KL_INLINE int64_t kl_panel_columns(const struct kl_tile_kernels *kernels, int64_t rows) {
    return (int64_t)kernels->vectors[kl_min(rows, kernels->rows) - 1] * kernels->width;
}

/* A call of a rung on contiguous row-major operands: out[rows, columns] += a[rows, inner] @
 * b[inner, columns]. scratch holds the sums of v2 and v3. */
struct kl_rung {
    const void *a, *b;
    void *out, *scratch;
    int64_t rows, inner, columns;
};

/* Everything of one element type and instruction set. */
struct kl_matmul_row {
    void (*v1_ijk)(const struct kl_rung *rung);
    void (*v2_ikj)(const struct kl_rung *rung);
    void (*v3_tiled)(const struct kl_rung *rung);
    const struct kl_tile_kernels *v4_packed;
    const struct kl_tile_kernels *v5_simd;
};

struct kl_block_sizes {
    int64_t rows, inner, columns;
};
static const struct kl_block_sizes kl_tile_blocks KL_UNUSED = {64, 256, 2048};
static const struct kl_block_sizes kl_packed_blocks KL_UNUSED = {384, KL_INNER_BLOCK, 4096};

/* Fused multiply-add on scalars of a stamped body. */
#define KL_FMA(a, b, c) _Generic((a), float: __builtin_fmaf, double: __builtin_fma)(a, b, c)

#endif
