/* What the boundary hands to the norm's driver. */
#ifndef KAEL_NORM_PART_H
#define KAEL_NORM_PART_H

#include "kael/config.h"
#include "kael/half.h"

/* One tensor of f32, f64 or, stored in 16 bits, f32. */
struct kl_norm_part {
    const char *data;
    int64_t size;
    int64_t begin; /* first joint index; the driver fills it in */
    int dtype, ndim;
    int storage;
    bool contiguous; /* and, of 16 bits, aligned */
    const int64_t *shape, *strides;
};

#endif
