"""What compiled code says: every hot loop of the optimizers is vectorised, and 16-bit floats are
those of IEEE 754 and of bfloat16."""

import ctypes
import importlib.util
import platform
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
INCLUDE = ROOT / "include"
# Bytes of a vector of each instruction set that the build has.
WIDTHS = {"x86_64": (64, 32, 16), "aarch64": (16, 16)}
PROGRAM = """
#include "kael/optim.h"
int step(const struct kl_runtime *rt, struct kl_optim_row *rows, int64_t count) {
    return kl_optim_step(rt, KL_RULE_adam, rows, count, false);
}
"""
HALVES = """
#include "kael/half.h"
void load_bf16(const uint16_t *h, float *x, long n) {
    for (long i = 0; i < n; ++i) x[i] = kl_load_bf16(h[i]);
}
void load_f16(const uint16_t *h, float *x, long n) {
    for (long i = 0; i < n; ++i) x[i] = kl_load_f16(h[i]);
}
void store_bf16(const float *x, uint16_t *h, long n) {
    for (long i = 0; i < n; ++i) h[i] = kl_store_bf16(x[i]);
}
void store_f16(const float *x, uint16_t *h, long n) {
    for (long i = 0; i < n; ++i) h[i] = kl_store_f16(x[i]);
}
"""

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles a header here")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(folder, program, *flags):
    """Compiles a program with the flags of every module; returns the file made."""
    source, made = folder / "program.c", folder / "program.so"
    source.write_text(program)
    subprocess.run(
        ["gcc", *flags, "-fPIC", "-shared", "-I", INCLUDE, source, "-o", made, "-lm"], check=True
    )
    return made


# Rules written in vectors, whose loop is that of groups.inc.h: only one lane at a time is left to
# the compiler.
BY_GROUPS = ("adagrad.inc.h", "adam.inc.h", "rmsprop.inc.h")


def variants(path):
    """How many copies of its elements a rule has for each type and instruction set."""
    return sum(map(int, re.findall(r"KL_OPTIM_CASES(\d+)\(", path.read_text()))) or 1


def hot_loops():
    """(file, line) of each loop marked as hot -> its copies per instruction set: one for each
    type and variant."""
    folder, found = INCLUDE / "kael" / "optim", {}
    grouped = sum(variants(folder / name) for name in BY_GROUPS)
    for path in sorted(folder.glob("*.inc.h")):
        text = path.read_text()
        copies = grouped if path.name == "groups.inc.h" else variants(path)
        for match in re.finditer(r"KL_INDEPENDENT\n\s*for", text):
            found[path.name, text.count("\n", 0, match.end()) + 1] = 2 * copies
    return found


def half_loops():
    """(file, line) of each loop over 16-bit floats -> its copies. Rounding float16 at random has no
    vector of 16 bytes on x86: SSE2 has no choice by lane."""
    text = (INCLUDE / "kael" / "half.inc.h").read_text()
    return {
        ("half.inc.h", text.count("\n", 0, match.end()) + 1): 1
        for match in re.finditer(r"KL_INDEPENDENT\n\s*for(?!.*round_f16)", text)
    }


def test_every_rule_has_a_hot_loop():
    rules = re.findall(r"X\((\w+), with\)", (INCLUDE / "kael" / "optim.h").read_text())
    files = {name for name, _ in hot_loops()}
    stems = {*rules} - {"stem", "clamp", "scale"} | {"clip", "groups", "stage"}
    assert files == {f"{stem}.inc.h" for stem in stems} - {*BY_GROUPS}
    for name in BY_GROUPS:
        assert "KL_FN(by_groups)(" in (INCLUDE / "kael" / "optim" / name).read_text()


@needs_gcc
@pytest.mark.native
@pytest.mark.skipif(platform.machine() not in WIDTHS, reason="widths of this machine are not known")
def test_every_hot_loop_is_vectorised_in_every_variant(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # setup.py reads the tree from the current folder
    setup = load(ROOT / "setup.py")
    for switch in ("SANITIZE", "DEBUG", "NATIVE"):
        monkeypatch.setattr(setup, switch, "")
    log = tmp_path / "vec.log"
    # without vectorised epilogues every loop is reported once per instruction set
    report = [f"-fopt-info-vec-optimized={log}", "--param=vect-epilogues-nomask=0"]
    compiled(tmp_path, PROGRAM, *setup.compile_args(), *report)
    tool, widths = load(ROOT / "tools" / "vec_report.py"), Counter()
    for line in log.read_text().splitlines():
        remark = tool.REMARK.match(line)
        if remark and (done := tool.VECTORISED.match(remark[4])):
            widths[Path(remark[1]).name, int(remark[2]), int(done[1])] += 1
    wanted = Counter()
    for (name, line), copies in {**hot_loops(), **half_loops()}.items():
        widths_of = WIDTHS[platform.machine()]
        for width in widths_of[-1:] if name == "groups.inc.h" else widths_of:
            wanted[name, line, width] += copies
    lost = {key: (widths[key], count) for key, count in wanted.items() if widths[key] < count}
    assert lost == {}, "(file, line, bytes): (vectorised, copies)"


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    library = ctypes.CDLL(str(compiled(tmp_path_factory.mktemp("half"), HALVES, "-O2")))

    def convert(name, values, dtype):
        made = np.empty(values.shape, dtype)
        getattr(library, name)(
            ctypes.c_void_p(values.ctypes.data),
            ctypes.c_void_p(made.ctypes.data),
            ctypes.c_long(values.size),
        )
        return made

    return convert


def around(exact):
    """Each float32, its neighbours, and the middle between it and the next, with its neighbours."""
    exact = exact[np.isfinite(exact)]
    middle = ((exact[:-1].astype(np.float64) + exact[1:]) / 2).astype(np.float32)
    both = np.concatenate([exact, middle])
    up, down = (np.nextafter(both, np.float32(end)) for end in (np.inf, -np.inf))
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65519.996, 65520, 1e38, 1e-40], "f4")
    return np.concatenate([both, up, down, special])


@needs_gcc
@pytest.mark.native
def test_float16_is_numpys(halves):
    every = np.arange(65536, dtype=np.uint16)
    loaded = halves("load_f16", every, np.float32)
    exact = every.view(np.float16).astype(np.float32)
    assert np.array_equal(loaded, exact, equal_nan=True)
    assert np.array_equal(np.signbit(loaded), np.signbit(exact))
    values = around(np.sort(exact))
    with np.errstate(over="ignore", under="ignore"):
        right = values.astype(np.float16)
    stored = halves("store_f16", values, np.uint16).view(np.float16)
    assert np.array_equal(stored, right, equal_nan=True)
    number = ~np.isnan(values)
    assert np.array_equal(stored.view(np.uint16)[number], right.view(np.uint16)[number])


@needs_gcc
@pytest.mark.native
def test_bfloat16_is_the_upper_half_rounded_to_even(halves):
    every = np.arange(65536, dtype=np.uint16)
    loaded = halves("load_bf16", every, np.float32)
    assert np.array_equal(loaded.view(np.uint32), every.astype(np.uint32) << 16)
    values = around(np.sort(loaded[np.isfinite(loaded)]))
    bits = values.view(np.uint32).astype(np.uint64)
    right = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    stored = halves("store_bf16", values, np.uint16)
    number = ~np.isnan(values)
    assert np.array_equal(stored[number], right[number])
    assert np.isnan(halves("load_bf16", stored[~number], np.float32)).all()
