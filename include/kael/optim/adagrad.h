/* Adagrad. Elements: adagrad.inc.h. */
#ifndef KAEL_OPTIM_ADAGRAD_H
#define KAEL_OPTIM_ADAGRAD_H

#include "kael/optim/row.h"

static void kl_adagrad_scalars(struct kl_optim_row *row, const double *option) {
    const double step = row->number[0] += 1.0;
    row->frozen = option[0] == 0.0;
    row->scalar.lr = option[0] / (1.0 + (step - 1.0) * option[1]);
    row->scalar.decay = option[2];
    row->scalar.eps = option[3];
}

static const struct kl_optim_rule kl_adagrad_rule = {
    .name = "Adagrad",
    .options = "lr lr_decay weight_decay eps initial_accumulator_value",
    .flags = "maximize weight_decay",
    .numbers = "step",
    .states = "sum=initial_accumulator_value",
    .scalars = kl_adagrad_scalars,
};

#endif
