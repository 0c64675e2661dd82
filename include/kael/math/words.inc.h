/* Steps that the functions share. */
KL_INLINE V(vec) KL_FN(horner)(V(vec) x, const T *table, int terms) {
    V(vec) sum = V(splat)(table[0]);
    KL_UNROLL
    for (int i = 1; i < terms; ++i) sum = V(fma)(sum, x, V(splat)(table[i]));
    return sum;
}

/* x * 2^n, rounded once; steps, seen as a float, is n + 2 * bias + KL_ROUNDER, so that its low bits
 * hold n + 2 * bias. Two factors, since 2^n itself may be no normal number; the first product is
 * exact for x near 1. One set has an instruction: exp of 1e5 f32 takes 22 us so, 27 without. */
#if KL_CAT2(KL_SCALES_, KL_ISA)
KL_INLINE V(vec) KL_FN(scale)(V(vec) x, V(bits) steps) {
    return V(scale)(x, V(sub)(V(from_bits)(steps), V(splat)(KL_ROUNDER + 2 * KL_BIAS)));
}
#else
KL_INLINE V(vec) KL_FN(scale)(V(vec) x, V(bits) steps) {
    const V(bits) half = V(bits_shr)(steps, 1);
    const V(bits) rest = V(bits_sub)(steps, half);
    x = V(mul)(x, V(from_bits)(V(bits_shl)(half, KL_FRACTION)));
    return V(mul)(x, V(from_bits)(V(bits_shl)(rest, KL_FRACTION)));
}
#endif

/* 2^(n - down), a normal number; the low bits of steps hold n + 2 * bias. */
KL_INLINE V(vec) KL_FN(power_of_two)(V(bits) steps, int down) {
    const V(bits) exponent = V(bits_sub)(steps, V(bits_splat)((KL_WORD)(KL_BIAS + down)));
    return V(from_bits)(V(bits_shl)(exponent, KL_FRACTION));
}

/* The bits of x and the sign bit of another vector. */
KL_INLINE V(vec) KL_FN(add_sign)(V(vec) x, V(vec) sign) {
    const V(bits) top = V(as_bits)(V(splat)((T)-0.0));
    return V(from_bits)(V(bits_or)(V(as_bits)(x), V(bits_and)(V(as_bits)(sign), top)));
}
