/* A parameter takes the value that another step has computed, which stands in the gradient's place:
 * for a step of several kernels to be stored as all others are. Elements: assign.inc.h. */
#ifndef KAEL_OPTIM_ASSIGN_H
#define KAEL_OPTIM_ASSIGN_H

#include "kael/optim/row.h"

static void kl_assign_scalars(struct kl_optim_row *row, const double *option) {
    (void)row;
    (void)option;
}

static const struct kl_optim_rule kl_assign_rule = {
    "assign", "", "", "", "", kl_assign_scalars,
};

#endif
