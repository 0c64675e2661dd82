/* The memory traffic of an optimizer's step with hardly any arithmetic: what the machine allows.
 * compare_optim.py compiles it with -O3 -march=native. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST_THREADS = 64, HUGE_PAGE = 1 << 21 };

/* Memory like that of kael's large tensors, with every page touched. */
float *make(int64_t count) {
    const size_t bytes = ((size_t)count * sizeof(float) / HUGE_PAGE + 1) * HUGE_PAGE;
    float *array = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
    madvise(array, bytes, MADV_HUGEPAGE);
#endif
    for (int64_t i = 0; i < count; ++i) array[i] = 1e-3f;
    return array;
}

struct slice {
    int64_t count;
    int states;
    float *p, *restrict g, *a, *b;
    float sum;
};

/* Reads g, reads and writes p and as many states as there are: 28 bytes an element for two, 20 for
 * one, 12 for none; with states < 0 reads g only, as a norm does. */
static void *walk(void *argument) {
    struct slice *s = argument;
    float *restrict p = s->p, *restrict a = s->a, *restrict b = s->b;
    const float *restrict g = s->g;
    if (s->states == 2)
        for (int64_t i = 0; i < s->count; ++i) p[i] += (a[i] = a[i] - g[i]) + (b[i] = b[i] - g[i]);
    else if (s->states == 1)
        for (int64_t i = 0; i < s->count; ++i) p[i] += a[i] = a[i] - g[i];
    else if (s->states == 0)
        for (int64_t i = 0; i < s->count; ++i) p[i] += g[i];
    else {
        float lanes[64] = {0};
        for (int64_t i = 0; i + 64 <= s->count; i += 64)
            for (int k = 0; k < 64; ++k) lanes[k] += g[i + k] * g[i + k];
        for (int k = 0; k < 64; ++k) s->sum += lanes[k];
    }
    return 0;
}

/* One array of each, cut into as many slices as threads; the caller takes the last. */
float traffic(int64_t count, int states, float *p, float *g, float *a, float *b, int threads) {
    struct slice slices[MOST_THREADS] = {0};
    pthread_t others[MOST_THREADS];
    float sum = 0;
    for (int t = 0; t < threads; ++t) {
        const int64_t first = count * t / threads, last = count * (t + 1) / threads;
        slices[t] = (struct slice){last - first, states, p + first, g + first,
                                   states > 0 ? a + first : 0, states > 1 ? b + first : 0, 0};
        if (t + 1 < threads) pthread_create(&others[t], 0, walk, &slices[t]);
        else walk(&slices[t]);
    }
    for (int t = 0; t + 1 < threads; ++t) pthread_join(others[t], 0);
    for (int t = 0; t < threads; ++t) sum += slices[t].sum;
    return sum;
}
