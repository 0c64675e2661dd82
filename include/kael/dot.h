/* dot: the fold of R3 over the products of two vectors, split over blocks. Floats meet in double,
 * integers modulo 2^w, where order does not matter.
 */
#ifndef KAEL_DOT_H
#define KAEL_DOT_H

#include "kael/reduce.h"

typedef kl_total (*kl_dot_block)(const void *x, const void *y, int64_t size);

#define X(isa, title, usable)                                               \
    {NULL, kl_dot_block_u8_##isa, kl_dot_block_i32_##isa, kl_dot_block_i64_##isa, \
     kl_dot_block_f32_##isa, kl_dot_block_f64_##isa},
static const kl_dot_block kl_dot_table[KL_ISA_COUNT][KL_DTYPE_COUNT] = {KL_ISAS(X)};
#undef X

struct kl_dot {
    const struct kl_runtime *rt;
    kl_dot_block block;
    const char *x, *y;
    int64_t size, x_stride, y_stride, itemsize;
    kl_total *partials;
};

/* Block `first` elements on of a vector: in place, or copied to `tile`. */
KL_INLINE const char *kl_dot_side(const char *x, int64_t stride, int64_t first, int64_t count,
                                  int64_t itemsize, char *tile) {
    x += first * stride * itemsize;
    if (stride == 1) return x;
    kl_plane_copy((struct kl_plane){tile, count, 1}, (struct kl_plane){(char *)x, 0, stride}, 1,
                  count, itemsize);
    return tile;
}

static int kl_dot_body(void *context, int64_t first, int64_t last) {
    const struct kl_dot *d = (const struct kl_dot *)context;
    const int64_t side = kl_min(d->size, KL_REDUCTION_BLOCK) * d->itemsize;
    const int64_t bytes = d->x_stride == 1 && d->y_stride == 1 ? 0 : 2 * side;
    char *tiles = bytes > 0 ? (char *)d->rt->alloc(bytes) : NULL;
    if (bytes > 0 && !tiles) return KL_NO_MEMORY;
    for (int64_t block = first; block < last; block++) {
        const int64_t begin = block * KL_REDUCTION_BLOCK;
        const int64_t count = kl_min(d->size - begin, KL_REDUCTION_BLOCK);
        const char *x = kl_dot_side(d->x, d->x_stride, begin, count, d->itemsize, tiles);
        const char *y = kl_dot_side(d->y, d->y_stride, begin, count, d->itemsize,
                                    tiles ? tiles + side : NULL);
        d->partials[block] = d->block(x, y, count);
    }
    if (tiles) d->rt->release(tiles, bytes);
    return KL_OK;
}

KL_INLINE kl_total kl_dot_meet(int dtype, const kl_total *partials, int64_t blocks) {
    if (!kl_is_float(dtype)) {
        uint64_t sum = 0;
        for (int64_t b = 0; b < blocks; b++) sum += (uint64_t)partials[b].i;
        return (kl_total){.i = (int64_t)sum};
    }
    struct kl_tree tree;
    tree.blocks = tree.depth = 0;
    for (int64_t b = 0; b < blocks; b++) kl_tree_push(&tree, KL_TERM_PRODUCT, partials[b].f);
    return (kl_total){.f = kl_tree_total(&tree, KL_TERM_PRODUCT)};
}

/* *total = sum of x[i * x_stride] * y[i * y_stride], i < size; any dtype but bool. */
static int kl_dot(const struct kl_runtime *rt, int dtype, int64_t size, const void *x,
                  int64_t x_stride, const void *y, int64_t y_stride, kl_total *total) {
    *total = (kl_total){.i = 0}; /* 0.0, too */
    if (size == 0) return KL_OK;
    const int64_t blocks = kl_ceil_div(size, KL_REDUCTION_BLOCK);
    const int64_t bytes = blocks * (int64_t)sizeof(kl_total);
    struct kl_dot d = {rt, kl_dot_table[rt->isa][dtype], (const char *)x, (const char *)y, size,
                       x_stride, y_stride, kl_itemsize(dtype), total};
    if (blocks == 1) return kl_dot_body(&d, 0, 1);
    d.partials = (kl_total *)rt->alloc(bytes);
    if (!d.partials) return KL_NO_MEMORY;
    const int64_t grain = kl_grain(rt, blocks, KL_REDUCTION_BLOCK);
    const int status = rt->parallel_for(0, blocks, grain, kl_dot_body, &d);
    if (status == KL_OK) *total = kl_dot_meet(dtype, d.partials, blocks);
    rt->release(d.partials, bytes);
    return status;
}

#endif
