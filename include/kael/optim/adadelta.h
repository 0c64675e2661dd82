/* Adadelta. Elements: adadelta.inc.h. */
#ifndef KAEL_OPTIM_ADADELTA_H
#define KAEL_OPTIM_ADADELTA_H

#include "kael/optim/row.h"

static void kl_adadelta_scalars(struct kl_optim_row *row, const double *option) {
    row->number[0] += 1.0;
    kl_optim_averages(row, option[1], option[1]);
    row->frozen = option[0] == 0.0;
    row->scalar.lr = option[0];
    row->scalar.eps = option[2];
    row->scalar.decay = option[3];
}

static const struct kl_optim_rule kl_adadelta_rule = {
    .name = "Adadelta",
    .options = "lr rho eps weight_decay",
    .flags = "maximize weight_decay",
    .numbers = "step",
    .states = "square_avg acc_delta",
    .scalars = kl_adadelta_scalars,
};

#endif
