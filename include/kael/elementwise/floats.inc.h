/* What the lists name for floats that is neither a word nor in math.inc.h. */
#include "kael/extreme.inc.h"
#include "kael/math.inc.h"

/* -1, 0, 1, or NaN. */
KL_INLINE V(vec) KL_FN(sign)(V(vec) a) {
    const V(vec) one = V(splat)(1), zero = V(splat)(0);
    const V(vec) signs = V(select)(V(lt)(a, zero), V(neg)(one), a);
    return V(select)(V(lt)(zero, a), one, signs);
}

/* -1, 0 or 1: 0 for NaN, too, as the gradient of abs takes it. */
KL_INLINE V(vec) KL_FN(direction)(V(vec) a) {
    const V(vec) one = V(splat)(1), zero = V(splat)(0);
    return V(select)(V(lt)(zero, a), one, V(select)(V(lt)(a, zero), V(neg)(one), zero));
}
