/* Philox4x32-10: four random words as a function of (seed, counter).
 *
 * Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
 *
 *     key      64 bits   the generator's seed
 *     counter 128 bits   word 0, 1: block number; word 2: plane; word 3: attempt
 */
#ifndef KAEL_PHILOX_H
#define KAEL_PHILOX_H

#include "kael/config.h"

/* What the words are for; random.h and optim/stage.inc.h say how. */
enum kl_plane {
    KL_PLANE_UNIFORM_F32,
    KL_PLANE_UNIFORM_F64,
    KL_PLANE_NORMAL_F32,
    KL_PLANE_NORMAL_F64,
    KL_PLANE_INTEGER,
    KL_PLANE_BERNOULLI,
    KL_PLANE_ROUNDING
};

/* Blocks made at once: four planes of words, 4 KiB, and as many values, stay in L1. */
enum { KL_RANDOM_BATCH = 256 };

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

#endif
