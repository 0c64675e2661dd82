/* The lesser and the greater: NaN where either is NaN, and -0 below +0.
 *
 * V(min) answers its second operand where either is NaN or both are zero. So the OR of min(a, b)
 * and min(b, a) is NaN where either is NaN (all exponent bits set, a mantissa bit set), -0 where
 * both are zeros and one is -0, and min(a, b) elsewhere. The greater is the lesser of the negated.
 */
KL_INLINE V(vec) KL_FN(minimum)(V(vec) a, V(vec) b) {
    return V(from_bits)(V(bits_or)(V(as_bits)(V(min)(a, b)), V(as_bits)(V(min)(b, a))));
}
KL_INLINE V(vec) KL_FN(maximum)(V(vec) a, V(vec) b) {
    return V(neg)(KL_FN(minimum)(V(neg)(a), V(neg)(b)));
}
