/* The vocabulary for AVX-512 F, DQ, BW and VL: 16 lanes of f32, 8 of f64; 32 registers. */
#ifndef KAEL_VEC_AVX512_H
#define KAEL_VEC_AVX512_H

#define KL_SCALES_avx512 1 /* V(scale): see math/words.inc.h */

#define KL_TYPE f32
#define T float
#define BITS uint32_t
#define REGISTER __m512
#define MASK __mmask16
#define WIDTH 16
#define IOTA _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define FLOAT(name) _mm512_##name##_ps
#define COMPARE _mm512_cmp_ps_mask
#define INT(name) _mm512_##name##_epi32
#define SET1_BITS(x) _mm512_set1_epi32((int)(x))
#define TO_BITS _mm512_castps_si512
#define TO_FLOAT _mm512_castsi512_ps
#include "kael/vec/avx512.inc.h"

#define KL_TYPE f64
#define T double
#define BITS uint64_t
#define REGISTER __m512d
#define MASK __mmask8
#define WIDTH 8
#define IOTA _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7)
#define FLOAT(name) _mm512_##name##_pd
#define COMPARE _mm512_cmp_pd_mask
#define INT(name) _mm512_##name##_epi64
#define SET1_BITS(x) _mm512_set1_epi64((long long)(x))
#define TO_BITS _mm512_castpd_si512
#define TO_FLOAT _mm512_castsi512_pd
#include "kael/vec/avx512.inc.h"

/* A guess at 1 / sqrt(a) for a > 0, at most 2^-14 of it off. No other set has this word: bodies ask
 * for it by KL_RSQRT_<type>_<isa>. */
#define KL_RSQRT_f32_avx512 1
KL_INLINE __m512 v_rsqrt_f32_avx512(__m512 a) { return _mm512_rsqrt14_ps(a); }

/* Tables of 16. */
KL_INLINE __m512 v_lookup_f32_avx512(const float *table, __m512i index) {
    return _mm512_permutexvar_ps(index, _mm512_loadu_ps(table));
}
KL_INLINE __m512d v_lookup_f64_avx512(const double *table, __m512i index) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
}

/* Across lanes. */
KL_INLINE float v_head_f32_avx512(__m512 a) { return _mm512_cvtss_f32(a); }
KL_INLINE double v_head_f64_avx512(__m512d a) { return _mm512_cvtsd_f64(a); }
KL_INLINE __m512 v_swap_f32_avx512(__m512 a, int half) {
    switch (half) {
    case 8: return _mm512_shuffle_f32x4(a, a, 0x4E);
    case 4: return _mm512_shuffle_f32x4(a, a, 0xB1);
    case 2: return _mm512_permute_ps(a, 0x4E);
    default: return _mm512_permute_ps(a, 0xB1);
    }
}
KL_INLINE __m512d v_swap_f64_avx512(__m512d a, int half) {
    switch (half) {
    case 4: return _mm512_shuffle_f64x2(a, a, 0x4E);
    case 2: return _mm512_shuffle_f64x2(a, a, 0xB1);
    default: return _mm512_permute_pd(a, 0x55);
    }
}

/* Squares turned: pairs of rows are zipped inside groups of 16 bytes, then groups change places. */
KL_INLINE void v_turn_groups_avx512(__m512 *rows, int step) {
    KL_UNROLL
    for (int i = 0; i < step; ++i) {
        const __m512 a = rows[i], b = rows[i + step];
        const __m512 c = rows[i + 2 * step], d = rows[i + 3 * step];
        const __m512 ab_even = _mm512_shuffle_f32x4(a, b, 0x88);
        const __m512 ab_odd = _mm512_shuffle_f32x4(a, b, 0xDD);
        const __m512 cd_even = _mm512_shuffle_f32x4(c, d, 0x88);
        const __m512 cd_odd = _mm512_shuffle_f32x4(c, d, 0xDD);
        rows[i] = _mm512_shuffle_f32x4(ab_even, cd_even, 0x88);
        rows[i + step] = _mm512_shuffle_f32x4(ab_odd, cd_odd, 0x88);
        rows[i + 2 * step] = _mm512_shuffle_f32x4(ab_even, cd_even, 0xDD);
        rows[i + 3 * step] = _mm512_shuffle_f32x4(ab_odd, cd_odd, 0xDD);
    }
}
KL_INLINE void v_turn_f32_avx512(__m512 *rows) {
    __m512 words[16], pairs[16];
    KL_UNROLL
    for (int i = 0; i < 16; i += 2) {
        words[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
        words[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
    }
    KL_UNROLL
    for (int i = 0; i < 16; i += 2) {
        const int from = i / 4 * 4 + i % 4 / 2;
        const __m512d a = _mm512_castps_pd(words[from]), b = _mm512_castps_pd(words[from + 2]);
        pairs[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
        pairs[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    }
    v_turn_groups_avx512(pairs, 4);
    KL_UNROLL
    for (int i = 0; i < 16; ++i) rows[i] = pairs[i];
}
KL_INLINE void v_turn_f64_avx512(__m512d *rows) {
    __m512 pairs[8];
    KL_UNROLL
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(rows[i], rows[i + 1]));
        pairs[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(rows[i], rows[i + 1]));
    }
    v_turn_groups_avx512(pairs, 2);
    KL_UNROLL
    for (int i = 0; i < 8; ++i) rows[i] = _mm512_castps_pd(pairs[i]);
}

/* Bridges between float and double lanes. */
KL_INLINE __m512d v_first_half_f64_avx512(__m512 x) {
    return _mm512_cvtps_pd(_mm512_castps512_ps256(x));
}
KL_INLINE __m512d v_second_half_f64_avx512(__m512 x) {
    return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}
KL_INLINE __m512 v_from_halves_f32_avx512(__m512d first, __m512d second) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(first)),
                              _mm512_cvtpd_ps(second), 1);
}

/* Bridges between float memory and double lanes: v_width_f64 elements at a time. */
KL_INLINE __m512d v_load_f32_f64_avx512(const float *p) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
KL_INLINE __m512d v_load_f32_part_f64_avx512(const float *p, int64_t count) {
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(v_first_f64_avx512(count), p));
}
KL_INLINE void v_store_f32_f64_avx512(float *p, __m512d x) {
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(x));
}
KL_INLINE void v_store_f32_part_f64_avx512(float *p, __m512d x, int64_t count) {
    _mm256_mask_storeu_ps(p, v_first_f64_avx512(count), _mm512_cvtpd_ps(x));
}
KL_INLINE __m512 v_narrow_f32_avx512(const __m512d *parts) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(parts[0])),
                              _mm512_cvtpd_ps(parts[1]), 1);
}
KL_INLINE __m512d v_narrow_f64_avx512(const __m512d *parts) { return parts[0]; }

#endif
