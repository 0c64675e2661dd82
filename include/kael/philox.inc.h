/* Blocks of Philox in batches, their words in four planes: the rounds run over whole vectors. */

/* words[k][b] = word k of block first + b. */
static void KL_FN(philox_batch)(uint64_t seed, uint64_t first, uint32_t plane, int64_t blocks,
                                uint32_t (*KL_RESTRICT words)[KL_RANDOM_BATCH]) {
    for (int64_t b = 0; b < blocks; ++b) {
        uint32_t x[4];
        kl_philox_block(seed, first + (uint64_t)b, plane, 0, x);
        words[0][b] = x[0];
        words[1][b] = x[1];
        words[2][b] = x[2];
        words[3][b] = x[3];
    }
}
