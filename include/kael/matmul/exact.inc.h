/* The micro-kernels for integers, stamped once per instruction set for each width of
 * exact_word.inc.h. */
/* Bytes of a vector of the set; the portable one has no vectors of its own. */
#define KL_EXACT_BYTES \
    (KL_CAT4(v, width, f32, KL_ISA) > 1 ? 4 * (int)KL_CAT4(v, width, f32, KL_ISA) : 16)
#define KL_EXACT_WIDEST 2

/* See kl_pack. */
static void KL_FN(exact8_pack)(const char *src, int64_t lane_stride, int64_t inner_stride,
                               int64_t lanes, int64_t inner, int64_t pitch, char *dst) {
    for (int64_t k = 0; k < inner; ++k) {
        if (lane_stride == 1)
            memcpy(dst, src, (size_t)lanes);
        else
            for (int64_t lane = 0; lane < lanes; ++lane) dst[lane] = src[lane * lane_stride];
        src += inner_stride;
        dst += pitch;
    }
}

#define KL_WORD uint16_t
#define KL_ELEMENT uint8_t
#define KL_EXACT_HALVES 0
#define KL_EXACT(word) KL_FN(KL_CAT2(exact8_, word))
#define KL_EXACT_PACK KL_FN(exact8_pack)
#include "kael/matmul/exact_word.inc.h"

/* Packing moves elements and does nothing else to them: that of the floats serves. */
#define KL_WORD uint32_t
#define KL_ELEMENT uint32_t
#define KL_EXACT_HALVES KL_CAT2(KL_EXACT32_HALVES_, KL_ISA)
#define KL_EXACT(word) KL_FN(KL_CAT2(exact32_, word))
#define KL_EXACT_PACK KL_CAT4(kl, pack, f32, KL_ISA)
#include "kael/matmul/exact_word.inc.h"
#define KL_WORD uint64_t
#define KL_ELEMENT uint64_t
#define KL_EXACT_HALVES KL_CAT2(KL_EXACT64_HALVES_, KL_ISA)
#define KL_EXACT(word) KL_FN(KL_CAT2(exact64_, word))
#define KL_EXACT_PACK KL_CAT4(kl, pack, f64, KL_ISA)
#include "kael/matmul/exact_word.inc.h"

#undef KL_EXACT_BYTES
#undef KL_EXACT_WIDEST
