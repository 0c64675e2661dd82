/* The vocabulary, and its specification: what each word means is what this file does.
 *
 * vec/avx2.h, avx512.h and neon.h hold the same words in the same order, for wider vectors; lane
 * l of their result is what this file gives for lane l of their operands. Here a vector has one
 * lane. Words end in _<type>_<isa>; bodies write V(fma) and VD(fma).
 */
#ifndef KAEL_VEC_GENERIC_H
#define KAEL_VEC_GENERIC_H

#define KL_TYPE f32
#define T float
#define BITS uint32_t
#define LIBM(name) KL_CAT2(name, f)
#include "kael/vec/generic.inc.h"

#define KL_TYPE f64
#define T double
#define BITS uint64_t
#define LIBM(name) name
#include "kael/vec/generic.inc.h"

/* Bridges between float and double lanes: the first and the second half of a vector of floats as
 * doubles, and back. The one float of this file is in either half. */
KL_INLINE double v_first_half_f64_generic(float x) { return x; }
KL_INLINE double v_second_half_f64_generic(float x) { return x; }
KL_INLINE float v_from_halves_f32_generic(double first, double second) {
    (void)second;
    return (float)first;
}

/* Bridges between float memory and double lanes: v_width_f64 elements at a time. */
KL_INLINE double v_load_f32_f64_generic(const float *p) { return v_load_f32_generic(p); }
KL_INLINE double v_load_f32_part_f64_generic(const float *p, int64_t count) {
    return v_load_part_f32_generic(p, count);
}
KL_INLINE void v_store_f32_f64_generic(float *p, double x) { v_store_f32_generic(p, (float)x); }
KL_INLINE void v_store_f32_part_f64_generic(float *p, double x, int64_t count) {
    v_store_part_f32_generic(p, (float)x, count);
}
/* A vector of T from the v_width / v_width_f64 vectors of double that its lanes are, rounded. */
KL_INLINE float v_narrow_f32_generic(const double *parts) { return (float)parts[0]; }
KL_INLINE double v_narrow_f64_generic(const double *parts) { return parts[0]; }

#endif
