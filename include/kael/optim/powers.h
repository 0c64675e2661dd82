/* Powers whose bits are the same on every machine; libm's are not. */
#ifndef KAEL_OPTIM_POWERS_H
#define KAEL_OPTIM_POWERS_H

#include <stdint.h>

#define KL_BODY "kael/math.inc.h"
#include "kael/foreach_isa.h"

/* beta ** step in a fixed order of multiplications: squares of beta for the bits of step, from the
 * lowest. */
KL_UNUSED static double kl_power(double beta, double step) {
    double result = 1.0;
    for (int64_t bits = (int64_t)step; bits > 0; bits >>= 1) {
        if (bits & 1) result *= beta;
        beta *= beta;
    }
    return result;
}

/* base ** exponent for any exponent. */
KL_UNUSED static double kl_real_power(double base, double exponent) {
    return kl_pow_f64_generic(base, exponent);
}

#endif
