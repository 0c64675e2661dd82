/* Tiles for NEON: 32 registers hold the sums (rows * vectors), a row of b or the values of a,
 * whichever is fewer, and one operand on its way.
 *
 *     f32: 8 x 12: 24 + 3 + 1     6 x 16: 24 + 4 + 1     3 x 32: 24 + 3 + 1
 *     f64: 6 x 8:  24 + 4 + 1     3 x 16: 24 + 3 + 1
 *
 * A full panel of packed a has its column in consecutive memory: there fma takes its value from a
 * lane (vfmaq_laneq) of two or three vectors of a, without a broadcast: 8 x 12 is 24 + 3 + 2 = 29
 * registers, 5 loads and 24 fmas a step; 6 x 8 f64 is 24 + 4 + 3 = 31.
 */
#define KL_TILE_REGISTERS 32
#define KL_TILE_SMALL 4 /* vectors of the tile of 4 rows of rung v4 */
#define KL_TILE_MASKS 0 /* of vector registers */
#define KL_TILE_STREAMS(X) X(1, 8) X(2, 8) X(3, 8) X(3, 6) X(4, 6) /* rows of a and of b */
#define KL_TILE_STREAM_ROWS 4
#define KL_TILE_STREAM_STEPS {8, 8, 8, 6}
#define KL_TILE_STREAM_L3_STEPS {0}
/* Keeps loads where the source has them: gcc 12 would bring up all values first, and store sums
 * to make room. */
#define KL_TILE_ORDER __asm__("" ::: "memory")

#define KL_TILES_f32_neon(X) \
    KL_HEIGHTS_8(X, 1) KL_HEIGHTS_8(X, 2) KL_HEIGHTS_8(X, 3) KL_HEIGHTS_6(X, 4) KL_HEIGHTS_3(X, 8)
#define KL_TILE_ROWS_f32_neon 8
#define KL_TILE_VECTORS_f32_neon {8, 8, 8, 4, 4, 4, 3, 3}

#define KL_TILES_f64_neon(X) \
    KL_HEIGHTS_6(X, 1) KL_HEIGHTS_6(X, 2) KL_HEIGHTS_6(X, 3) KL_HEIGHTS_6(X, 4) KL_HEIGHTS_3(X, 8)
#define KL_TILE_ROWS_f64_neon 6
#define KL_TILE_VECTORS_f64_neon {8, 8, 8, 4, 4, 4}

#define KL_FMA_LANES_f32(acc, i, v, value, row)                                            \
    acc[i][v] = vfmaq_laneq_f32(acc[i][v], row, value, 0);                                 \
    acc[(i) + 1][v] = vfmaq_laneq_f32(acc[(i) + 1][v], row, value, 1);                     \
    acc[(i) + 2][v] = vfmaq_laneq_f32(acc[(i) + 2][v], row, value, 2);                     \
    acc[(i) + 3][v] = vfmaq_laneq_f32(acc[(i) + 3][v], row, value, 3)
#define KL_FMA_LANES_f64(acc, i, v, value, row)                                            \
    acc[i][v] = vfmaq_laneq_f64(acc[i][v], row, value, 0);                                 \
    acc[(i) + 1][v] = vfmaq_laneq_f64(acc[(i) + 1][v], row, value, 1)

#define KL_LANES_REGISTERS(h, v) ((h) * (v) + (v) + (h) * (int)sizeof(T) / 16)
#define X(h, v)                                                                           \
    _Static_assert((h) < (v) || KL_LANES_REGISTERS(h, v) <= KL_TILE_REGISTERS,            \
                   "the sums of this tile and its column of a do not fit the registers");
KL_CAT4(KL, TILES, KL_TYPE, neon)(X)
#undef X
#undef KL_LANES_REGISTERS

/* tile_sum of tile.inc.h for a column of a in consecutive memory. */
KL_INLINE void KL_FN(tile_sum_lanes)(const struct kl_tile *tile, const int rows, const int vectors,
                                     V(vec) acc[][KL_TILE_VECTORS]) {
    const char *a = tile->a;
    const char *b = tile->b;
    char *saved = tile->saved;
    for (int64_t k = tile->inner; k > 0; --k) {
        V(vec) row[KL_TILE_VECTORS];
        KL_UNROLL for (int v = 0; v < vectors; ++v) row[v] = V(load)((const T *)b + v * V(width));
        if (saved != NULL) {
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                V(store)((T *)saved + v * V(width), row[v]);
            saved += tile->saved_inner;
        }
        KL_UNROLL for (int i = 0; i < rows; i += V(width)) {
            const V(vec) value = V(load)((const T *)a + i);
            KL_UNROLL for (int v = 0; v < vectors; ++v) {
                KL_CAT2(KL_FMA_LANES_, KL_TYPE)(acc, i, v, value, row[v]);
            }
        }
        a += tile->a_inner;
        b += tile->b_inner;
    }
}
#define KL_TILE_LANES 1
#define KL_TILE_PACKS_FROM 0

/* dst[k][lane] = src[lane][k]: 4 x 4 of f32, 2 x 2 of f64; lane l begins at src + offset[l]. */
#define KL_SQUARE ((int64_t)(16 / sizeof(T)))
#define KL_SQUARE_LANE(lane) V(load)((const T *)(src + offset[lane]))
#define KL_SQUARE_f32                                                                         \
    const float32x4_t a = KL_SQUARE_LANE(0), b = KL_SQUARE_LANE(1);                           \
    const float32x4_t c = KL_SQUARE_LANE(2), d = KL_SQUARE_LANE(3);                           \
    const float64x2_t even_ab = vreinterpretq_f64_f32(vtrn1q_f32(a, b));                      \
    const float64x2_t even_cd = vreinterpretq_f64_f32(vtrn1q_f32(c, d));                      \
    const float64x2_t odd_ab = vreinterpretq_f64_f32(vtrn2q_f32(a, b));                       \
    const float64x2_t odd_cd = vreinterpretq_f64_f32(vtrn2q_f32(c, d));                       \
    vst1q_f32(dst, vreinterpretq_f32_f64(vtrn1q_f64(even_ab, even_cd)));                      \
    vst1q_f32(dst + pitch, vreinterpretq_f32_f64(vtrn1q_f64(odd_ab, odd_cd)));                \
    vst1q_f32(dst + 2 * pitch, vreinterpretq_f32_f64(vtrn2q_f64(even_ab, even_cd)));          \
    vst1q_f32(dst + 3 * pitch, vreinterpretq_f32_f64(vtrn2q_f64(odd_ab, odd_cd)))
#define KL_SQUARE_f64                                               \
    const float64x2_t a = KL_SQUARE_LANE(0), b = KL_SQUARE_LANE(1); \
    vst1q_f64(dst, vtrn1q_f64(a, b));                               \
    vst1q_f64(dst + pitch, vtrn2q_f64(a, b))

KL_INLINE void KL_FN(square)(const char *src, const int64_t *offset, T *dst, int64_t pitch) {
    KL_CAT2(KL_SQUARE_, KL_TYPE);
}

#include "kael/matmul/pack.inc.h"
#include "kael/matmul/ukr.inc.h"
