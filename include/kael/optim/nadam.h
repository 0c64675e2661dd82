/* NAdam: Adam with Nesterov's momentum. Elements: nadam.inc.h. */
#ifndef KAEL_OPTIM_NADAM_H
#define KAEL_OPTIM_NADAM_H

#include "kael/optim/powers.h"
#include "kael/optim/row.h"

/* The momentum at a step. */
static double kl_nadam_mu(double beta1, double step, double momentum_decay) {
    return beta1 * (1.0 - 0.5 * kl_real_power(0.96, step * momentum_decay));
}

static void kl_nadam_scalars(struct kl_optim_row *row, const double *option) {
    const double lr = option[0], step = row->number[0] += 1.0;
    const double mu = kl_nadam_mu(option[1], step, option[5]);
    const double next = kl_nadam_mu(option[1], step + 1.0, option[5]);
    const double product = row->number[1] *= mu;
    kl_optim_averages(row, option[1], option[2]);
    kl_optim_decay(row, lr, option[4]);
    row->frozen = lr == 0.0;
    row->scalar.lead = lr * (1.0 - mu) / (1.0 - product);
    row->scalar.lr = lr * next / (1.0 - product * next);
    row->scalar.inverse2 = 1.0 / (1.0 - kl_power(option[2], step));
    row->scalar.eps = option[3];
}

static const struct kl_optim_rule kl_nadam_rule = {
    .name = "NAdam",
    .options = "lr betas[0] betas[1] eps weight_decay momentum_decay",
    .flags = "maximize weight_decay decoupled_weight_decay",
    .numbers = "step mu_product=1",
    .states = "exp_avg exp_avg_sq",
    .scalars = kl_nadam_scalars,
};

#endif
