/* Elementwise loops over contiguous integers: memory of type T, wrapping arithmetic in U, values
 * with their sign in S. Stamped for one type and instruction set. */

/* 1 where the truncated quotient of which rest is left lies above the exact one. Without a branch:
 * a remainder is zero or not as chance has it, and a wrong guess takes as long as the division. */
KL_INLINE U KL_FN(rounds_up)(S rest, S y) { return (U)((rest != 0) & ((rest < 0) != (y < 0))); }

/* The quotient rounded down. Division by -1 is a negation: INT_MIN / -1 traps. */
static inline KL_UNUSED U KL_FN(floor_divide)(U a, U b, int *status) {
    const S x = (S)a, y = (S)b;
    if (y == 0) {
        *status = KL_DIVISION_BY_ZERO;
        return 0;
    }
    if (y == -1) return (U)(0 - a);
    return (U)((U)(x / y) - KL_FN(rounds_up)((S)(x % y), y));
}

/* The remainder with the sign of b. */
static inline KL_UNUSED U KL_FN(remainder)(U a, U b, int *status) {
    const S x = (S)a, y = (S)b;
    if (y == 0) {
        *status = KL_DIVISION_BY_ZERO;
        return 0;
    }
    if (y == -1) return 0;
    const S rest = (S)(x % y);
    return (U)((U)rest + KL_FN(rounds_up)(rest, y) * b);
}

/* a to the power b, wrapping; for b < 0 the truncated inverse: 0 unless a is 1 or -1. */
static inline KL_UNUSED U KL_FN(pow)(U a, U b) {
    const U minus_one = (U)(0 - (U)1);
    if (sizeof(T) > 1 && b >> (8 * sizeof(T) - 1)) {
        if (a == minus_one) return b & 1 ? a : 1;
        return a == 1;
    }
    U result = 1;
    for (; b != 0; b = (U)(b >> 1)) {
        if (b & 1) result = (U)(result * a);
        a = (U)(a * a);
    }
    return result;
}

#define UNARY(kind, name, cost, ...) UNARY_##kind(name, __VA_ARGS__)
#define UNARY_FLOAT(name, lanes)
#define UNARY_NUMBER(name, lanes, integer) KL_UNARY_LOOP(unary_##name, T, U, T, integer)
#define UNARY_BITS(name, integer, boolean) KL_UNARY_LOOP(unary_##name, T, U, T, integer)
#define UNARY_TEST(name, scalar) KL_UNARY_LOOP(unary_##name, T, T, uint8_t, scalar)
#define UNARY_FTEST(name, scalar)
#include "kael/unary.def"
#undef UNARY_FLOAT
#undef UNARY_NUMBER
#undef UNARY_BITS
#undef UNARY_TEST
#undef UNARY_FTEST

#define BINARY(kind, name, cost, ...) BINARY_##kind(name, __VA_ARGS__)
#define BINARY_FLOAT(name, lanes)
#define BINARY_NUMBER(name, lanes, integer) KL_BINARY_LOOP(binary_##name, T, U, T, integer)
#define BINARY_ALL(name, lanes, integer, boolean) BINARY_NUMBER(name, , integer)
#define BINARY_BITS(name, integer, boolean) BINARY_NUMBER(name, , integer)
#define BINARY_TEST(name, scalar) KL_BINARY_LOOP(binary_##name, T, T, uint8_t, scalar)
#include "kael/binary.def"
#undef BINARY_FLOAT
#undef BINARY_NUMBER
#undef BINARY_ALL
#undef BINARY_BITS
#undef BINARY_TEST

/* in: x, low, high; low > high gives high. */
static int KL_FN(clamp)(void *out, const void *const *in, int64_t n, const int64_t *ahead) {
    (void)ahead;
    const T *x = in[0], *low = in[1], *high = in[2];
    T *y = out;
    KL_LANEWISE
    for (int64_t i = 0; i < n; ++i) {
        const T raised = x[i] > low[i] ? x[i] : low[i];
        y[i] = raised < high[i] ? raised : high[i];
    }
    return KL_OK;
}

KL_WHERE_LOOP(where, T)
