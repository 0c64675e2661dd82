/* Stamped once per instruction set and float type: packing, the set's micro-kernels, the ladder.
 * The file of the set is found by name, so that none is named here. */
#include KL_STRING(kael/matmul/KL_CAT2(ukr_, KL_ISA).h)

#include "kael/matmul/ladder.inc.h"
#undef KL_TILE_KERNELS
#undef KL_SQUARE
