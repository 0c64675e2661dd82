/* What every fold shares: constants, terms, and the tree in which blocks meet (numerics R3).
 *
 *     elements   0 1 2 ... 31 | 32 33 ... 63 | ...     16384 to a block
 *     lanes      0 1 2 ... 31 |  0  1 ... 31 | ...     lane l adds elements l, l + 32, l + 64, ...
 *     halving    l += l + 16, l += l + 8, ... , 0 += 1 -> one partial a block
 *     tree       ((p0 + p1) + (p2 + p3)) + p4          neighbours; an odd last one is carried
 *
 * Lanes start at the identity: sums at +0, products at 1. So a lane without an element, and zeros
 * added to fill a vector, change nothing: a running sum that began at +0 never becomes -0.
 */
#ifndef KAEL_FOLD_H
#define KAEL_FOLD_H

#include "kael/config.h"

enum {
    KL_REDUCTION_BLOCK = 16384, /* elements of a sum; numerics R3 */
    KL_LANES = 32,              /* four AVX-512, eight AVX2 or sixteen NEON accumulators */
    KL_LANE_LEVELS = 5,         /* halvings of KL_LANES */
    KL_NEAR_OUTPUTS = 64,       /* outputs that are few: their totals fit on the stack */
    /* How much is read from where most of it is in memory, or may be, and how many bytes ahead a
     * walk along rows then asks for lines. One thread of Zen 4, sums of f32: 40 MB (some of which
     * is in L3) take 1.05 ms, asking so 0.92; 64 MiB 2.03 and 1.92; 96 MiB gain nothing. 4 KiB
     * ahead it costs a quarter, at any distance a half if the data are in L3. */
    KL_FOLD_FAR = 32 << 20,
    KL_FOLD_AHEAD = 15 << 10
};

/* What an element contributes, and how contributions meet. Sums and products live in double lanes
 * (int64 for integers); the rest is exact and lives in the element type. */
enum kl_term {
    KL_TERM_VALUE,     /* x */
    KL_TERM_SQUARE,    /* x * x in double */
    KL_TERM_ABS,       /* |x| */
    KL_TERM_DEVIATION, /* (x - center)^2 in double */
    KL_TERM_PRODUCT,   /* x * y in double: dot */
    KL_TERM_MOMENT,    /* (x - center) * y in double */
    KL_TERM_FACTOR,    /* x, met by multiplication */
    KL_TERM_MAX,       /* NaN wins, +0 is greater than -0 */
    KL_TERM_MIN,
    KL_TERM_ARGMAX, /* first NaN, else first of the greatest; -0 equals +0 */
    KL_TERM_ARGMIN
};

/* Outputs that are finished where they are made (fold_few.inc.h): elements of each, what to do with
 * an element and with a total, and whether they lie down columns or along rows. */
struct kl_ended {
    int64_t size;
    int term, finish;
    double divisor;
    bool columns;
};

enum {
    KL_FEW_VECTORS = 4, /* that go down columns together */
    KL_FEW_PIECE = 256, /* columns whose partial totals wait in L1 */
    /* Elements of an output: more of a column are better read row by row, and of a row asked for
     * ahead. */
    KL_FEW_ROWS = 128,
    KL_FEW_ELEMENTS = 512
};

KL_INLINE bool kl_term_is_arg(int term) { return term >= KL_TERM_ARGMAX; }

/* A partial or whole result: the double or int64 accumulator, or the value of an extreme. */
typedef union {
    double f;
    int64_t i;
} kl_total;

/* Blocks meet like digits of a binary counter, which is the pairwise tree: entry e of the stack
 * holds as many blocks as its place says, and what is left at the end meets from the right. */
struct kl_tree {
    double partial[64];
    int64_t blocks;
    int depth;
};

KL_INLINE double kl_meet(int term, double a, double b) {
    return term == KL_TERM_FACTOR ? a * b : a + b;
}

KL_INLINE void kl_tree_push(struct kl_tree *tree, int term, double partial) {
    tree->partial[tree->depth++] = partial;
    for (int64_t count = ++tree->blocks; (count & 1) == 0; count >>= 1) {
        tree->depth--;
        tree->partial[tree->depth - 1] =
            kl_meet(term, tree->partial[tree->depth - 1], tree->partial[tree->depth]);
    }
}

KL_INLINE double kl_tree_total(struct kl_tree *tree, int term) {
    if (tree->depth == 0) return term == KL_TERM_FACTOR ? 1.0 : 0.0;
    double total = tree->partial[--tree->depth];
    while (tree->depth > 0) total = kl_meet(term, tree->partial[--tree->depth], total);
    return total;
}

#endif
