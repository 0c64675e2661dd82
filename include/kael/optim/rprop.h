/* Rprop: steps by the sign of the gradient. Elements: rprop.inc.h. */
#ifndef KAEL_OPTIM_RPROP_H
#define KAEL_OPTIM_RPROP_H

#include "kael/optim/row.h"

static void kl_rprop_scalars(struct kl_optim_row *row, const double *option) {
    row->number[0] += 1.0;
    row->scalar.shrink = option[1];
    row->scalar.grow = option[2];
    row->scalar.least = option[3];
    row->scalar.most = option[4];
}

static const struct kl_optim_rule kl_rprop_rule = {
    .name = "Rprop",
    .options = "lr etas[0] etas[1] step_sizes[0] step_sizes[1]",
    .flags = "maximize",
    .numbers = "step",
    .states = "prev step_size=lr",
    .scalars = kl_rprop_scalars,
};

#endif
