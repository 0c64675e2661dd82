/* ASGD: gradient descent that also averages. Elements: asgd.inc.h. */
#ifndef KAEL_OPTIM_ASGD_H
#define KAEL_OPTIM_ASGD_H

#include "kael/optim/powers.h"
#include "kael/optim/row.h"

enum kl_asgd_flag {
    KL_ASGD_AVERAGE = 4 /* past t0 */
};

/* The step uses the eta and the mu that the one before left. */
static void kl_asgd_scalars(struct kl_optim_row *row, const double *option) {
    const double lr = option[0], lambd = option[1], step = row->number[0] += 1.0;
    const double eta = row->number[1], mu = row->number[2], past = step - option[3];
    if (mu != 1.0) row->variant |= KL_ASGD_AVERAGE;
    row->frozen = eta == 0.0;
    row->scalar.lr = eta;
    row->scalar.shrink = 1.0 - lambd * eta;
    row->scalar.mu = mu;
    row->scalar.decay = option[4];
    row->number[1] = lr / kl_real_power(1.0 + lambd * lr * step, option[2]);
    row->number[2] = 1.0 / (past > 1.0 ? past : 1.0);
}

static const struct kl_optim_rule kl_asgd_rule = {
    .name = "ASGD",
    .options = "lr lambd alpha t0 weight_decay",
    .flags = "maximize weight_decay",
    .numbers = "step eta=lr mu=1",
    .states = "ax",
    .scalars = kl_asgd_scalars,
};

#endif
