/* RAdam: Adam with its variance rectified. Elements: radam.inc.h. */
#ifndef KAEL_OPTIM_RADAM_H
#define KAEL_OPTIM_RADAM_H

#include <math.h>

#include "kael/optim/powers.h"
#include "kael/optim/row.h"

enum kl_radam_flag {
    KL_RADAM_ADAPTIVE = 8 /* enough steps for the variance to mean something */
};

/* The rectification times sqrt(1 - beta2 ** step); 0 while the approximated average is shorter than
 * 5 steps. */
static double kl_radam_rectified(double beta2, double step) {
    const double power = kl_power(beta2, step), limit = 2.0 / (1.0 - beta2) - 1.0;
    const double length = limit - 2.0 * step * power / (1.0 - power);
    const double above = (length - 4.0) * (length - 2.0) * limit;
    const double below = (limit - 4.0) * (limit - 2.0) * length;
    return length > 5.0 ? sqrt(above / below) * sqrt(1.0 - power) : 0.0;
}

static void kl_radam_scalars(struct kl_optim_row *row, const double *option) {
    const double lr = option[0], step = row->number[0] += 1.0;
    const double rectified = kl_radam_rectified(option[2], step);
    kl_optim_averages(row, option[1], option[2]);
    kl_optim_decay(row, lr, option[4]);
    row->frozen = lr == 0.0;
    row->scalar.lr = lr / (1.0 - kl_power(option[1], step));
    row->scalar.eps = option[3];
    if (rectified != 0.0) {
        row->variant |= KL_RADAM_ADAPTIVE;
        row->scalar.lr *= rectified;
    }
}

static const struct kl_optim_rule kl_radam_rule = {
    .name = "RAdam",
    .options = "lr betas[0] betas[1] eps weight_decay",
    .flags = "maximize weight_decay decoupled_weight_decay",
    .numbers = "step",
    .states = "exp_avg exp_avg_sq",
    .scalars = kl_radam_scalars,
};

#endif
