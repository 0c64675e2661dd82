/* Re-includes a body once per (instruction set, element type). The only file that opens target
 * regions.
 *
 *     #define KL_BODY "kael/rows.inc.h"
 *     #include "kael/foreach_isa.h"
 *
 * The body sees KL_ISA (avx2), KL_TYPE (f32), T (float), KL_FN(name), and the vocabulary of
 * vec/generic.h as V(load), V(fma), ... for T and VD(load), VD(fma), ... for double. With
 * KL_ONCE_PER_ISA defined it is included once per set instead, KL_TYPE being `any`, for bodies
 * that stamp their own types. Both selectors are undefined afterwards.
 *
 * Target names enable an instruction set for the functions of a region only: the rest of the
 * module stays at the platform's baseline, so that no wide instruction runs before its test.
 */
#ifndef KL_BODY
#error "define KL_BODY before including foreach_isa.h"
#endif

#include <math.h>
#include <string.h>

#include "kael/config.h"
/* Before any region opens: what a body includes inside one is compiled for that set, and the other
 * sets would run it too. */
#include "kael/math/angle.h"

/* Words of the vocabulary for T and for double. */
#undef V
#undef VD
#define V(word) KL_CAT4(v, word, KL_TYPE, KL_ISA)
#define VD(word) KL_CAT4(v, word, f64, KL_ISA)

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
#define KL_ISA avx512
#include "kael/vec/avx512.h"
#include "kael/foreach_type.h"
#undef KL_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define KL_ISA avx2
#include "kael/vec/avx2.h"
#include "kael/foreach_type.h"
#undef KL_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#elif defined(__aarch64__)
#include <arm_neon.h>

#define KL_ISA neon
#include "kael/vec/neon.h"
#include "kael/foreach_type.h"
#undef KL_ISA

#endif

#define KL_ISA generic
#include "kael/vec/generic.h"
#include "kael/foreach_type.h"
#undef KL_ISA

#undef KL_BODY
#undef KL_ONCE_PER_ISA
