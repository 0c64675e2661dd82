/* Reductions over any dims of any layout: splitting, staging, and how partial results end.
 *
 * Items (kl_plan_item) are independent. One block an output: the item ends the output itself. More:
 * items leave partials[output][block], which meet on the caller in the order of fold.h. Thus many
 * outputs and one long output are the same code, and no thread count can be seen.
 */
#ifndef KAEL_REDUCE_H
#define KAEL_REDUCE_H

#include <math.h>

#include "kael/plane.h"
#include "kael/reduce_plan.h"
#include "kael/reductions.h"
#include "kael/runtime.h"

#define KL_BODY "kael/reduce.inc.h"
#include "kael/foreach_isa.h"
#define KL_BODY "kael/reduce_ints.inc.h"
#define KL_ONCE_PER_ISA
#include "kael/foreach_isa.h"

/* rows: totals of x[rows][size]. columns: `rows` rows of a strip meet its state, `first` of them
 * having gone before (a multiple of KL_LANES). columns_meet: the strip's totals. ended: results. */
struct kl_reduce_kernels {
    void (*rows)(int term, const void *x, int64_t row_stride, int64_t rows, int64_t size,
                 bool far, const double *centers, kl_total *totals, int64_t *indices);
    void (*columns)(int term, const void *x, int64_t row_stride, int64_t first, int64_t rows,
                    int64_t width, const double *centers, void *state);
    void (*columns_meet)(int term, int64_t rows, int64_t width, void *state, kl_total *totals,
                         int64_t *indices);
    void (*ended)(const struct kl_ended *e, const void *x, int64_t stride, int64_t outputs,
                  void *out);
};

#define KL_KERNELS(type, isa)                                         \
    {kl_reduce_rows_##type##_##isa, kl_reduce_columns_##type##_##isa, \
     kl_columns_meet_##type##_##isa, kl_reduce_ended_##type##_##isa}
#define X(isa, title, usable)                                                                 \
    {KL_KERNELS(u8, isa),  KL_KERNELS(u8, isa),  KL_KERNELS(i32, isa), KL_KERNELS(i64, isa),  \
     KL_KERNELS(f32, isa), KL_KERNELS(f64, isa)},
static const struct kl_reduce_kernels kl_reduce_table[KL_ISA_COUNT][KL_DTYPE_COUNT] = {KL_ISAS(X)};
#undef X
#undef KL_KERNELS

struct kl_reduce {
    const struct kl_runtime *rt;
    const struct kl_reduce_kernels *kernels;
    struct kl_plan plan;
    const char *x;
    int64_t itemsize;
    bool floats, far; /* far: x is read where it lies, most of it from memory */
    bool ended;       /* kernels store the results themselves */
    int term, finish;
    double divisor;
    void *values;     /* outputs of values_dtype, or NULL */
    int values_dtype;
    int64_t *indices; /* outputs, or NULL */
    kl_total *partials;
    int64_t *partial_indices;
    double *centers; /* outputs: means, for variances of several blocks */
};

/* --- one item ----------------------------------------------------------------------------- */

/* What a body works in: a strip's state, a staged tile (either may be absent), and the totals,
 * indices and centers of a tile's outputs. */
struct kl_room {
    char *state, *tile;
    kl_total *totals;
    int64_t *indices;
    double *centers;
};

KL_INLINE int64_t kl_reduce_state_bytes(const struct kl_reduce *r) {
    if (!r->plan.columns || r->ended) return 0;
    return KL_LANES * r->plan.width * (int64_t)sizeof(double);
}

KL_INLINE int64_t kl_reduce_tile_bytes(const struct kl_reduce *r) {
    const struct kl_plan *plan = &r->plan;
    const int64_t depth = plan->columns
                              ? KL_STRIP_ROWS
                              : plan->group * kl_min(plan->size, KL_REDUCTION_BLOCK);
    return plan->direct ? 0 : kl_round_up(depth * plan->width * r->itemsize, KL_ALIGNMENT);
}

/* Copies elements [begin, begin + size) of the item's outputs: [output][element] for rows,
 * [element][output] for columns. */
static void kl_reduce_stage(const struct kl_reduce *r, const struct kl_item *item, int64_t begin,
                            int64_t size, char *tile) {
    const struct kl_plan *plan = &r->plan;
    const struct kl_dims *reduced = &plan->reduced;
    const int64_t step = reduced->strides[reduced->count - 1];
    for (int64_t done = 0, length = 1, runs = 1; done < size; done += runs * length) {
        const int64_t offset = kl_plan_run(plan, begin + done, size - done, &length, &runs);
        const char *from = r->x + (item->x + offset) * r->itemsize;
        if (runs > 1 && item->count == 1) {
            kl_plane_copy(
                (struct kl_plane){tile + done * r->itemsize, length, 1},
                (struct kl_plane){(char *)from, reduced->strides[reduced->count - 2], step}, runs,
                length, r->itemsize);
            continue;
        }
        runs = 1;
        if (plan->columns) {
            kl_plane_copy(
                (struct kl_plane){tile + done * item->count * r->itemsize, item->count, 1},
                (struct kl_plane){(char *)from, step, plan->strip_stride}, length, item->count,
                r->itemsize);
        } else {
            kl_plane_copy((struct kl_plane){tile + done * r->itemsize, size, 1},
                          (struct kl_plane){(char *)from, plan->strip_stride, step}, item->count,
                          length, r->itemsize);
        }
    }
}

static void kl_reduce_columns(const struct kl_reduce *r, int term, const struct kl_item *item,
                              const struct kl_room *room) {
    const int64_t stride = r->plan.direct ? r->plan.reduced.strides[0] : item->count;
    for (int64_t first = 0; first < item->size; first += KL_STRIP_ROWS) {
        const int64_t rows = kl_min(item->size - first, KL_STRIP_ROWS);
        const char *x = room->tile;
        if (r->plan.direct) {
            x = r->x + (item->x + (item->begin + first) * stride) * r->itemsize;
        } else {
            kl_reduce_stage(r, item, item->begin + first, rows, room->tile);
        }
        r->kernels->columns(term, x, stride, first, rows, item->count, room->centers, room->state);
    }
    r->kernels->columns_meet(term, item->size, item->count, room->state, room->totals,
                             room->indices);
}

static void kl_reduce_rows(const struct kl_reduce *r, int term, const struct kl_item *item,
                           const struct kl_room *room) {
    const char *x = room->tile;
    int64_t stride = item->size;
    if (r->plan.direct) {
        x = r->x + (item->x + item->begin) * r->itemsize;
        if (item->blocks == 1) stride = r->plan.strip_stride;
    } else {
        kl_reduce_stage(r, item, item->begin, item->blocks * item->size, room->tile);
    }
    r->kernels->rows(term, x, stride, item->count * item->blocks, item->size, r->far,
                     room->centers, room->totals, room->indices);
}

KL_INLINE void kl_reduce_item(const struct kl_reduce *r, int term, const struct kl_item *item,
                              const struct kl_room *room) {
    (r->plan.columns ? kl_reduce_columns : kl_reduce_rows)(r, term, item, room);
}

/* --- the end of an output ------------------------------------------------------------------- */

static void kl_reduce_store(const struct kl_reduce *r, int64_t out, int64_t step, int64_t count,
                            const kl_total *totals, const int64_t *indices) {
    for (int64_t c = 0; r->indices && c < count; c++) r->indices[out + c * step] = indices[c];
    if (!r->values) return;
    switch (r->finish) {
#define KL_CASE(name)                                                                       \
    case name:                                                                              \
        kl_reduce_store_as(name, r->divisor, r->values, r->values_dtype, out, step, count, \
                           totals);                                                         \
        break
        KL_CASE(KL_FINISH_TOTAL);
        KL_CASE(KL_FINISH_ROOT);
        KL_CASE(KL_FINISH_QUOTIENT);
        KL_CASE(KL_FINISH_ROOT_QUOTIENT);
#undef KL_CASE
    }
}

/* Whether the extreme of a later block replaces that of an earlier one. */
KL_INLINE bool kl_reduce_replaces(const struct kl_reduce *r, kl_total later, kl_total earlier) {
    const bool greatest = r->term == KL_TERM_MAX || r->term == KL_TERM_ARGMAX;
    if (!r->floats) return greatest ? later.i > earlier.i : later.i < earlier.i;
    if (earlier.f != earlier.f) return false;
    if (later.f != later.f) return true;
    if (later.f == earlier.f && !kl_term_is_arg(r->term)) {
        return !signbit(later.f) == greatest && !signbit(earlier.f) != greatest;
    }
    return greatest ? later.f > earlier.f : later.f < earlier.f;
}

/* The blocks' partials of one output. */
static kl_total kl_reduce_meet(const struct kl_reduce *r, const kl_total *partials,
                               const int64_t *partial_indices, int64_t *index) {
    const int64_t blocks = r->plan.blocks;
    kl_total total = partials[0];
    *index = partial_indices ? partial_indices[0] : 0;
    if (r->term < KL_TERM_MAX && r->floats) {
        struct kl_tree tree;
        tree.blocks = tree.depth = 0;
        for (int64_t b = 0; b < blocks; b++) kl_tree_push(&tree, r->term, partials[b].f);
        total.f = kl_tree_total(&tree, r->term);
        return total;
    }
    for (int64_t b = 1; b < blocks; b++) {
        const uint64_t old = (uint64_t)total.i, next = (uint64_t)partials[b].i;
        if (r->term == KL_TERM_FACTOR) {
            total.i = (int64_t)(old * next);
        } else if (r->term < KL_TERM_MAX) {
            total.i = (int64_t)(old + next);
        } else if (kl_reduce_replaces(r, partials[b], total)) {
            total = partials[b];
            if (partial_indices) *index = b * KL_REDUCTION_BLOCK + partial_indices[b];
        }
    }
    return total;
}

/* --- the split -------------------------------------------------------------------------------- */

/* An item whose outputs have one block: begun and ended here. */
static void kl_reduce_whole(const struct kl_reduce *r, const struct kl_item *item,
                            const struct kl_room *room) {
    if (r->ended) {
        const struct kl_plan *plan = &r->plan;
        const struct kl_ended e = {item->size, r->term, r->finish, r->divisor, plan->columns};
        const int64_t stride = plan->columns ? plan->reduced.strides[0] : plan->strip_stride;
        r->kernels->ended(&e, r->x + item->x * r->itemsize, stride, item->count,
                          (char *)r->values + item->out * kl_itemsize(r->values_dtype));
        return;
    }
    if (r->term == KL_TERM_DEVIATION) {
        kl_reduce_item(r, KL_TERM_VALUE, item, room);
        for (int64_t c = 0; c < item->count; c++) {
            room->centers[c] = room->totals[c].f / (double)r->plan.size;
        }
    }
    kl_reduce_item(r, r->term, item, room);
    kl_reduce_store(r, item->out, r->plan.strip_out, item->count, room->totals, room->indices);
}

/* An item of outputs with several blocks: leaves its partials. */
static void kl_reduce_partial(const struct kl_reduce *r, const struct kl_item *item,
                              const struct kl_room *room) {
    /* Blocks of one output lie side by side, those of neighbouring outputs do not. */
    const bool grouped = item->blocks > 1;
    const int64_t count = grouped ? item->blocks : item->count, step = r->plan.strip_out;
    for (int64_t c = 0; r->term == KL_TERM_DEVIATION && c < count; c++) {
        room->centers[c] = r->centers[item->out + (grouped ? 0 : c * step)];
    }
    kl_reduce_item(r, r->term, item, room);
    for (int64_t c = 0; c < count; c++) {
        const int64_t place = grouped ? item->out * r->plan.blocks + item->block + c
                                      : (item->out + c * step) * r->plan.blocks + item->block;
        r->partials[place] = room->totals[c];
        if (r->partial_indices) r->partial_indices[place] = room->indices[c];
    }
}

static int kl_reduce_body(void *context, int64_t first, int64_t last) {
    const struct kl_reduce *r = (const struct kl_reduce *)context;
    kl_total near[3 * KL_NEAR_OUTPUTS];
    const int64_t state = kl_reduce_state_bytes(r), tile = kl_reduce_tile_bytes(r);
    const int64_t width = kl_max(r->plan.width, r->plan.group);
    const bool wide = width > KL_NEAR_OUTPUTS && !r->ended;
    const int64_t bytes = state + tile + (wide ? 3 * 8 * width : 0);
    char *scratch = bytes > 0 ? (char *)r->rt->alloc(bytes) : NULL;
    if (bytes > 0 && !scratch) return KL_NO_MEMORY;
    struct kl_room room = {scratch, scratch ? scratch + state : NULL, near, NULL, NULL};
    if (wide) room.totals = (kl_total *)(scratch + state + tile);
    room.indices = (int64_t *)(room.totals + width);
    room.centers = (double *)(room.totals + 2 * width);
    for (int64_t number = first; number < last;) {
        const struct kl_item item = kl_plan_item(&r->plan, number, last);
        (r->plan.blocks == 1 ? kl_reduce_whole : kl_reduce_partial)(r, &item, &room);
        number += item.blocks;
    }
    if (scratch) r->rt->release(scratch, bytes);
    return KL_OK;
}

static int kl_reduce_run(struct kl_reduce *r) {
    const struct kl_plan *plan = &r->plan;
    const int64_t items = plan->outputs / plan->strip * plan->tiles * plan->blocks;
    const int64_t work = plan->width * kl_max(1, kl_min(plan->size, KL_REDUCTION_BLOCK));
    const int64_t grain = kl_grain(r->rt, items, work);
    return r->rt->parallel_for(0, items, grain, kl_reduce_body, r);
}

/* Outputs of several blocks: partials, then their meeting, twice for a variance. */
static int kl_reduce_blocks(struct kl_reduce *r) {
    const int64_t outputs = r->plan.outputs, blocks = r->plan.blocks;
    const int term = r->term;
    if (term == KL_TERM_DEVIATION) {
        r->term = KL_TERM_VALUE;
        KL_TRY(kl_reduce_run(r));
        for (int64_t o = 0; o < outputs; o++) {
            int64_t index;
            r->centers[o] =
                kl_reduce_meet(r, r->partials + o * blocks, NULL, &index).f / (double)r->plan.size;
        }
        r->term = term;
    }
    KL_TRY(kl_reduce_run(r));
    for (int64_t o = 0; o < outputs; o++) {
        int64_t index;
        const kl_total total = kl_reduce_meet(
            r, r->partials + o * blocks,
            r->partial_indices ? r->partial_indices + o * blocks : NULL, &index);
        kl_reduce_store(r, o, 1, 1, &total, &index);
    }
    return KL_OK;
}

/* The set whose kernels run. Along rows of f32 one with narrower vectors sums faster, since it
 * converts faster: 1e5 in cache, one thread of Zen 4, take 6.6 us by vectors of 64 bytes, 3.9 by
 * those of 32; and it has less to turn for the extremes of short rows. Down columns, where memory
 * is streamed, wide ones do better. */
static int kl_reduce_isa(const struct kl_reduce *r, int dtype) {
    static const int narrower[] = {
#define X(isa, title, usable) KL_CAT2(KL_ISA_, KL_NARROWER_##isa),
        KL_ISAS(X)
#undef X
    };
    const bool faster = r->term < KL_TERM_MAX || (r->ended && r->plan.size <= KL_SHORT_EXTREMES);
    return dtype == KL_DTYPE_f32 && faster && !r->plan.columns ? narrower[r->rt->isa] : r->rt->isa;
}

/* Whether kernels can store the results of outputs that are few elements each: what lies between an
 * element and a result is one operation, and no conversion but to double and back. */
KL_INLINE bool kl_reduce_may_end(const struct kl_reduce *r, int dtype) {
    if (!r->values || r->indices || r->term == KL_TERM_DEVIATION) return false;
    return r->values_dtype == (r->floats || r->term >= KL_TERM_MAX ? dtype : KL_DTYPE_i64);
}

/* And whether the plan lets them. */
static bool kl_reduce_ends(const struct kl_reduce *r) {
    const struct kl_plan *plan = &r->plan;
    const bool apart = plan->strip > 1 && plan->strip_out != 1;
    if (!plan->direct || plan->blocks > 1 || apart) return false;
    if (!plan->columns) return plan->size <= KL_FEW_ELEMENTS;
    return !r->floats || r->term >= KL_TERM_MAX || plan->size <= KL_FEW_ROWS;
}

/* Reduces the dims of `mask` of x. Integer dtypes know sum, prod and the extremes. `divisor` is
 * what mean and variances divide by. values[outputs] of values_dtype (f32 or f64 from floats;
 * int64, or x's own for max and min, from integers) and indices[outputs] may be NULL. max, min,
 * argmax and argmin need a size above zero where there are outputs. */
static int kl_reduce(const struct kl_runtime *rt, int reduction, int dtype, const void *x, int ndim,
                     const int64_t *shape, const int64_t *strides, uint32_t mask, double divisor,
                     void *values, int values_dtype, int64_t *indices) {
    static const int terms[] = {
#define X(name, term, finish) term,
        KL_REDUCTIONS(X)
#undef X
    };
    static const int finishes[] = {
#define X(name, term, finish) finish,
        KL_REDUCTIONS(X)
#undef X
    };
    static const double nothing = 0;
    struct kl_reduce r = {.rt = rt, .x = (const char *)x, .divisor = divisor, .values = values};
    r.itemsize = kl_itemsize(dtype);
    r.floats = kl_is_float(dtype);
    r.term = terms[reduction];
    r.finish = finishes[reduction];
    r.values_dtype = values_dtype;
    r.indices = indices;
    const int64_t short_row = kl_term_is_arg(r.term)   ? KL_SHORT_INDEX
                              : r.term >= KL_TERM_MAX ? KL_SHORT_EXTREME
                                                      : KL_SHORT_SUM;
    const bool may_end = kl_reduce_may_end(&r, dtype);
    /* Short rows of bytes are better turned: no vector of them is shorter than they are. */
    kl_plan_make(&r.plan, ndim, shape, strides, mask, rt->num_threads(), short_row,
                 may_end && r.itemsize > 1);
    if (r.plan.outputs == 0) return KL_OK;
    r.ended = may_end && kl_reduce_ends(&r);
    r.far = r.plan.direct && r.plan.outputs * r.plan.size * r.itemsize >= KL_FOLD_FAR;
    r.kernels = &kl_reduce_table[kl_reduce_isa(&r, dtype)][dtype];
    if (r.plan.size == 0) r.x = (const char *)&nothing;
    if (r.plan.blocks == 1) return kl_reduce_run(&r);

    const int64_t count = r.plan.outputs * r.plan.blocks;
    const int64_t bytes = 8 * (2 * count + r.plan.outputs);
    char *scratch = (char *)rt->alloc(bytes);
    if (!scratch) return KL_NO_MEMORY;
    r.partials = (kl_total *)scratch;
    r.partial_indices = kl_term_is_arg(r.term) ? (int64_t *)scratch + count : NULL;
    r.centers = (double *)scratch + 2 * count;
    const int status = kl_reduce_blocks(&r);
    rt->release(scratch, bytes);
    return status;
}

#endif
