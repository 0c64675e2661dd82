/* 8 float16 at a time, by F16C, which kl_cpu_has_avx2 asks for. */
#ifndef KAEL_HALF_AVX2_H
#define KAEL_HALF_AVX2_H

#include <immintrin.h>

#define KL_HALF_ISA avx2
#define KL_HALF_TARGET __attribute__((target("avx2,f16c")))
#define KL_HALF_WIDTH 8
#define KL_HALF_WIDEN(wide, x) \
    _mm256_storeu_ps(wide, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(x))))
#define KL_HALF_NARROW(x, wide)           \
    _mm_storeu_si128((__m128i *)(void *)(x), \
                     _mm256_cvtps_ph(_mm256_loadu_ps(wide), _MM_FROUND_TO_NEAREST_INT))
#include "kael/half/array.inc.h"

#endif
