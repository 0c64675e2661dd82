/* The row kernels, stamped per instruction set and type; the table names them in order. */
#include "kael/rows/totals.inc.h"

#include "kael/fold_columns.inc.h"
#include "kael/rows/softmax.inc.h"
#include "kael/rows/standardize.inc.h"
#include "kael/rows/affine.inc.h"
#include "kael/rows/cumsum.inc.h"

static const kl_row_function KL_FN(row_functions)[KL_ROW_COUNT] = {
#define X(name, cost) KL_FN(name##_rows),
    KL_ROW_KERNELS(X)
#undef X
};
