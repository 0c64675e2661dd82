/* The words for one type; included twice by neon.h, whose parameters it undefines. Order and
 * meaning: generic.inc.h. */
typedef REGISTER V(vec);
typedef MASK V(mask); /* all ones in the true lanes */
typedef MASK V(bits);
enum { V(width) = WIDTH };

KL_INLINE V(vec) V(load)(const T *p) { return FLOAT(vld1q)(p); }
/* Parts go lane by lane: a copy of a size known at run time is a call to memcpy, over which no
 * register with a sum would be kept. */
KL_INLINE V(vec) V(load_part)(const T *p, int64_t count) {
    V(vec) x = FLOAT(vdupq_n)(0);
    if (count > 0) x = FLOAT(vld1q_lane)(p, x, 0);
    if (count > 1) x = FLOAT(vld1q_lane)(p + 1, x, 1);
#if WIDTH > 2
    if (count > 2) x = FLOAT(vld1q_lane)(p + 2, x, 2);
    if (count > 3) x = FLOAT(vld1q_lane)(p + 3, x, 3);
#endif
    return x;
}
KL_INLINE void V(store)(T *p, V(vec) x) { FLOAT(vst1q)(p, x); }
KL_INLINE void V(store_part)(T *p, V(vec) x, int64_t count) {
    if (count > 0) FLOAT(vst1q_lane)(p, x, 0);
    if (count > 1) FLOAT(vst1q_lane)(p + 1, x, 1);
#if WIDTH > 2
    if (count > 2) FLOAT(vst1q_lane)(p + 2, x, 2);
    if (count > 3) FLOAT(vst1q_lane)(p + 3, x, 3);
#endif
}
KL_INLINE void V(stream)(T *p, V(vec) x) { V(store)(p, x); }
KL_INLINE V(vec) V(splat)(T x) { return FLOAT(vdupq_n)(x); }
KL_INLINE V(vec) V(iota)(void) {
    static const T lanes[4] = {0, 1, 2, 3};
    return V(load)(lanes);
}

KL_INLINE V(vec) V(add)(V(vec) a, V(vec) b) { return FLOAT(vaddq)(a, b); }
KL_INLINE V(vec) V(sub)(V(vec) a, V(vec) b) { return FLOAT(vsubq)(a, b); }
KL_INLINE V(vec) V(mul)(V(vec) a, V(vec) b) { return FLOAT(vmulq)(a, b); }
KL_INLINE V(vec) V(div)(V(vec) a, V(vec) b) { return FLOAT(vdivq)(a, b); }
KL_INLINE V(vec) V(fma)(V(vec) a, V(vec) b, V(vec) c) { return FLOAT(vfmaq)(c, a, b); }
KL_INLINE V(vec) V(fnma)(V(vec) a, V(vec) b, V(vec) c) { return FLOAT(vfmsq)(c, a, b); }
KL_INLINE V(vec) V(sqrt)(V(vec) a) { return FLOAT(vsqrtq)(a); }
KL_INLINE V(vec) V(neg)(V(vec) a) { return FLOAT(vnegq)(a); }
KL_INLINE V(vec) V(abs)(V(vec) a) { return FLOAT(vabsq)(a); }
/* Not vmaxq and vminq: they return NaN and order the zeros, where x86 returns the second. */
KL_INLINE V(vec) V(max)(V(vec) a, V(vec) b) { return FLOAT(vbslq)(FLOAT(vcgtq)(a, b), a, b); }
KL_INLINE V(vec) V(min)(V(vec) a, V(vec) b) { return FLOAT(vbslq)(FLOAT(vcltq)(a, b), a, b); }

KL_INLINE V(vec) V(rint)(V(vec) a) { return FLOAT(vrndnq)(a); }
KL_INLINE V(vec) V(floor)(V(vec) a) { return FLOAT(vrndmq)(a); }
KL_INLINE V(vec) V(trunc)(V(vec) a) { return FLOAT(vrndq)(a); }

KL_INLINE V(bits) V(bits_splat)(BITS x);
KL_INLINE V(bits) V(bits_xor)(V(bits) a, V(bits) b);

KL_INLINE V(mask) V(lt)(V(vec) a, V(vec) b) { return FLOAT(vcltq)(a, b); }
KL_INLINE V(mask) V(le)(V(vec) a, V(vec) b) { return FLOAT(vcleq)(a, b); }
KL_INLINE V(mask) V(eq)(V(vec) a, V(vec) b) { return FLOAT(vceqq)(a, b); }
KL_INLINE V(mask) V(ne)(V(vec) a, V(vec) b) {
    return V(bits_xor)(FLOAT(vceqq)(a, b), V(bits_splat)(~(BITS)0));
}
KL_INLINE V(mask) V(is_nan)(V(vec) a) { return V(ne)(a, a); }
KL_INLINE V(mask) V(both)(V(mask) a, V(mask) b) { return INT(vandq)(a, b); }
KL_INLINE V(mask) V(either)(V(mask) a, V(mask) b) { return INT(vorrq)(a, b); }
KL_INLINE V(mask) V(not)(V(mask) a) { return V(bits_xor)(a, V(bits_splat)(~(BITS)0)); }
KL_INLINE bool V(any)(V(mask) a) { return vmaxvq_u32((uint32x4_t)a) != 0; }
KL_INLINE V(vec) V(select)(V(mask) choose, V(vec) a, V(vec) b) {
    return FLOAT(vbslq)(choose, a, b);
}

KL_INLINE V(bits) V(as_bits)(V(vec) a) { return TO_BITS(a); }
KL_INLINE V(vec) V(from_bits)(V(bits) a) { return TO_FLOAT(a); }
KL_INLINE V(bits) V(bits_splat)(BITS x) { return INT(vdupq_n)(x); }
KL_INLINE V(bits) V(bits_add)(V(bits) a, V(bits) b) { return INT(vaddq)(a, b); }
KL_INLINE V(bits) V(bits_sub)(V(bits) a, V(bits) b) { return INT(vsubq)(a, b); }
KL_INLINE V(bits) V(bits_and)(V(bits) a, V(bits) b) { return INT(vandq)(a, b); }
KL_INLINE V(bits) V(bits_or)(V(bits) a, V(bits) b) { return INT(vorrq)(a, b); }
KL_INLINE V(bits) V(bits_xor)(V(bits) a, V(bits) b) { return INT(veorq)(a, b); }
KL_INLINE V(bits) V(bits_shl)(V(bits) a, int count) { return INT(vshlq)(a, SHIFT(count)); }
KL_INLINE V(bits) V(bits_shr)(V(bits) a, int count) { return INT(vshlq)(a, SHIFT(-count)); }

#undef KL_TYPE
#undef T
#undef BITS
#undef REGISTER
#undef MASK
#undef SHIFT
#undef WIDTH
#undef FLOAT
#undef INT
#undef TO_BITS
#undef TO_FLOAT
