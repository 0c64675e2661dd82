/* What this CPU and this operating system can run: instruction sets, and how many threads.
 *
 * Everything here asks and remembers nothing; runtime.pyx asks once, at first use.
 */
#ifndef KAEL_CPU_H
#define KAEL_CPU_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kael/config.h"

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

/* ---- Instruction sets ---- */

#if defined(__x86_64__)
#include <cpuid.h>

/* The register state that the operating system saves at a context switch. CPUID alone says what
 * the CPU decodes; a wide instruction under a kernel that does not save its registers faults or
 * loses data. Inline assembly, because the intrinsic needs -mxsave. */
static inline uint64_t kl_saved_state(void) {
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static inline bool kl_cpu_has_avx2(void) {
    enum { SSE_AND_AVX_STATE = 0x6 };
    unsigned eax, ebx, ecx, edx;
    if ((kl_saved_state() & SSE_AND_AVX_STATE) != SSE_AND_AVX_STATE) return false;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return false;
    if (!(ecx & bit_AVX) || !(ecx & bit_FMA) || !(ecx & bit_F16C)) return false;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_AVX2);
}

static inline bool kl_cpu_has_avx512(void) {
    /* SSE, AVX, mask registers, the upper halves of 0-15, and registers 16-31. */
    enum { AVX512_STATE = 0xe6 };
    const unsigned wanted = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    unsigned eax, ebx, ecx, edx;
    if ((kl_saved_state() & AVX512_STATE) != AVX512_STATE || !kl_cpu_has_avx2()) return false;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & wanted) == wanted;
}

#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#endif

static inline bool kl_cpu_has_neon(void) {
#if defined(__linux__)
    enum { ADVANCED_SIMD = 1 << 1 }; /* HWCAP_ASIMD */
    return (getauxval(AT_HWCAP) & ADVANCED_SIMD) != 0;
#else
    return true;
#endif
}
#endif

/* ---- Quotas of control groups ----
 *
 * A container with 4 CPUs' worth of time on a machine of 192 must not start 192 threads: they
 * would be throttled together. Limits nest, so every level from the process's own group to the
 * root counts. `root` stands before every path: "" on a real system, a folder in tests.
 * The answers are CPUs, rounded down but at least 1; 0 means no limit.
 */

static inline int64_t kl_quota_cpus(int64_t quota, int64_t period) {
    if (quota <= 0 || period <= 0) return 0;
    return kl_max(1, quota / period);
}

static inline int64_t kl_tighter(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return a + b;
    return kl_min(a, b);
}

/* The first line of folder/name without its end; false when it cannot be read. */
static inline bool kl_read_line(const char *folder, const char *name, char *line, int size) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    FILE *file = fopen(path, "re");
    if (!file) return false;
    const bool ok = fgets(line, size, file) != NULL;
    fclose(file);
    if (ok) line[strcspn(line, "\n")] = '\0';
    return ok;
}

/* The whole of text as a number; false for anything else. */
static inline bool kl_parse_number(const char *text, int64_t *value) {
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

/* The limit of one group: version 2 keeps "quota period" in cpu.max ("max" for none), version 1
 * two files (quota -1 for none). What cannot be read or understood is no limit. */
static inline int64_t kl_cgroup_level(const char *folder) {
    char line[128];
    int64_t quota, period, limit = 0;
    if (kl_read_line(folder, "cpu.max", line, sizeof line)) {
        char *space = strchr(line, ' ');
        if (space) {
            *space = '\0';
            if (kl_parse_number(line, &quota) && kl_parse_number(space + 1, &period))
                limit = kl_quota_cpus(quota, period);
        }
    }
    if (kl_read_line(folder, "cpu.cfs_quota_us", line, sizeof line) &&
        kl_parse_number(line, &quota) &&
        kl_read_line(folder, "cpu.cfs_period_us", line, sizeof line) &&
        kl_parse_number(line, &period))
        limit = kl_tighter(limit, kl_quota_cpus(quota, period));
    return limit;
}

/* The tightest limit from root/sys/fs/cgroup/mount/path up to the mount itself. A container may
 * see its group's path of the host here, where no such folder exists, and its own limit at the
 * mount: missing levels are passed over. */
static inline int64_t kl_cgroup_walk(const char *root, const char *mount, const char *path) {
    char folder[PATH_MAX];
    const int base = snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, mount);
    if (base >= (int)sizeof folder) return 0;
    if (snprintf(folder + base, sizeof folder - base, "%s", path) >= (int)sizeof folder - base)
        folder[base] = '\0';
    int64_t limit = 0;
    for (;;) {
        limit = kl_tighter(limit, kl_cgroup_level(folder));
        char *slash = strrchr(folder + base, '/');
        if (!slash) return limit;
        *slash = '\0';
    }
}

/* One line of /proc/self/cgroup, "number:controllers:path". Version 2 names no controllers. */
static inline int64_t kl_cgroup_line(const char *root, char *line) {
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) return 0;
    *controllers++ = '\0';
    *path++ = '\0';
    if (!*controllers)
        return kl_tighter(kl_cgroup_walk(root, "", path), kl_cgroup_walk(root, "/unified", path));
    char mount[256];
    if (snprintf(mount, sizeof mount, "/%s", controllers) >= (int)sizeof mount) return 0;
    char *rest = controllers;
    for (char *name; (name = strsep(&rest, ","));)
        if (strcmp(name, "cpu") == 0)
            return kl_tighter(kl_cgroup_walk(root, mount, path),
                              kl_cgroup_walk(root, "/cpu", path));
    return 0;
}

static inline int64_t kl_cgroup_cpus(const char *root) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path) return 0;
    FILE *file = fopen(path, "re");
    if (!file) return kl_tighter(kl_cgroup_walk(root, "", ""), kl_cgroup_walk(root, "/cpu", ""));
    int64_t limit = 0;
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        limit = kl_tighter(limit, kl_cgroup_line(root, line));
    }
    fclose(file);
    return limit;
}

/* ---- CPUs ---- */

#if defined(__linux__)
/* The affinity mask may be wider than cpu_set_t; the kernel says EINVAL until it fits. */
static inline int64_t kl_affinity_cpus(void) {
    for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set) return 0;
        const size_t size = CPU_ALLOC_SIZE(cpus);
        const int failed = sched_getaffinity(0, size, set);
        const int count = failed ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (!failed) return count;
    }
    return 0;
}
#endif

/* CPUs that this process may keep busy, at least 1. On Apple the performance cores: every thread
 * of a region gets the same share, so the slowest core sets the time. */
static inline int64_t kl_usable_cpus(void) {
    int64_t cpus = 0;
#if defined(__APPLE__)
    int cores = 0;
    size_t size = sizeof cores;
    if (sysctlbyname("hw.perflevel0.physicalcpu", &cores, &size, NULL, 0) == 0) cpus = cores;
#elif defined(__linux__)
    cpus = kl_affinity_cpus();
#endif
    if (cpus <= 0) cpus = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpus = kl_tighter(kl_max(1, cpus), kl_cgroup_cpus(""));
#endif
    return kl_max(1, cpus);
}

#endif
