/* What the boundary hands to the optimizers' drivers: a table with one row per parameter. */
#ifndef KAEL_OPTIM_TABLE_H
#define KAEL_OPTIM_TABLE_H

#include "kael/runtime.h"

enum { KL_OPTIM_STATES = 3, KL_OPTIM_SCALARS = 8 };

/* One parameter: contiguous arrays of `size` elements of one dtype (f32 or f64), of which none
 * overlaps another. What state and scalar mean, the rule of optim.inc.h says. */
struct kl_optim_tensor {
    void *param;
    const void *grad;
    void *state[KL_OPTIM_STATES];
    int64_t size;
    int64_t begin;   /* first index in the joint space; the driver fills it in */
    int dtype;
    int variant;     /* the rule's flags, as bits */
    bool frozen;     /* lr == 0: the state advances and the parameter keeps its bits */
    double scalar[KL_OPTIM_SCALARS];
};

/* Updates all rows in one parallel region. */
typedef int (*kl_optim_driver)(const struct kl_runtime *rt, struct kl_optim_tensor *tensors,
                               int64_t count);

#endif
