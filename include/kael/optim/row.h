/* What the boundary hands to the optimizers' driver, a row per parameter, and what a rule declares.
 *
 * A rule is two files: <stem>.h has the declaration and the scalars, <stem>.inc.h the elements.
 */
#ifndef KAEL_OPTIM_ROW_H
#define KAEL_OPTIM_ROW_H

#include "kael/half.h"
#include "kael/runtime.h"

enum {
    KL_OPTIM_OPTIONS = 8,
    KL_OPTIM_NUMBERS = 3,
    KL_OPTIM_STATES = 3,
    KL_OPTIM_KEPT = KL_OPTIM_NUMBERS + KL_OPTIM_STATES
};

/* Bits of a variant that all rules share; their own follow. */
enum { KL_MAXIMIZE = 1, KL_DECAY = 2, KL_DECOUPLED = 4 };

/* What is computed once per parameter and step, in double; the elements narrow it once.
 *     lr              of the step: bias-corrected, annealed
 *     decay           weight decay, or 1 - lr * decay where it multiplies the parameter
 *     beta, rest      a moving average's factor (beta, alpha, rho, dampening) and 1 - it
 *     inverse2        1 / (1 - beta2 ** step)
 *     momentum        factor of a momentum buffer
 *     lead, mu        NAdam's lr of the gradient itself, ASGD's share of the average
 *     shrink .. most  Rprop's factors and limits */
#define KL_OPTIM_SCALARS(X)                                                                  \
    X(lr) X(decay) X(eps) X(beta1) X(rest1) X(beta2) X(rest2) X(inverse2) X(momentum) X(lead) \
    X(mu) X(shrink) X(grow) X(least) X(most)

struct kl_optim_scalars {
#define X(name) double name;
    KL_OPTIM_SCALARS(X)
#undef X
};

/* One parameter: contiguous arrays of `size` elements, of which none overlaps another, and single
 * numbers such as the step counter. */
struct kl_optim_row {
    void *param;
    void *grad;
    void *state[KL_OPTIM_STATES];
    int64_t size;
    int64_t begin; /* first index in the joint space; the driver fills it in */
    int dtype;     /* f32 or f64 */
    int variant;   /* the rule's flags, as bits */
    int param_storage, grad_storage, state_storage, rounded_storage;
    void *rounded; /* of a parameter that is the master of one of 16 bits: that one; else NULL */
    bool stochastic;     /* round a parameter of 16 bits up or down by random numbers of a seed, */
    uint64_t seed, draw; /* the first element by number draw (numerics R7) */
    double factor; /* of the gradient, before everything else: clipping, unscaling */
    bool clear;    /* leave zeros in the gradient */
    bool fresh;    /* its state was made in this step */
    bool frozen;   /* a learning rate of 0: the state advances, the parameter keeps its bits */
    bool staged;   /* not all of it is of type dtype, to be read and written once */
    struct kl_optim_scalars scalar;
    double number[KL_OPTIM_NUMBERS];
    void *place[KL_OPTIM_NUMBERS]; /* where number k is kept, and its dtype (any but bool) */
    int place_dtype[KL_OPTIM_NUMBERS];
};

/* Lists are words between blanks; the boundary looks them up in a group of parameters and in the
 * state of one parameter. */
struct kl_optim_rule {
    const char *name;
    const char *options; /* keys of the group that are numbers; key[1] is the second of a pair */
    const char *flags;   /* keys of the group whose truth is bit 0, 1, ... of the variant */
    const char *numbers; /* keys of the state that are single numbers */
    const char *states;  /* keys of the state that are arrays like the parameter */
    /* A number or a state is key, key=first or key?flag: `first` (0 unless given) is the value it
     * starts with, a number or an option; it exists only where `flag` is set. */

    /* Advances row->number; fills row->scalar and row->frozen. Here alone a formula is chosen by
     * the step: by bits of row->variant past the flags. */
    void (*scalars)(struct kl_optim_row *row, const double *option);
};

/* What several rules have in common. */
KL_UNUSED static void kl_optim_averages(struct kl_optim_row *row, double beta1, double beta2) {
    row->scalar.beta1 = beta1;
    row->scalar.rest1 = 1.0 - beta1;
    row->scalar.beta2 = beta2;
    row->scalar.rest2 = 1.0 - beta2;
}

KL_UNUSED static void kl_optim_decay(struct kl_optim_row *row, double lr, double decay) {
    row->scalar.decay = row->variant & KL_DECOUPLED ? 1.0 - lr * decay : decay;
}

/* Updates all rows in one parallel region. */
typedef int (*kl_optim_driver)(const struct kl_runtime *rt, int rule, struct kl_optim_row *rows,
                               int64_t count, bool backward);

/* A number as a double, and back. */
static double kl_optim_load(const void *place, int dtype) {
    switch (dtype) {
        case KL_DTYPE_f32: return (double)*(const float *)place;
        case KL_DTYPE_f64: return *(const double *)place;
        case KL_DTYPE_i64: return (double)*(const int64_t *)place;
        case KL_DTYPE_i32: return (double)*(const int32_t *)place;
        default: return (double)*(const uint8_t *)place;
    }
}

static void kl_optim_store(void *place, int dtype, double value) {
    switch (dtype) {
        case KL_DTYPE_f32: *(float *)place = (float)value; break;
        case KL_DTYPE_f64: *(double *)place = value; break;
        case KL_DTYPE_i64: *(int64_t *)place = (int64_t)value; break;
        case KL_DTYPE_i32: *(int32_t *)place = (int32_t)(int64_t)value; break;
        default: *(uint8_t *)place = (uint8_t)(int64_t)value;
    }
}

/* Advances a row's numbers and computes its scalars. */
KL_UNUSED static void kl_optim_commit(const struct kl_optim_rule *rule, struct kl_optim_row *row,
                                      const double *option) {
    for (int k = 0; k < KL_OPTIM_NUMBERS; ++k)
        if (row->place[k]) row->number[k] = kl_optim_load(row->place[k], row->place_dtype[k]);
    row->frozen = false;
    rule->scalars(row, option);
    row->staged = row->frozen || row->clear || row->factor != 1.0 || row->param_storage ||
                  row->grad_storage || row->state_storage || row->rounded;
    for (int k = 0; k < KL_OPTIM_NUMBERS; ++k)
        if (row->place[k]) kl_optim_store(row->place[k], row->place_dtype[k], row->number[k]);
}

#endif
