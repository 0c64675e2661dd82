/* The caching block allocator: freed blocks wait in a free list per size class for the next
 * request of that class, so that a training step touches pages which are already mapped.
 *
 *     up to 64 KiB   classes of 512 bytes     1 -> 512   513 -> 1024   65536 -> 65536
 *     above          powers of two            65537 -> 131072   1000000 -> 1048576
 *
 * The books: reserved == in_use + cached, always, read under the one mutex. A free block's first
 * word links it to the next one of its class, so that keeping a block needs no memory and cannot
 * fail. The lists hold at most kMaxCachedBytes; what would exceed it goes back to the system.
 *
 * Sanitizer builds compile the cache out (a reused block hides a use after free) and keep the
 * books. Included by runtime.pyx only. Never destroyed: blocks outlive the interpreter's end.
 */
#ifndef KAEL_ALLOC_H
#define KAEL_ALLOC_H

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kael/config.h"

/* gcc names the sanitizer by a macro, clang by a feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KL_SANITIZER "address"
#elif __has_feature(thread_sanitizer)
#define KL_SANITIZER "thread"
#endif
#endif
#if !defined(KL_SANITIZER) && defined(__SANITIZE_ADDRESS__)
#define KL_SANITIZER "address"
#elif !defined(KL_SANITIZER) && defined(__SANITIZE_THREAD__)
#define KL_SANITIZER "thread"
#endif

#ifdef KL_SANITIZER
enum { KL_CACHE_BUILT = 0 };
#else
#define KL_SANITIZER ""
enum { KL_CACHE_BUILT = 1 };
#endif

enum { kBucketStep = 512, kLargestSteppedSize = 65536 };
#define kLargestBucket  ((int64_t)1 << 62)
#define kMaxCachedBytes ((int64_t)1 << 30)

enum {
    KL_STEPPED_CLASSES = kLargestSteppedSize / kBucketStep,
    KL_CLASSES = KL_STEPPED_CLASSES + 62 - 16 /* powers 2^17 .. 2^62 */
};

struct kl_free_block {
    struct kl_free_block *next;
};

struct kl_allocator_stats {
    int64_t reserved_bytes; /* held from the system */
    int64_t in_use_bytes;   /* of which handed out */
    int64_t cached_bytes;   /* of which waiting in the lists */
    int64_t hits, misses;   /* requests met by a list, by the system */
};

static struct {
    pthread_mutex_t mutex;
    bool caching;
    struct kl_allocator_stats stats;
    struct kl_free_block *lists[KL_CLASSES];
} kl_blocks = {.mutex = PTHREAD_MUTEX_INITIALIZER, .caching = KL_CACHE_BUILT};

/* Bytes reserved for a request; 0 when none can be (kLargestBucket). bytes > 0. */
KL_INLINE int64_t kl_block_capacity(int64_t bytes) {
    if (bytes <= kLargestSteppedSize) return (bytes + kBucketStep - 1) & -kBucketStep;
    if (bytes > kLargestBucket) return 0;
    return (int64_t)1 << (64 - __builtin_clzll((uint64_t)bytes - 1));
}

KL_INLINE int kl_block_class(int64_t capacity) {
    if (capacity <= kLargestSteppedSize) return (int)(capacity / kBucketStep) - 1;
    return KL_STEPPED_CLASSES + __builtin_ctzll((uint64_t)capacity) - 17;
}

/* ---- The system ---- */

/* Blocks from 4 MiB up are mapped in huge pages where the system has them: the first touch of a
 * fresh 16 MiB costs 2.3 ms instead of 18.7, and an addition over reused ones is 15-30% faster,
 * since the TLB covers them (2 cores of Zen 4, Linux 6.18 with huge pages on request). Mapped and
 * not malloc's, so that a released block leaves the process. */
#if defined(__linux__) && defined(MADV_HUGEPAGE)
enum { KL_HUGE_PAGE = 2 << 20, KL_MAPPED_BLOCK = KL_CACHE_BUILT ? 4 << 20 : 0 };

/* A mapping that starts on a huge page: one page too much, then the two ends cut off. */
static void *kl_map(int64_t capacity) {
    const size_t size = (size_t)capacity;
    char *start =
        mmap(NULL, size + KL_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    const size_t before = -(uintptr_t)start & (KL_HUGE_PAGE - 1);
    if (before) munmap(start, before);
    munmap(start + before + size, KL_HUGE_PAGE - before);
    madvise(start + before, size, MADV_HUGEPAGE);
    return start + before;
}
#else
enum { KL_MAPPED_BLOCK = 0 };
static void *kl_map(int64_t capacity) { return (void)capacity, NULL; }
#endif

KL_INLINE bool kl_is_mapped(int64_t capacity) {
    return KL_MAPPED_BLOCK > 0 && capacity >= KL_MAPPED_BLOCK;
}

static void *kl_system_alloc(int64_t capacity) {
    if (kl_is_mapped(capacity)) return kl_map(capacity);
    return aligned_alloc(KL_ALIGNMENT, (size_t)capacity);
}

static void kl_system_free(void *block, int64_t capacity) {
    if (kl_is_mapped(capacity))
        munmap(block, (size_t)capacity);
    else
        free(block);
}

KL_INLINE int64_t kl_class_capacity(int class) {
    if (class < KL_STEPPED_CLASSES) return (class + 1) * (int64_t)kBucketStep;
    return (int64_t)1 << (class - KL_STEPPED_CLASSES + 17);
}

static void kl_free_list(struct kl_free_block *block, int64_t capacity) {
    while (block) {
        struct kl_free_block *next = block->next;
        kl_system_free(block, capacity);
        block = next;
    }
}

/* Gives every cached block back. The lists are taken under the mutex, freed after it. */
static void kl_empty_cache(void) {
    struct kl_free_block *lists[KL_CLASSES];
    pthread_mutex_lock(&kl_blocks.mutex);
    for (int c = 0; c < KL_CLASSES; c++) {
        lists[c] = kl_blocks.lists[c];
        kl_blocks.lists[c] = NULL;
    }
    kl_blocks.stats.reserved_bytes -= kl_blocks.stats.cached_bytes;
    kl_blocks.stats.cached_bytes = 0;
    pthread_mutex_unlock(&kl_blocks.mutex);
    for (int c = 0; c < KL_CLASSES; c++) kl_free_list(lists[c], kl_class_capacity(c));
}

/* A block from the system. When it refuses and the cache holds enough to matter, the cache is
 * given back and the system asked again. */
static void *kl_allocate_from_system(int64_t capacity) {
    void *block = kl_system_alloc(capacity);
    if (!block) {
        pthread_mutex_lock(&kl_blocks.mutex);
        const bool may_help = kl_blocks.stats.cached_bytes >= capacity;
        pthread_mutex_unlock(&kl_blocks.mutex);
        if (!may_help) return NULL;
        kl_empty_cache();
        block = kl_system_alloc(capacity);
        if (!block) return NULL;
    }
    pthread_mutex_lock(&kl_blocks.mutex);
    kl_blocks.stats.misses++;
    kl_blocks.stats.reserved_bytes += capacity;
    kl_blocks.stats.in_use_bytes += capacity;
    pthread_mutex_unlock(&kl_blocks.mutex);
    return block;
}

/* ---- Blocks ---- */

/* A block, and whether it came from the cache. NULL when the size cannot be represented or the
 * system refuses; the books are then as before. */
KL_INLINE void *kl_take_block(int64_t bytes, bool *hit) {
    KL_ASSERT(bytes > 0);
    const int64_t capacity = kl_block_capacity(bytes);
    *hit = false;
    if (KL_UNLIKELY(capacity == 0)) return NULL;
    if (KL_CACHE_BUILT) {
        const int class = kl_block_class(capacity);
        pthread_mutex_lock(&kl_blocks.mutex);
        struct kl_free_block *block = kl_blocks.lists[class];
        if (KL_LIKELY(block != NULL)) {
            kl_blocks.lists[class] = block->next;
            kl_blocks.stats.hits++;
            kl_blocks.stats.in_use_bytes += capacity;
            kl_blocks.stats.cached_bytes -= capacity;
            pthread_mutex_unlock(&kl_blocks.mutex);
            *hit = true;
            return block;
        }
        pthread_mutex_unlock(&kl_blocks.mutex);
    }
    return kl_allocate_from_system(capacity);
}

/* See runtime.h. */
static void *kl_allocate(int64_t bytes) {
    bool hit;
    return kl_take_block(bytes, &hit);
}

static void kl_release(void *pointer, int64_t bytes) {
    KL_ASSERT(pointer != NULL && bytes > 0);
    const int64_t capacity = kl_block_capacity(bytes);
    pthread_mutex_lock(&kl_blocks.mutex);
    kl_blocks.stats.in_use_bytes -= capacity;
    if (KL_CACHE_BUILT && KL_LIKELY(kl_blocks.caching) &&
        KL_LIKELY(kl_blocks.stats.cached_bytes + capacity <= kMaxCachedBytes)) {
        struct kl_free_block *block = pointer;
        const int class = kl_block_class(capacity);
        block->next = kl_blocks.lists[class];
        kl_blocks.lists[class] = block;
        kl_blocks.stats.cached_bytes += capacity;
        pthread_mutex_unlock(&kl_blocks.mutex);
        return;
    }
    kl_blocks.stats.reserved_bytes -= capacity;
    pthread_mutex_unlock(&kl_blocks.mutex);
    kl_system_free(pointer, capacity);
}

static struct kl_allocator_stats kl_read_allocator(void) {
    pthread_mutex_lock(&kl_blocks.mutex);
    const struct kl_allocator_stats stats = kl_blocks.stats;
    pthread_mutex_unlock(&kl_blocks.mutex);
    return stats;
}

static bool kl_caching(void) {
    pthread_mutex_lock(&kl_blocks.mutex);
    const bool caching = kl_blocks.caching;
    pthread_mutex_unlock(&kl_blocks.mutex);
    return caching;
}

/* Off drops the cached blocks. Without effect where the cache is compiled out. */
static void kl_set_caching(bool caching) {
    pthread_mutex_lock(&kl_blocks.mutex);
    kl_blocks.caching = caching && KL_CACHE_BUILT;
    pthread_mutex_unlock(&kl_blocks.mutex);
    if (!caching) kl_empty_cache();
}

/* ---- Forks: the lock is held across one, so that the child's copy is consistent ---- */

static void kl_lock_blocks(void) { pthread_mutex_lock(&kl_blocks.mutex); }
static void kl_unlock_blocks(void) { pthread_mutex_unlock(&kl_blocks.mutex); }

#endif
