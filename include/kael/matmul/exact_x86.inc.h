/* Products of 32 and of 64 bits from those that all x86 sets have: 32 x 32 bits giving 64 in each
 * 64-bit lane, of which the upper halves are not read. A sum is kept in two parts that meet at the
 * end, so that nothing is shuffled or shifted on the way.
 *
 *     64 bits: low + (cross << 32)    low += al * bl, cross += ah * bl + al * bh
 *     32 bits: two lanes in each of 64 bits, the even and the odd ones apart
 *
 * Registers: 2 x 2 vectors are 8 parts of sums, 4 halves of b, 2 of a value and 2 products.
 */
typedef uint64_t KL_EXACT(wide) __attribute__((vector_size(KL_EXACT_BYTES)));
typedef struct {
    KL_EXACT(wide) first, second;
} KL_EXACT(sum);
typedef KL_EXACT(sum) KL_EXACT(row);   /* as it is, and the upper halves of its lanes */
typedef KL_EXACT(sum) KL_EXACT(value); /* the same, in every lane */

#define KL_WIDE_generic(a, b) (KL_EXACT(wide))_mm_mul_epu32((__m128i)(a), (__m128i)(b))
#define KL_WIDE_avx2(a, b) (KL_EXACT(wide))_mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#define KL_WIDE(a, b) KL_CAT2(KL_WIDE_, KL_ISA)(a, b)

KL_INLINE KL_EXACT(row) KL_EXACT(row_of)(KL_EXACT(vec) x) {
    return (KL_EXACT(row)){(KL_EXACT(wide))x, (KL_EXACT(wide))x >> 32};
}
/* Each half comes from memory by itself; 32 bits in every lane are as good as 64. */
KL_INLINE KL_EXACT(value) KL_EXACT(value_at)(const char *p) {
    typedef uint32_t half __attribute__((aligned(1), may_alias));
    typedef uint32_t halves __attribute__((vector_size(KL_EXACT_BYTES)));
    const half *const parts = (const half *)p;
    const halves first = (halves){0} + parts[0];
    const halves second = (halves){0} + (sizeof(KL_WORD) == 8 ? parts[1] : 0);
    return (KL_EXACT(value)){(KL_EXACT(wide))first, (KL_EXACT(wide))second};
}

KL_INLINE KL_EXACT(sum) KL_EXACT(begin)(KL_EXACT(vec) x) {
    const KL_EXACT(wide) all = (KL_EXACT(wide))x;
    return (KL_EXACT(sum)){all, sizeof(KL_WORD) == 4 ? all >> 32 : all - all};
}

KL_INLINE KL_EXACT(sum) KL_EXACT(add)(KL_EXACT(sum) sum, KL_EXACT(row) row,
                                      KL_EXACT(value) value) {
    sum.first += KL_WIDE(row.first, value.first);
    sum.second += KL_WIDE(row.second, value.first);
    if (sizeof(KL_WORD) == 8) sum.second += KL_WIDE(row.first, value.second);
    KL_SETTLE(sum.second);
    return sum;
}

KL_INLINE KL_EXACT(vec) KL_EXACT(total)(KL_EXACT(sum) sum) {
    const KL_EXACT(wide) upper = sum.second << 32;
    return (KL_EXACT(vec))(sizeof(KL_WORD) == 4 ? (sum.first & 0xFFFFFFFF) | upper
                                                : sum.first + upper);
}

#undef KL_WIDE_generic
#undef KL_WIDE_avx2
#undef KL_WIDE

#define KL_EXACT_TILES(X) KL_HEIGHTS_2(X, 1) KL_HEIGHTS_2(X, 2)
#define KL_EXACT_ROWS 2
#define KL_EXACT_VECTORS {2, 2}
#define KL_EXACT_REGISTERS(h, v) (2 * ((h) * (v) + (v)) + 4)
