/* The fold of numerics R3 in vocabulary words: KL_LANES double accumulators for T in memory.
 *
 * A body, included by the bodies of the families that sum: reduce.inc.h, rows.inc.h. Budget in
 * registers of the accumulators: 4 of 32 (AVX-512), 8 of 16 (AVX2), 16 of 32 (NEON).
 */
#include "kael/fold.h"
#include "kael/part.inc.h"

/* Doubles from T in memory, and back. */
#define KL_WIDE_f64 1
#if KL_CAT2(KL_WIDE_, KL_TYPE)
KL_INLINE VD(vec) KL_FN(wide)(const T *p) { return VD(load)(p); }
KL_INLINE VD(vec) KL_FN(wide_part)(const T *p, int64_t count) { return VD(load_part)(p, count); }
KL_INLINE void KL_FN(narrow)(T *p, VD(vec) x) { VD(store)(p, x); }
KL_INLINE void KL_FN(narrow_part)(T *p, VD(vec) x, int64_t count) { VD(store_part)(p, x, count); }
#else
KL_INLINE VD(vec) KL_FN(wide)(const T *p) { return KL_CAT4(v_load, KL_TYPE, f64, KL_ISA)(p); }
KL_INLINE VD(vec) KL_FN(wide_part)(const T *p, int64_t count) {
    return KL_CAT4(v_load, KL_CAT2(KL_TYPE, _part), f64, KL_ISA)(p, count);
}
KL_INLINE void KL_FN(narrow)(T *p, VD(vec) x) { KL_CAT4(v_store, KL_TYPE, f64, KL_ISA)(p, x); }
KL_INLINE void KL_FN(narrow_part)(T *p, VD(vec) x, int64_t count) {
    KL_CAT4(v_store, KL_CAT2(KL_TYPE, _part), f64, KL_ISA)(p, x, count);
}
#endif
#undef KL_WIDE_f64

KL_INLINE VD(vec) KL_FN(take_wide)(const T *p, int64_t left) {
    return left >= VD(width) ? KL_FN(wide)(p) : KL_FN(wide_part)(p, left);
}

KL_INLINE void KL_FN(put_narrow)(T *p, VD(vec) x, int64_t left) {
    if (left >= VD(width)) {
        KL_FN(narrow)(p, x);
    } else {
        KL_FN(narrow_part)(p, x, left);
    }
}

typedef struct {
    VD(vec) lane[KL_LANES / VD(width)];
} KL_FN(lanes);

KL_INLINE KL_FN(lanes) KL_FN(lanes_start)(int term) {
    KL_FN(lanes) lanes;
    KL_UNROLL
    for (int v = 0; v < KL_LANES / VD(width); v++) {
        lanes.lane[v] = VD(splat)(term == KL_TERM_FACTOR ? 1.0 : 0.0);
    }
    return lanes;
}

KL_INLINE bool KL_FN(reads_y)(int term) {
    return term == KL_TERM_PRODUCT || term == KL_TERM_MOMENT;
}

/* Whether the zeros that fill a vector would change a lane. */
KL_INLINE bool KL_FN(zero_adds)(int term) {
    return term == KL_TERM_DEVIATION || term == KL_TERM_MOMENT || term == KL_TERM_FACTOR;
}

/* acc + x y, where x y of doubles that were floats is exact. By one multiply-add, since additions
 * share their units with the conversions: the sum of 1e6 f32 in cache takes 68 us with additions,
 * 40 so. One lane adds: its multiply-add may be a call. */
KL_INLINE VD(vec) KL_FN(add_exact)(VD(vec) acc, VD(vec) x, VD(vec) y) {
    const bool fused = sizeof(T) < sizeof(double) && VD(width) > 1;
    return fused ? VD(fma)(x, y, acc) : VD(add)(acc, VD(mul)(x, y));
}

/* acc met by what the elements x contribute, beside y and their outputs' centers. */
KL_INLINE VD(vec) KL_FN(contribute)(int term, VD(vec) acc, VD(vec) x, VD(vec) y, VD(vec) center) {
    const VD(vec) one = VD(splat)(1);
    switch (term) {
    case KL_TERM_SQUARE: return KL_FN(add_exact)(acc, x, x);
    case KL_TERM_ABS: return KL_FN(add_exact)(acc, VD(abs)(x), one);
    case KL_TERM_DEVIATION: x = VD(sub)(x, center); return VD(add)(acc, VD(mul)(x, x));
    case KL_TERM_PRODUCT: return KL_FN(add_exact)(acc, x, y);
    case KL_TERM_MOMENT: return VD(add)(acc, VD(mul)(VD(sub)(x, center), y));
    case KL_TERM_FACTOR: return VD(mul)(acc, x);
    default: return KL_FN(add_exact)(acc, x, one);
    }
}

/* Asks for the lines of x[count] `ahead` bytes further on, unless that is 0. */
KL_INLINE void KL_FN(ask)(const T *x, int64_t count, int64_t ahead) {
    const int64_t bytes = count * (int64_t)sizeof(T);
    if (ahead == 0) return;
    KL_UNROLL
    for (int64_t at = 0; at < bytes; at += KL_ALIGNMENT) {
        __builtin_prefetch((const char *)x + ahead + at);
    }
}

/* Adds x[count], fewer than KL_LANES, to the first `vectors` vectors of the lanes, a literal which
 * has room for them. */
KL_INLINE void KL_FN(lanes_tail)(KL_FN(lanes) *a, int term, const int vectors, const T *x,
                                 const T *y, double center, int64_t count) {
    enum { width = VD(width) };
    const VD(vec) middle = VD(splat)(center);
    KL_UNROLL
    for (int v = 0; v < vectors; v++) {
        const int64_t k = v * width, left = count - k;
        if (left >= width) {
            a->lane[v] = KL_FN(contribute)(term, a->lane[v], KL_FN(wide)(x + k),
                                           KL_FN(reads_y)(term) ? KL_FN(wide)(y + k) : middle,
                                           middle);
        } else if (left > 0) {
            const VD(vec) met = KL_FN(contribute)(
                term, a->lane[v], KL_FN(wide_part)(x + k, left),
                KL_FN(reads_y)(term) ? KL_FN(wide_part)(y + k, left) : middle, middle);
            const VD(mask) real = VD(lt)(VD(iota)(), VD(splat)((double)left));
            a->lane[v] = KL_FN(zero_adds)(term) ? VD(select)(real, met, a->lane[v]) : met;
        }
    }
}

/* Adds x[count] to the lanes, element 0 to lane 0. y[count] where the term reads it. x is asked for
 * ahead; a literal 0 costs nothing, a variable 5% in cache. */
KL_INLINE void KL_FN(lanes_add)(KL_FN(lanes) *lanes, int term, const T *x, const T *y,
                                double center, int64_t count, int64_t ahead) {
    enum { width = VD(width), vectors = KL_LANES / width };
    const VD(vec) middle = VD(splat)(center);
    KL_FN(lanes) a = *lanes;
    int64_t i = 0;
    for (; i + KL_LANES <= count; i += KL_LANES) {
        KL_FN(ask)(x + i, KL_LANES, ahead);
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const int64_t k = i + v * width;
            a.lane[v] = KL_FN(contribute)(term, a.lane[v], KL_FN(wide)(x + k),
                                          KL_FN(reads_y)(term) ? KL_FN(wide)(y + k) : middle,
                                          middle);
        }
    }
    KL_FN(lanes_tail)(&a, term, vectors, x + i, KL_FN(reads_y)(term) ? y + i : y, center,
                      count - i);
    *lanes = a;
}

/* Like add_exact: a * 1 is exact. */
KL_INLINE VD(vec) KL_FN(join)(int term, VD(vec) a, VD(vec) b) {
    return term == KL_TERM_FACTOR ? VD(mul)(a, b) : KL_FN(add_exact)(b, a, VD(splat)(1));
}

/* Halving across registers, of which only the first `vectors`, a literal, hold anything: lane l
 * meets those at l + width, l + 2 width, ... */
KL_INLINE VD(vec) KL_FN(lanes_across)(const KL_FN(lanes) *lanes, int term, const int vectors) {
    KL_FN(lanes) a = *lanes;
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const int half = vectors >> level;
            if (v < half) a.lane[v] = KL_FN(join)(term, a.lane[v], a.lane[v + half]);
        }
    }
    return a.lane[0];
}

/* Halving: across registers, then inside one, where lane l gets lane l ^ half. */
KL_INLINE double KL_FN(lanes_meet)(const KL_FN(lanes) *lanes, int term) {
    VD(vec) met = KL_FN(lanes_across)(lanes, term, KL_LANES / VD(width));
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        const int half = VD(width) >> level;
        if (half > 0) met = KL_FN(join)(term, met, VD(swap)(met, half));
    }
    return VD(head)(met);
}

/* The fold of one block: x[count], count <= KL_REDUCTION_BLOCK. */
KL_INLINE double KL_FN(fold_block)(int term, const T *x, const T *y, double center, int64_t count,
                                   int64_t ahead) {
    KL_FN(lanes) lanes = KL_FN(lanes_start)(term);
    KL_FN(lanes_add)(&lanes, term, x, y, center, count, ahead);
    return KL_FN(lanes_meet)(&lanes, term);
}

/* The whole fold of x[size]. */
KL_INLINE double KL_FN(fold)(int term, const T *x, const T *y, double center, int64_t size) {
    if (size <= KL_REDUCTION_BLOCK) return KL_FN(fold_block)(term, x, y, center, size, 0);
    struct kl_tree tree;
    tree.blocks = tree.depth = 0;
    for (int64_t first = 0; first < size; first += KL_REDUCTION_BLOCK) {
        const int64_t count = kl_min(size - first, KL_REDUCTION_BLOCK);
        kl_tree_push(&tree, term,
                     KL_FN(fold_block)(term, x + first, KL_FN(reads_y)(term) ? y + first : y,
                                       center, count, 0));
    }
    return kl_tree_total(&tree, term);
}
