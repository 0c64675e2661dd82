#!/bin/sh
# venv.sh FOLDER: a virtual environment that can build kael, or one line saying what is missing.
# Takes $PYTHON, else the first of python3, python3.14 ... python3.11 that is 3.11 or later.
set -eu
folder=$1

fail() {
    printf 'kael: %s\n' "$1" >&2
    exit 1
}

recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

python=
for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if recent "$name"; then
        python=$name
        break
    fi
done
[ -n "$python" ] || fail "Python 3.11 or later is needed (set PYTHON=/path/to/python3 to name one)"

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python lacks venv or ensurepip (Debian and Ubuntu: apt install python3-venv)"
header=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include") + "/Python.h")')
[ -e "$header" ] || fail "$header is missing (Debian and Ubuntu: apt install python3-dev)"
command -v "${CC:-cc}" >/dev/null ||
    fail "no C compiler: ${CC:-cc} not found (Debian and Ubuntu: apt install gcc libc6-dev)"

"$python" -m venv --clear "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade \
    $("$folder/bin/python" "$(dirname "$0")/requirements.py" build run)
