/* Words of the compiler: inlining, aliasing, unrolling, name pasting, and the element types.
 *
 * Nothing here knows an instruction set; vec/<isa>.h and foreach_isa.h do.
 */
#ifndef KAEL_CONFIG_H
#define KAEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KL_INLINE static inline __attribute__((always_inline, unused))
#define KL_UNUSED __attribute__((unused))
#define KL_RESTRICT __restrict__
#define KL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define KL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A stated contract, held in debug builds (KAEL_DEBUG=1) and free otherwise. */
#ifdef KAEL_DEBUG
#include <assert.h>
#define KL_ASSERT(condition) assert(condition)
#else
#define KL_ASSERT(condition) ((void)0)
#endif

/* Accumulators written as an array stay in registers only when every loop over them is unrolled
 * whole; put this before such a loop. gcc spells the bound, clang takes "full". */
#if defined(__clang__)
#define KL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KL_UNROLL _Pragma("GCC unroll 64")
#endif

/* Before a loop of few rounds, which clang would unroll beyond the registers. */
#if defined(__clang__)
#define KL_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define KL_ROLLED _Pragma("GCC unroll 1")
#endif

/* The vector x is worked out here, and what is loaded later is loaded later: clang would bring all
 * loads up, and store sums to make room. */
#if defined(__clang__) && defined(__x86_64__)
#define KL_SETTLE(x) __asm__ volatile("" : "+v"(x) : : "memory")
#elif defined(__clang__) && defined(__aarch64__)
#define KL_SETTLE(x) __asm__ volatile("" : "+w"(x) : : "memory")
#else
#define KL_SETTLE(x) ((void)0)
#endif

/* A kernel: a function of `job` whose body is called with the constants that make it one. Inlined
 * twice, because clang 14 works on a body before it knows them, and then keeps arrays of which a
 * loop touches a single element in memory. */
#define KL_KERNEL(name, type, call)                                     \
    KL_INLINE void KL_CAT2(name, _body)(type *job) { call; }                \
    static void name(type *job) { KL_CAT2(name, _body)(job); }

/* Before a loop over arrays that do not overlap: restrict is often lost when a body is inlined,
 * and a run-time overlap test then doubles the code. */
#if defined(__clang__)
#define KL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KL_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Pasting that expands its arguments first. */
#define KL_CAT2_(a, b) a##b
#define KL_CAT2(a, b) KL_CAT2_(a, b)
#define KL_CAT4_(a, b, c, d) a##_##b##_##c##_##d
#define KL_CAT4(a, b, c, d) KL_CAT4_(a, b, c, d)
#define KL_STRING_(a) #a
#define KL_STRING(a) KL_STRING_(a)

/* Inside a re-included body KL_ISA and KL_TYPE are defined (see foreach_isa.h):
 * KL_FN(softmax_row) is kl_softmax_row_f32_avx2. */
#define KL_FN(name) KL_CAT4(kl, name, KL_TYPE, KL_ISA)

/* Element types, in the order of promotion: bool < u8 < i32 < i64 < f32 < f64.
 * X(name, C type) */
#define KL_DTYPES(X)  \
    X(bool, uint8_t)  \
    X(u8, uint8_t)    \
    X(i32, int32_t)   \
    X(i64, int64_t)   \
    X(f32, float)     \
    X(f64, double)

enum kl_dtype {
#define X(name, type) KL_DTYPE_##name,
    KL_DTYPES(X)
#undef X
    KL_DTYPE_COUNT
};

KL_INLINE int64_t kl_itemsize(int dtype) {
    static const int64_t sizes[] = {
#define X(name, type) sizeof(type),
        KL_DTYPES(X)
#undef X
    };
    return sizes[dtype];
}

KL_INLINE bool kl_is_float(int dtype) { return dtype >= KL_DTYPE_f32; }

/* Memory from outside may start anywhere; what reads elements through their type needs this. */
KL_INLINE bool kl_aligned(const void *data, int64_t itemsize) {
    return ((uintptr_t)data & (uintptr_t)(itemsize - 1)) == 0;
}

/* Dimensions of a tensor: shape and strides are kept inside the tensor object. */
enum { KL_MAX_DIMS = 16 };

/* Blocks, panels and vectors all start on a cache line. */
enum { KL_ALIGNMENT = 64 };

KL_INLINE int64_t kl_min(int64_t a, int64_t b) { return a < b ? a : b; }
KL_INLINE int64_t kl_max(int64_t a, int64_t b) { return a > b ? a : b; }
/* a >= 0, b > 0, of any size. */
KL_INLINE int64_t kl_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
KL_INLINE int64_t kl_round_up(int64_t a, int64_t step) { return kl_ceil_div(a, step) * step; }

#endif
