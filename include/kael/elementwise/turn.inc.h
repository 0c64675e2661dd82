/* Transposes in registers, stamped per instruction set and type. Elements are only moved, whatever
 * they are. */

/* Square of V(width) rows: element e of row r of `to` is element r of row e of `from`. asked: the
 * square behind it along the rows of `from` is asked for. */
KL_INLINE void KL_FN(turn_square)(T *to, int64_t to_row, const T *from, int64_t from_row,
                                  bool streamed, bool asked) {
    enum { side = V(width) };
    V(vec) row[side];
    KL_UNROLL
    for (int r = 0; r < side; ++r) {
        row[r] = V(load)(from + r * from_row);
        if (asked) __builtin_prefetch(from + r * from_row + side);
    }
    V(turn)(row);
    KL_UNROLL
    for (int r = 0; r < side; ++r) {
        if (streamed) {
            V(stream)(to + r * to_row, row[r]);
        } else {
            V(store)(to + r * to_row, row[r]);
        }
    }
}

/* rows x size elements of `to`, whose rows are contiguous, from the transpose, whose columns are.
 * streamed: rows of `to` are aligned to KL_ALIGNMENT. */
static void KL_FN(turn)(struct kl_plane to, struct kl_plane from, int64_t rows, int64_t size,
                        bool streamed) {
    enum { side = V(width) };
    if (side == 1) {
        kl_plane_copy(to, from, rows, size, sizeof(T));
        return;
    }
    /* (1000, 1000) f32 takes 0.72 of the time with what comes next asked for. Lines that are a page
     * apart push each other out of L1 before that. */
    const bool asked = !streamed && from.element * (int64_t)sizeof(T) % KL_PAGE != 0;
    const int64_t squares = rows / side * side, whole = size / side * side;
    for (int64_t r = 0; r < squares; r += side) {
        for (int64_t e = 0; e < whole; e += side) {
            T *target = (T *)to.data + r * to.row + e;
            const T *source = (const T *)from.data + r + e * from.element;
            KL_FN(turn_square)(target, to.row, source, from.element, streamed, asked);
        }
    }
    kl_plane_copy(kl_plane_from(to, 0, whole, sizeof(T)), kl_plane_from(from, 0, whole, sizeof(T)),
                  squares, size - whole, sizeof(T));
    kl_plane_copy(kl_plane_from(to, squares, 0, sizeof(T)),
                  kl_plane_from(from, squares, 0, sizeof(T)), rows - squares, size, sizeof(T));
}
