/* Gradient clipping: the gradient takes the place of the parameter. Elements: clip.inc.h. */
#ifndef KAEL_OPTIM_CLIP_H
#define KAEL_OPTIM_CLIP_H

#include "kael/optim/row.h"

static void kl_scale_scalars(struct kl_optim_row *row, const double *option) {
    row->scalar.lr = option[0];
}

static void kl_clamp_scalars(struct kl_optim_row *row, const double *option) {
    row->scalar.least = option[0];
    row->scalar.most = option[1];
}

static const struct kl_optim_rule kl_scale_rule = {
    "clip_grad_norm_", "factor", "", "", "", kl_scale_scalars,
};

static const struct kl_optim_rule kl_clamp_rule = {
    "clip_grad_value_", "low high", "", "", "", kl_clamp_scalars,
};

#endif
