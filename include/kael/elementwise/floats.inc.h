/* What the lists name for floats that is neither a word nor in math.inc.h. */
#include "kael/extreme.inc.h"
#include "kael/math.inc.h"

/* -1, 0, 1, or NaN. */
KL_INLINE V(vec) KL_FN(sign)(V(vec) a) {
    const V(vec) one = V(splat)(1), zero = V(splat)(0);
    const V(vec) signs = V(select)(V(lt)(a, zero), V(neg)(one), a);
    return V(select)(V(lt)(zero, a), one, signs);
}

/* -1, 0 or 1: 0 for NaN, too, as the gradient of abs takes it. */
KL_INLINE V(vec) KL_FN(direction)(V(vec) a) {
    const V(vec) one = V(splat)(1), zero = V(splat)(0);
    return V(select)(V(lt)(zero, a), one, V(select)(V(lt)(a, zero), V(neg)(one), zero));
}

/* Calls a scalar function on each lane. */
KL_INLINE V(vec) KL_FN(each)(V(vec) a, V(vec) b, T (*function)(T, T)) {
    T x[V(width)], y[V(width)];
    V(store)(x, a);
    V(store)(y, b);
    for (int l = 0; l < V(width); ++l) x[l] = function(x[l], y[l]);
    return V(load)(x);
}

#undef FMOD
#define FMOD(a, b) _Generic((a), float: fmodf, double: fmod)(a, b)

/* a - b * floor(a / b) with the sign of b, as Python's %. fmod is exact, hence the same in every
 * C library. */
static inline KL_UNUSED T KL_FN(remainder_one)(T a, T b) {
    const T rest = FMOD(a, b);
    if (rest == 0) return (T)copysign(0.0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

/* The floor of the exact quotient, as Python's //; a / b where b is zero. */
static inline KL_UNUSED T KL_FN(floor_divide_one)(T a, T b) {
    if (b == 0) return a / b;
    const T rest = FMOD(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return (T)copysign(0.0, a / b);
    const T floored = (T)floor(quotient);
    return quotient - floored > (T)0.5 ? floored + 1 : floored;
}

KL_INLINE V(vec) KL_FN(remainder)(V(vec) a, V(vec) b) {
    return KL_FN(each)(a, b, KL_FN(remainder_one));
}
KL_INLINE V(vec) KL_FN(floor_divide)(V(vec) a, V(vec) b) {
    return KL_FN(each)(a, b, KL_FN(floor_divide_one));
}
