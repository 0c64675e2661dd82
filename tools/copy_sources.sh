#!/usr/bin/env bash
# copy_sources.sh FOLDER: the checkout's sources, edits included, without anything built.
set -euo pipefail
target=$(realpath "$1")
cd "$(dirname "$0")/.."

existing() {
    while IFS= read -r -d '' name; do
        if [ -e "$name" ]; then printf '%s\0' "$name"; fi
    done
}

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -co --exclude-standard -z | existing | tar --null -T - -cf - | tar -xf - -C "$target"
else
    tar --exclude=./build --exclude=./.venv --exclude='*.so' --exclude=__pycache__ -cf - . |
        tar -xf - -C "$target"
fi
