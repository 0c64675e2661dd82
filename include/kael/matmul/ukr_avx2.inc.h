/* Transposing a square in 256-bit registers, for both x86 sets: dst[k][lane] = src[lane][k], for
 * 8 x 8 of f32 and 4 x 4 of f64. Lane l of src begins at src + offset[l].
 *
 * Halves of two rows are loaded into one register, so that no shuffle crosses its middle: 16
 * shuffles for 64 elements. src is prefetched four lines ahead.
 */
/* 16 bytes of a lane. */
#define KL_QUARTER(lane, k) _mm_loadu_ps((const float *)(src + offset[lane] + (k) * size))
#define KL_PAIR(lane, other, k) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(KL_QUARTER(lane, k)), KL_QUARTER(other, k), 1)

KL_INLINE void KL_FN(square_f32)(const char *src, const int64_t *offset, char *dst, int64_t pitch) {
    enum { size = 4 };
    KL_UNROLL for (int k = 0; k < 8; k += 4) {
        const __m256 a = KL_PAIR(0, 4, k), b = KL_PAIR(1, 5, k);
        const __m256 c = KL_PAIR(2, 6, k), d = KL_PAIR(3, 7, k);
        const __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
        const __m256 ab2 = _mm256_unpackhi_ps(a, b), cd2 = _mm256_unpackhi_ps(c, d);
        float *const out = (float *)dst + k * pitch;
        _mm256_storeu_ps(out, _mm256_shuffle_ps(ab, cd, 0x44));
        _mm256_storeu_ps(out + pitch, _mm256_shuffle_ps(ab, cd, 0xEE));
        _mm256_storeu_ps(out + 2 * pitch, _mm256_shuffle_ps(ab2, cd2, 0x44));
        _mm256_storeu_ps(out + 3 * pitch, _mm256_shuffle_ps(ab2, cd2, 0xEE));
    }
}

KL_INLINE void KL_FN(square_f64)(const char *src, const int64_t *offset, char *dst, int64_t pitch) {
    enum { size = 8 };
    KL_UNROLL for (int k = 0; k < 4; k += 2) {
        const __m256d ac = _mm256_castps_pd(KL_PAIR(0, 2, k));
        const __m256d bd = _mm256_castps_pd(KL_PAIR(1, 3, k));
        double *const out = (double *)dst + k * pitch;
        _mm256_storeu_pd(out, _mm256_unpacklo_pd(ac, bd));
        _mm256_storeu_pd(out + pitch, _mm256_unpackhi_pd(ac, bd));
    }
}

KL_INLINE void KL_FN(square)(const char *src, const int64_t *offset, T *dst, int64_t pitch) {
    KL_UNROLL for (int lane = 0; lane < (int)(32 / sizeof(T)); ++lane)
        __builtin_prefetch(src + offset[lane] + 256);
    if (sizeof(T) == sizeof(float))
        KL_FN(square_f32)(src, offset, (char *)dst, pitch);
    else
        KL_FN(square_f64)(src, offset, (char *)dst, pitch);
}
#define KL_SQUARE ((int64_t)(32 / sizeof(T)))
#undef KL_QUARTER
#undef KL_PAIR
