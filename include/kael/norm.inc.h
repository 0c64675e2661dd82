/* The lanes of a norm, which pieces of any length enter at any lane.
 *
 * A body for each type; kl_pow_f64 comes from math.inc.h.
 */
#include "kael/fold.inc.h"
#include "kael/half.inc.h"

KL_INLINE VD(vec) KL_FN(norm_meets)(int term, VD(vec) acc, VD(vec) x, VD(vec) p) {
    const VD(vec) size = VD(abs)(x);
    switch (term) {
    case KL_NORM_SQUARE: return VD(add)(acc, VD(mul)(x, x));
    case KL_NORM_ABS: return VD(add)(acc, size);
    case KL_NORM_POWER: return VD(add)(acc, KL_CAT4(kl, pow, f64, KL_ISA)(size, p));
    case KL_NORM_NOT_ZERO:
        return VD(add)(acc, VD(select)(VD(eq)(x, VD(splat)(0)), VD(splat)(0), VD(splat)(1)));
    case KL_NORM_GREATEST:
        return VD(select)(VD(either)(VD(lt)(acc, size), VD(is_nan)(size)), size, acc);
    default: return VD(select)(VD(either)(VD(lt)(size, acc), VD(is_nan)(size)), size, acc);
    }
}

/* An incomplete group: count elements of which the first has lane `lane`. */
KL_INLINE void KL_FN(norm_part)(int term, VD(vec) p, const T *x, int64_t count, int64_t lane,
                                VD(vec) *acc) {
    enum { width = VD(width), vectors = KL_LANES / width };
    T group[KL_LANES] = {0};
    memcpy(group + lane, x, (size_t)count * sizeof(T));
    const VD(vec) first = VD(splat)((double)lane), last = VD(splat)((double)(lane + count));
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        const VD(vec) number = VD(add)(VD(iota)(), VD(splat)(v * width));
        const VD(mask) real = VD(both)(VD(le)(first, number), VD(lt)(number, last));
        const VD(vec) met = KL_FN(norm_meets)(term, acc[v], KL_FN(wide)(group + v * width), p);
        acc[v] = VD(select)(real, met, acc[v]);
    }
}

KL_INLINE void KL_FN(norm_walk)(int term, double order, const T *x, int64_t count, int64_t lane,
                                double *lanes) {
    enum { width = VD(width), vectors = KL_LANES / width };
    const VD(vec) p = VD(splat)(order);
    VD(vec) acc[vectors];
    KL_UNROLL
    for (int v = 0; v < vectors; v++) acc[v] = VD(load)(lanes + v * width);
    const int64_t head = lane > 0 ? kl_min(KL_LANES - lane, count) : 0;
    if (head > 0) KL_FN(norm_part)(term, p, x, head, lane, acc);
    int64_t i = head;
    for (; i + KL_LANES <= count; i += KL_LANES) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            acc[v] = KL_FN(norm_meets)(term, acc[v], KL_FN(wide)(x + i + v * width), p);
        }
    }
    if (i < count) KL_FN(norm_part)(term, p, x + i, count - i, 0, acc);
    KL_UNROLL
    for (int v = 0; v < vectors; v++) VD(store)(lanes + v * width, acc[v]);
}

static void KL_FN(norm_add)(int term, double p, const void *x, int64_t count, int64_t lane,
                            double *lanes) {
    switch (term) {
#define KL_CASE(name)                                            \
    case name: KL_FN(norm_walk)(name, p, x, count, lane, lanes); break
    KL_CASE(KL_NORM_SQUARE);
    KL_CASE(KL_NORM_ABS);
    KL_CASE(KL_NORM_POWER);
    KL_CASE(KL_NORM_NOT_ZERO);
    KL_CASE(KL_NORM_GREATEST);
    KL_CASE(KL_NORM_LEAST);
#undef KL_CASE
    }
}

/* The partial of a block: halving for sums; extremes, exact in any order, one by one. */
static KL_UNUSED double KL_FN(norm_meet)(int term, const double *lanes) {
    enum { width = VD(width), vectors = KL_LANES / width };
    KL_FN(lanes) a;
    VD(vec) extreme = VD(load)(lanes);
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        a.lane[v] = VD(load)(lanes + v * width);
        extreme = KL_FN(norm_meets)(term, extreme, a.lane[v], extreme);
    }
    if (term < KL_NORM_GREATEST) return KL_FN(lanes_meet)(&a, KL_TERM_VALUE);
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        const int half = width >> level;
        if (half > 0) {
            extreme = KL_FN(norm_meets)(term, extreme, VD(swap)(extreme, half), extreme);
        }
    }
    return VD(head)(extreme);
}
