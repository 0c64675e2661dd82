#!/usr/bin/env bash
# sanitize.sh address,undefined|thread PYTHON [pytest args...]
# Builds a clean copy of the checkout with gcc's sanitizers and runs its tests under stock CPython.
set -euo pipefail
kind=$1 python=$(realpath -s "$2")
shift 2

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
"$(dirname "$0")/copy_sources.sh" "$copy"
cd "$copy"

case $kind in
address,undefined)
    # With the C++ library, whose throw AddressSanitizer looks up once, when it starts: an exception
    # of a module that brings C++ along later, as PyTorch does, would end the process.
    library="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so.6)"
    options=(
        PYTHONMALLOC=malloc
        # No detect_stack_use_after_return: gcc 12's fake stack is not 64-byte aligned, and an
        # aligned store of a 64-byte vector to it faults.
        ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1
        UBSAN_OPTIONS=print_stacktrace=1
    ) ;;
thread)
    # exitcode 66 tells a report from a failing test; a forked child need not be followed.
    # One thread for OpenMP, whose runtime is not instrumented: threads of PyTorch that it starts and
    # joins would seem to race.
    # No intercept_tls_get_addr: where a thread's dynamic TLS block begins 16 bytes into a page, the
    # runtime takes the 16 bytes before it for the block's start and size, as glibc once left them
    # there. They are whatever another block holds now, and it maps shadow over the range.
    library=$(gcc -print-file-name=libtsan.so)
    options=(
        OMP_NUM_THREADS=1
        "TSAN_OPTIONS=die_after_fork=0 exitcode=66 halt_on_error=1 second_deadlock_stack=1 allocator_may_return_null=1 intercept_tls_get_addr=0"
    ) ;;
*)
    echo "sanitize.sh: address,undefined or thread, got $kind" >&2
    exit 2 ;;
esac

CC=gcc KAEL_SANITIZE=$kind "$python" setup.py -q build_ext --inplace >build.log 2>&1 ||
    { tail -20 build.log >&2; exit 1; }

# The sanitizers of gcc 12 refuse the widest address randomization of newer kernels; where it cannot
# be turned off (a container that forbids it), they may still find their place.
fixed=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed=(setarch "$(uname -m)" -R); fi

# Only Python is preloaded, not this shell. Reports go to the real stderr, past pytest.
"${fixed[@]}" env LD_PRELOAD="$library" "${options[@]}" KAEL_SANITIZE="$kind" PYTHONPATH="$copy" \
    "$python" -m pytest -p no:cacheprovider --capture=sys "$@"
