/* Tiles one vector of 256 bits wide, for AVX-512's registers and masks: the micro-kernel stamped as
 * a set of its own, half_avx512, with the few words it takes. Heights are those of the whole
 * vectors, whose packed panels it shares.
 */
#undef KL_ISA
#define KL_ISA half_avx512

#define KL_HALF_f32(name) _mm256_##name##_ps
#define KL_HALF_f64(name) _mm256_##name##_pd
#define KL_HALF(name) KL_CAT2(KL_HALF_, KL_TYPE)(name)
#define KL_HALF_VECTOR_f32 __m256
#define KL_HALF_VECTOR_f64 __m256d

typedef T KL_LOOSE __attribute__((aligned(1), may_alias));
typedef KL_CAT2(KL_HALF_VECTOR_, KL_TYPE) V(vec);
enum { V(width) = 32 / sizeof(T) };

KL_INLINE __mmask8 V(first)(int64_t count) { return (__mmask8)((1u << count) - 1); }
KL_INLINE V(vec) V(load)(const T *p) { return KL_HALF(loadu)(p); }
KL_INLINE V(vec) V(load_part)(const T *p, int64_t count) {
    return KL_HALF(maskz_loadu)(V(first)(count), p);
}
KL_INLINE void V(store)(T *p, V(vec) x) { KL_HALF(storeu)(p, x); }
KL_INLINE void V(store_part)(T *p, V(vec) x, int64_t count) {
    KL_HALF(mask_storeu)(p, V(first)(count), x);
}
KL_INLINE V(vec) V(splat)(T x) { return KL_HALF(set1)(x); }
KL_INLINE V(vec) V(add)(V(vec) a, V(vec) b) { return KL_HALF(add)(a, b); }
KL_INLINE V(vec) V(fma)(V(vec) a, V(vec) b, V(vec) c) { return KL_HALF(fmadd)(a, b, c); }

#define KL_TILES_f32_half_avx512(X) KL_HEIGHTS_14(X, 1)
#define KL_TILES_f64_half_avx512(X) KL_HEIGHTS_8(X, 1)

#define KL_TURNED_ABREAST 2
#define KL_TURNED_HEIGHTS(X) KL_CAT2(KL_TURNED_HEIGHTS_, KL_TYPE)(X)
#define KL_TURNED_ONCE INT64_MAX
#define KL_TURNED_WIDER &KL_CAT4(kl, turned_kernels, KL_TYPE, avx512)
#define KL_TURNED_SQUARE KL_CAT4(kl, turned_pairs, KL_TYPE, avx512)
#include "kael/matmul/turned_x86.inc.h"

#include "kael/matmul/tile.inc.h"

static const struct kl_tile_kernels KL_FN(tile_kernels) =
    KL_KERNELS(KL_CAT4(kl, pack, KL_TYPE, avx512), NULL, NULL,
               KL_CAT4(KL, TILE_ROWS, KL_TYPE, avx512), {[0 ... KL_TILE_ROWS - 1] = 1});
#define KL_TILE_NARROW &KL_CAT4(kl, tile_kernels, KL_TYPE, half_avx512)

#undef KL_TURNED_HEIGHTS_f32
#undef KL_TURNED_HEIGHTS_f64
#undef KL_HALF_f32
#undef KL_HALF_f64
#undef KL_HALF
#undef KL_HALF_VECTOR_f32
#undef KL_HALF_VECTOR_f64
#undef KL_ISA
#define KL_ISA avx512
