/* The words for one type; included twice by generic.h, whose parameters it undefines. */
typedef T V(vec);      /* lanes of T */
typedef bool V(mask);  /* one truth value a lane, from a comparison */
typedef BITS V(bits);  /* the lanes seen as unsigned integers of the same width */
enum { V(width) = 1 }; /* lanes in a vector */

/* Memory. No alignment is needed; _part reads or writes the first count lanes (0 <= count <=
 * width), touches nothing beyond them, and loads zero into the rest. */
KL_INLINE V(vec) V(load)(const T *p) {
    T x;
    memcpy(&x, p, sizeof x); /* one move; dereferencing would promise alignment */
    return x;
}
KL_INLINE V(vec) V(load_part)(const T *p, int64_t count) {
    KL_ASSERT(count >= 0 && count <= V(width));
    return count > 0 ? V(load)(p) : (T)0;
}
KL_INLINE void V(store)(T *p, V(vec) x) { memcpy(p, &x, sizeof x); }
KL_INLINE void V(store_part)(T *p, V(vec) x, int64_t count) {
    KL_ASSERT(count >= 0 && count <= V(width));
    if (count > 0) V(store)(p, x);
}
/* Past the caches where the machine can; p is aligned to the vector. Other threads see such stores
 * after kl_streamed_end. */
KL_INLINE void V(stream)(T *p, V(vec) x) { V(store)(p, x); }
KL_INLINE V(vec) V(splat)(T x) { return x; }
KL_INLINE V(vec) V(iota)(void) { return (T)0; } /* lane l holds l */

/* Arithmetic, each rounded once; fma(a, b, c) is a * b + c, fnma c - a * b. */
KL_INLINE V(vec) V(add)(V(vec) a, V(vec) b) { return a + b; }
KL_INLINE V(vec) V(sub)(V(vec) a, V(vec) b) { return a - b; }
KL_INLINE V(vec) V(mul)(V(vec) a, V(vec) b) { return a * b; }
KL_INLINE V(vec) V(div)(V(vec) a, V(vec) b) { return a / b; }
KL_INLINE V(vec) V(fma)(V(vec) a, V(vec) b, V(vec) c) { return LIBM(fma)(a, b, c); }
KL_INLINE V(vec) V(fnma)(V(vec) a, V(vec) b, V(vec) c) { return LIBM(fma)(-a, b, c); }
KL_INLINE V(vec) V(sqrt)(V(vec) a) { return LIBM(sqrt)(a); }
KL_INLINE V(vec) V(neg)(V(vec) a) { return -a; }
KL_INLINE V(vec) V(abs)(V(vec) a) { return LIBM(fabs)(a); }
/* The second operand where either is NaN or both are zero: put the constant first to keep NaN. */
KL_INLINE V(vec) V(max)(V(vec) a, V(vec) b) { return a > b ? a : b; }
KL_INLINE V(vec) V(min)(V(vec) a, V(vec) b) { return a < b ? a : b; }

/* Rounding to integers: to nearest (ties to even), down, towards zero. */
KL_INLINE V(vec) V(rint)(V(vec) a) { return LIBM(nearbyint)(a); }
KL_INLINE V(vec) V(floor)(V(vec) a) { return LIBM(floor)(a); }
KL_INLINE V(vec) V(trunc)(V(vec) a) { return LIBM(trunc)(a); }

/* Comparisons are false where an operand is NaN, except ne. */
KL_INLINE V(mask) V(lt)(V(vec) a, V(vec) b) { return a < b; }
KL_INLINE V(mask) V(le)(V(vec) a, V(vec) b) { return a <= b; }
KL_INLINE V(mask) V(eq)(V(vec) a, V(vec) b) { return a == b; }
KL_INLINE V(mask) V(ne)(V(vec) a, V(vec) b) { return a != b; }
KL_INLINE V(mask) V(is_nan)(V(vec) a) { return a != a; }
KL_INLINE V(mask) V(both)(V(mask) a, V(mask) b) { return a && b; }
KL_INLINE V(mask) V(either)(V(mask) a, V(mask) b) { return a || b; }
KL_INLINE V(mask) V(not)(V(mask) a) { return !a; }
KL_INLINE bool V(any)(V(mask) a) { return a; }
KL_INLINE V(vec) V(select)(V(mask) choose, V(vec) a, V(vec) b) { return choose ? a : b; }

/* Each lane's entry of a table of 16, by the low four bits of its index. */
KL_INLINE V(vec) V(lookup)(const T *table, V(bits) index) { return table[index & 15]; }

/* Across lanes: lane 0; and lane l replaced by lane l ^ half, half being a constant power of two
 * below the width (of which one lane has none). */
KL_INLINE T V(head)(V(vec) a) { return a; }
KL_INLINE V(vec) V(swap)(V(vec) a, int half) {
    (void)half;
    return a;
}
/* A square of as many vectors as they have lanes, transposed in place. */
KL_INLINE void V(turn)(V(vec) *rows) { (void)rows; }

/* Lanes as unsigned integers; shifts by the same count in every lane, shr shifts zeros in. */
KL_INLINE V(bits) V(as_bits)(V(vec) a) {
    V(bits) out;
    memcpy(&out, &a, sizeof out);
    return out;
}
KL_INLINE V(vec) V(from_bits)(V(bits) a) {
    V(vec) out;
    memcpy(&out, &a, sizeof out);
    return out;
}
KL_INLINE V(bits) V(bits_splat)(BITS x) { return x; }
KL_INLINE V(bits) V(bits_add)(V(bits) a, V(bits) b) { return a + b; }
KL_INLINE V(bits) V(bits_sub)(V(bits) a, V(bits) b) { return a - b; }
KL_INLINE V(bits) V(bits_and)(V(bits) a, V(bits) b) { return a & b; }
KL_INLINE V(bits) V(bits_or)(V(bits) a, V(bits) b) { return a | b; }
KL_INLINE V(bits) V(bits_xor)(V(bits) a, V(bits) b) { return a ^ b; }
KL_INLINE V(bits) V(bits_shl)(V(bits) a, int count) { return a << count; }
KL_INLINE V(bits) V(bits_shr)(V(bits) a, int count) { return a >> count; }

#undef KL_TYPE
#undef T
#undef BITS
#undef LIBM
