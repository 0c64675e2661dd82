/* Adamax: Adam by the largest gradient. Elements: adamax.inc.h. */
#ifndef KAEL_OPTIM_ADAMAX_H
#define KAEL_OPTIM_ADAMAX_H

#include "kael/optim/powers.h"
#include "kael/optim/row.h"

static void kl_adamax_scalars(struct kl_optim_row *row, const double *option) {
    const double step = row->number[0] += 1.0;
    kl_optim_averages(row, option[1], option[2]);
    row->frozen = option[0] == 0.0;
    row->scalar.lr = option[0] / (1.0 - kl_power(option[1], step));
    row->scalar.eps = option[3];
    row->scalar.decay = option[4];
}

static const struct kl_optim_rule kl_adamax_rule = {
    .name = "Adamax",
    .options = "lr betas[0] betas[1] eps weight_decay",
    .flags = "maximize weight_decay",
    .numbers = "step",
    .states = "exp_avg exp_inf",
    .scalars = kl_adamax_scalars,
};

#endif
