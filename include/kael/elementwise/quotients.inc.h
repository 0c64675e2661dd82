/* The floor of a quotient of floats and the remainder that it leaves, both exact, as Python's //
 * and %. By lanes where quotients are moderate; one by one, by fmod, where a lane's is not. */

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

/* |a| = whole * |b| + rest, exactly, with 0 <= rest < |b|; false where a lane needs fmod. The
 * rounded quotient is not below the exact one's whole part, which is a float, and at most 1 above
 * it; what then is left is a multiple of the last place of b and no larger than b, hence exact.
 * NaN, and zero in b, leave NaN and the quotient of IEEE 754. */
KL_INLINE bool KL_FN(divided)(V(vec) a, V(vec) b, V(vec) *whole, V(vec) *rest) {
    const V(vec) zero = V(splat)(0), infinite = V(splat)((T)INFINITY);
    /* Below it, floor_divide_one's roundings leave the exact floor, too. */
    const V(vec) most = V(splat)((T)((KL_WORD)1 << (KL_FRACTION - 1)));
    const V(vec) x = V(abs)(a), y = V(abs)(b);
    const V(vec) quotient = V(trunc)(V(div)(x, y));
    const V(mask) large = V(both)(V(le)(most, quotient), V(ne)(y, zero));
    if (KL_UNLIKELY(V(any)(V(either)(large, V(eq)(y, infinite))))) return false;
    const V(vec) left = V(fnma)(quotient, y, x);
    const V(mask) above = V(lt)(left, zero);
    *whole = V(select)(above, V(sub)(quotient, V(splat)(1)), quotient);
    *rest = V(select)(above, V(add)(left, y), left);
    return true;
}

KL_INLINE V(mask) KL_FN(signs_differ)(V(vec) a, V(vec) b) {
    const V(vec) product = V(from_bits)(V(bits_xor)(V(as_bits)(a), V(as_bits)(b)));
    return V(lt)(KL_FN(add_sign)(V(splat)(1), product), V(splat)(0));
}

KL_INLINE V(vec) KL_FN(remainder)(V(vec) a, V(vec) b) {
    V(vec) whole, rest;
    if (!KL_FN(divided)(a, b, &whole, &rest)) return KL_FN(each)(a, b, KL_FN(remainder_one));
    const V(vec) zero = V(splat)(0), truncated = KL_FN(add_sign)(rest, a);
    const V(vec) floored = V(select)(KL_FN(signs_differ)(a, b), V(add)(truncated, b), truncated);
    return V(select)(V(eq)(rest, zero), KL_FN(add_sign)(zero, b), floored);
}

KL_INLINE V(vec) KL_FN(floor_divide)(V(vec) a, V(vec) b) {
    V(vec) whole, rest;
    if (!KL_FN(divided)(a, b, &whole, &rest)) return KL_FN(each)(a, b, KL_FN(floor_divide_one));
    const V(vec) zero = V(splat)(0);
    const V(vec) up = V(select)(V(lt)(zero, rest), V(add)(whole, V(splat)(1)), whole);
    return V(select)(KL_FN(signs_differ)(a, b), V(neg)(up), whole);
}
