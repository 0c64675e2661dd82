/* What this machine allows: the rates that no kernel passes, measured with kael's own words.
 *
 *     fma     chains of multiply-adds in registers, no memory: the flat part of the roofline
 *     stream  arrays walked with hardly any arithmetic: the slope
 *
 * A rate is what the whole pool does on the instruction set in use; kael.lab takes the times.
 */
#ifndef KAEL_MACHINE_H
#define KAEL_MACHINE_H

#include "kael/runtime.h"

/* Chains that hide the latency of a multiply-add: 12 fill the 16 registers of AVX2 and suit two
 * units of latency 4 or 5; 24 suit the four units of large Arm cores. The better one counts. */
enum { KL_MACHINE_FEW = 12, KL_MACHINE_MANY = 24 };

/* g is read; p and the states are read and written. With p NULL only g is read. */
struct kl_machine_stream {
    void *p, *a, *b;
    const void *g;
    int64_t count;
};

#define KL_BODY "kael/machine.inc.h"
#include "kael/foreach_isa.h"

struct kl_machine_kernels {
    double (*fma[2])(int64_t steps); /* by number of chains */
    double (*stream)(const struct kl_machine_stream *stream, int64_t first, int64_t last);
};

static const struct kl_machine_kernels kl_machine_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable)                                          \
    {{{kl_machine_fma_few_f32_##isa, kl_machine_fma_many_f32_##isa},   \
      kl_machine_stream_f32_##isa},                                    \
     {{kl_machine_fma_few_f64_##isa, kl_machine_fma_many_f64_##isa},   \
      kl_machine_stream_f64_##isa}},
    KL_ISAS(X)
#undef X
};

static const int64_t kl_machine_width[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) {v_width_f32_##isa, v_width_f64_##isa},
    KL_ISAS(X)
#undef X
};

struct kl_machine {
    const struct kl_machine_kernels *kernels;
    const struct kl_machine_stream *stream;
    int64_t steps;
    bool many;
    double kept; /* of the arithmetic, or the compiler would drop the loops */
};

static int kl_machine_fma_body(void *context, int64_t first, int64_t last) {
    struct kl_machine *machine = context;
    for (int64_t i = first; i < last; i++) {
        const double kept = machine->kernels->fma[machine->many](machine->steps);
        if (kept < 0) machine->kept = kept; /* never: every chain tends to 1 */
    }
    return KL_OK;
}

static int kl_machine_stream_body(void *context, int64_t first, int64_t last) {
    struct kl_machine *machine = context;
    const double kept = machine->kernels->stream(machine->stream, first, last);
    if (kept == INFINITY) machine->kept = kept; /* unlikely, and harmless */
    return KL_OK;
}

/* Runs steps of every chain four times on each thread; *operations: what was done, an fma being
 * two. dtype: f32 or f64. */
static int kl_machine_fma(const struct kl_runtime *rt, int dtype, int64_t steps, bool many,
                          double *operations) {
    const int wide = dtype == KL_DTYPE_f64;
    const int64_t parts = 4 * rt->num_threads();
    struct kl_machine machine = {&kl_machine_table[rt->isa][wide], NULL, steps, many, 0};
    const int64_t chains = many ? KL_MACHINE_MANY : KL_MACHINE_FEW;
    const int64_t lanes = chains * kl_machine_width[rt->isa][wide];
    *operations = 2.0 * (double)lanes * (double)steps * (double)parts;
    return rt->parallel_for(0, parts, 1, kl_machine_fma_body, &machine);
}

static int kl_machine_walk(const struct kl_runtime *rt, int dtype,
                           const struct kl_machine_stream *stream) {
    struct kl_machine machine = {&kl_machine_table[rt->isa][dtype == KL_DTYPE_f64], stream, 0,
                                 false, 0};
    return rt->parallel_for(0, stream->count, kl_grain(rt, stream->count, 1),
                            kl_machine_stream_body, &machine);
}

#endif
