/* The map of this folder, in the order to read it, and what every family of kernels shares.
 *
 * A family's .h file splits its work, its .inc.h file is the arithmetic; parts of large ones lie in
 * a folder of its name, or in <family>_<part>.
 *
 *   1  config.h status.h         compiler words and element types; what a driver can answer
 *      isas.h runtime.h          the instruction sets; all that a driver may ask of the process
 *   2  foreach_isa.h foreach_type.h   how one body becomes a function per set and element type
 *      vec/                      the words bodies are written in; generic.h specifies them
 *   3  elementwise.h .inc.h elementwise/   the simplest family, whole: walks, table, loops
 *      unary.def binary.def      one line per operation
 *      math.inc.h math/          exp, log, tanh, erf, ...; tools/fit_math.py writes the tables
 *   4  dims.h layout.h plane.h   strided memory: walked in order, as one run, turned to rows
 *      copy.h join.h             rows of bytes; arrays one after another
 *      part.inc.h streamed.h     beyond an array's end; past the caches
 *      indexing.h scatter.h      rows by number; what max gives back
 *   5  fold.h .inc.h fold_columns.inc.h fold_few.inc.h   the order of every sum, along and down
 *      reduce.h .inc.h reductions.h reduce_plan.h   which dims meet, and in which kernel
 *      reduce_int.inc.h reduce_ints.inc.h reduce_extreme.inc.h extreme.inc.h   without rounding
 *      dot.h norm.h .inc.h norm_part.h   of two vectors; of a list of tensors
 *   6  rows.h .inc.h rows/       kernels that see a whole row: softmax, norms, cumsum
 *      losses.h .inc.h           the same for targets
 *   7  matmul.h matmul/          packing, loops, micro-kernels, the ladder that leads to them
 *   8  philox.h .inc.h random.h .inc.h   random words by number; what is drawn from them
 *      optim.h .inc.h optim/     two files per update rule; row.h: what a rule declares
 *      intervals.h               where its arrays lie, and whether they overlap
 *      root_groups.inc.h half.h .inc.h half/   roots beside divisions; 16-bit floats in memory
 *   9  process.h                 who answers runtime.h; all mutable state is below, and compiled
 *      pool.h wait.h alloc.h cpu.h profile.h   by runtime.pyx alone
 *      machine.h .inc.h          the rates that no kernel passes
 *
 * Words, as these files use them:
 *
 *   word    a function of the vocabulary in vec/: V(fma) for T, VD(fma) for double
 *   body    arithmetic in words, an .inc.h file; stamped: included once per set and element type
 *   row     of a table: an instruction set's kernels, picked by rt->isa; of data: the last dim(s)
 *   lane    an element of a vector, or one of the 32 accumulators of a fold
 *   fold    the one order in which a sum's elements meet: lanes, halvings, then a tree of blocks
 *   block   16384 elements of a sum, or 512 steps of a product's inner dim
 *   tile    rows and columns of a product whose sums live in registers; elsewhere a contiguous copy
 *           of a strided piece, near whoever works on it
 *   plane   a strided piece of rows and elements, which plane.h copies to and fro
 *   turn    to transpose, by squares in registers
 *   stream  to pass memory once, from end to end; streamed results are stored past the caches
 *   panel   a packed part of a matrix, as wide as a tile; strip: a part of a product that a thread
 *           claims and shares with none
 *   chunk   what one call of a parallel body gets; grain: the least that is worth it
 *   participant   who takes chunks: a worker, or the caller
 *   rung    one of the six versions of the matmul ladder, each with one idea more
 *   twin    the slow path beside a fast one, short enough to trust, with which tests compare it
 *   numerics R3   row R3 of the table in docs/promise.md: an order of arithmetic that is fixed
 */
#ifndef KAEL_KAEL_H
#define KAEL_KAEL_H

#include "kael/config.h"
#include "kael/isas.h"
#include "kael/runtime.h"
#include "kael/status.h"

#endif
