/* 16-bit floats in memory, f32 in registers: exact to load, rounded to nearest even to store.
 *
 * Plain arithmetic on bits without branches, so that loops over them vectorise on every instruction
 * set. NaN stays NaN, quiet, with the payload that fits; denormals are kept; what is too large
 * becomes infinite. half/<isa>.h has the same bits, by instructions.
 */
#ifndef KAEL_HALF_H
#define KAEL_HALF_H

#include <string.h>

#include "kael/config.h"

/* How the elements of an array lie in memory: in the dtype they are computed in, or in 16 bits
 * while that is f32. */
enum kl_storage { KL_STORAGE_plain, KL_STORAGE_bf16, KL_STORAGE_f16 };

KL_INLINE uint32_t kl_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

KL_INLINE float kl_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* bfloat16: the upper half of an f32. */
KL_INLINE float kl_load_bf16(uint16_t h) { return kl_from_bits((uint32_t)h << 16); }

KL_INLINE uint16_t kl_store_bf16(float x) {
    const uint32_t bits = kl_bits(x);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (uint16_t)((x != x ? bits | 0x400000 : rounded) >> 16);
}

/* float16: 5 bits of exponent (bias 15), 10 of fraction. Its bits moved to an f32's place are
 * 2^112 times too small, denormals too. */
KL_INLINE float kl_load_f16(uint16_t h) {
    const uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
    const uint32_t scaled = kl_bits(kl_from_bits(magnitude) * 0x1p112f);
    const uint32_t quiet = magnitude > 0x0f800000 ? 0x400000 : 0;
    const uint32_t special = magnitude | 0x7f800000 | quiet;
    const uint32_t bits = magnitude >= 0x0f800000 ? special : scaled;
    return kl_from_bits(bits | (uint32_t)(h & 0x8000) << 16);
}

KL_INLINE uint16_t kl_store_f16(float x) {
    const uint32_t magnitude = kl_bits(x) & 0x7fffffff;
    /* Adding 1/2 leaves the units of a denormal in the lowest bits, rounded. */
    const uint32_t tiny = kl_bits(kl_from_bits(magnitude) + 0.5f) - kl_bits(0.5f);
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t h = magnitude < 0x38800000 ? tiny : normal;
    h = magnitude >= 0x477ff000 ? 0x7c00 : h; /* 65520 and more */
    h = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : h;
    return (uint16_t)(h | (kl_bits(x) >> 16 & 0x8000));
}

/* The same with a uniform random number below 2^16: up with the probability that the distance from
 * the 16-bit number below has in their gap, else down. What 16 bits hold exactly stays as it is. Of
 * bfloat16, and of float16 down to its denormals, that is exact; those see 16 bits of the rest. */
KL_INLINE uint16_t kl_round_bf16(float x, uint16_t random) {
    const uint32_t bits = kl_bits(x);
    return (uint16_t)((x != x ? bits | 0x400000 : bits + random) >> 16);
}

KL_INLINE uint16_t kl_round_f16(float x, uint16_t random) {
    const uint32_t magnitude = kl_bits(x) & 0x7fffffff;
    const uint32_t small = magnitude < 0x38800000 ? magnitude : 0; /* denormal in float16 */
    const uint32_t units = (uint32_t)(int32_t)(kl_from_bits(small) * 0x1p40f); /* of 2^-40 */
    const uint32_t normal = (magnitude - 0x38000000 + (random >> 3)) >> 13;
    uint32_t h = magnitude < 0x38800000 ? (units + random) >> 16 : normal;
    h = magnitude >= 0x47800000 ? 0x7c00 : h; /* 65536 and more */
    h = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : h;
    return (uint16_t)(h | (kl_bits(x) >> 16 & 0x8000));
}

/* Whole arrays, by instruction set; half.inc.h chooses by storage. */
static KL_UNUSED void kl_widen_f16_generic(const uint16_t *KL_RESTRICT x, float *KL_RESTRICT wide,
                                           int64_t count) {
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; i++) wide[i] = kl_load_f16(x[i]);
}

static KL_UNUSED void kl_narrow_f16_generic(const float *KL_RESTRICT wide, uint16_t *KL_RESTRICT x,
                                            int64_t count) {
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; i++) x[i] = kl_store_f16(wide[i]);
}

#if defined(__x86_64__)
#include "kael/half/avx2.h"
#include "kael/half/avx512.h"
#elif defined(__aarch64__)
#include "kael/half/neon.h"
#endif

#endif
