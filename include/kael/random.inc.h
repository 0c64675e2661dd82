/* Filling with random values, a batch of blocks at a time.
 *
 * The words of a batch lie in four planes, so that the rounds, the conversions and the functions
 * all run over whole vectors; the last step interleaves them into the order of the values.
 */
#include "kael/math.inc.h"
#include "kael/philox.inc.h"

enum { KL_FN(per_block) = 16 / sizeof(T) };

/* Each of the makers turns the words of a batch into values in the order of their numbers. */
typedef void (*KL_FN(maker))(const struct kl_draw *draw, int64_t blocks,
                             uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH], T *KL_RESTRICT out);

KL_INLINE void KL_FN(make_uniform)(const struct kl_draw *draw, int64_t blocks,
                                   uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH],
                                   T *KL_RESTRICT out) {
    const T low = (T)draw->a, width = (T)draw->b;
    if (sizeof(T) == sizeof(double)) {
        for (int64_t b = 0; b < blocks; ++b) {
            out[2 * b] = low + width * (T)kl_unit_f64(words[0][b], words[1][b]);
            out[2 * b + 1] = low + width * (T)kl_unit_f64(words[2][b], words[3][b]);
        }
        return;
    }
    for (int64_t b = 0; b < blocks; ++b) {
        KL_UNROLL
        for (int k = 0; k < 4; ++k)
            out[4 * b + k] = low + width * ((T)(int32_t)(words[k][b] >> 8) * (T)0x1p-24);
    }
}

/* From words to u in (0, 1] in the even planes and angles in turns in [-1/2, 1/2) in the odd. */
KL_INLINE void KL_FN(make_pairs)(uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH], int64_t count,
                                 T (*KL_RESTRICT pairs)[KL_RANDOM_BATCH]) {
    for (int64_t b = 0; b < count; ++b) {
        if (sizeof(T) == sizeof(double)) {
            pairs[0][b] = (T)(1.0 - kl_unit_f64(words[0][b], words[1][b]));
            pairs[1][b] = (T)(kl_unit_f64(words[2][b], words[3][b]) - 0.5);
            continue;
        }
        KL_UNROLL
        for (int k = 0; k < KL_FN(per_block); k += 2) {
            const int32_t turn = (int32_t)(words[k + 1][b] >> 8) - (1 << 23);
            pairs[k][b] = (T)words[k][b] * (T)0x1p-32 + (T)0x1p-33;
            pairs[k + 1][b] = (T)turn * (T)0x1p-24;
        }
    }
}

/* Taylor's terms, the highest first; on [-pi/4, pi/4] the first omitted one is below half an ulp
 * of double. */
static const T KL_FN(sine_terms)[] = {
    (T)(1.0 / 355687428096000.0), (T)(-1.0 / 1307674368000.0), (T)(1.0 / 6227020800.0),
    (T)(-1.0 / 39916800.0), (T)(1.0 / 362880.0), (T)(-1.0 / 5040.0), (T)(1.0 / 120.0),
    (T)(-1.0 / 6.0)};
static const T KL_FN(cosine_terms)[] = {
    (T)(1.0 / 20922789888000.0), (T)(-1.0 / 87178291200.0), (T)(1.0 / 479001600.0),
    (T)(-1.0 / 3628800.0), (T)(1.0 / 40320.0), (T)(-1.0 / 720.0), (T)(1.0 / 24.0), (T)-0.5};

/* The cosine and sine of 2 pi t for t in [-1/2, 1/2]: an angle in turns is reduced to a quarter
 * exactly, unlike one in radians. Below 1e-7 / 2e-16 absolute error. */
KL_INLINE void KL_FN(cosine_sine)(V(vec) t, V(vec) *cosine, V(vec) *sine) {
    /* single precision needs no more than the last four terms of each */
    const int skipped = sizeof(T) == sizeof(double) ? 0 : 4;
    const V(vec) quarter = V(rint)(V(mul)(V(splat)(4), t));
    const V(vec) x = V(mul)(V(splat)((T)6.283185307179586476925),
                            V(fma)(quarter, V(splat)((T)-0.25), t));
    const V(vec) z = V(mul)(x, x);
    const V(vec) s = V(fma)(V(mul)(z, x), KL_FN(horner)(z, KL_FN(sine_terms) + skipped,
                                                         8 - skipped), x);
    const V(vec) c = V(fma)(z, KL_FN(horner)(z, KL_FN(cosine_terms) + skipped, 8 - skipped),
                            V(splat)(1));
    const V(mask) odd = V(eq)(V(abs)(quarter), V(splat)(1));
    const V(mask) half = V(eq)(V(abs)(quarter), V(splat)(2));
    const V(vec) across = V(select)(odd, s, c), along = V(select)(odd, c, s);
    *cosine = V(select)(V(either)(half, V(eq)(quarter, V(splat)(1))), V(neg)(across), across);
    *sine = V(select)(V(either)(half, V(eq)(quarter, V(splat)(-1))), V(neg)(along), along);
}

/* Box and Muller: u and turns are overwritten with the cosine's and the sine's value. count is a
 * multiple of the width. */
KL_INLINE void KL_FN(box_muller)(T *KL_RESTRICT u, T *KL_RESTRICT turns, int64_t count) {
    const V(vec) minus_two = V(splat)((T)-2);
    for (int64_t i = 0; i < count; i += V(width)) {
        const V(vec) radius = V(sqrt)(V(mul)(minus_two, KL_FN(log)(V(load)(u + i))));
        V(vec) cosine, sine;
        KL_FN(cosine_sine)(V(load)(turns + i), &cosine, &sine);
        V(store)(u + i, V(mul)(radius, cosine));
        V(store)(turns + i, V(mul)(radius, sine));
    }
}

KL_INLINE void KL_FN(make_normal)(const struct kl_draw *draw, int64_t blocks,
                                  uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH],
                                  T *KL_RESTRICT out) {
    const T mean = (T)draw->a, std = (T)draw->b;
    T value[KL_FN(per_block)][KL_RANDOM_BATCH];
    const int64_t padded = kl_round_up(blocks, V(width));
    KL_FN(make_pairs)(words, padded, value);
    KL_UNROLL
    for (int k = 0; k < KL_FN(per_block); k += 2)
        KL_FN(box_muller)(value[k], value[k + 1], padded);
    for (int64_t b = 0; b < blocks; ++b) {
        KL_UNROLL
        for (int k = 0; k < KL_FN(per_block); ++k)
            out[KL_FN(per_block) * b + k] = mean + std * value[k][b];
    }
}

/* Four values a block in either type. */
KL_INLINE void KL_FN(make_bernoulli)(const struct kl_draw *draw, int64_t blocks,
                                     uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH],
                                     T *KL_RESTRICT out) {
    const uint64_t threshold = (uint64_t)(draw->a * 0x1p32);
    for (int64_t b = 0; b < blocks; ++b) {
        KL_UNROLL
        for (int k = 0; k < 4; ++k) out[4 * b + k] = words[k][b] < threshold ? (T)1 : (T)0;
    }
}

/* Raw bits of T's width: a word each, or two words with the first one high. */
KL_INLINE void KL_FN(make_bits)(const struct kl_draw *draw, int64_t blocks,
                                uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH],
                                T *KL_RESTRICT out) {
    (void)draw;
    for (int64_t b = 0; b < blocks; ++b) {
        KL_UNROLL
        for (int k = 0; k < KL_FN(per_block); ++k) {
            const uint64_t high = words[sizeof(T) / 4 * k][b];
            const uint64_t pair = high << 32 | words[sizeof(T) / 4 * k + sizeof(T) / 8][b];
            const uint32_t word = (uint32_t)high;
            memcpy(out + KL_FN(per_block) * b + k,
                   sizeof(T) == sizeof pair ? (const void *)&pair : (const void *)&word, sizeof(T));
        }
    }
}

/* Values [first, first + count) of a plane: whole blocks are made, the wanted part is copied. */
KL_INLINE void KL_FN(fill)(const struct kl_draw *draw, uint64_t first, int64_t count, void *out,
                           uint32_t plane, int64_t per_block, KL_FN(maker) make) {
    uint32_t words[4][KL_RANDOM_BATCH];
    T values[4 * KL_RANDOM_BATCH];
    char *target = out;
    memset(words, 0, sizeof words); /* the padding of the last vector is computed, never used */
    while (count > 0) {
        const int64_t skipped = (int64_t)(first % (uint64_t)per_block);
        const int64_t blocks = kl_min(KL_RANDOM_BATCH, kl_ceil_div(skipped + count, per_block));
        const int64_t made = kl_min(count, blocks * per_block - skipped);
        KL_FN(philox_batch)(draw->seed, first / (uint64_t)per_block, plane, blocks, words);
        make(draw, blocks, words, values);
        memcpy(target, values + skipped, (size_t)made * sizeof(T));
        target += made * (int64_t)sizeof(T);
        first += (uint64_t)made;
        count -= made;
    }
}

/* The plane of a kind for this type: f32, then f64. */
KL_INLINE uint32_t KL_FN(plane)(int kind) { return (uint32_t)kind + (sizeof(T) == sizeof(double)); }

static void KL_FN(uniform)(const struct kl_draw *draw, uint64_t first, int64_t count, void *out) {
    KL_FN(fill)(draw, first, count, out, KL_FN(plane)(KL_PLANE_UNIFORM_F32),
                KL_FN(per_block), KL_FN(make_uniform));
}

static void KL_FN(normal)(const struct kl_draw *draw, uint64_t first, int64_t count, void *out) {
    KL_FN(fill)(draw, first, count, out, KL_FN(plane)(KL_PLANE_NORMAL_F32),
                KL_FN(per_block), KL_FN(make_normal));
}

static void KL_FN(bernoulli)(const struct kl_draw *draw, uint64_t first, int64_t count,
                             void *out) {
    KL_FN(fill)(draw, first, count, out, KL_PLANE_BERNOULLI, 4, KL_FN(make_bernoulli));
}

/* The bits of integers before they are brought into a range, as kl_random_below draws them. */
static void KL_FN(integer_bits)(const struct kl_draw *draw, uint64_t first, int64_t count,
                                void *out) {
    KL_FN(fill)(draw, first, count, out, KL_PLANE_INTEGER, KL_FN(per_block), KL_FN(make_bits));
}
