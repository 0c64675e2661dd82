/* 16 float16 at a time, by the conversions of AVX-512 F. */
#ifndef KAEL_HALF_AVX512_H
#define KAEL_HALF_AVX512_H

#include <immintrin.h>

#define KL_HALF_ISA avx512
#define KL_HALF_TARGET __attribute__((target("avx512f")))
#define KL_HALF_WIDTH 16
#define KL_HALF_WIDEN(wide, x) \
    _mm512_storeu_ps(wide, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(x))))
#define KL_HALF_NARROW(x, wide)              \
    _mm256_storeu_si256((__m256i *)(void *)(x), \
                        _mm512_cvtps_ph(_mm512_loadu_ps(wide), _MM_FROUND_TO_NEAREST_INT))
#include "kael/half/array.inc.h"

#endif
