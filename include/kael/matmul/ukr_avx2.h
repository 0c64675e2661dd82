/* Tiles for AVX2: 16 registers hold the sums (rows * vectors), a row of b or the values of a,
 * whichever is fewer, one operand on its way, and the mask of edge tiles.
 *
 *     f32: 6 x 16: 12 + 2 + 1 + 1     3 x 24: 9 + 3 + 1 + 1     2 x 32: 8 + 2 + 1 + 1
 *     f64: 6 x 8:  12 + 2 + 1 + 1     3 x 12: 9 + 3 + 1 + 1     2 x 16: 8 + 2 + 1 + 1
 *
 * 8 independent sums cover the latency of fma (4 cycles, two a cycle): 6 x 8 f32, with 6 of them,
 * reaches 72% of the peak where 6 x 16 reaches 97%.
 */
#define KL_TILE_REGISTERS 16
#define KL_TILE_SMALL 2 /* vectors of the tile of 4 rows of rung v4 */
#define KL_TILE_LANES 0
#define KL_TILE_MASKS 1
#define KL_TILE_STREAMS(X) X(1, 8) X(1, 6) X(2, 6) X(2, 3) X(3, 3) /* rows of a and of b */
#define KL_TILE_STREAM_ROWS 3
#define KL_TILE_STREAM_STEPS {8, 6, 3}
#define KL_TILE_STREAM_L3_STEPS {6, 6, 3} /* 8 rows 4096 bytes apart fill a set of L1 */
#define KL_TILE_ORDER (void)0
#define KL_TILE_TURNED &KL_FN(turned_kernels)
#define KL_TILE_PACKS_FROM 768 /* at 512 packing a costs more than it gains */

#define KL_EXACT64_HALVES_avx2 1 /* see exact_x86.inc.h */

#define KL_TILES_f32_avx2(X) \
    KL_HEIGHTS_6(X, 1) KL_HEIGHTS_6(X, 2) KL_HEIGHTS_3(X, 3) KL_HEIGHTS_2(X, 4) KL_HEIGHTS_1(X, 8)
#define KL_TILE_ROWS_f32_avx2 6
#define KL_TILE_VECTORS_f32_avx2 {8, 4, 3, 2, 2, 2}

#define KL_TILES_f64_avx2 KL_TILES_f32_avx2
#define KL_TILE_ROWS_f64_avx2 6
#define KL_TILE_VECTORS_f64_avx2 KL_TILE_VECTORS_f32_avx2

#include "kael/matmul/ukr_avx2.inc.h"

#define KL_TURNED_ABREAST 2
#define KL_TURNED_HEIGHTS(X) KL_HEIGHTS_4(X, 1)
#define KL_TURNED_ONCE (8 << 20) /* twice 4 rows are faster than panels from beyond L3 */
#define KL_TURNED_WIDER NULL
#define KL_TURNED_SQUARE KL_FN(turned_pairs)
#include "kael/matmul/turned_x86.inc.h"

#include "kael/matmul/pack.inc.h"
#include "kael/matmul/ukr.inc.h"
