/* Averages of weights: the average takes the place of the parameter, the new value that of the
 * gradient. Elements: average.inc.h. */
#ifndef KAEL_OPTIM_AVERAGE_H
#define KAEL_OPTIM_AVERAGE_H

#include "kael/optim/row.h"

enum kl_average_flag {
    KL_AVERAGE_FROM_END = 1 /* of two formulas the one that is exact for a weight of 1 */
};

static void kl_average_scalars(struct kl_optim_row *row, const double *option) {
    row->scalar.lr = option[0];
    row->scalar.rest1 = 1.0 - option[0];
    if (option[0] >= 0.5) row->variant |= KL_AVERAGE_FROM_END;
}

static const struct kl_optim_rule kl_average_rule = {
    .name = "AveragedModel",
    .options = "weight",
    .flags = "",
    .numbers = "",
    .states = "",
    .scalars = kl_average_scalars,
};

#endif
