/* 4 float16 at a time, by FCVTL and FCVTN. */
#ifndef KAEL_HALF_NEON_H
#define KAEL_HALF_NEON_H

#include <arm_neon.h>

static KL_UNUSED void kl_widen_f16_neon(const uint16_t *KL_RESTRICT x, float *KL_RESTRICT wide,
                                        int64_t count) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        vst1q_f32(wide + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x + i))));
    }
    for (; i < count; i++) wide[i] = kl_load_f16(x[i]);
}

static KL_UNUSED void kl_narrow_f16_neon(const float *KL_RESTRICT wide, uint16_t *KL_RESTRICT x,
                                         int64_t count) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        vst1_u16(x + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(wide + i))));
    }
    for (; i < count; i++) x[i] = kl_store_f16(wide[i]);
}

#endif
