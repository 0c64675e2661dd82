/* Reductions of float rows and columns, stamped per instruction set and type.
 *
 * A row is contiguous: its lanes are registers (fold.inc.h). Columns lie across memory rows: their
 * lanes are an array (fold_columns.inc.h). Extremes and their indices are exact in any order and
 * use whatever vectors there are.
 */
#include "kael/fold.inc.h"
#include "kael/fold_columns.inc.h"
#include "kael/fold_few.inc.h"
#include "kael/reduce_extreme.inc.h"

/* Totals of rows x[rows][size] (at x + r * row_stride), size <= KL_REDUCTION_BLOCK; `far` where
 * they come from memory. */
static void KL_FN(reduce_rows)(int term, const void *data, int64_t row_stride, int64_t rows,
                               int64_t size, bool far, const double *centers, kl_total *totals,
                               int64_t *indices) {
#define KL_ROWS(total)                                 \
    for (int64_t r = 0; r < rows; r++) {               \
        const T *x = (const T *)data + r * row_stride; \
        totals[r].f = (total);                         \
    }
#define KL_CASE(term, center)                                                      \
    case term:                                                                     \
        if (far) {                                                                 \
            KL_ROWS(KL_FN(fold_block)(term, x, NULL, center, size, KL_FOLD_AHEAD)) \
        } else {                                                                   \
            KL_ROWS(KL_FN(fold_block)(term, x, NULL, center, size, 0))             \
        }                                                                          \
        break
    switch (term) {
    KL_CASE(KL_TERM_VALUE, 0);
    KL_CASE(KL_TERM_SQUARE, 0);
    KL_CASE(KL_TERM_ABS, 0);
    KL_CASE(KL_TERM_DEVIATION, centers[r]);
    KL_CASE(KL_TERM_FACTOR, 0);
    case KL_TERM_MAX: KL_ROWS(KL_FN(extreme)(true, x, size)) break;
    case KL_TERM_MIN: KL_ROWS(KL_FN(extreme)(false, x, size)) break;
    case KL_TERM_ARGMAX:
        KL_FN(extreme_rows)(true, data, row_stride, rows, size, totals, indices);
        break;
    case KL_TERM_ARGMIN:
        KL_FN(extreme_rows)(false, data, row_stride, rows, size, totals, indices);
        break;
    }
#undef KL_CASE
#undef KL_ROWS
}

static void KL_FN(reduce_columns)(int term, const void *data, int64_t row_stride, int64_t first,
                                  int64_t rows, int64_t width, const double *centers, void *acc) {
    const T *x = (const T *)data;
    switch (term) {
#define KL_CASE(name)                                                                     \
    case name:                                                                            \
        KL_FN(strip_add)(name, x, NULL, row_stride, first, rows, width, centers, acc);    \
        break
    KL_CASE(KL_TERM_VALUE);
    KL_CASE(KL_TERM_SQUARE);
    KL_CASE(KL_TERM_ABS);
    KL_CASE(KL_TERM_DEVIATION);
    KL_CASE(KL_TERM_FACTOR);
#undef KL_CASE
    case KL_TERM_MAX:
        KL_FN(strip_extreme)(true, x, row_stride, first, rows, width, acc);
        break;
    case KL_TERM_MIN:
        KL_FN(strip_extreme)(false, x, row_stride, first, rows, width, acc);
        break;
    case KL_TERM_ARGMAX:
        KL_FN(strip_index)(true, x, row_stride, first, rows, width, acc);
        break;
    case KL_TERM_ARGMIN:
        KL_FN(strip_index)(false, x, row_stride, first, rows, width, acc);
        break;
    }
}

/* The strip's totals. */
static void KL_FN(columns_meet)(int term, int64_t rows, int64_t width, void *state,
                                kl_total *totals, int64_t *indices) {
    if (term >= KL_TERM_MAX) {
        const T *best = (const T *)state;
        for (int64_t c = 0; c < width; c++) totals[c].f = best[c];
        for (int64_t c = 0; kl_term_is_arg(term) && c < width; c++) {
            indices[c] = (int64_t)best[width + c];
        }
        return;
    }
    double *acc = (double *)state;
    KL_FN(strip_meet)(term, rows, width, acc);
    for (int64_t c = 0; c < width; c++) totals[c].f = acc[c];
}

/* Outputs of few elements, from x on, `stride` between rows, to out. */
static void KL_FN(reduce_ended)(const struct kl_ended *e, const void *data, int64_t stride,
                                int64_t outputs, void *to) {
    const T *x = (const T *)data;
    T *out = (T *)to;
    const bool greatest = e->term == KL_TERM_MAX;
    switch (e->term) {
#define KL_CASE(term)                                                \
    case term:                                                       \
        if (e->columns) {                                            \
            KL_FN(few_columns)(e, term, x, stride, outputs, out);    \
        } else {                                                     \
            KL_FN(few_rows)(e, term, x, stride, outputs, out);       \
        }                                                            \
        break
    KL_CASE(KL_TERM_VALUE);
    KL_CASE(KL_TERM_SQUARE);
    KL_CASE(KL_TERM_ABS);
    KL_CASE(KL_TERM_FACTOR);
#undef KL_CASE
    default:
        if (e->columns) {
            KL_FN(strip_extreme)(greatest, x, stride, 0, e->size, outputs, out);
        } else {
            KL_FN(few_extremes)(greatest, x, stride, outputs, e->size, out);
        }
    }
}

/* One block of dot: sum of x * y. */
static kl_total KL_FN(dot_block)(const void *x, const void *y, int64_t size) {
    return (kl_total){
        .f = KL_FN(fold_block)(KL_TERM_PRODUCT, (const T *)x, (const T *)y, 0, size, 0)};
}
