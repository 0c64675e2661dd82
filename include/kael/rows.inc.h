/* The row kernels, stamped per instruction set and type; the table names them in order. */
#include "kael/rows/totals.inc.h"

#include "kael/fold_columns.inc.h"
#include "kael/rows/columns.inc.h"
#include "kael/rows/softmax.inc.h"
#include "kael/rows/softmax_columns.inc.h"
#include "kael/rows/standardize.inc.h"
#include "kael/rows/affine.inc.h"
#include "kael/rows/cumsum.inc.h"

static const kl_row_function KL_FN(row_functions)[KL_ROW_COUNT] = {
#define X(name, cost) KL_FN(name##_rows),
    KL_ROW_KERNELS(X)
#undef X
};

static const kl_row_function KL_FN(column_functions)[KL_ROW_COUNT] = {
    [KL_ROW_softmax] = KL_FN(softmax_columns),
    [KL_ROW_log_softmax] = KL_FN(log_softmax_columns),
    [KL_ROW_cumsum] = KL_FN(cumsum_columns),
    [KL_ROW_softmax_backward] = KL_FN(softmax_backward_columns),
    [KL_ROW_log_softmax_backward] = KL_FN(log_softmax_backward_columns),
    [KL_ROW_logsumexp] = KL_FN(logsumexp_columns),
    [KL_ROW_logsumexp_backward] = KL_FN(logsumexp_backward_columns),
};
