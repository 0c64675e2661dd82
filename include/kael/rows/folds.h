/* The fold of a row by every instruction set. Stamped before any kernel, because a set may have
 * another one fold for it (KL_FN(fold_of) in totals.inc.h). */
#ifndef KAEL_ROWS_FOLDS_H
#define KAEL_ROWS_FOLDS_H

#define KL_BODY "kael/rows/folds.inc.h"
#include "kael/foreach_isa.h"

#endif
