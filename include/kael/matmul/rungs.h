/* The rungs of the ladder by name, and what each of them is called with; the first three are in
 * ladder.inc.h, the others ways of matmul.h, whose end this is. */
#ifndef KAEL_MATMUL_RUNGS_H
#define KAEL_MATMUL_RUNGS_H

/* After the six rungs: the integers, and the ways in the order of enum kl_way. */
enum kl_rung_name {
    KL_V1, KL_V2, KL_V3, KL_V4, KL_V5, KL_V6, KL_EXACT, KL_BY_WAY
};

KL_INLINE struct kl_product kl_rung_product(const struct kl_rung *rung, int64_t size) {
    return (struct kl_product){
        .rows = rung->rows,
        .inner = rung->inner,
        .columns = rung->columns,
        .a = {rung->a, rung->inner * size, size},
        .b = {rung->b, rung->columns * size, size},
        .out = rung->out,
        .out_row = rung->columns * size,
        .out_column = size,
    };
}

/* A rung of plain loops whose sums, height rows of width columns, wait in scratch. */
static int kl_rung_in_scratch(const struct kl_runtime *rt, void (*loops)(const struct kl_rung *),
                              struct kl_rung *rung, int64_t height, int64_t width, int64_t size) {
    const int64_t bytes = height * (width * size + KL_ALIGNMENT);
    rung->scratch = rt->alloc(bytes);
    if (rung->scratch == NULL) return KL_NO_MEMORY;
    loops(rung);
    rt->release(rung->scratch, bytes);
    return KL_OK;
}

/* out += a @ b by the rung of that name, KL_EXACT being for integers; a zero size leaves out
 * untouched. */
static int kl_matmul_rung(const struct kl_runtime *rt, int dtype, int name, struct kl_rung *rung) {
    const struct kl_matmul_row *const row = kl_matmul_row_of(rt, dtype);
    const struct kl_block_sizes *const tiles = &kl_tile_blocks;
    const int64_t size = kl_itemsize(dtype);
    if (rung->rows == 0 || rung->inner == 0 || rung->columns == 0) return KL_OK;
    const struct kl_product product = kl_rung_product(rung, size);
    const int64_t threads = kl_threads_for(rt, &product);
    const enum kl_way large = kl_large_way(row->v5_simd, &product);
    switch (name) {
        case KL_V1: row->v1_ijk(rung); return KL_OK;
        case KL_V2: return kl_rung_in_scratch(rt, row->v2_ikj, rung, 1, rung->columns, size);
        case KL_V3:
            return kl_rung_in_scratch(rt, row->v3_tiled, rung, kl_min(rung->rows, tiles->rows),
                                      kl_min(rung->columns, tiles->columns), size);
        case KL_V4: return kl_multiply_packed(rt, row->v4_packed, &product, 1);
        case KL_V5: return kl_multiply(rt, row->v5_simd, &product, 1, large);
        case KL_V6: return kl_multiply(rt, row->v5_simd, &product, threads, large);
        case KL_EXACT: return kl_matmul(rt, dtype, &product);
        default: break;
    }
    return kl_multiply(rt, row->v5_simd, &product, threads, (enum kl_way)(name - KL_BY_WAY));
}

#endif
