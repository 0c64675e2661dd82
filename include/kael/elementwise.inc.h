/* Elementwise loops over contiguous floats, stamped from unary.def and binary.def for one type and
 * instruction set. Every lane of a vector, and the tail, goes through the same expression, so an
 * element's bits do not depend on its place. Contract of a kernel: elementwise/loops.h.
 */
#include "kael/elementwise/floats.inc.h"
#include "kael/elementwise/quotients.inc.h"

/* The whole vectors of a loop that streams its results, of operations that wait for memory. */
#define KL_STREAMED_VECTORS(cost) \
    for (; ahead != NULL && (cost) <= KL_STREAMED_COST && i + V(width) <= n; i += V(width))

#define UNARY(kind, name, cost, ...) UNARY_##kind(name, __VA_ARGS__)
#define UNARY_FLOAT(name, lanes)                                                  \
    static int KL_FN(unary_##name)(void *out, const void *const *in, int64_t n,   \
                                   const int64_t *ahead) {                        \
        const T *x = in[0];                                                       \
        T *y = out;                                                               \
        int64_t i = 0;                                                            \
        const int64_t x_ahead = ahead != NULL ? ahead[0] : 0;                     \
        KL_STREAMED_VECTORS(kl_unary_operations[KL_UNARY_##name].cost) {          \
            const V(vec) a = V(load)(x + i);                                      \
            __builtin_prefetch((const char *)(x + i) + x_ahead);                  \
            V(stream)(y + i, lanes);                                              \
        }                                                                         \
        for (; i + V(width) <= n; i += V(width)) {                                \
            const V(vec) a = V(load)(x + i);                                      \
            V(store)(y + i, lanes);                                               \
        }                                                                         \
        if (i < n) {                                                              \
            const V(vec) a = V(load_part)(x + i, n - i);                          \
            V(store_part)(y + i, lanes, n - i);                                   \
        }                                                                         \
        return KL_OK;                                                             \
    }
#define UNARY_NUMBER(name, lanes, integer) UNARY_FLOAT(name, lanes)
#define UNARY_BITS(name, integer, boolean)
#define UNARY_TEST(name, scalar) KL_UNARY_LOOP(unary_##name, T, T, uint8_t, scalar)
#define UNARY_FTEST UNARY_TEST
#include "kael/unary.def"
#undef UNARY_FLOAT
#undef UNARY_NUMBER
#undef UNARY_BITS
#undef UNARY_TEST
#undef UNARY_FTEST

#define BINARY(kind, name, cost, ...) BINARY_##kind(name, __VA_ARGS__)
#define BINARY_FLOAT(name, lanes)                                                  \
    static int KL_FN(binary_##name)(void *out, const void *const *in, int64_t n,   \
                                    const int64_t *ahead) {                        \
        const T *x = in[0], *y = in[1];                                            \
        T *z = out;                                                                \
        int64_t i = 0;                                                             \
        const int64_t x_ahead = ahead != NULL ? ahead[0] : 0;                      \
        const int64_t y_ahead = ahead != NULL ? ahead[1] : 0;                      \
        KL_STREAMED_VECTORS(kl_binary_operations[KL_BINARY_##name].cost) {         \
            const V(vec) a = V(load)(x + i), b = V(load)(y + i);                   \
            __builtin_prefetch((const char *)(x + i) + x_ahead);                   \
            __builtin_prefetch((const char *)(y + i) + y_ahead);                   \
            V(stream)(z + i, lanes);                                               \
        }                                                                          \
        for (; i + V(width) <= n; i += V(width)) {                                 \
            const V(vec) a = V(load)(x + i), b = V(load)(y + i);                   \
            V(store)(z + i, lanes);                                                \
        }                                                                          \
        if (i < n) {                                                               \
            const V(vec) a = V(load_part)(x + i, n - i);                           \
            const V(vec) b = V(load_part)(y + i, n - i);                           \
            V(store_part)(z + i, lanes, n - i);                                    \
        }                                                                          \
        return KL_OK;                                                              \
    }
#define BINARY_NUMBER(name, lanes, integer) BINARY_FLOAT(name, lanes)
#define BINARY_ALL(name, lanes, integer, boolean) BINARY_FLOAT(name, lanes)
#define BINARY_BITS(name, integer, boolean)
#define BINARY_TEST(name, scalar) KL_BINARY_LOOP(binary_##name, T, T, uint8_t, scalar)
#include "kael/binary.def"
#undef BINARY_FLOAT
#undef BINARY_NUMBER
#undef BINARY_ALL
#undef BINARY_BITS
#undef BINARY_TEST

/* NaN wins; low > high gives high, as in PyTorch. */
KL_INLINE V(vec) KL_FN(clamped)(V(vec) x, V(vec) low, V(vec) high) {
    return KL_FN(minimum)(KL_FN(maximum)(x, low), high);
}

/* in: x, low, high. */
static int KL_FN(clamp)(void *out, const void *const *in, int64_t n, const int64_t *ahead) {
    const T *x = in[0], *low = in[1], *high = in[2];
    T *y = out;
    int64_t i = 0;
    (void)ahead;
    for (; i + V(width) <= n; i += V(width))
        V(store)(y + i, KL_FN(clamped)(V(load)(x + i), V(load)(low + i), V(load)(high + i)));
    if (i < n) {
        const V(vec) a = V(load_part)(x + i, n - i);
        const V(vec) b = V(load_part)(low + i, n - i), c = V(load_part)(high + i, n - i);
        V(store_part)(y + i, KL_FN(clamped)(a, b, c), n - i);
    }
    return KL_OK;
}

KL_WHERE_LOOP(where, T)

/* Elements of the size of T, whatever they are. */
static int KL_FN(copy)(void *out, const void *const *in, int64_t n, const int64_t *ahead) {
    const T *x = in[0];
    T *y = out;
    int64_t i = 0;
    const int64_t x_ahead = ahead != NULL ? ahead[0] : 0;
    KL_STREAMED_VECTORS(0) {
        __builtin_prefetch((const char *)(x + i) + x_ahead);
        V(stream)(y + i, V(load)(x + i));
    }
    if (i < n) memcpy(y + i, x + i, (size_t)(n - i) * sizeof(T));
    return KL_OK;
}
#undef KL_STREAMED_VECTORS
