/* More rows against a transposed b than two streams of 256-bit vectors take; see turned.h. A single
 * stream of whole vectors has chains enough from 4 rows on (one fma of 512 bits a cycle), and loads
 * each value of a once for twice as many columns.
 */
#define KL_QUARTER(b) _mm_loadu_ps((const float *)(b))

/* Lanes 0, 4, 8 and 12 of f32, 0, 2, 4 and 6 of f64 from b[0] to b[3] on, 16 bytes of each. */
KL_INLINE __m512 KL_FN(quarters)(const char *const b[4], int64_t lane) {
    __m512 whole = _mm512_castps128_ps512(KL_QUARTER(b[0] + lane));
    whole = _mm512_insertf32x4(whole, KL_QUARTER(b[1] + lane), 1);
    whole = _mm512_insertf32x4(whole, KL_QUARTER(b[2] + lane), 2);
    return _mm512_insertf32x4(whole, KL_QUARTER(b[3] + lane), 3);
}

/* turned[s] = step s of lanes `column` apart. */
KL_INLINE void KL_FN(turned_quarters_f32)(const char *const b[4], const int64_t column,
                                          __m512 turned[4]) {
    const __m512 x = KL_FN(quarters)(b, 0), y = KL_FN(quarters)(b, column);
    const __m512 z = KL_FN(quarters)(b, 2 * column), w = KL_FN(quarters)(b, 3 * column);
    const __m512 xy = _mm512_unpacklo_ps(x, y), zw = _mm512_unpacklo_ps(z, w);
    const __m512 xy2 = _mm512_unpackhi_ps(x, y), zw2 = _mm512_unpackhi_ps(z, w);
    turned[0] = _mm512_shuffle_ps(xy, zw, 0x44);
    turned[1] = _mm512_shuffle_ps(xy, zw, 0xEE);
    turned[2] = _mm512_shuffle_ps(xy2, zw2, 0x44);
    turned[3] = _mm512_shuffle_ps(xy2, zw2, 0xEE);
}
KL_INLINE void KL_FN(turned_quarters_f64)(const char *const b[4], const int64_t column,
                                          __m512d turned[2]) {
    const __m512d x = _mm512_castps_pd(KL_FN(quarters)(b, 0));
    const __m512d y = _mm512_castps_pd(KL_FN(quarters)(b, column));
    turned[0] = _mm512_unpacklo_pd(x, y);
    turned[1] = _mm512_unpackhi_pd(x, y);
}
#undef KL_QUARTER

#define KL_TURNED_ABREAST 1
#define KL_TURNED_HEIGHTS(X) KL_HEIGHTS_24(X, 1)
#define KL_TURNED_ONCE INT64_MAX /* a second pass is no faster than panels */
#define KL_TURNED_WIDER NULL
#define KL_TURNED_SQUARE KL_FN(KL_CAT2(turned_quarters_, KL_TYPE))
#include "kael/matmul/turned_x86.inc.h"
