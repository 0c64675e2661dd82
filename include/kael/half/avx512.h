/* 16 float16 at a time, by the conversions of AVX-512 F; outside any target region. */
#ifndef KAEL_HALF_AVX512_H
#define KAEL_HALF_AVX512_H

#include <immintrin.h>

static KL_UNUSED __attribute__((target("avx512f"))) void kl_widen_f16_avx512(
    const uint16_t *KL_RESTRICT x, float *KL_RESTRICT wide, int64_t count) {
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)(x + i));
        _mm512_storeu_ps(wide + i, _mm512_cvtph_ps(halves));
    }
    for (; i < count; i++) wide[i] = kl_load_f16(x[i]);
}

static KL_UNUSED __attribute__((target("avx512f"))) void kl_narrow_f16_avx512(
    const float *KL_RESTRICT wide, uint16_t *KL_RESTRICT x, int64_t count) {
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512 floats = _mm512_loadu_ps(wide + i);
        const __m256i halves = _mm512_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i *)(void *)(x + i), halves);
    }
    for (; i < count; i++) x[i] = kl_store_f16(wide[i]);
}

#endif
