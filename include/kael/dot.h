/* dot: the fold of R3 over the products of two float vectors, split over blocks. */
#ifndef KAEL_DOT_H
#define KAEL_DOT_H

#include "kael/reduce.h"

#define X(isa, title, usable) {kl_dot_block_f32_##isa, kl_dot_block_f64_##isa},
static double (*const kl_dot_table[KL_ISA_COUNT][2])(const void *x, const void *y,
                                                     int64_t size) = {KL_ISAS(X)};
#undef X

struct kl_dot {
    const struct kl_runtime *rt;
    double (*block)(const void *x, const void *y, int64_t size);
    const char *x, *y;
    int64_t size, x_stride, y_stride, itemsize;
    double *partials;
};

/* Block `first` elements on of a vector: in place, or copied to `tile`. */
KL_INLINE const char *kl_dot_side(const char *x, int64_t stride, int64_t first, int64_t count,
                                  int64_t itemsize, char *tile) {
    x += first * stride * itemsize;
    if (stride == 1) return x;
    kl_tile_copy((struct kl_tile){tile, count, 1}, (struct kl_tile){(char *)x, 0, stride}, 1,
                 count, itemsize);
    return tile;
}

static int kl_dot_body(void *context, int64_t first, int64_t last) {
    const struct kl_dot *d = (const struct kl_dot *)context;
    const int64_t side = kl_min(d->size, kl_reduction_block) * d->itemsize;
    const int64_t bytes = d->x_stride == 1 && d->y_stride == 1 ? 0 : 2 * side;
    char *tiles = bytes > 0 ? (char *)d->rt->alloc(bytes) : NULL;
    if (bytes > 0 && !tiles) return KL_NO_MEMORY;
    for (int64_t block = first; block < last; block++) {
        const int64_t begin = block * kl_reduction_block;
        const int64_t count = kl_min(d->size - begin, kl_reduction_block);
        const char *x = kl_dot_side(d->x, d->x_stride, begin, count, d->itemsize, tiles);
        const char *y = kl_dot_side(d->y, d->y_stride, begin, count, d->itemsize,
                                    tiles ? tiles + side : NULL);
        d->partials[block] = d->block(x, y, count);
    }
    if (tiles) d->rt->release(tiles, bytes);
    return KL_OK;
}

/* *total = sum of x[i * x_stride] * y[i * y_stride], i < size; dtype f32 or f64. */
static int kl_dot(const struct kl_runtime *rt, int dtype, int64_t size, const void *x,
                  int64_t x_stride, const void *y, int64_t y_stride, double *total) {
    *total = 0;
    if (size == 0) return KL_OK;
    const int64_t blocks = kl_ceil_div(size, kl_reduction_block);
    const int64_t bytes = blocks * (int64_t)sizeof(double);
    struct kl_dot d = {rt, kl_dot_table[rt->isa][dtype == KL_DTYPE_f64],
                       (const char *)x, (const char *)y, size, x_stride, y_stride,
                       kl_itemsize(dtype), total};
    if (blocks == 1) return kl_dot_body(&d, 0, 1);
    d.partials = (double *)rt->alloc(bytes);
    if (!d.partials) return KL_NO_MEMORY;
    const int64_t grain = kl_grain(rt, blocks, kl_reduction_block);
    const int status = rt->parallel_for(0, blocks, grain, kl_dot_body, &d);
    struct kl_tree tree;
    tree.blocks = tree.depth = 0;
    for (int64_t b = 0; b < blocks; b++) kl_tree_push(&tree, KL_TERM_PRODUCT, d.partials[b]);
    *total = kl_tree_total(&tree, KL_TERM_PRODUCT);
    rt->release(d.partials, bytes);
    return status;
}

#endif
