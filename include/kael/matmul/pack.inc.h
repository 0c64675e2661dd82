/* Packing: one routine for the panels of a and of b; see kl_pack in tile.h. */
static void KL_FN(pack)(const char *src, int64_t lane_stride, int64_t inner_stride, int64_t lanes,
                        int64_t inner, int64_t pitch, char *dst) {
    T *out = (T *)dst;
    for (int64_t k = 0; k < inner; ++k) {
        const char *from = src + k * inner_stride;
        if (lane_stride == (int64_t)sizeof(T)) {
            memcpy(out, from, (size_t)lanes * sizeof(T));
        } else {
            for (int64_t lane = 0; lane < lanes; ++lane)
                out[lane] = *(const T *)(from + lane * lane_stride);
        }
        for (int64_t lane = lanes; lane < pitch; ++lane) out[lane] = (T)0;
        out += pitch;
    }
}
