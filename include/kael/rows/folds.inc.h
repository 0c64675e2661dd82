/* See folds.h. */
#include "kael/fold.inc.h"
#include "kael/rows/scan.inc.h"

/* The fold of x[size], or of x * y where y is given. */
static KL_UNUSED double KL_FN(row_fold)(const T *x, const T *y, int64_t size) {
    return y ? KL_FN(fold)(KL_TERM_PRODUCT, x, y, 0, size)
             : KL_FN(fold)(KL_TERM_VALUE, x, NULL, 0, size);
}
