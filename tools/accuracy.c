/* For tools/accuracy.py: compares results in float with the C library's functions of double.
 *
 * The error is in units in the last place of the exact result: 2^(e - 23) for one in
 * [2^e, 2^(e + 1)), and 2^-149 for denormals. An infinite result counts as 2^128.
 *
 * The functions are called in a loop that the compiler turns into calls of glibc's vector library,
 * where it is there: within 4 units of double, or 2^-27 of float. Where that might matter, the
 * scalar function, with less than one unit of double, decides.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { CHUNK = 1 << 15 }; /* as in accuracy.py: a few arrays of so many fit into a cache of 1 MB */

struct summary {
    double largest;   /* error */
    float x, y;       /* where */
    int64_t finite;   /* results compared */
    int64_t rounded;  /* those that are the float nearest to the exact result */
    int64_t special;  /* NaN where it should not be or the converse, or a wrong sign of zero */
    float special_x, special_y;
};

/* The n floats whose bits are first, first + step, ... */
void fill(float *x, uint64_t first, uint64_t step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t bits = (uint32_t)(first + (uint64_t)i * step);
        memcpy(x + i, &bits, sizeof bits);
    }
}

/* 2^-(e - 23), e as above. */
static inline double ulps_per_one(double exact) {
    int64_t bits;
    double scale;
    memcpy(&bits, &exact, sizeof bits);
    const int64_t exponent = (bits >> 52 & 0x7ff) - 1023;
    const int64_t scaled = (1023 + 23 - (exponent > -126 ? exponent : -126)) << 52;
    memcpy(&scale, &scaled, sizeof scale);
    return scale;
}

/* Of a finite result, or of a wrong infinity; else anything. */
static inline double error_of(float found, double exact) {
    const float nearest = (float)exact;
    const double value = isinf(found) ? copysign(0x1p128, found) : (double)found;
    const double true_value = isinf(nearest) ? copysign(0x1p128, nearest) : exact;
    return fabs(value - true_value) * ulps_per_one(true_value);
}

static int amiss(float found, float nearest) {
    if (isnan(found) || isnan(nearest)) return !isnan(found) || !isnan(nearest);
    return found == 0 && nearest == 0 && !signbit(found) != !signbit(nearest);
}

/* Adds one result to the summary. */
static void add(float x, float y, float found, double exact, struct summary *sum) {
    const float nearest = (float)exact;
    if (amiss(found, nearest)) {
        if (sum->special++ == 0) {
            sum->special_x = x;
            sum->special_y = y;
        }
        return;
    }
    if (isnan(nearest) || (isinf(nearest) && found == nearest)) return;
    const double error = error_of(found, exact);
    ++sum->finite;
    sum->rounded += found == nearest;
    if (error > sum->largest) {
        sum->largest = error;
        sum->x = x;
        sum->y = y;
    }
}

enum kind { DOUBTFUL, SPECIAL, COUNTED, ROUNDED };

/* What a result is beyond doubt, the exact one being close. */
static inline uint8_t kind_of(float found, double close, double largest) {
    const float nearest = (float)close;
    const double error = error_of(found, close);
    const int special = (isnan(found) & isnan(nearest)) | (isinf(found) & (found == nearest));
    const int signs = (found != 0) | (!signbit(found) == !signbit(nearest));
    const int plain = (error < largest - 1e-6) & (fabs(error - 0.5) > 1e-6) & signs;
    return special ? SPECIAL : !plain ? DOUBTFUL : error < 0.5 ? ROUNDED : COUNTED;
}

/* Adds n results to the summary. */
static void compare(const float *x, const float *y, const float *found, const double *close,
                    double (*exact)(double, double), int64_t n, struct summary *sum) {
    static uint8_t kind[CHUNK];
    const double largest = sum->largest;
    for (int64_t i = 0; i < n; ++i) kind[i] = kind_of(found[i], close[i], largest);
    int32_t finite = 0, rounded = 0, doubtful = 0;
    for (int64_t i = 0; i < n; ++i) {
        finite += kind[i] >= COUNTED;
        rounded += kind[i] == ROUNDED;
        doubtful += kind[i] == DOUBTFUL;
    }
    sum->finite += finite;
    sum->rounded += rounded;
    for (int64_t i = 0; doubtful > 0; ++i) {
        if (kind[i] != DOUBTFUL) continue;
        add(x[i], y[i], found[i], exact(x[i], y[i]), sum);
        --doubtful;
    }
}

/* scan_<name>: n <= CHUNK results of one function; a function of one operand ignores y. */
#define SCAN(name, expression)                                                              \
    static double exact_##name(double x, double y) { return (void)y, expression; }          \
    void scan_##name(const float *px, const float *py, const float *found, int64_t n,       \
                     struct summary *sum) {                                                 \
        static double close[CHUNK];                                                         \
        for (int64_t i = 0; i < n; ++i) {                                                   \
            const double x = px[i], y = py[i];                                              \
            close[i] = ((void)y, expression);                                               \
        }                                                                                   \
        compare(px, py, found, close, exact_##name, n, sum);                                \
    }

static const double root_half = 0.70710678118654752440, root_two_over_pi = 0.79788456080286535588;

#define LEFT(value) (x == -INFINITY ? -0.0 : (value)) /* -inf times 0 */
#define SMALL exp(-fabs(x))
#define TWICE (2 * root_two_over_pi * (x + 0.044715 * x * x * x))

SCAN(acos, acos(x))
SCAN(asin, asin(x))
SCAN(atan, atan(x))
SCAN(atan2, atan2(x, y))
SCAN(cbrt, cbrt(x))
SCAN(cos, cos(x))
SCAN(cosh, cosh(x))
SCAN(erf, erf(x))
SCAN(erfc, erfc(x))
SCAN(exp, exp(x))
SCAN(exp2, exp2(x))
SCAN(expm1, expm1(x))
SCAN(gelu, LEFT(x * 0.5 * erfc(-x * root_half)))
SCAN(gelu_tanh, LEFT(x / (1 + exp(-TWICE))))
SCAN(hypot, hypot(x, y))
SCAN(log, log(x))
SCAN(log10, log10(x))
SCAN(log1p, log1p(x))
SCAN(log2, log2(x))
SCAN(pow, pow(x, y))
SCAN(rsqrt, 1 / sqrt(x))
SCAN(sigmoid, (x < 0 ? SMALL : 1) / (1 + SMALL))
SCAN(sin, sin(x))
SCAN(sinh, sinh(x))
SCAN(tan, tan(x))
SCAN(tanh, tanh(x))
