/* 4 float16 at a time, by FCVTL and FCVTN. */
#ifndef KAEL_HALF_NEON_H
#define KAEL_HALF_NEON_H

#include <arm_neon.h>

#define KL_HALF_ISA neon
#define KL_HALF_TARGET
#define KL_HALF_WIDTH 4
#define KL_HALF_WIDEN(wide, x) vst1q_f32(wide, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x))))
#define KL_HALF_NARROW(x, wide) vst1_u16(x, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(wide))))
#include "kael/half/array.inc.h"

#endif
