/* For tools/accuracy.py: compares results in float with exact ones in double.
 *
 * The error is in units in the last place of the exact result: 2^(e - 23) for one in
 * [2^e, 2^(e + 1)), and 2^-149 for denormals. An infinite result counts as 2^128.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

struct summary {
    double largest;   /* error */
    float x, y;       /* where */
    int64_t finite;   /* results compared */
    int64_t rounded;  /* those that are the float nearest to the exact result */
    int64_t special;  /* NaN where it should not be or the converse, or a wrong sign of zero */
    float special_x, special_y;
};

static int amiss(float found, float nearest) {
    if (isnan(found) || isnan(nearest)) return !isnan(found) || !isnan(nearest);
    return found == 0 && nearest == 0 && !signbit(found) != !signbit(nearest);
}

/* 2^-(e - 23), e as above. */
static double ulps_per_one(double exact) {
    int64_t bits;
    double scale;
    memcpy(&bits, &exact, sizeof bits);
    const int64_t exponent = (bits >> 52 & 0x7ff) - 1023;
    const int64_t scaled = (1023 + 23 - (exponent > -126 ? exponent : -126)) << 52;
    memcpy(&scale, &scaled, sizeof scale);
    return scale;
}

/* Adds n results to the summary; y may be NULL. */
void compare(const float *x, const float *y, const float *found, const double *exact, int64_t n,
             struct summary *sum) {
    for (int64_t i = 0; i < n; ++i) {
        const float nearest = (float)exact[i];
        if (amiss(found[i], nearest)) {
            if (sum->special++ == 0) {
                sum->special_x = x[i];
                sum->special_y = y ? y[i] : 0;
            }
            continue;
        }
        if (isnan(nearest) || (isinf(nearest) && found[i] == nearest)) continue;
        ++sum->finite;
        sum->rounded += found[i] == nearest;
        const double value = isinf(found[i]) ? copysign(0x1p128, found[i]) : (double)found[i];
        const double true_value = isinf(nearest) ? copysign(0x1p128, nearest) : exact[i];
        const double error = fabs(value - true_value) * ulps_per_one(true_value);
        if (error > sum->largest) {
            sum->largest = error;
            sum->x = x[i];
            sum->y = y ? y[i] : 0;
        }
    }
}

/* What NumPy lacks. */
void exact_erf(const double *x, double *out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = erf(x[i]);
}
void exact_erfc(const double *x, double *out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = erfc(x[i]);
}
