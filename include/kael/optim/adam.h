/* Adam and AdamW. Elements: adam.inc.h. */
#ifndef KAEL_OPTIM_ADAM_H
#define KAEL_OPTIM_ADAM_H

#include "kael/optim/powers.h"
#include "kael/optim/row.h"

enum kl_adam_flag { KL_ADAM_AMSGRAD = 8 };

static void kl_adam_scalars(struct kl_optim_row *row, const double *option) {
    const double lr = option[0], step = row->number[0] += 1.0;
    kl_optim_averages(row, option[1], option[2]);
    kl_optim_decay(row, lr, option[4]);
    row->frozen = lr == 0.0;
    row->scalar.lr = lr / (1.0 - kl_power(option[1], step));
    row->scalar.inverse2 = 1.0 / (1.0 - kl_power(option[2], step));
    row->scalar.eps = option[3];
}

static const struct kl_optim_rule kl_adam_rule = {
    .name = "Adam",
    .options = "lr betas[0] betas[1] eps weight_decay",
    .flags = "maximize weight_decay decoupled_weight_decay amsgrad",
    .numbers = "step",
    .states = "exp_avg exp_avg_sq max_exp_avg_sq?amsgrad",
    .scalars = kl_adam_scalars,
};

#endif
