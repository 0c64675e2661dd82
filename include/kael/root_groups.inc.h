/* Square roots beside divisions: some by multiply-adds, while the divider has the others.
 *
 * On Zen 4 a root of 16 floats takes the divider for 10 cycles and a quotient for 6, in which the
 * multipliers could do 16 products. A root by Newton's method takes them for some 10, and has the
 * bits of sqrt. A quotient by reciprocals needs one step more (Markstein), and then the divider is
 * as fast. A body for each type, after foreach_isa.h.
 *
 * Why the bits are those of sqrt, for s in [1, 4), r = sqrt(s), u = 2^-23 and any guess
 * y = (1 + e) / r with |e| <= 2^-14; other s by scaling with a power of 4, which is exact:
 *
 *     g = s y,  h = y / 2                  g = r (1 + e) (1 + 2^-24)
 *     c = 1/2 - g h                        -e - e^2 / 2 +- 2^-25: what g and h lack
 *     g = g + g c                          1.5 e^2 r < 0.1 u, 2^-25 r < 0.5 u, rounded: 1.1 u off
 *     h = h + h c                          1.6 * 2^-24 of 1 / (2 r) off
 *     d = s - g g                          off by 2^-24 of itself
 *     g + d h = r + (r - g) f,             |f| < (1.6 + 1 + 1.1) * 2^-24
 *
 * so what is rounded last is r up to 4.1 * 2^-24 u. That decides on which side of the middle m
 * between two floats r lies unless |s - m^2| < 33 * 2^-48: where the odd square (2^24 m)^2 is
 * within 33 of a multiple of 2^25. There are a few dozen such s, and tests/test_root_groups.py
 * tries each with all guesses within the bound, and every float with those of the machine.
 * (Markstein, "Computation of elementary functions on the IBM RISC System/6000", 1990; Cornea,
 * Harrison and Tang, "Scientific computing on Itanium-based systems", 2002, for such proofs.)
 */

/* The root of s from a guess at 1 / sqrt(s). */
KL_INLINE V(vec) KL_FN(root_from)(V(vec) s, V(vec) y) {
    const V(vec) half = V(splat)((T)0.5);
    const V(vec) g = V(mul)(s, y), h = V(mul)(half, y), c = V(fnma)(g, h, half);
    const V(vec) near = V(fma)(g, c, g);
    return V(fma)(V(fnma)(near, near, s), V(fma)(h, c, h), near);
}

#if KL_CAT4(KL, RSQRT, KL_TYPE, KL_ISA)
enum { KL_FN(roots_shared) = 1 };
KL_INLINE V(vec) KL_FN(root_by_fma)(V(vec) s) { return KL_FN(root_from)(s, V(rsqrt)(s)); }

/* Whether every lane is in [2^-95, 2^97]: nothing above overflows, and d is exact enough. The bits
 * of these floats are moved so that they end at those of -inf, which no order continues. */
KL_INLINE bool KL_FN(root_in_reach)(V(vec) s) {
    const uint32_t low = 0x10000000, high = 0x70000000, end = 0xff800000;
    const V(vec) moved = V(from_bits)(V(bits_add)(V(as_bits)(s), V(bits_splat)(end - high)));
    const V(vec) below = V(from_bits)(V(bits_splat)(end - high + low - 1));
    return !V(any)(V(not)(V(lt)(moved, below)));
}
#else
enum { KL_FN(roots_shared) = 0 };
KL_INLINE V(vec) KL_FN(root_by_fma)(V(vec) s) { return V(sqrt)(s); }
KL_INLINE bool KL_FN(root_in_reach)(V(vec) s) { (void)s; return false; }
#endif

/* Roots of a group of vectors. Of several the first is done by multiply-adds. */
KL_INLINE void KL_FN(roots)(V(vec) *x, const int vectors) {
    const bool shared = vectors > 1 && KL_FN(root_in_reach)(x[0]);
    x[0] = KL_LIKELY(shared) ? KL_FN(root_by_fma)(x[0]) : V(sqrt)(x[0]);
    KL_UNROLL
    for (int k = 1; k < vectors; ++k) x[k] = V(sqrt)(x[k]);
}
