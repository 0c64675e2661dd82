/* Random numbers that can be looked up: Philox4x32-10, a function of (seed, counter).
 *
 * Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
 *
 *     key      64 bits   the generator's seed
 *     counter 128 bits   word 0, 1: block number; word 2: plane; word 3: attempt
 *
 * A generator's position counts values. Value number p of a plane comes from block p / per_block
 * alone, so it depends on neither the draw it belongs to, nor its neighbours, nor the threads:
 * randn(7) begins randn(1000000), and drawing 3 then 5 values gives the same as drawing 8. Each
 * distribution has a plane of its own, so draws of different kinds never share random bits
 * however they are interleaved.
 *
 * A block is four 32-bit words, x0 to x3:
 *     uniform f32   4 values   (x >> 8) / 2^24
 *     uniform f64   2 values   53 bits of (x0, x1) and of (x2, x3)
 *     normal f32    4 values   Box-Muller of (x0, x1) and of (x2, x3): the cosine, then the sine
 *     normal f64    2 values   Box-Muller of the two uniform f64
 *     integer       2 values   64 bits times the range, the high half; a draw in the uneven rest
 *                              is repeated with the next attempt number: exactly uniform
 *     bernoulli     4 values   x < p * 2^32
 */
#ifndef KAEL_RANDOM_H
#define KAEL_RANDOM_H

#include <string.h>

#include "kael/runtime.h"

enum kl_plane {
    KL_PLANE_UNIFORM_F32,
    KL_PLANE_UNIFORM_F64,
    KL_PLANE_NORMAL_F32,
    KL_PLANE_NORMAL_F64,
    KL_PLANE_INTEGER,
    KL_PLANE_BERNOULLI
};

/* Blocks made at once: four planes of words, 4 KiB, and as many values, stay in L1. */
enum { KL_RANDOM_BATCH = 256 };

/* A value costs about this many cheap operations (ten rounds; the normals' functions). */
enum { KL_RANDOM_COST = 8, KL_NORMAL_COST = 16 };

struct kl_draw {
    uint64_t seed;
    uint64_t position; /* number of the first value */
    int64_t count;
    double a, b; /* low and width; mean and std; p */
};

KL_INLINE void kl_philox_round(uint32_t x[4], uint32_t key0, uint32_t key1) {
    const uint64_t left = (uint64_t)0xD2511F53u * x[0];
    const uint64_t right = (uint64_t)0xCD9E8D57u * x[2];
    const uint32_t y0 = (uint32_t)(right >> 32) ^ x[1] ^ key0;
    const uint32_t y2 = (uint32_t)(left >> 32) ^ x[3] ^ key1;
    x[1] = (uint32_t)right;
    x[3] = (uint32_t)left;
    x[0] = y0;
    x[2] = y2;
}

/* x is the counter before and the block after. */
KL_INLINE void kl_philox(uint32_t x[4], uint32_t key0, uint32_t key1) {
    KL_UNROLL
    for (int round = 0; round < 10; ++round) {
        kl_philox_round(x, key0, key1);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

KL_INLINE void kl_philox_block(uint64_t seed, uint64_t block, uint32_t plane, uint32_t attempt,
                               uint32_t x[4]) {
    x[0] = (uint32_t)block;
    x[1] = (uint32_t)(block >> 32);
    x[2] = plane;
    x[3] = attempt;
    kl_philox(x, (uint32_t)seed, (uint32_t)(seed >> 32));
}

KL_INLINE double kl_unit_f64(uint32_t high, uint32_t low) {
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return (double)(int64_t)bits * 0x1p-53;
}

#define KL_BODY "kael/random.inc.h"
#include "kael/foreach_isa.h"

/* Makes values [first, first + count) of a plane, counted from position 0. */
typedef void (*kl_random_fill)(const struct kl_draw *draw, uint64_t first, int64_t count,
                               void *out);

struct kl_random_kernels {
    kl_random_fill uniform, normal, bernoulli, integer_bits;
};

#define KL_ROW(type, isa)                                                        \
    {kl_uniform_##type##_##isa, kl_normal_##type##_##isa, kl_bernoulli_##type##_##isa, \
     kl_integer_bits_##type##_##isa}
static const struct kl_random_kernels kl_random_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) {KL_ROW(f32, isa), KL_ROW(f64, isa)},
    KL_ISAS(X)
#undef X
};
#undef KL_ROW

struct kl_random_job {
    const struct kl_draw *draw;
    kl_random_fill fill;
    char *out;
    int64_t itemsize;
};

static int kl_random_body(void *context, int64_t first, int64_t last) {
    const struct kl_random_job *job = context;
    job->fill(job->draw, job->draw->position + (uint64_t)first, last - first,
              job->out + first * job->itemsize);
    return KL_OK;
}

KL_INLINE int kl_random_run(const struct kl_runtime *rt, const struct kl_draw *draw,
                            kl_random_fill fill, void *out, int64_t itemsize, int64_t cost) {
    struct kl_random_job job = {draw, fill, out, itemsize};
    const int64_t grain = kl_grain(rt, draw->count, cost);
    return rt->parallel_for(0, draw->count, grain, kl_random_body, &job);
}

/* out[count] = a + b * uniform in [0, 1); dtype is f32 or f64. */
static int kl_random_uniform(const struct kl_runtime *rt, const struct kl_draw *draw, int dtype,
                             void *out) {
    const struct kl_random_kernels *row = &kl_random_table[rt->isa][dtype - KL_DTYPE_f32];
    return kl_random_run(rt, draw, row->uniform, out, kl_itemsize(dtype), KL_RANDOM_COST);
}

/* out[count] = a + b * standard normal; dtype is f32 or f64. */
static int kl_random_normal(const struct kl_runtime *rt, const struct kl_draw *draw, int dtype,
                            void *out) {
    const struct kl_random_kernels *row = &kl_random_table[rt->isa][dtype - KL_DTYPE_f32];
    return kl_random_run(rt, draw, row->normal, out, kl_itemsize(dtype), KL_NORMAL_COST);
}

/* out[count] = 1 with probability a, else 0; dtype is f32 or f64. */
static int kl_random_bernoulli(const struct kl_runtime *rt, const struct kl_draw *draw, int dtype,
                               void *out) {
    const struct kl_random_kernels *row = &kl_random_table[rt->isa][dtype - KL_DTYPE_f32];
    return kl_random_run(rt, draw, row->bernoulli, out, kl_itemsize(dtype), KL_RANDOM_COST);
}

/* Value number p of the integer plane in [0, range), from its bits; range 0 means 2^64. What falls
 * into the uneven rest of 2^64, with a chance below range / 2^64, is drawn again.
 * Lemire: "Fast random integer generation in an interval" (2019). */
KL_INLINE uint64_t kl_random_below(uint64_t seed, uint64_t p, uint64_t range, uint64_t bits) {
    if (range == 0) return bits;
    unsigned __int128 product = (unsigned __int128)bits * range;
    if (KL_UNLIKELY((uint64_t)product < range)) {
        const uint64_t uneven = (0 - range) % range;
        for (uint32_t attempt = 1; (uint64_t)product < uneven; ++attempt) {
            uint32_t x[4];
            kl_philox_block(seed, p / 2, KL_PLANE_INTEGER, attempt, x);
            bits = (uint64_t)x[p % 2 * 2] << 32 | x[p % 2 * 2 + 1];
            product = (unsigned __int128)bits * range;
        }
    }
    return (uint64_t)(product >> 64);
}

struct kl_integer_job {
    const struct kl_draw *draw;
    kl_random_fill bits;
    uint64_t low, range;
    int64_t *out;
};

static int kl_integer_body(void *context, int64_t first, int64_t last) {
    const struct kl_integer_job *job = context;
    const struct kl_draw *draw = job->draw;
    uint64_t bits[KL_RANDOM_BATCH];
    for (int64_t i = first; i < last; i += KL_RANDOM_BATCH) {
        const int64_t count = kl_min(KL_RANDOM_BATCH, last - i);
        const uint64_t p = draw->position + (uint64_t)i;
        job->bits(draw, p, count, bits);
        for (int64_t k = 0; k < count; ++k)
            job->out[i + k] = (int64_t)(job->low + kl_random_below(draw->seed, p + (uint64_t)k,
                                                                   job->range, bits[k]));
    }
    return KL_OK;
}

/* out[count] = integers in [low, low + range), exactly uniform; range 0 means 2^64. */
static int kl_random_integers(const struct kl_runtime *rt, const struct kl_draw *draw,
                              int64_t low, uint64_t range, int64_t *out) {
    const kl_random_fill bits = kl_random_table[rt->isa][1].integer_bits;
    struct kl_integer_job job = {draw, bits, (uint64_t)low, range, out};
    const int64_t grain = kl_grain(rt, draw->count, KL_NORMAL_COST);
    return rt->parallel_for(0, draw->count, grain, kl_integer_body, &job);
}

/* out[count] = a permutation of 0 .. count - 1: Fisher and Yates' shuffle from the end, serial by
 * nature; the swap at i uses integer value number position + i. */
static void kl_random_permutation(const struct kl_runtime *rt, const struct kl_draw *draw,
                                  int64_t *out) {
    const kl_random_fill fill = kl_random_table[rt->isa][1].integer_bits;
    uint64_t bits[KL_RANDOM_BATCH];
    for (int64_t i = 0; i < draw->count; ++i) out[i] = i;
    for (int64_t last = draw->count; last > 0; last -= KL_RANDOM_BATCH) {
        const int64_t first = kl_max(0, last - KL_RANDOM_BATCH);
        const uint64_t p = draw->position + (uint64_t)first;
        fill(draw, p, last - first, bits);
        for (int64_t i = last - 1; i >= first; --i) {
            const uint64_t other = kl_random_below(draw->seed, p + (uint64_t)(i - first),
                                                   (uint64_t)i + 1, bits[i - first]);
            const int64_t kept = out[i];
            out[i] = out[other];
            out[other] = kept;
        }
    }
}

#endif
