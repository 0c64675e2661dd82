/* Greatest and least, and where they are. Exact, so any order gives the same bits; the greatest is
 * the least of the negated. */
#include "kael/extreme.inc.h"

KL_INLINE V(vec) KL_FN(orient)(bool greatest, V(vec) x) { return greatest ? V(neg)(x) : x; }

/* Lane by lane the least of x[size], oriented; infinity where a lane has none. */
KL_INLINE V(vec) KL_FN(least)(bool greatest, const T *x, int64_t size) {
    enum { width = V(width), vectors = 4 };
    V(vec) least[vectors];
    KL_UNROLL
    for (int v = 0; v < vectors; v++) least[v] = V(splat)((T)INFINITY);
    int64_t i = 0;
    for (; i + vectors * width <= size; i += vectors * width) {
        KL_UNROLL
        for (int v = 0; v < vectors; v++) {
            const V(vec) next = KL_FN(orient)(greatest, V(load)(x + i + v * width));
            least[v] = KL_FN(minimum)(least[v], next);
        }
    }
    for (; i < size; i += width) {
        const int64_t left = kl_min(size - i, width);
        const V(vec) next = KL_FN(orient)(greatest, V(load_part)(x + i, left));
        const V(mask) real = V(lt)(V(iota)(), V(splat)((T)left));
        least[0] = V(select)(real, KL_FN(minimum)(least[0], next), least[0]);
    }
    return KL_FN(minimum)(KL_FN(minimum)(least[0], least[1]),
                          KL_FN(minimum)(least[2], least[3]));
}

/* The same of few elements, where one chain is short. */
KL_INLINE V(vec) KL_FN(least_few)(bool greatest, const T *x, int64_t size) {
    enum { width = V(width), vectors = 4 };
    if (size >= vectors * width) return KL_FN(least)(greatest, x, size);
    V(vec) least = V(splat)((T)INFINITY);
    int64_t i = 0;
    for (; i + width <= size; i += width) {
        least = KL_FN(minimum)(least, KL_FN(orient)(greatest, V(load)(x + i)));
    }
    if (i < size) {
        const V(vec) next = KL_FN(orient)(greatest, V(load_part)(x + i, size - i));
        const V(mask) real = V(lt)(V(iota)(), V(splat)((T)(size - i)));
        least = V(select)(real, KL_FN(minimum)(least, next), least);
    }
    return least;
}

/* The extremes of rows x[rows][size], size > 0. A vector of rows is turned, so that what is left of
 * each is halved for all at once; rows that a vector holds are turned as they are. */
KL_INLINE void KL_FN(few_extremes)(bool greatest, const T *x, int64_t stride, int64_t rows,
                                   int64_t size, T *out) {
    enum { width = V(width) };
    const bool held = size <= width;
    for (int64_t r = 0; r < rows; r += width) {
        const int64_t left = kl_min(rows - r, width);
        V(vec) a[width];
        if (held && left == width) {
            KL_UNROLL
            for (int i = 0; i < width; i++) {
                a[i] = KL_FN(orient)(greatest, KL_FN(take)(x + (r + i) * stride, size));
            }
        } else {
            for (int64_t i = 0; i < left; i++) {
                a[i] = KL_FN(least_few)(greatest, x + (r + i) * stride, size);
            }
            for (int64_t i = left; i < width; i++) a[i] = a[0];
        }
        V(turn)(a);
        const int64_t most = held ? size : width;
        V(vec) least = a[0];
        KL_UNROLL
        for (int i = 1; i < width; i++) {
            if (i < most) least = KL_FN(minimum)(least, a[i]);
        }
        KL_FN(put)(out + r, KL_FN(orient)(greatest, least), left);
    }
}

/* The least of all lanes, in each. */
KL_INLINE V(vec) KL_FN(least_lane)(V(vec) least) {
    KL_UNROLL
    for (int level = 1; level <= KL_LANE_LEVELS; level++) {
        const int half = V(width) >> level;
        if (half > 0) least = KL_FN(minimum)(least, V(swap)(least, half));
    }
    return least;
}

/* The extreme of x[size], size > 0. */
KL_INLINE T KL_FN(extreme)(bool greatest, const T *x, int64_t size) {
    const V(vec) least = KL_FN(least_lane)(KL_FN(least)(greatest, x, size));
    return V(head)(KL_FN(orient)(greatest, least));
}

/* The first index of `value` in x[size], where it is known to be; a NaN finds the first NaN. */
KL_INLINE int64_t KL_FN(find)(const T *x, int64_t size, T value) {
    enum { width = V(width) };
    const bool nan = value != value;
    const V(vec) wanted = V(splat)(value);
    int64_t i = 0;
    for (; i + width <= size; i += width) {
        const V(vec) next = V(load)(x + i);
        if (V(any)(nan ? V(is_nan)(next) : V(eq)(next, wanted))) break;
    }
    while (nan ? x[i] == x[i] : x[i] != value) i++;
    return i;
}

/* The search for an index goes by chunks: the best one is looked through twice. */
enum { KL_FN(chunk) = 64 * V(width) };

/* The extreme of x[size] (of zeros any) and the start of the first chunk that has it, an integer
 * that is exact in T. */
KL_INLINE T KL_FN(extreme_chunk)(bool greatest, const T *x, int64_t size, int64_t *start) {
    enum { chunk = KL_FN(chunk) };
    V(vec) top = V(splat)((T)INFINITY), home = V(splat)(0);
    for (int64_t i = 0; i < size; i += chunk) {
        const V(vec) next = KL_FN(least)(greatest, x + i, kl_min(size - i, chunk));
        const V(mask) nan = V(both)(V(is_nan)(next), V(eq)(top, top));
        const V(mask) found = V(either)(V(lt)(next, top), nan);
        top = V(select)(found, next, top);
        home = V(select)(found, V(splat)((T)i), home);
    }
    const V(vec) least = KL_FN(least_lane)(top);
    const V(mask) nan = V(both)(V(is_nan)(least), V(is_nan)(top));
    const V(vec) nowhere = V(splat)((T)INFINITY);
    home = V(select)(V(either)(V(eq)(top, least), nan), home, nowhere);
    *start = (int64_t)V(head)(KL_FN(least_lane)(home));
    return V(head)(KL_FN(orient)(greatest, least));
}

/* The extremes of x[rows][size] and the first indices where they stand. These are looked for once
 * all rows have been walked, so that memory does not wait for them: argmax of 1e7 takes 0.92 of the
 * time so. */
KL_INLINE void KL_FN(extreme_rows)(bool greatest, const T *x, int64_t row_stride, int64_t rows,
                                   int64_t size, kl_total *totals, int64_t *indices) {
    for (int64_t r = 0; r < rows; r++) {
        totals[r].f = KL_FN(extreme_chunk)(greatest, x + r * row_stride, size, indices + r);
    }
    for (int64_t r = 0; r < rows; r++) {
        const T *from = x + r * row_stride + indices[r];
        const int64_t count = kl_min(size - indices[r], KL_FN(chunk));
        const int64_t at = KL_FN(find)(from, count, (T)totals[r].f);
        totals[r].f = from[at];
        indices[r] += at;
    }
}

/* Rows that a strip of extremes reads together: one load and store of its state for each eight. */
#define KL_DEPTH 8

/* best[column] meets the column's elements in `rows` rows. */
KL_INLINE void KL_FN(strip_extreme)(bool greatest, const T *x, int64_t row_stride, int64_t first,
                                    int64_t rows, int64_t width, T *best) {
    for (int64_t r = 0; r < rows; r += KL_DEPTH) {
        const int64_t depth = kl_min(rows - r, KL_DEPTH);
        const T *p = x + r * row_stride;
        for (int64_t c = 0, left = width; left > 0; c += V(width), left -= V(width)) {
            V(vec) least = V(splat)((T)INFINITY);
            if (first + r > 0) least = KL_FN(orient)(greatest, KL_FN(take)(best + c, left));
            for (int64_t d = 0; d < depth; d++) {
                const V(vec) next = KL_FN(take)(p + d * row_stride + c, left);
                least = KL_FN(minimum)(least, KL_FN(orient)(greatest, next));
            }
            KL_FN(put)(best + c, KL_FN(orient)(greatest, least), left);
        }
    }
}

/* best[column] and the row of its first appearance, best[width + column]: a row number inside a
 * block of 16384 is exact in T. */
KL_INLINE void KL_FN(strip_index)(bool greatest, const T *x, int64_t row_stride, int64_t first,
                                  int64_t rows, int64_t width, T *best) {
    for (int64_t r = 0; r < rows; r += KL_DEPTH) {
        const int64_t depth = kl_min(rows - r, KL_DEPTH);
        const bool fresh = first + r == 0;
        const T *p = x + r * row_stride;
        for (int64_t c = 0, left = width; left > 0; c += V(width), left -= V(width)) {
            V(vec) top = KL_FN(take)((fresh ? p : best) + c, left);
            V(vec) home = fresh ? V(splat)((T)0) : KL_FN(take)(best + width + c, left);
            for (int64_t d = 0; d < depth; d++) {
                const V(vec) next = KL_FN(take)(p + d * row_stride + c, left);
                const V(mask) beyond = greatest ? V(lt)(top, next) : V(lt)(next, top);
                const V(mask) nan = V(both)(V(is_nan)(next), V(eq)(top, top));
                const V(mask) found = V(either)(beyond, nan);
                top = V(select)(found, next, top);
                home = V(select)(found, V(splat)((T)(first + r + d)), home);
            }
            KL_FN(put)(best + c, top, left);
            KL_FN(put)(best + width + c, home, left);
        }
    }
}

#undef KL_DEPTH
