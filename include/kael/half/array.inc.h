/* Whole arrays of float16 by an instruction set's conversions, outside any target region.
 *
 * half/<isa>.h gives KL_HALF_ISA, KL_HALF_TARGET, the KL_HALF_WIDTH elements that are converted at
 * a time, and how: KL_HALF_WIDEN(wide, x), KL_HALF_NARROW(x, wide). Undefined afterwards.
 */
static KL_UNUSED KL_HALF_TARGET void KL_CAT2(kl_widen_f16_, KL_HALF_ISA)(
    const uint16_t *KL_RESTRICT x, float *KL_RESTRICT wide, int64_t count) {
    int64_t i = 0;
    for (; i + KL_HALF_WIDTH <= count; i += KL_HALF_WIDTH) KL_HALF_WIDEN(wide + i, x + i);
    for (; i < count; i++) wide[i] = kl_load_f16(x[i]);
}

static KL_UNUSED KL_HALF_TARGET void KL_CAT2(kl_narrow_f16_, KL_HALF_ISA)(
    const float *KL_RESTRICT wide, uint16_t *KL_RESTRICT x, int64_t count) {
    int64_t i = 0;
    for (; i + KL_HALF_WIDTH <= count; i += KL_HALF_WIDTH) KL_HALF_NARROW(x + i, wide + i);
    for (; i < count; i++) x[i] = kl_store_f16(wide[i]);
}

#undef KL_HALF_ISA
#undef KL_HALF_TARGET
#undef KL_HALF_WIDTH
#undef KL_HALF_WIDEN
#undef KL_HALF_NARROW
