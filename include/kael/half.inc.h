/* Whole arrays of 16-bit floats in either storage, to f32 and back. */

/* wide[i] = x[i] */
static KL_UNUSED void KL_FN(widen_halves)(int storage, const uint16_t *KL_RESTRICT x,
                                   float *KL_RESTRICT wide, int64_t count) {
    if (storage == KL_STORAGE_f16) {
        KL_CAT4(kl, widen, f16, KL_ISA)(x, wide, count);
        return;
    }
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) wide[i] = kl_load_bf16(x[i]);
}

/* x[i] = wide[i], to nearest */
static KL_UNUSED void KL_FN(narrow_halves)(int storage, const float *KL_RESTRICT wide,
                                    uint16_t *KL_RESTRICT x, int64_t count) {
    if (storage == KL_STORAGE_f16) {
        KL_CAT4(kl, narrow, f16, KL_ISA)(wide, x, count);
        return;
    }
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) x[i] = kl_store_bf16(wide[i]);
}

/* x[i] = wide[i], up or down by random[i] */
static KL_UNUSED void KL_FN(round_halves)(int storage, const float *KL_RESTRICT wide,
                                   const uint16_t *KL_RESTRICT random, uint16_t *KL_RESTRICT x,
                                   int64_t count) {
    if (storage == KL_STORAGE_f16) {
        KL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) x[i] = kl_round_f16(wide[i], random[i]);
        return;
    }
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) x[i] = kl_round_bf16(wide[i], random[i]);
}
