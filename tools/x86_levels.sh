#!/usr/bin/env bash
# x86_levels.sh PYTHON [pytest args...]
# Runs the tests on emulated x86 CPUs: Nehalem (no AVX: only generic may run) and Haswell (AVX2,
# FMA, no AVX-512). A wide instruction on the wrong one ends in SIGILL. Needs qemu-user.
set -euo pipefail
python=$(realpath -s "$1")
shift
real=$(realpath "$python")
venv=$(dirname "$(dirname "$python")")
command -v qemu-x86_64 >/dev/null ||
    { echo "x86_levels.sh: qemu-x86_64 is missing (Debian: apt install qemu-user)" >&2; exit 1; }

# A virtual environment whose python is the emulator: subprocesses of sys.executable are emulated.
emulated=$(mktemp -d)
trap 'rm -rf "$emulated"' EXIT
mkdir "$emulated/bin"
cp "$venv/pyvenv.cfg" "$emulated/"
ln -s "$venv/lib" "$emulated/lib"

# What the emulator lacks of a Haswell; unless named it warns on stderr, which tests read.
lacking=pcid=off,x2apic=off,tsc-deadline=off,invpcid=off,hle=off,rtm=off
for level in Nehalem:generic "Haswell,$lacking:avx2,generic"; do
    cpu=${level%%:*}
    printf '#!/bin/sh\nexec %s -cpu %s -0 "$0" %s "$@" 2>&2\n' \
        "$(command -v qemu-x86_64)" "$cpu" "$real" >"$emulated/bin/python"
    chmod +x "$emulated/bin/python"
    found=$("$emulated/bin/python" -c 'import kael; print(*kael.usable_isas(), sep=",")')
    [ "$found" = "${level#*:}" ] ||
        { echo "x86_levels.sh: ${cpu%%,*} should offer ${level#*:}, kael found $found" >&2; exit 1; }
    echo "== ${cpu%%,*}: $found"
    "$emulated/bin/python" -m pytest -p no:cacheprovider -m "not native" "$@"
done
