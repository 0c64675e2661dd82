/* Integer products, exact modulo 2^w, stamped once per instruction set for each width: unsigned
 * words wrap without undefined behaviour, and the low w bits do not depend on the sign. */
#ifdef KL_WORD

/* Operands may lie at any address. */
typedef KL_WORD KL_EXACT(loose) __attribute__((aligned(1), may_alias));

enum { KL_EXACT(ROWS) = 4, KL_EXACT(COLUMNS) = 64 };

/* A tile of sums in L1; the compiler's vectors run along its columns. */
static void KL_EXACT(tile)(const struct kl_product *product) {
    KL_WORD acc[KL_EXACT(ROWS)][KL_EXACT(COLUMNS)] = {{0}};
    KL_WORD row[KL_EXACT(COLUMNS)] = {0};
    const char *a = product->a.data;
    const char *b = product->b.data;
    for (int64_t k = 0; k < product->inner; ++k) {
        for (int64_t j = 0; j < product->columns; ++j)
            row[j] = *(const KL_EXACT(loose) *)(b + j * product->b.column);
        for (int64_t i = 0; i < product->rows; ++i) {
            const KL_WORD value = *(const KL_EXACT(loose) *)(a + i * product->a.row);
            for (int j = 0; j < KL_EXACT(COLUMNS); ++j) acc[i][j] += (KL_WORD)(value * row[j]);
        }
        a += product->a.column;
        b += product->b.row;
    }
    for (int64_t i = 0; i < product->rows; ++i) {
        KL_EXACT(loose) *const out = (KL_EXACT(loose) *)(product->out + i * product->out_row);
        for (int64_t j = 0; j < product->columns; ++j)
            out[j] = product->fresh ? acc[i][j] : (KL_WORD)(out[j] + acc[i][j]);
    }
}

/* Rows [first, last) of the product. */
static void KL_EXACT(rows)(const struct kl_product *product, int64_t first, int64_t last) {
    struct kl_product tile = *product;
    for (int64_t left = 0; left < product->columns; left += KL_EXACT(COLUMNS)) {
        tile.columns = kl_min(product->columns - left, KL_EXACT(COLUMNS));
        tile.b.data = product->b.data + left * product->b.column;
        for (int64_t top = first; top < last; top += KL_EXACT(ROWS)) {
            tile.rows = kl_min(last - top, KL_EXACT(ROWS));
            tile.a.data = product->a.data + top * product->a.row;
            tile.out = product->out + top * product->out_row + left * (int64_t)sizeof(KL_WORD);
            KL_EXACT(tile)(&tile);
        }
    }
}

#undef KL_WORD
#undef KL_EXACT
#else

#define KL_WORD uint8_t
#define KL_EXACT(word) KL_FN(KL_CAT2(exact8_, word))
#include "kael/matmul/exact.inc.h"
#define KL_WORD uint32_t
#define KL_EXACT(word) KL_FN(KL_CAT2(exact32_, word))
#include "kael/matmul/exact.inc.h"
#define KL_WORD uint64_t
#define KL_EXACT(word) KL_FN(KL_CAT2(exact64_, word))
#include "kael/matmul/exact.inc.h"

#endif
