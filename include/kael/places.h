/* Sets of bytes: where the arrays of a list lie, whether two of them overlap, and whether one more
 * touches them. Arrays are told by their ends; their gaps count as theirs. */
#ifndef KAEL_PLACES_H
#define KAEL_PLACES_H

#include <stdlib.h>

#include "kael/config.h"

struct kl_place {
    size_t first, last; /* bytes [first, last) */
};

struct kl_places {
    struct kl_place *place;
    int64_t count, capacity;
};

/* Empties the set, with room for so many; false when there is no memory. */
KL_INLINE bool kl_places_clear(struct kl_places *set, int64_t capacity) {
    set->count = 0;
    if (capacity <= set->capacity) return true;
    void *grown = realloc(set->place, (size_t)capacity * sizeof *set->place);
    if (!grown) return false;
    set->place = grown;
    set->capacity = capacity;
    return true;
}

KL_INLINE void kl_places_add(struct kl_places *set, struct kl_place one) {
    if (one.first < one.last) set->place[set->count++] = one;
}

static inline int kl_places_order(const void *a, const void *b) {
    const size_t x = ((const struct kl_place *)a)->first, y = ((const struct kl_place *)b)->first;
    return (x > y) - (x < y);
}

/* Whether any two overlap. Leaves the set disjoint and ascending. */
KL_INLINE bool kl_places_settle(struct kl_places *set) {
    bool overlap = false;
    int64_t kept = 0;
    if (set->count == 0) return false;
    qsort(set->place, (size_t)set->count, sizeof *set->place, kl_places_order);
    for (int64_t i = 1; i < set->count; ++i) {
        struct kl_place *last = &set->place[kept];
        const struct kl_place next = set->place[i];
        if (next.first >= last->last) {
            set->place[++kept] = next;
            continue;
        }
        overlap = true;
        if (next.last > last->last) last->last = next.last;
    }
    set->count = kept + 1;
    return overlap;
}

/* Whether one touches a settled set: the last place that begins before its end decides. */
KL_INLINE bool kl_places_meet(const struct kl_places *set, struct kl_place one) {
    if (set->count == 0 || one.first >= one.last || one.last <= set->place->first) return false;
    const struct kl_place *place = set->place;
    for (int64_t count = set->count; count > 1;) {
        const int64_t half = count / 2;
        place += place[half].first < one.last ? half : 0;
        count -= half;
    }
    return place->last > one.first;
}

#endif
