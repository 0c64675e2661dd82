/* The vocabulary for AVX2 with FMA: 8 lanes of f32, 4 of f64; 16 registers. */
#ifndef KAEL_VEC_AVX2_H
#define KAEL_VEC_AVX2_H

/* All ones in the first count lanes: what maskload and maskstore read. */
KL_INLINE __m256i v_first_f32_avx2(int64_t count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
KL_INLINE __m256i v_first_f64_avx2(int64_t count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}

#define KL_TYPE f32
#define T float
#define BITS uint32_t
#define REGISTER __m256
#define WIDTH 8
#define IOTA _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7)
#define FLOAT(name) _mm256_##name##_ps
#define INT(name) _mm256_##name##_epi32
#define SET1_BITS(x) _mm256_set1_epi32((int)(x))
#define TO_BITS _mm256_castps_si256
#define TO_FLOAT _mm256_castsi256_ps
#include "kael/vec/avx2.inc.h"

#define KL_TYPE f64
#define T double
#define BITS uint64_t
#define REGISTER __m256d
#define WIDTH 4
#define IOTA _mm256_setr_pd(0, 1, 2, 3)
#define FLOAT(name) _mm256_##name##_pd
#define INT(name) _mm256_##name##_epi64
#define SET1_BITS(x) _mm256_set1_epi64x((long long)(x))
#define TO_BITS _mm256_castpd_si256
#define TO_FLOAT _mm256_castsi256_pd
#include "kael/vec/avx2.inc.h"

/* Tables of 16: a register's worth is permuted, then chosen by the higher bits of the index.
 * Doubles are permuted as pairs of 32-bit words. */
KL_INLINE __m256 v_lookup_f32_avx2(const float *table, __m256i index) {
    const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index);
    const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), index);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)));
}
KL_INLINE __m256d v_lookup_four_f64_avx2(const double *table, __m256i pairs) {
    const __m256 words = _mm256_loadu_ps((const float *)table);
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(words, pairs));
}
KL_INLINE __m256d v_lookup_f64_avx2(const double *table, __m256i index) {
    const __m256i twice = _mm256_slli_epi64(index, 1);
    const __m256i pairs = _mm256_or_si256(_mm256_shuffle_epi32(twice, 0xA0),
                                          _mm256_set1_epi64x((long long)1 << 32));
    const __m256d second = _mm256_castsi256_pd(_mm256_slli_epi64(index, 61));
    const __m256d low = _mm256_blendv_pd(v_lookup_four_f64_avx2(table, pairs),
                                         v_lookup_four_f64_avx2(table + 4, pairs), second);
    const __m256d high = _mm256_blendv_pd(v_lookup_four_f64_avx2(table + 8, pairs),
                                          v_lookup_four_f64_avx2(table + 12, pairs), second);
    return _mm256_blendv_pd(low, high, _mm256_castsi256_pd(_mm256_slli_epi64(index, 60)));
}

/* Across lanes. */
KL_INLINE float v_head_f32_avx2(__m256 a) { return _mm256_cvtss_f32(a); }
KL_INLINE double v_head_f64_avx2(__m256d a) { return _mm256_cvtsd_f64(a); }
KL_INLINE __m256 v_swap_f32_avx2(__m256 a, int half) {
    switch (half) {
    case 4: return _mm256_permute2f128_ps(a, a, 1);
    case 2: return _mm256_permute_ps(a, 0x4E);
    default: return _mm256_permute_ps(a, 0xB1);
    }
}
KL_INLINE __m256d v_swap_f64_avx2(__m256d a, int half) {
    return half == 2 ? _mm256_permute2f128_pd(a, a, 1) : _mm256_permute_pd(a, 0x5);
}

/* Squares turned: pairs of rows are zipped inside groups of 16 bytes, then groups change places. */
KL_INLINE void v_turn_f64_avx2(__m256d *rows) {
    __m256d pairs[4];
    KL_UNROLL
    for (int i = 0; i < 4; i += 2) {
        pairs[i] = _mm256_unpacklo_pd(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_pd(rows[i], rows[i + 1]);
    }
    KL_UNROLL
    for (int i = 0; i < 2; ++i) {
        rows[i] = _mm256_permute2f128_pd(pairs[i], pairs[i + 2], 0x20);
        rows[i + 2] = _mm256_permute2f128_pd(pairs[i], pairs[i + 2], 0x31);
    }
}
KL_INLINE void v_turn_f32_avx2(__m256 *rows) {
    __m256 words[8], pairs[8];
    KL_UNROLL
    for (int i = 0; i < 8; i += 2) {
        words[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
        words[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
    }
    KL_UNROLL
    for (int i = 0; i < 8; i += 2) {
        const int from = i / 4 * 4 + i % 4 / 2;
        const __m256d a = _mm256_castps_pd(words[from]), b = _mm256_castps_pd(words[from + 2]);
        pairs[i] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
        pairs[i + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
    }
    KL_UNROLL
    for (int i = 0; i < 4; ++i) {
        rows[i] = _mm256_permute2f128_ps(pairs[i], pairs[i + 4], 0x20);
        rows[i + 4] = _mm256_permute2f128_ps(pairs[i], pairs[i + 4], 0x31);
    }
}

/* Bridges between float and double lanes. */
KL_INLINE __m256d v_first_half_f64_avx2(__m256 x) {
    return _mm256_cvtps_pd(_mm256_castps256_ps128(x));
}
KL_INLINE __m256d v_second_half_f64_avx2(__m256 x) {
    return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
}
KL_INLINE __m256 v_from_halves_f32_avx2(__m256d first, __m256d second) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(first)),
                                _mm256_cvtpd_ps(second), 1);
}

/* Bridges between float memory and double lanes: v_width_f64 elements at a time. */
KL_INLINE __m128i v_first_f32_f64_avx2(int64_t count) {
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)count), _mm_setr_epi32(0, 1, 2, 3));
}
KL_INLINE __m256d v_load_f32_f64_avx2(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
KL_INLINE __m256d v_load_f32_part_f64_avx2(const float *p, int64_t count) {
    return _mm256_cvtps_pd(_mm_maskload_ps(p, v_first_f32_f64_avx2(count)));
}
KL_INLINE void v_store_f32_f64_avx2(float *p, __m256d x) { _mm_storeu_ps(p, _mm256_cvtpd_ps(x)); }
KL_INLINE void v_store_f32_part_f64_avx2(float *p, __m256d x, int64_t count) {
    _mm_maskstore_ps(p, v_first_f32_f64_avx2(count), _mm256_cvtpd_ps(x));
}
KL_INLINE __m256 v_narrow_f32_avx2(const __m256d *parts) {
    return _mm256_set_m128(_mm256_cvtpd_ps(parts[1]), _mm256_cvtpd_ps(parts[0]));
}
KL_INLINE __m256d v_narrow_f64_avx2(const __m256d *parts) { return parts[0]; }

#endif
