/* Random numbers that can be looked up: Philox4x32-10 (philox.h), a function of (seed, counter).
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
 *     rounding      8 values   16 bits, the low half of a word before its high half (optim/stage)
 */
#ifndef KAEL_RANDOM_H
#define KAEL_RANDOM_H

#include <string.h>

#include "kael/philox.h"
#include "kael/runtime.h"

/* A value costs about this many cheap operations (ten rounds; the normals' functions). */
enum { KL_RANDOM_COST = 8, KL_NORMAL_COST = 16 };

struct kl_draw {
    uint64_t seed;
    uint64_t position; /* number of the first value */
    int64_t count;
    double a, b; /* low and width; mean and std; p */
};

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
