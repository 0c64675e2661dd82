/* The functions for f32, f64 and wide. */
#include "kael/math/words.inc.h"
#include "kael/math/exp.inc.h"
#include "kael/math/log.inc.h"
#include "kael/math/circular.inc.h"
#include "kael/math/inverse.inc.h"
#include "kael/math/hyperbolic.inc.h"
#include "kael/math/roots.inc.h"
