/* The last columns of out in float32, up to 4 of them: a vector of 256 bits is two rows of out, of
 * 4 columns each. A row of b stands in both halves; of a, 16 bytes of two rows are loaded, and the
 * value of each step is spread over its half: an fma and a shuffle, which most often goes
 * elsewhere, for two rows. A tile of half vectors has at least half of its lanes idle here, and
 * loads a value of a for each fma, of which a core adds two in a cycle, and loads no more. (Zen 4,
 * 100 rows and steps: 1.25 us, such tiles 1.86, whole vectors of 4 rows 1.47.)
 *
 * Registers: 10 sums, 4 rows of b, two rows of a and a value of each.
 */
#define KL_FEW_WORDS(count) ((__mmask8)((1u << (count)) - 1))

/* `words` floats at one place and at another. */
KL_INLINE __m256 KL_FN(few_load)(const char *upper, const char *lower, __mmask8 words) {
    const __m256 pair =
        _mm256_castps128_ps256(_mm_maskz_loadu_ps(words, (const float *)upper));
    return _mm256_insertf128_ps(pair, _mm_maskz_loadu_ps(words, (const float *)lower), 1);
}

/* sum += the products of up to 4 steps of two rows. */
KL_INLINE void KL_FN(few_sum)(__m256 a, const __m256 b[4], int64_t steps, __m256 *sum) {
    *sum = _mm256_fmadd_ps(_mm256_permute_ps(a, 0x00), b[0], *sum);
    if (steps > 1) *sum = _mm256_fmadd_ps(_mm256_permute_ps(a, 0x55), b[1], *sum);
    if (steps > 2) *sum = _mm256_fmadd_ps(_mm256_permute_ps(a, 0xAA), b[2], *sum);
    if (steps > 3) *sum = _mm256_fmadd_ps(_mm256_permute_ps(a, 0xFF), b[3], *sum);
}

/* What becomes of the sums of two rows, as with a tile; of those from `first` on. */
KL_INLINE void KL_FN(few_end)(const struct kl_tile *tile, char *out, int first, __m256 sum) {
    const __mmask8 words = KL_FEW_WORDS(tile->columns);
    char *const lower = out + tile->out_row;
    __m256 total = _mm256_setzero_ps();
    if (tile->mode == KL_TILE_ADD) total = KL_FN(few_load)(out, lower, words);
    total = _mm256_add_ps(total, sum);
    if (tile->bias != NULL)
        total = _mm256_add_ps(total, KL_FN(few_load)(tile->bias, tile->bias, words));
    if (first <= 0) _mm_mask_storeu_ps((float *)out, words, _mm256_castps256_ps128(total));
    if (first <= 1) _mm_mask_storeu_ps((float *)lower, words, _mm256_extractf128_ps(total, 1));
}

KL_INLINE void KL_FN(few)(const struct kl_tile *tile, const int groups) {
    const int64_t row = tile->a_row;
    const char *a[KL_FEW_GROUPS], *b = tile->b;
    __m256 sum[KL_FEW_GROUPS][2], step[4];
    /* The last group ends with the tile: rows that it shares with the one before, or with the tile
     * before, are not stored. */
    const int shared = groups * KL_FEW_ROWS - tile->rows;
    KL_UNROLL for (int g = 0; g < groups; ++g) {
        a[g] = tile->a + (g * KL_FEW_ROWS - (g == groups - 1 ? shared : 0)) * row;
        sum[g][0] = sum[g][1] = _mm256_setzero_ps();
    }
    for (int64_t k = tile->inner / 4; k > 0; --k, b += 4 * KL_FEW_BYTES) {
        KL_UNROLL for (int s = 0; s < 4; ++s)
            step[s] = _mm256_broadcast_ps((const __m128 *)(b + s * KL_FEW_BYTES));
        KL_UNROLL for (int g = 0; g < groups; ++g) {
            KL_UNROLL for (int h = 0; h < 2; ++h)
                KL_FN(few_sum)(KL_FN(few_load)(a[g] + 2 * h * row, a[g] + (2 * h + 1) * row, 15),
                               step, 4, &sum[g][h]);
            a[g] += 16;
        }
    }
    const int64_t rest = tile->inner % 4;
    if (rest > 0) {
        KL_UNROLL for (int s = 0; s < 4; ++s)
            step[s] = _mm256_broadcast_ps((const __m128 *)(b + s * KL_FEW_BYTES));
        KL_UNROLL for (int g = 0; g < groups; ++g) {
            KL_UNROLL for (int h = 0; h < 2; ++h)
                KL_FN(few_sum)(KL_FN(few_load)(a[g] + 2 * h * row, a[g] + (2 * h + 1) * row,
                                               KL_FEW_WORDS(rest)),
                               step, rest, &sum[g][h]);
        }
    }
    KL_UNROLL for (int g = 0; g < groups; ++g) {
        const int first = g == groups - 1 ? shared : 0;
        char *const out = tile->out + (g * KL_FEW_ROWS - first) * tile->out_row;
        KL_UNROLL for (int h = 0; h < 2; ++h)
            KL_FN(few_end)(tile, out + 2 * h * tile->out_row, first - 2 * h, sum[g][h]);
    }
}

#define KL_FEW_GROUPS_EACH(X) KL_HEIGHTS_4(X, 1) X(5, 1)
#define X(g, v) KL_KERNEL(KL_FN(few_##g), struct kl_tile, KL_FN(few)(job, g))
KL_FEW_GROUPS_EACH(X)
#undef X

static const struct kl_few_kernels KL_FN(few_kernels) = {
    .columns = 4,
#define X(g, v) [(g) - 1] = KL_FN(few_##g),
    .kernel = {KL_FEW_GROUPS_EACH(X)},
#undef X
};
#undef KL_FEW_WORDS
#undef KL_FEW_GROUPS_EACH
