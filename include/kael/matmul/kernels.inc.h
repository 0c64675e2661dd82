/* Stamped once per instruction set and float type: packing, the set's micro-kernels, the ladder.
 * The file of the set is found by name, so that none is named here. */

/* Elements of operands and outputs, which may lie at any address. */
#define KL_LOOSE KL_FN(loose)
typedef T KL_LOOSE __attribute__((aligned(1), may_alias));

#include KL_STRING(kael/matmul/KL_CAT2(ukr_, KL_ISA).h)

#include "kael/matmul/ladder.inc.h"
#undef KL_TILE_KERNELS
#undef KL_TILE_KERNELS_4
#undef KL_SQUARE
#undef KL_LOOSE
