/* The row of kernels of a set, from the shapes, KL_TILES_<type>_<isa>, and the widths that its file
 * gives.
 */
#include "kael/matmul/stream.inc.h"
#include "kael/matmul/tile.inc.h"

#ifndef KL_TILE_BRIEF
#define KL_TILE_BRIEF {0, 0}
#endif
#ifndef KL_TILE_TURNED
#define KL_TILE_TURNED NULL
#endif
#ifndef KL_TILE_FEW
#define KL_TILE_FEW NULL
#endif
#ifndef KL_TILE_NARROW
#define KL_TILE_NARROW NULL
#endif

static const struct kl_tile_kernels KL_FN(tile_kernels) =
    KL_KERNELS(KL_FN(pack), KL_TILE_NARROW, &KL_FN(stream_kernels),
               KL_CAT4(KL, TILE_ROWS, KL_TYPE, KL_ISA), KL_CAT4(KL, TILE_VECTORS, KL_TYPE, KL_ISA));

/* The small tile of the rung v4: 4 rows of KL_TILE_SMALL vectors. */
static const struct kl_tile_kernels KL_FN(tile_kernels_4) =
    KL_KERNELS(KL_FN(pack), NULL, NULL, 4,
               {KL_TILE_SMALL, KL_TILE_SMALL, KL_TILE_SMALL, KL_TILE_SMALL});

#undef KL_KERNELS
#undef KL_TILE_ENTRY
#undef KL_EDGE_ENTRY
#undef KL_SHAPE
#undef KL_TILE_BRIEF
#undef KL_TILE_LANES
#undef KL_TILE_NARROW
#undef KL_TILE_FEW
#undef KL_TILE_TURNED
#undef KL_TILE_REGISTERS
#undef KL_TILE_MASKS
#undef KL_TILE_ORDER
#undef KL_TILE_PACKS_FROM
#undef KL_TILE_SMALL
#define KL_TILE_KERNELS KL_FN(tile_kernels)
#define KL_TILE_KERNELS_4 KL_FN(tile_kernels_4)
