/* Results that fit no cache are stored past them: such a store does not first read the line that it
 * overwrites, nor push out what is there. 64 MiB on one thread of Zen 4, as a loop over huge pages:
 *
 *     copy   4.7 ms, streamed 3.2, with the source asked for ahead 2.9 (memcpy 4.9)
 *     add    7.4 ms, streamed 4.8
 */
#ifndef KAEL_STREAMED_H
#define KAEL_STREAMED_H

#include "kael/config.h"

enum { KL_STREAMED_BYTES = 32 << 20 /* of results: the last cache of most machines, or more */ };

/* Before another thread reads what this one streamed: a chunk's end. */
KL_INLINE void kl_streamed_end(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

#endif
