/* Tiles for AVX-512: 32 registers hold the sums (rows * vectors), a row of b or the values of a,
 * whichever is fewer, and one operand on its way.
 *
 *     f32: 14 x 32: 28 + 2 + 1     6 x 64: 24 + 4 + 1     3 x 128: 24 + 3 + 1
 *     f64:  8 x 24: 24 + 3 + 1     6 x 32: 24 + 4 + 1     3 x 64:  24 + 3 + 1
 *
 * A tile wants 8 independent sums to cover the latency of fma (4 cycles, up to two a cycle): few
 * rows take wide tiles. Up to half a vector of columns left over are tiles of 256-bit vectors, two
 * of whose fma a core does in a cycle where it does one of 512 bits: 14 x 8 f32, 8 x 4 f64.
 */
#define KL_TILE_REGISTERS 32
#define KL_TILE_SMALL 4 /* vectors of the tile of 4 rows of rung v4 */
#define KL_TILE_LANES 0
#define KL_TILE_MASKS 0 /* of vector registers */
#define KL_TILE_STREAMS(X) X(1, 8) X(2, 8) X(3, 8) X(3, 6) X(4, 6) /* rows of a and of b */
#define KL_TILE_STREAM_ROWS 4
#define KL_TILE_STREAM_STEPS {8, 8, 8, 6}
#define KL_TILE_STREAM_L3_STEPS {0}
#define KL_TILE_ORDER (void)0
#define KL_TILE_PACKS_FROM 0
#define KL_TILE_BRIEF {8, 2} /* 16 sums */
#define KL_TILE_TURNED &KL_CAT4(kl, turned_kernels, KL_TYPE, half_avx512)

#define KL_TILE_FEW_f32 1 /* of 16 bytes, 2 columns of f64 are no faster so */

#define KL_TILES_f32_avx512(X) \
    KL_HEIGHTS_14(X, 1) KL_HEIGHTS_14(X, 2) KL_HEIGHTS_6(X, 3) KL_HEIGHTS_6(X, 4) KL_HEIGHTS_3(X, 8)
#define KL_TILE_ROWS_f32_avx512 14
#define KL_TILE_VECTORS_f32_avx512 {8, 8, 8, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2}

#define KL_TILES_f64_avx512(X) \
    KL_HEIGHTS_8(X, 1) KL_HEIGHTS_8(X, 2) KL_HEIGHTS_8(X, 3) KL_HEIGHTS_6(X, 4) KL_HEIGHTS_3(X, 8)
#define KL_TILE_ROWS_f64_avx512 8
#define KL_TILE_VECTORS_f64_avx512 {8, 8, 8, 4, 4, 4, 3, 3}

/* Of half vectors; more than 4 rows only where whole ones collide, which are 8 lanes in f64. */
#define KL_TURNED_HEIGHTS_f32(X) KL_HEIGHTS_12(X, 1)
#define KL_TURNED_HEIGHTS_f64(X) KL_HEIGHTS_4(X, 1)

#include "kael/matmul/ukr_avx2.inc.h"
#include "kael/matmul/pack.inc.h"
#include "kael/matmul/turned_avx512.inc.h"
#if KL_CAT2(KL_TILE_FEW_, KL_TYPE)
#include "kael/matmul/few_avx512.inc.h"
#define KL_TILE_FEW &KL_CAT4(kl, few_kernels, KL_TYPE, avx512)
#else
#define KL_TILE_FEW NULL
#endif
#include "kael/matmul/ukr_avx512.inc.h"
#include "kael/matmul/ukr.inc.h"
