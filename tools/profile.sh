#!/usr/bin/env bash
# profile.sh PYTHON SCRIPT [arguments...]
# Builds a copy of the checkout with line tracing in build/profile and runs the script with it under
# tools/line_times.py. The checkout's own build stays as it is.
set -euo pipefail
python=$(realpath -s "$1")
shift
if [ $# -eq 0 ]; then
    echo 'profile.sh: name a script: make profile SCRIPT="train.py --epochs 1"' >&2
    exit 2
fi
if [ ! -f "$1" ]; then
    echo "profile.sh: no such script: $1" >&2
    exit 2
fi
tools=$(cd "$(dirname "$0")" && pwd)
copy=$tools/../build/profile
mkdir -p "$copy"
"$tools/copy_sources.sh" "$copy"
echo "building with line tracing in build/profile" >&2
(cd "$copy" && KAEL_LINETRACE=1 "$python" setup.py -q build_ext --inplace >build.log 2>&1) ||
    { tail -20 "$copy/build.log" >&2; exit 1; }
PYTHONPATH=$(cd "$copy" && pwd) exec "$python" "$tools/line_times.py" "$@"
