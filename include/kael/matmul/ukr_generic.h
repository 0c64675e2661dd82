/* The portable kernel: tiles of 6 x 8, each row one group of 8 scalars; see plain.inc.h. */
#define KL_PLAIN(word) KL_FN(plain_6x8_##word)
#define KL_PLAIN_ROWS 6
#define KL_PLAIN_COLUMNS 8
#include "kael/matmul/plain.inc.h"
#undef KL_PLAIN
#undef KL_PLAIN_ROWS
#undef KL_PLAIN_COLUMNS

#define KL_TILE_KERNELS KL_FN(plain_6x8_kernels)
