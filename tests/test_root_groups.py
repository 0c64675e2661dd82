"""Square roots by multiply-adds have the bits of sqrt: for every float on this machine, and for any
guess that a machine may make, by the proof of include/kael/root_groups.inc.h."""

import ctypes
import math
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import kael

ROOT = Path(__file__).parents[1]
PROGRAM = """
#define KL_BODY "root_groups_tried.inc.h"
#include "kael/foreach_isa.h"
"""
BODY = """
#include "kael/part.inc.h"
#include "kael/root_groups.inc.h"

/* How many floats of bits [first, first + count) have another root, and how many are in reach; in
 * groups of two, of which both are the same. count is a multiple of 16. */
int64_t KL_FN(wrong_roots)(uint32_t first, int64_t count, int64_t *reached) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i += V(width)) {
        T s[16];
        for (int k = 0; k < V(width); ++k) {
            const uint32_t bits = first + (uint32_t)i + (uint32_t)k;
            float x;
            memcpy(&x, &bits, sizeof x);
            s[k] = (T)x;
        }
        V(vec) both[2] = {V(load)(s), V(load)(s)};
        *reached += KL_FN(root_in_reach)(both[0]) ? V(width) : 0;
        KL_FN(roots)(both, 2);
        const V(mask) same = V(either)(V(eq)(both[0], both[1]), V(is_nan)(both[1]));
        wrong += V(any)(V(not)(same));
    }
    return wrong;
}

/* The roots of s from many guesses. */
void KL_FN(roots_from)(T s, const T *guesses, T *roots, int64_t count) {
    for (int64_t i = 0; i < count; i += V(width)) {
        const int64_t left = count - i;
        KL_FN(put)(roots + i, KL_FN(root_from)(V(splat)(s), KL_FN(take)(guesses + i, left)), left);
    }
}
"""
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles the roots here")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("roots")
    (tmp_path / "root_groups_tried.inc.h").write_text(BODY)
    (tmp_path / "roots.c").write_text(PROGRAM)
    flags = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    paths = ["-I", ROOT / "include", "-I", tmp_path]
    made = tmp_path / "roots.so"
    command = ["gcc", *flags, "-fPIC", "-shared", *paths, tmp_path / "roots.c", "-o", made, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(made))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


@needs_gcc
@pytest.mark.native
def test_every_float_has_the_root_of_sqrt(library):
    for isa in {"avx512"} & {*kael.usable_isas()}:
        wrong = getattr(library, f"kl_wrong_roots_f32_{isa}")
        wrong.restype, reached = ctypes.c_int64, ctypes.c_int64()
        assert wrong(ctypes.c_uint32(0), ctypes.c_int64(2**32), ctypes.byref(reached)) == 0
        assert reached.value == 0x60000000


def hard_cases(limit):
    """s in [1, 4) with 24 bits and odd M for which |2^48 s - M^2| <= limit."""
    middles = np.arange(2**24 + 1, 2**25, 2, dtype=np.uint64)
    squares = middles * middles
    for bits, low, high in ((25, 1, 2), (26, 2, 4)):
        rest = (squares % np.uint64(2**bits)).astype(np.int64)
        rest = np.where(rest > 2 ** (bits - 1), rest - 2**bits, rest)
        near = np.abs(rest) <= limit
        for middle, excess in zip(middles[near].tolist(), rest[near].tolist(), strict=True):
            s = Fraction(middle * middle - excess, 2**48)
            if low <= s < high:
                yield float(s), middle, excess


@needs_gcc
@pytest.mark.native
def test_no_guess_within_the_bound_gives_another_root(library):
    cases = list(hard_cases(33))
    assert len(cases) > 12
    for s, middle, excess in cases:
        bounds = np.float32(np.array([1 - 2.0**-14, 1 + 2.0**-14]) / math.sqrt(s))
        first, last = bounds.view(np.int32).tolist()
        guesses = np.arange(first - 1, last + 2, dtype=np.int32).view(np.float32)
        assert guesses.size > 1000
        roots = np.empty_like(guesses)
        library.kl_roots_from_f32_generic(
            ctypes.c_float(s), pointer(guesses), pointer(roots), ctypes.c_int64(guesses.size)
        )
        # the float on that side of the middle
        assert (roots == (middle - np.sign(excess)) / 2**24).all()
