/* The words for one type; included twice by avx512.h, whose parameters it undefines. Order and
 * meaning: generic.inc.h. */
typedef REGISTER V(vec);
typedef MASK V(mask); /* one bit a lane */
typedef __m512i V(bits);
enum { V(width) = WIDTH };

KL_INLINE V(mask) V(first)(int64_t count) { return (V(mask))((1u << count) - 1); }

KL_INLINE V(vec) V(load)(const T *p) { return FLOAT(loadu)(p); }
KL_INLINE V(vec) V(load_part)(const T *p, int64_t count) {
    return FLOAT(maskz_loadu)(V(first)(count), p);
}
KL_INLINE void V(store)(T *p, V(vec) x) { FLOAT(storeu)(p, x); }
KL_INLINE void V(store_part)(T *p, V(vec) x, int64_t count) {
    FLOAT(mask_storeu)(p, V(first)(count), x);
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
/* a * 2^n, rounded once, n a whole number: no other set has this word. */
KL_INLINE V(vec) V(scale)(V(vec) a, V(vec) n) { return FLOAT(scalef)(a, n); }

KL_INLINE V(vec) V(rint)(V(vec) a) {
    return FLOAT(roundscale)(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
KL_INLINE V(vec) V(floor)(V(vec) a) {
    return FLOAT(roundscale)(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
KL_INLINE V(vec) V(trunc)(V(vec) a) {
    return FLOAT(roundscale)(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

KL_INLINE V(mask) V(lt)(V(vec) a, V(vec) b) { return COMPARE(a, b, _CMP_LT_OQ); }
KL_INLINE V(mask) V(le)(V(vec) a, V(vec) b) { return COMPARE(a, b, _CMP_LE_OQ); }
KL_INLINE V(mask) V(eq)(V(vec) a, V(vec) b) { return COMPARE(a, b, _CMP_EQ_OQ); }
KL_INLINE V(mask) V(ne)(V(vec) a, V(vec) b) { return COMPARE(a, b, _CMP_NEQ_UQ); }
KL_INLINE V(mask) V(is_nan)(V(vec) a) { return COMPARE(a, a, _CMP_UNORD_Q); }
KL_INLINE V(mask) V(both)(V(mask) a, V(mask) b) { return a & b; }
KL_INLINE V(mask) V(either)(V(mask) a, V(mask) b) { return a | b; }
KL_INLINE V(mask) V(not)(V(mask) a) { return (V(mask))~a; }
KL_INLINE bool V(any)(V(mask) a) { return a != 0; }
KL_INLINE V(vec) V(select)(V(mask) choose, V(vec) a, V(vec) b) {
    return FLOAT(mask_blend)(choose, b, a);
}

KL_INLINE V(bits) V(as_bits)(V(vec) a) { return TO_BITS(a); }
KL_INLINE V(vec) V(from_bits)(V(bits) a) { return TO_FLOAT(a); }
KL_INLINE V(bits) V(bits_splat)(BITS x) { return SET1_BITS(x); }
KL_INLINE V(bits) V(bits_add)(V(bits) a, V(bits) b) { return INT(add)(a, b); }
KL_INLINE V(bits) V(bits_sub)(V(bits) a, V(bits) b) { return INT(sub)(a, b); }
KL_INLINE V(bits) V(bits_and)(V(bits) a, V(bits) b) { return _mm512_and_si512(a, b); }
KL_INLINE V(bits) V(bits_or)(V(bits) a, V(bits) b) { return _mm512_or_si512(a, b); }
KL_INLINE V(bits) V(bits_xor)(V(bits) a, V(bits) b) { return _mm512_xor_si512(a, b); }
KL_INLINE V(bits) V(bits_shl)(V(bits) a, int count) { return INT(slli)(a, (unsigned)count); }
KL_INLINE V(bits) V(bits_shr)(V(bits) a, int count) { return INT(srli)(a, (unsigned)count); }

#undef KL_TYPE
#undef T
#undef BITS
#undef REGISTER
#undef MASK
#undef WIDTH
#undef IOTA
#undef FLOAT
#undef COMPARE
#undef INT
#undef SET1_BITS
#undef TO_BITS
#undef TO_FLOAT
