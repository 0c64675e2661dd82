/* The FMA peak of one core: accumulators enough to cover the latency, in registers, no memory.
 * compare.py compiles it with -O3 -march=native -ffp-contract=fast -DREAL=float, or double. */
#include <stdint.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
enum { CHAINS = 12 };

typedef REAL vector __attribute__((vector_size(BYTES)));

/* Runs the loop and returns the floating-point operations done; *sink keeps the result alive. */
int64_t fma_peak(int64_t steps, REAL *sink) {
    vector sums[CHAINS], a = {0}, b = {0};
    a += (REAL)0.999;
    b += (REAL)1e-3;
    for (int c = 0; c < CHAINS; c++) sums[c] = b * (REAL)c;
    for (int64_t step = 0; step < steps; step++) {
#pragma GCC unroll 16
        for (int c = 0; c < CHAINS; c++) sums[c] = sums[c] * a + b;
    }
    for (int c = 1; c < CHAINS; c++) sums[0] += sums[c];
    *sink = sums[0][0];
    return steps * CHAINS * (BYTES / (int)sizeof(REAL)) * 2;
}
