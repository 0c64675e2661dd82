/* Vectors that may reach beyond the end of an array. A body for each type. */

/* The vector at p, of which `left` elements exist. */
KL_INLINE V(vec) KL_FN(take)(const T *p, int64_t left) {
    return left >= V(width) ? V(load)(p) : V(load_part)(p, left);
}

KL_INLINE void KL_FN(put)(T *p, V(vec) x, int64_t left) {
    if (left >= V(width)) {
        V(store)(p, x);
    } else {
        V(store_part)(p, x, left);
    }
}
