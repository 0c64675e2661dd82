/* For tests/test_vec.py: every word of the vocabulary as a function over arrays, stamped for each
 * type and instruction set. n is a multiple of 16; operands that a word lacks are not read. */
#define WORD(name, value)                                                                     \
    void KL_CAT4(word, name, KL_TYPE, KL_ISA)(const T *a, const T *b, const T *c, T *out,     \
                                              int64_t n) {                                    \
        for (int64_t i = 0; i < n; i += V(width)) {                                           \
            const V(vec) x = V(load)(a + i), y = V(load)(b + i), z = V(load)(c + i);          \
            (void)x, (void)y, (void)z;                                                        \
            V(store)(out + i, value);                                                         \
        }                                                                                     \
    }
#define TRUTH(name, mask) WORD(name, V(select)(mask, V(splat)(1), V(splat)(0)))
#define BITS(name, bits) WORD(name, V(from_bits)(bits))

WORD(add, V(add)(x, y))
WORD(sub, V(sub)(x, y))
WORD(mul, V(mul)(x, y))
WORD(div, V(div)(x, y))
WORD(fma, V(fma)(x, y, z))
WORD(fnma, V(fnma)(x, y, z))
WORD(sqrt, V(sqrt)(x))
WORD(neg, V(neg)(x))
WORD(abs, V(abs)(x))
WORD(max, V(max)(x, y))
WORD(min, V(min)(x, y))
WORD(rint, V(rint)(x))
WORD(floor, V(floor)(x))
WORD(trunc, V(trunc)(x))
TRUTH(lt, V(lt)(x, y))
TRUTH(le, V(le)(x, y))
TRUTH(eq, V(eq)(x, y))
TRUTH(ne, V(ne)(x, y))
TRUTH(is_nan, V(is_nan)(x))
TRUTH(both, V(both)(V(lt)(x, y), V(lt)(y, z)))
TRUTH(either, V(either)(V(lt)(x, y), V(lt)(y, z)))
TRUTH(not, V(not)(V(lt)(x, y)))
WORD(select, V(select)(V(lt)(x, y), y, z))
WORD(splat, V(splat)((T)0.1))
/* The first 16 of c are the table. */
WORD(lookup, V(lookup)(c, V(as_bits)(x)))
BITS(as_bits, V(as_bits)(x))
BITS(bits_splat, V(bits_splat)(0x87654321u))
BITS(bits_add, V(bits_add)(V(as_bits)(x), V(as_bits)(y)))
BITS(bits_sub, V(bits_sub)(V(as_bits)(x), V(as_bits)(y)))
BITS(bits_and, V(bits_and)(V(as_bits)(x), V(as_bits)(y)))
BITS(bits_or, V(bits_or)(V(as_bits)(x), V(as_bits)(y)))
BITS(bits_xor, V(bits_xor)(V(as_bits)(x), V(as_bits)(y)))
BITS(bits_shl, V(bits_shl)(V(as_bits)(x), 7))
BITS(bits_shr, V(bits_shr)(V(as_bits)(x), 7))

/* Words whose results depend on the width: on one vector, or on each count up to it. */
enum { KL_FN(lanes) = V(width), KL_FN(wide) = VD(width) };
int KL_CAT4(word, width, KL_TYPE, KL_ISA)(void) { return V(width); }
void KL_CAT4(word, iota, KL_TYPE, KL_ISA)(T *out) { V(store)(out, V(iota)()); }
T KL_CAT4(word, head, KL_TYPE, KL_ISA)(const T *a) { return V(head)(V(load)(a)); }
void KL_CAT4(word, swap, KL_TYPE, KL_ISA)(const T *a, T *out) {
    if (KL_FN(lanes) > 8) V(store)(out + 3 * KL_FN(lanes), V(swap)(V(load)(a), 8));
    if (KL_FN(lanes) > 4) V(store)(out + 2 * KL_FN(lanes), V(swap)(V(load)(a), 4));
    if (KL_FN(lanes) > 2) V(store)(out + KL_FN(lanes), V(swap)(V(load)(a), 2));
    if (KL_FN(lanes) > 1) V(store)(out, V(swap)(V(load)(a), 1));
}
void KL_CAT4(word, turn, KL_TYPE, KL_ISA)(const T *a, T *out) {
    V(vec) rows[KL_FN(lanes)];
    for (int r = 0; r < KL_FN(lanes); r++) rows[r] = V(load)(a + r * KL_FN(lanes));
    V(turn)(rows);
    for (int r = 0; r < KL_FN(lanes); r++) V(store)(out + r * KL_FN(lanes), rows[r]);
}
void KL_CAT4(word, stream, KL_TYPE, KL_ISA)(const T *a, T *out) { V(stream)(out, V(load)(a)); }
bool KL_CAT4(word, any, KL_TYPE, KL_ISA)(const T *a) {
    return V(any)(V(eq)(V(load)(a), V(splat)(1)));
}
void KL_CAT4(word, load_part, KL_TYPE, KL_ISA)(const T *a, T *out, int64_t count) {
    V(store)(out, V(load_part)(a, count));
}
void KL_CAT4(word, store_part, KL_TYPE, KL_ISA)(const T *a, T *out, int64_t count) {
    V(store_part)(out, V(load)(a), count);
}

/* Bridges from and to double lanes, for width double lanes at a time. */
void KL_CAT4(word, load_f32, KL_TYPE, KL_ISA)(const float *a, double *out, int64_t count) {
    VD(store)(out, count < 0 ? VD(load_f32)(a) : VD(load_f32_part)(a, count));
}
void KL_CAT4(word, store_f32, KL_TYPE, KL_ISA)(const double *a, float *out, int64_t count) {
    if (count < 0) VD(store_f32)(out, VD(load)(a));
    else VD(store_f32_part)(out, VD(load)(a), count);
}
void KL_CAT4(word, narrow, KL_TYPE, KL_ISA)(const double *a, T *out) {
    VD(vec) parts[KL_FN(lanes) / KL_FN(wide)];
    for (int i = 0; i < KL_FN(lanes) / KL_FN(wide); ++i)
        parts[i] = VD(load)(a + i * KL_FN(wide));
    V(store)(out, V(narrow)(parts));
}
void KL_CAT4(word, halves, KL_TYPE, KL_ISA)(const float *a, double *out, float *back) {
    enum { half = VD(width) };
    const KL_CAT4(v, vec, f32, KL_ISA) x = KL_CAT4(v, load, f32, KL_ISA)(a);
    const VD(vec) first = VD(first_half)(x), second = VD(second_half)(x);
    VD(store)(out + half, second);
    VD(store)(out, first);
    KL_CAT4(v, store, f32, KL_ISA)(back, KL_CAT4(v, from_halves, f32, KL_ISA)(first, second));
}

#undef WORD
#undef TRUTH
#undef BITS
