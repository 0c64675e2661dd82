/* RMSprop. Elements: rmsprop.inc.h. */
#ifndef KAEL_OPTIM_RMSPROP_H
#define KAEL_OPTIM_RMSPROP_H

#include "kael/optim/row.h"

enum kl_rmsprop_flag { KL_RMSPROP_MOMENTUM = 4, KL_RMSPROP_CENTERED = 8 };

static void kl_rmsprop_scalars(struct kl_optim_row *row, const double *option) {
    row->number[0] += 1.0;
    kl_optim_averages(row, option[1], option[1]);
    row->frozen = option[0] == 0.0;
    row->scalar.lr = option[0];
    row->scalar.eps = option[2];
    row->scalar.decay = option[3];
    row->scalar.momentum = option[4];
}

static const struct kl_optim_rule kl_rmsprop_rule = {
    .name = "RMSprop",
    .options = "lr alpha eps weight_decay momentum",
    .flags = "maximize weight_decay momentum centered",
    .numbers = "step",
    .states = "square_avg momentum_buffer?momentum grad_avg?centered",
    .scalars = kl_rmsprop_scalars,
};

#endif
