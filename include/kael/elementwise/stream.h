/* Results that fit no cache are stored past them: such a store does not first read the line that it
 * overwrites, nor push out what is there. 64 MiB on one thread of Zen 4, as a loop over huge pages:
 *
 *     copy   4.7 ms, streamed 3.2, with the source asked for ahead 2.9 (memcpy 4.9)
 *     add    7.4 ms, streamed 4.8
 */
#ifndef KAEL_ELEMENTWISE_STREAM_H
#define KAEL_ELEMENTWISE_STREAM_H

#include "kael/elementwise/loops.h"

enum {
    kStreamedBytes = 32 << 20, /* of results: the last cache of most machines, or more */
    kStreamedAhead = 2048,     /* bytes */
    kStreamedCost = 8          /* additions; dearer operations wait for arithmetic */
};

/* `streamed` of a kernel whose results at out are made from inputs at in[count] in memory. */
KL_INLINE unsigned kl_streamed(int64_t bytes, const void *out, char *const *in, int count) {
    unsigned streamed = kStreamed;
    for (int k = 0; k < count; ++k) {
        if (in[k] == out) return 0;
        streamed |= (unsigned)kStreamedFrom << k;
    }
    return bytes >= kStreamedBytes ? streamed : 0;
}

/* How many bytes ahead of what it reads a kernel asks for input k: none of what is near. */
KL_INLINE int64_t kl_stream_ahead(unsigned streamed, int k) {
    return streamed >> k & kStreamedFrom ? kStreamedAhead : 0;
}

/* Before another thread reads what this one streamed: a chunk's end. */
KL_INLINE void kl_stream_end(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* Runs a kernel on n elements of contiguous operands, the output first; of streamed results what
 * lies before the first line goes the ordinary way. */
KL_INLINE int kl_run_kernel(kl_kernel kernel, char *out, const void *const *in,
                            const int64_t *itemsizes, int inputs, int64_t n,
                            unsigned streamed) {
    const void *rest[kMaxOperands - 1];
    if (!streamed) return kernel(out, in, n, 0);
    const int64_t before = -(uintptr_t)out & (KL_ALIGNMENT - 1);
    const int64_t head = kl_min(n, before / itemsizes[0]);
    if (head > 0) KL_TRY(kernel(out, in, head, 0));
    for (int k = 0; k < inputs; ++k) rest[k] = (const char *)in[k] + head * itemsizes[1 + k];
    return kernel(out + head * itemsizes[0], rest, n - head, streamed);
}

#endif
