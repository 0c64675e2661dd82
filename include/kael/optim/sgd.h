/* Stochastic gradient descent. Elements: sgd.inc.h. */
#ifndef KAEL_OPTIM_SGD_H
#define KAEL_OPTIM_SGD_H

#include "kael/optim/row.h"

enum kl_sgd_flag {
    KL_SGD_MOMENTUM = 4,
    KL_SGD_NESTEROV = 8, /* only with momentum */
    KL_SGD_FIRST = 16 /* the buffer has no value yet and takes the gradient's */
};

static void kl_sgd_scalars(struct kl_optim_row *row, const double *option) {
    row->frozen = option[0] == 0.0;
    row->scalar.lr = option[0];
    row->scalar.momentum = option[1];
    row->scalar.rest1 = 1.0 - option[2];
    row->scalar.decay = option[3];
    if (!(row->variant & KL_SGD_MOMENTUM)) row->variant &= ~KL_SGD_NESTEROV;
    else if (row->fresh) row->variant |= KL_SGD_FIRST;
}

static const struct kl_optim_rule kl_sgd_rule = {
    .name = "SGD",
    .options = "lr momentum dampening weight_decay",
    .flags = "maximize weight_decay momentum nesterov",
    .numbers = "",
    .states = "momentum_buffer?momentum",
    .scalars = kl_sgd_scalars,
};

#endif
