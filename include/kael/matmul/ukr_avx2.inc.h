/* Transposing a square in 256-bit registers, for both x86 sets: dst[k][lane] = src[lane][k], for
 * 8 x 8 of f32 and 4 x 4 of f64. Lane l of src begins at src + offset[l].
 *
 * Halves of two rows are loaded into one register, so that no shuffle crosses its middle: 16
 * shuffles for 64 elements. src is prefetched four lines ahead.
 */
/* 16 bytes at one place and 16 at another. */
#define KL_PAIR(first, second)                                                             \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((const float *)(first))),     \
                         _mm_loadu_ps((const float *)(second)), 1)

#define KL_PAIR_f32 __m256
#define KL_PAIR_f64 __m256d

/* turned[k][lane] = lane[k]: pair[l] has lane l in its lower half, and in its upper one the lane as
 * many further on as there are pairs. */
KL_INLINE void KL_FN(turn_f32)(const __m256 pair[4], __m256 turned[4]) {
    const __m256 ab = _mm256_unpacklo_ps(pair[0], pair[1]);
    const __m256 cd = _mm256_unpacklo_ps(pair[2], pair[3]);
    const __m256 ab2 = _mm256_unpackhi_ps(pair[0], pair[1]);
    const __m256 cd2 = _mm256_unpackhi_ps(pair[2], pair[3]);
    turned[0] = _mm256_shuffle_ps(ab, cd, 0x44);
    turned[1] = _mm256_shuffle_ps(ab, cd, 0xEE);
    turned[2] = _mm256_shuffle_ps(ab2, cd2, 0x44);
    turned[3] = _mm256_shuffle_ps(ab2, cd2, 0xEE);
}
KL_INLINE void KL_FN(turn_f64)(const __m256 pair[2], __m256d turned[2]) {
    const __m256d ac = _mm256_castps_pd(pair[0]), bd = _mm256_castps_pd(pair[1]);
    turned[0] = _mm256_unpacklo_pd(ac, bd);
    turned[1] = _mm256_unpackhi_pd(ac, bd);
}

KL_INLINE void KL_FN(square_f32)(const char *src, const int64_t *offset, float *dst,
                                 int64_t pitch) {
    KL_UNROLL for (int k = 0; k < 8; k += 4, src += 16) {
        __m256 pair[4], turned[4];
        KL_UNROLL for (int l = 0; l < 4; ++l)
            pair[l] = KL_PAIR(src + offset[l], src + offset[l + 4]);
        KL_FN(turn_f32)(pair, turned);
        KL_UNROLL for (int s = 0; s < 4; ++s) _mm256_storeu_ps(dst + (k + s) * pitch, turned[s]);
    }
}

KL_INLINE void KL_FN(square_f64)(const char *src, const int64_t *offset, double *dst,
                                 int64_t pitch) {
    KL_UNROLL for (int k = 0; k < 4; k += 2, src += 16) {
        const __m256 pair[2] = {KL_PAIR(src + offset[0], src + offset[2]),
                                KL_PAIR(src + offset[1], src + offset[3])};
        __m256d turned[2];
        KL_FN(turn_f64)(pair, turned);
        _mm256_storeu_pd(dst + k * pitch, turned[0]);
        _mm256_storeu_pd(dst + (k + 1) * pitch, turned[1]);
    }
}

KL_INLINE void KL_FN(square)(const char *src, const int64_t *offset, T *dst, int64_t pitch) {
    KL_UNROLL for (int lane = 0; lane < (int)(32 / sizeof(T)); ++lane)
        __builtin_prefetch(src + offset[lane] + 256);
    if (sizeof(T) == sizeof(float))
        KL_FN(square_f32)(src, offset, (float *)dst, pitch);
    else
        KL_FN(square_f64)(src, offset, (double *)dst, pitch);
}
#define KL_SQUARE ((int64_t)(32 / sizeof(T)))

/* turned[s] = step s of lanes `column` apart, of which b[0] is the first and b[1] the one in the
 * middle. */
KL_INLINE void KL_FN(turned_pairs)(const char *const b[2], const int64_t column,
                                   KL_CAT2(KL_PAIR_, KL_TYPE) *turned) {
    enum { STEPS = 16 / sizeof(T) };
    const int64_t third = 3 * column;
    __m256 pair[STEPS];
    KL_UNROLL for (int l = 0; l < STEPS; ++l) {
        const int64_t lane = l < 3 ? l * column : third;
        pair[l] = KL_PAIR(b[0] + lane, b[1] + lane);
    }
    KL_FN(KL_CAT2(turn_, KL_TYPE))(pair, turned);
}
#undef KL_PAIR
#undef KL_PAIR_f32
#undef KL_PAIR_f64
