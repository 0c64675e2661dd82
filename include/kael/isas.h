/* The instruction sets of this build, best first: X(isa, human name, run-time test).
 *
 * A new set is one line here, one block in foreach_isa.h, vec/<isa>.h and matmul/ukr_<isa>.h.
 * The run-time tests are in cpu.h; only runtime.pyx evaluates them.
 */
#ifndef KAEL_ISAS_H
#define KAEL_ISAS_H

#if defined(__x86_64__)
#define KL_ISAS(X)                                            \
    X(avx512, "AVX-512 F/DQ/BW/VL with FMA", kl_cpu_has_avx512()) \
    X(avx2, "AVX2 with FMA", kl_cpu_has_avx2())               \
    X(generic, "portable C", true)
#elif defined(__aarch64__)
#define KL_ISAS(X)                    \
    X(neon, "NEON (Advanced SIMD)", kl_cpu_has_neon()) \
    X(generic, "portable C", true)
#else
#define KL_ISAS(X) X(generic, "portable C", true)
#endif

/* The set to use where vectors of a whole cache line would cross one each time, or convert more
 * slowly than halves of them. */
#define KL_NARROWER_avx512  avx2
#define KL_NARROWER_avx2    avx2
#define KL_NARROWER_neon    neon
#define KL_NARROWER_generic generic

/* Row numbers of every kernel table. */
enum kl_isa {
#define X(isa, title, usable) KL_ISA_##isa,
    KL_ISAS(X)
#undef X
    KL_ISA_COUNT
};

#endif
