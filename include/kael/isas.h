/* The instruction sets of this build, best first: X(isa, human name, run-time test).
 *
 * What a set needs:
 *
 *     here               its line, and the set to fall back on where vectors are too wide
 *     cpu.h              its run-time test; only runtime.pyx calls it
 *     foreach_isa.h      a block that opens its target region, if it is no baseline
 *     vec/<isa>.h        the words of vec/generic.h; <isa>.inc.h beside it has those of either type
 *     half/<isa>.h       its conversions of 16-bit floats; half.h includes it
 *     matmul/ukr_<isa>.h   tiles and registers of its micro-kernels; where it has no product of
 *                        whole vectors of integers, KL_EXACT32_HALVES_<isa> or 64 (exact.inc.h)
 *
 * and outside this folder, for what looks at machine code: tools/vec_report.py (bytes of a vector),
 * tests/test_house.py (names of its registers), tests/test_matmul_registers.py (rows of its tiles),
 * tests/test_cpu.py (flags of the CPU).
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
