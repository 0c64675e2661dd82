/* Packing: one routine for the panels of a and of b; see kl_pack in tile.h. The set's file gives
 * KL_SQUARE, a number of lanes, and KL_FN(square), which transposes KL_SQUARE x KL_SQUARE elements
 * through registers; where fewer lanes are left, the last one stands in for those that are not.
 *
 * Whole vectors are stored even where fewer lanes count: what lies beyond a row of the panel is
 * written later, because rows go up and, within a row, the last lanes go first.
 */

/* Rows of lanes side by side in the source. */
KL_INLINE void KL_FN(pack_rows)(const char *src, int64_t inner_stride, int64_t lanes, int64_t inner,
                                int64_t pitch, T *out) {
    const int64_t whole = lanes / V(width) * V(width);
    for (int64_t k = 0; k < inner; ++k) {
        const T *const from = (const T *)src;
        for (int64_t lane = 0; lane < whole; lane += V(width))
            V(store)(out + lane, V(load)(from + lane));
        if (whole < lanes) V(store)(out + whole, V(load_part)(from + whole, lanes - whole));
        src += inner_stride;
        out += pitch;
    }
}

/* Lanes of consecutive elements in the source: its lines are read in chunks of 256 bytes, eight
 * lanes or fewer at a time, so that strides of a power of two do not throw them out of L1 before
 * their end, and the next chunk is asked for. */
KL_INLINE void KL_FN(pack_lanes)(const char *src, int64_t lane_stride, int64_t lanes, int64_t inner,
                                 int64_t pitch, T *out) {
    enum { CHUNK = 256 / sizeof(T) };
    for (int64_t first = 0; first < inner; first += CHUNK) {
        const int64_t end = kl_min(inner, first + CHUNK);
        for (int64_t lane = (lanes - 1) / KL_SQUARE * KL_SQUARE; lane >= 0; lane -= KL_SQUARE) {
            const char *const from = src + lane * lane_stride;
            const int64_t count = kl_min(KL_SQUARE, lanes - lane);
            int64_t offset[KL_SQUARE];
            KL_UNROLL for (int l = 0; l < (int)KL_SQUARE; ++l)
                offset[l] = kl_min(l, count - 1) * lane_stride;
            int64_t k = first;
            for (; k + KL_SQUARE <= end; k += KL_SQUARE)
                KL_FN(square)(from + k * (int64_t)sizeof(T), offset, out + k * pitch + lane, pitch);
            for (; k < end; ++k)
                for (int64_t l = 0; l < count; ++l)
                    out[k * pitch + lane + l] = ((const KL_LOOSE *)(from + l * lane_stride))[k];
        }
    }
}

/* See kl_pack. */
static void KL_FN(pack)(const char *src, int64_t lane_stride, int64_t inner_stride, int64_t lanes,
                        int64_t inner, int64_t pitch, char *dst) {
    T *const out = (T *)dst;
    if (lane_stride == (int64_t)sizeof(T)) {
        KL_FN(pack_rows)(src, inner_stride, lanes, inner, pitch, out);
    } else if (inner_stride == (int64_t)sizeof(T)) {
        KL_FN(pack_lanes)(src, lane_stride, lanes, inner, pitch, out);
    } else {
        for (int64_t k = 0; k < inner; ++k)
            for (int64_t lane = 0; lane < lanes; ++lane)
                out[k * pitch + lane] =
                    *(const KL_LOOSE *)(src + lane * lane_stride + k * inner_stride);
    }
}
