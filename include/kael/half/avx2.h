/* 8 float16 at a time, by F16C, which kl_cpu_has_avx2 asks for; outside any target region. */
#ifndef KAEL_HALF_AVX2_H
#define KAEL_HALF_AVX2_H

#include <immintrin.h>

static KL_UNUSED __attribute__((target("avx2,f16c"))) void kl_widen_f16_avx2(
    const uint16_t *KL_RESTRICT x, float *KL_RESTRICT wide, int64_t count) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)(x + i));
        _mm256_storeu_ps(wide + i, _mm256_cvtph_ps(halves));
    }
    for (; i < count; i++) wide[i] = kl_load_f16(x[i]);
}

static KL_UNUSED __attribute__((target("avx2,f16c"))) void kl_narrow_f16_avx2(
    const float *KL_RESTRICT wide, uint16_t *KL_RESTRICT x, int64_t count) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 floats = _mm256_loadu_ps(wide + i);
        const __m128i halves = _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(x + i), halves);
    }
    for (; i < count; i++) x[i] = kl_store_f16(wide[i]);
}

#endif
