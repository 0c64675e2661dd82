/* The words for one type; included twice by avx2.h, whose parameters it undefines. Order and
 * meaning: generic.inc.h. */
typedef REGISTER V(vec);
typedef REGISTER V(mask); /* all ones in the true lanes */
typedef __m256i V(bits);
enum { V(width) = WIDTH };

KL_INLINE V(vec) V(load)(const T *p) { return FLOAT(loadu)(p); }
KL_INLINE V(vec) V(load_part)(const T *p, int64_t count) {
    return FLOAT(maskload)(p, V(first)(count));
}
KL_INLINE void V(store)(T *p, V(vec) x) { FLOAT(storeu)(p, x); }
KL_INLINE void V(store_part)(T *p, V(vec) x, int64_t count) {
    FLOAT(maskstore)(p, V(first)(count), x);
}
KL_INLINE void V(stream)(T *p, V(vec) x) { FLOAT(stream)(p, x); }
KL_INLINE V(vec) V(splat)(T x) { return FLOAT(set1)(x); }
KL_INLINE V(vec) V(iota)(void) { return IOTA; }

KL_INLINE V(vec) V(add)(V(vec) a, V(vec) b) { return FLOAT(add)(a, b); }
KL_INLINE V(vec) V(sub)(V(vec) a, V(vec) b) { return FLOAT(sub)(a, b); }
KL_INLINE V(vec) V(mul)(V(vec) a, V(vec) b) { return FLOAT(mul)(a, b); }
KL_INLINE V(vec) V(div)(V(vec) a, V(vec) b) { return FLOAT(div)(a, b); }
KL_INLINE V(vec) V(fma)(V(vec) a, V(vec) b, V(vec) c) { return FLOAT(fmadd)(a, b, c); }
KL_INLINE V(vec) V(fnma)(V(vec) a, V(vec) b, V(vec) c) { return FLOAT(fnmadd)(a, b, c); }
KL_INLINE V(vec) V(sqrt)(V(vec) a) { return FLOAT(sqrt)(a); }
KL_INLINE V(vec) V(neg)(V(vec) a) { return FLOAT(xor)(a, FLOAT(set1)((T)-0.0)); }
KL_INLINE V(vec) V(abs)(V(vec) a) { return FLOAT(andnot)(FLOAT(set1)((T)-0.0), a); }
KL_INLINE V(vec) V(max)(V(vec) a, V(vec) b) { return FLOAT(max)(a, b); }
KL_INLINE V(vec) V(min)(V(vec) a, V(vec) b) { return FLOAT(min)(a, b); }

KL_INLINE V(vec) V(rint)(V(vec) a) {
    return FLOAT(round)(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
KL_INLINE V(vec) V(floor)(V(vec) a) {
    return FLOAT(round)(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
KL_INLINE V(vec) V(trunc)(V(vec) a) {
    return FLOAT(round)(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

KL_INLINE V(mask) V(lt)(V(vec) a, V(vec) b) { return FLOAT(cmp)(a, b, _CMP_LT_OQ); }
KL_INLINE V(mask) V(le)(V(vec) a, V(vec) b) { return FLOAT(cmp)(a, b, _CMP_LE_OQ); }
KL_INLINE V(mask) V(eq)(V(vec) a, V(vec) b) { return FLOAT(cmp)(a, b, _CMP_EQ_OQ); }
KL_INLINE V(mask) V(ne)(V(vec) a, V(vec) b) { return FLOAT(cmp)(a, b, _CMP_NEQ_UQ); }
KL_INLINE V(mask) V(is_nan)(V(vec) a) { return FLOAT(cmp)(a, a, _CMP_UNORD_Q); }
KL_INLINE V(mask) V(both)(V(mask) a, V(mask) b) { return FLOAT(and)(a, b); }
KL_INLINE V(mask) V(either)(V(mask) a, V(mask) b) { return FLOAT(or)(a, b); }
KL_INLINE V(mask) V(not)(V(mask) a) { return FLOAT(xor)(a, TO_FLOAT(_mm256_set1_epi32(-1))); }
KL_INLINE bool V(any)(V(mask) a) { return FLOAT(movemask)(a) != 0; }
KL_INLINE V(vec) V(select)(V(mask) choose, V(vec) a, V(vec) b) {
    return FLOAT(blendv)(b, a, choose);
}

KL_INLINE V(bits) V(as_bits)(V(vec) a) { return TO_BITS(a); }
KL_INLINE V(vec) V(from_bits)(V(bits) a) { return TO_FLOAT(a); }
KL_INLINE V(bits) V(bits_splat)(BITS x) { return SET1_BITS(x); }
KL_INLINE V(bits) V(bits_add)(V(bits) a, V(bits) b) { return INT(add)(a, b); }
KL_INLINE V(bits) V(bits_sub)(V(bits) a, V(bits) b) { return INT(sub)(a, b); }
KL_INLINE V(bits) V(bits_and)(V(bits) a, V(bits) b) { return _mm256_and_si256(a, b); }
KL_INLINE V(bits) V(bits_or)(V(bits) a, V(bits) b) { return _mm256_or_si256(a, b); }
KL_INLINE V(bits) V(bits_xor)(V(bits) a, V(bits) b) { return _mm256_xor_si256(a, b); }
KL_INLINE V(bits) V(bits_shl)(V(bits) a, int count) { return INT(slli)(a, count); }
KL_INLINE V(bits) V(bits_shr)(V(bits) a, int count) { return INT(srli)(a, count); }

#undef KL_TYPE
#undef T
#undef BITS
#undef REGISTER
#undef WIDTH
#undef IOTA
#undef FLOAT
#undef INT
#undef SET1_BITS
#undef TO_BITS
#undef TO_FLOAT
