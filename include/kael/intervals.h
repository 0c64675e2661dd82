/* Sets of bytes: where the arrays of a list lie, whether two of them overlap, and whether one more
 * touches them. Arrays are told by their ends; their gaps count as theirs. */
#ifndef KAEL_INTERVALS_H
#define KAEL_INTERVALS_H

#include <stdlib.h>

#include "kael/layout.h"

struct kl_intervals {
    struct kl_interval *interval;
    int64_t count, capacity;
};

/* Empties the set, with room for so many; false when there is no memory. */
KL_INLINE bool kl_intervals_clear(struct kl_intervals *set, int64_t capacity) {
    set->count = 0;
    if (capacity <= set->capacity) return true;
    void *grown = realloc(set->interval, (size_t)capacity * sizeof *set->interval);
    if (!grown) return false;
    set->interval = grown;
    set->capacity = capacity;
    return true;
}

KL_INLINE void kl_intervals_add(struct kl_intervals *set, struct kl_interval one) {
    if (one.first < one.last) set->interval[set->count++] = one;
}

static inline int kl_intervals_order(const void *a, const void *b) {
    const size_t x = ((const struct kl_interval *)a)->first;
    const size_t y = ((const struct kl_interval *)b)->first;
    return (x > y) - (x < y);
}

/* Whether any two overlap. Leaves the set disjoint and ascending. */
KL_INLINE bool kl_intervals_settle(struct kl_intervals *set) {
    bool overlap = false;
    int64_t kept = 0;
    if (set->count == 0) return false;
    qsort(set->interval, (size_t)set->count, sizeof *set->interval, kl_intervals_order);
    for (int64_t i = 1; i < set->count; ++i) {
        struct kl_interval *last = &set->interval[kept];
        const struct kl_interval next = set->interval[i];
        if (next.first >= last->last) {
            set->interval[++kept] = next;
            continue;
        }
        overlap = true;
        if (next.last > last->last) last->last = next.last;
    }
    set->count = kept + 1;
    return overlap;
}

/* Whether one touches a settled set: the last interval that begins before its end decides. */
KL_INLINE bool kl_intervals_meet(const struct kl_intervals *set, struct kl_interval one) {
    if (set->count == 0 || one.first >= one.last || one.last <= set->interval->first) return false;
    const struct kl_interval *last = set->interval;
    for (int64_t count = set->count; count > 1;) {
        const int64_t half = count / 2;
        last += last[half].first < one.last ? half : 0;
        count -= half;
    }
    return last->last > one.first;
}

#endif
