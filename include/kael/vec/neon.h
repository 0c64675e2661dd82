/* The vocabulary for NEON (Advanced SIMD of AArch64): 4 lanes of f32, 2 of f64; 32 registers. */
#ifndef KAEL_VEC_NEON_H
#define KAEL_VEC_NEON_H

#define KL_TYPE f32
#define T float
#define BITS uint32_t
#define REGISTER float32x4_t
#define MASK uint32x4_t
#define SHIFT vdupq_n_s32
#define WIDTH 4
#define FLOAT(name) name##_f32
#define INT(name) name##_u32
#define TO_BITS vreinterpretq_u32_f32
#define TO_FLOAT vreinterpretq_f32_u32
#include "kael/vec/neon.inc.h"

#define KL_TYPE f64
#define T double
#define BITS uint64_t
#define REGISTER float64x2_t
#define MASK uint64x2_t
#define SHIFT vdupq_n_s64
#define WIDTH 2
#define FLOAT(name) name##_f64
#define INT(name) name##_u64
#define TO_BITS vreinterpretq_u64_f64
#define TO_FLOAT vreinterpretq_f64_u64
#include "kael/vec/neon.inc.h"

/* Tables of 16. */
KL_INLINE float32x4_t v_lookup_f32_neon(const float *table, uint32x4_t index) {
    const uint32x4_t entry = vandq_u32(index, vdupq_n_u32(15));
    const uint32x4_t bytes = vmlaq_n_u32(vdupq_n_u32(0x03020100), entry, 0x04040404);
    const uint8x16x4_t whole = vld1q_u8_x4((const uint8_t *)table);
    return vreinterpretq_f32_u8(vqtbl4q_u8(whole, vreinterpretq_u8_u32(bytes)));
}
KL_INLINE float64x2_t v_lookup_f64_neon(const double *table, uint64x2_t index) {
    const float64x1_t first = vld1_f64(table + (vgetq_lane_u64(index, 0) & 15));
    return vcombine_f64(first, vld1_f64(table + (vgetq_lane_u64(index, 1) & 15)));
}

/* Across lanes. */
KL_INLINE float v_head_f32_neon(float32x4_t a) { return vgetq_lane_f32(a, 0); }
KL_INLINE double v_head_f64_neon(float64x2_t a) { return vgetq_lane_f64(a, 0); }
KL_INLINE float32x4_t v_swap_f32_neon(float32x4_t a, int half) {
    return half == 2 ? vextq_f32(a, a, 2) : vrev64q_f32(a);
}
KL_INLINE float64x2_t v_swap_f64_neon(float64x2_t a, int half) {
    (void)half;
    return vextq_f64(a, a, 1);
}

/* Squares turned. */
KL_INLINE void v_turn_f64_neon(float64x2_t *rows) {
    const float64x2_t a = rows[0], b = rows[1];
    rows[0] = vzip1q_f64(a, b);
    rows[1] = vzip2q_f64(a, b);
}
KL_INLINE void v_turn_f32_neon(float32x4_t *rows) {
    const float32x4_t even_low = vzip1q_f32(rows[0], rows[2]);
    const float32x4_t even_high = vzip2q_f32(rows[0], rows[2]);
    const float32x4_t odd_low = vzip1q_f32(rows[1], rows[3]);
    const float32x4_t odd_high = vzip2q_f32(rows[1], rows[3]);
    rows[0] = vzip1q_f32(even_low, odd_low);
    rows[1] = vzip2q_f32(even_low, odd_low);
    rows[2] = vzip1q_f32(even_high, odd_high);
    rows[3] = vzip2q_f32(even_high, odd_high);
}

/* Bridges between float and double lanes. */
KL_INLINE float64x2_t v_first_half_f64_neon(float32x4_t x) {
    return vcvt_f64_f32(vget_low_f32(x));
}
KL_INLINE float64x2_t v_second_half_f64_neon(float32x4_t x) { return vcvt_high_f64_f32(x); }
KL_INLINE float32x4_t v_from_halves_f32_neon(float64x2_t first, float64x2_t second) {
    return vcvt_high_f32_f64(vcvt_f32_f64(first), second);
}

/* Bridges between float memory and double lanes: v_width_f64 elements at a time. */
KL_INLINE float64x2_t v_load_f32_f64_neon(const float *p) { return vcvt_f64_f32(vld1_f32(p)); }
KL_INLINE float64x2_t v_load_f32_part_f64_neon(const float *p, int64_t count) {
    float32x2_t x = vdup_n_f32(0);
    if (count > 0) x = vld1_lane_f32(p, x, 0);
    if (count > 1) x = vld1_lane_f32(p + 1, x, 1);
    return vcvt_f64_f32(x);
}
KL_INLINE void v_store_f32_f64_neon(float *p, float64x2_t x) { vst1_f32(p, vcvt_f32_f64(x)); }
KL_INLINE void v_store_f32_part_f64_neon(float *p, float64x2_t x, int64_t count) {
    const float32x2_t narrow = vcvt_f32_f64(x);
    if (count > 0) vst1_lane_f32(p, narrow, 0);
    if (count > 1) vst1_lane_f32(p + 1, narrow, 1);
}
KL_INLINE float32x4_t v_narrow_f32_neon(const float64x2_t *parts) {
    return vcvt_high_f32_f64(vcvt_f32_f64(parts[0]), parts[1]);
}
KL_INLINE float64x2_t v_narrow_f64_neon(const float64x2_t *parts) { return parts[0]; }

#endif
