/* Lion: steps by the sign of an interpolated momentum. Elements: lion.inc.h. */
#ifndef KAEL_OPTIM_LION_H
#define KAEL_OPTIM_LION_H

#include "kael/optim/row.h"

static void kl_lion_scalars(struct kl_optim_row *row, const double *option) {
    kl_optim_averages(row, option[1], option[2]);
    row->frozen = option[0] == 0.0;
    row->scalar.lr = option[0];
    row->scalar.shrink = 1.0 - option[0] * option[3];
}

static const struct kl_optim_rule kl_lion_rule = {
    .name = "Lion",
    .options = "lr betas[0] betas[1] weight_decay",
    .flags = "maximize weight_decay",
    .numbers = "",
    .states = "exp_avg",
    .scalars = kl_lion_scalars,
};

#endif
