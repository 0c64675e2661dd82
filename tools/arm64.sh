#!/usr/bin/env bash
# arm64.sh [pytest args...]
# Builds kael for aarch64 and runs its tests: natively where the machine is one, else on Debian
# x86-64 by a cross compiler and qemu-user. Everything it fetches stays in .cache/arm64.
# QEMU_CPU names the emulated CPU; the default is Armv8.0-A without LSE, dotprod and SVE.
set -euo pipefail
cd "$(dirname "$0")/.."
checkout=$PWD
cache=$checkout/.cache/arm64
sysroot=$cache/sysroot
pip_install=(-m pip install --quiet --disable-pip-version-check)
mapfile -t build_needs < <(python3 tools/requirements.py build)
mapfile -t test_needs < <(python3 tools/requirements.py run test)
export QEMU_CPU=${QEMU_CPU:-cortex-a72}
unset PYTHONPATH PYTHONHOME

say() { printf '[arm64 %4ss] %s\n' "$SECONDS" "$*" >&2; }
fail() { say "$*"; exit 1; }

# Sets release and version: the Debian release and its Python, the same on both sides.
find_release() {
    release=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
    case $release in
    bookworm) version=3.11 ;;
    trixie) version=3.13 ;;
    *) fail "cross-building is known for Debian bookworm and trixie, not '$release'" ;;
    esac
}

install_tools() {
    local missing=()
    "python$version" -c 'import ensurepip, venv' 2>/dev/null ||
        missing+=("python$version" "python$version-venv")
    command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
    command -v aarch64-linux-gnu-gcc >/dev/null ||
        missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" = 0 ] || fail "missing: ${missing[*]} (install them, or run as root)"
    say "apt-get install ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-remove \
        "${missing[@]}" >/dev/null
}

# Debian's arm64 Python, resolved by an apt state of our own and unpacked by dpkg, never installed.
make_sysroot() {
    [ -e "$cache/.sysroot-$version" ] && return
    say "sysroot with Debian's arm64 python$version"
    rm -rf "$sysroot" "$cache/apt"
    mkdir -p "$cache"/apt/{state,lists/partial,cache/archives/partial}
    : >"$cache/apt/status"
    # The host's lists name the releases below; a container image often comes without any.
    if [ "$(id -u)" = 0 ]; then apt-get update -qq; fi
    apt-get indextargets \
        --format '$(REPO_URI) $(CODENAME) $(ORIGIN) $(COMPONENT) $(CREATED_BY)' |
        awk -v release="$release" '$3 == "Debian" && $4 == "main" && $5 == "Packages" &&
            ($2 == release || $2 == release "-security") {
                print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $1, $2, $4
            }' | sort -u >"$cache/apt/sources.list"
    [ -s "$cache/apt/sources.list" ] || fail "no Debian $release source; run apt-get update first"
    cat >"$cache/apt/apt.conf" <<EOF
APT::Architecture "arm64"; APT::Architectures { "arm64"; }; APT::Sandbox::User "root";
Dir::State "$cache/apt/state"; Dir::State::Lists "$cache/apt/lists";
Dir::State::status "$cache/apt/status"; Dir::Cache "$cache/apt/cache";
Dir::Etc::SourceList "$cache/apt/sources.list";
Dir::Etc::SourceParts "/dev/null"; Dir::Etc::Parts "/dev/null";
EOF
    APT_CONFIG=$cache/apt/apt.conf apt-get update -qq
    APT_CONFIG=$cache/apt/apt.conf apt-get install -y -qq --no-install-recommends \
        --download-only "python$version" "libpython$version-dev" libstdc++6 >/dev/null
    local package
    for package in "$cache"/apt/cache/archives/*.deb; do dpkg -x "$package" "$sysroot"; done
    rm -rf "$cache/apt"
    make_emulated_python "$sysroot/usr/bin/python$version"
    mkdir -p "$cache/sysconfig"
    cp "$sysroot/usr/lib/python$version/_sysconfigdata__aarch64-linux-gnu.py" "$cache/sysconfig/"
    touch "$cache/.sysroot-$version"
}

# A script in the interpreter's place: sys.executable is this, so that subprocesses, spawn and venv
# are emulated without binfmt.
make_emulated_python() {
    mv "$1" "$1.real"
    printf '#!/bin/sh\nexec %s -L %s -0 "$0" %s "$@"\n' \
        "$(command -v qemu-aarch64)" "$sysroot" "$1.real" >"$1"
    chmod +x "$1"
}

# The host's venv builds; the arm64 venv tests, its wheels fetched by the host's pip.
make_venvs() {
    local wanted="$version ${build_needs[*]} ${test_needs[*]}" tags=() minor
    [ "$(cat "$cache/.venvs" 2>/dev/null)" = "$wanted" ] && return
    say "virtual environments"
    rm -rf "$cache/host" "$cache/target"
    "python$version" -m venv "$cache/host"
    "$cache/host/bin/python" "${pip_install[@]}" "${build_needs[@]}"
    "$sysroot/usr/bin/python$version" -m venv --without-pip "$cache/target"
    for minor in $(seq 17 36); do tags+=(--platform "manylinux_2_${minor}_aarch64"); done
    "$cache/host/bin/python" "${pip_install[@]}" \
        --target "$cache/target/lib/python$version/site-packages" \
        "${tags[@]}" --platform manylinux2014_aarch64 --implementation cp \
        --python-version "$version" --only-binary=:all: "${test_needs[@]}"
    echo "$wanted" >"$cache/.venvs"
}

# Builds the sources in $1 with the cross compiler, in place.
cross_build() {
    say "build"
    local include=$sysroot/usr/include
    (
        cd "$1"
        export CC=aarch64-linux-gnu-gcc LDSHARED="aarch64-linux-gnu-gcc -shared"
        export CFLAGS="-isystem $include/python$version -isystem $include ${CFLAGS:-}"
        # The host's Python answers for the target's.
        export PYTHONPATH=$cache/sysconfig _PYTHON_HOST_PLATFORM=linux-aarch64
        export _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__aarch64-linux-gnu
        "$cache/host/bin/python" setup.py -q build_ext --inplace
    )
    readelf -h "$1"/kael/_kernels/runtime.*.so | grep -q AArch64 ||
        fail "the build did not make aarch64 modules"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/copy_sources.sh "$work"

selected=()
if [ "$(uname -m)" = aarch64 ]; then
    python=$work/.venv/bin/python
    sh tools/venv.sh "$work/.venv"
    "$python" "${pip_install[@]}" "${test_needs[@]}"
    (cd "$work" && "$python" setup.py -q build_ext --inplace)
else
    find_release
    mkdir -p "$cache"
    install_tools
    make_sysroot
    make_venvs
    cross_build "$work"
    python=$cache/target/bin/python
    selected=(-m "not native")
fi

say "tests on $(uname -m)${QEMU_CPU:+, emulated $QEMU_CPU where it is not aarch64}"
cd "$work"
PYTHONPATH=$work "$python" -m pytest -p no:cacheprovider "${selected[@]}" "$@"
say "done"
