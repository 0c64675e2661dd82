"""Shared helpers: bits compared exactly, inputs that show any change of order, and the axes
(instruction sets, thread counts) along which a result must not change."""

import ctypes
import gc
import mmap
import os
import platform
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import kael
from kael._kernels import runtime

THREAD_COUNTS = (1, 2, 3, 7, 16)
# Seconds after which something hangs: no machine is that slow, whatever runs beside the test.
HANGS = 600
# Under emulation the plain one may be that of the machine underneath.
OBJDUMP = shutil.which(f"{platform.machine()}-linux-gnu-objdump") or shutil.which("objdump")

# A forked child computes where libraries hold their locks at a fork; gcc's sanitizers do not.
forks = pytest.mark.skipif(
    runtime.build_report()[2] != "",
    reason="ThreadSanitizer ends a forked child that starts threads; AddressSanitizer's allocator "
    "may stay locked there by a thread that the child does not have",
)
needs_objdump = pytest.mark.skipif(OBJDUMP is None, reason="objdump reads the built modules")


def pytest_addoption(parser):
    parser.addoption(
        "--every", type=int, default=1, metavar="N", help="run one test of N: a sample of all"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Runs last, so that the sample is taken of what markers and expressions left."""
    every = config.getoption("--every")
    left_out = [item for i, item in enumerate(items) if i % every]
    config.hook.pytest_deselected(items=left_out)
    items[:] = items[::every]


def bits_equal(a, b):
    """Whether two tensors or arrays agree in shape, dtype and every bit; NaN equals NaN."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    unsigned = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[a.dtype.itemsize]
    same = np.ascontiguousarray(a).view(unsigned) == np.ascontiguousarray(b).view(unsigned)
    if a.dtype.kind == "f":
        same |= (np.isnan(a) & np.isnan(b)).reshape(same.shape)
    return bool(same.all())


def in_use_bytes():
    """What live tensors hold, and no garbage that the collector might free at any time."""
    gc.collect()
    return kael.allocator_stats().in_use_bytes


def objdump(*arguments):
    """What objdump prints."""
    return subprocess.run([OBJDUMP, *arguments], check=True, capture_output=True, text=True).stdout


def spread(shape, dtype="float32", seed=0):
    """An array whose exponents spread over +-50 with random signs.

    Values of one magnitude often add exactly, so that a wrong order of summation would pass; these
    round at every step. Integer dtypes get values over their whole range, bool fair coins.
    """
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    mantissa = generator.uniform(1.0, 2.0, shape) * generator.choice((-1.0, 1.0), shape)
    return np.ldexp(mantissa, generator.integers(-50, 51, shape)).astype(dtype)


def at_offset(array, offset):
    """The values of an array in memory that starts ``offset`` bytes behind a multiple of 64."""
    raw = np.zeros(array.nbytes + 128, np.uint8)
    first = -raw.ctypes.data % 64 + offset
    odd = raw[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    odd[...] = array
    return odd


def scattered(array, seed, misaligned=False):
    """The values of an array in memory without a byte to spare, its dims in any order, stepping in
    either direction and over gaps; a dim of size 1 has any stride at all."""
    generator = np.random.default_rng(seed)
    strides, step = [0] * array.ndim, 1
    for d in generator.permutation(array.ndim):
        size = array.shape[d]
        if size == 1:
            strides[d] = int(generator.choice([0, 1, 3, -1, -77, 12345]))
            continue
        strides[d] = step * int(generator.choice([1, 1, 2, -1, -3]))
        step = abs(strides[d]) * size + int(generator.choice([0, 0, 5]))
    ends = [stride * (size - 1) for stride, size in zip(strides, array.shape, strict=True)]
    first, last = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
    extent = last - first + 1 if array.size else 0
    offset = int(misaligned)
    memory = np.zeros(extent * array.itemsize + offset, np.uint8)
    flat = np.ndarray((extent,), array.dtype, memory.data, offset)
    strides = [stride * array.itemsize for stride in strides]
    view = np.lib.stride_tricks.as_strided(flat[-first:], array.shape, strides)
    view[...] = array
    return view


@pytest.fixture
def at_page_end():
    """Makes arrays of ones whose last element ends a page; the next page may not be touched."""
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    held = ctypes.c_char.from_buffer(memory)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    guard = ctypes.addressof(held) + page
    assert protect(guard, page, 0) == 0

    def ones(count, dtype):
        dtype = np.dtype(dtype)
        array = np.frombuffer(memory, dtype, count, offset=page - count * dtype.itemsize)
        array[...] = 1
        return array

    yield ones
    protect(guard, page, mmap.PROT_READ | mmap.PROT_WRITE)


@pytest.fixture(params=kael.usable_isas())
def every_isa(request):
    """Runs the test once per usable instruction set, with that set in use."""
    with kael.isa(request.param):
        yield request.param


@pytest.fixture(params=THREAD_COUNTS)
def every_thread_count(request):
    """Runs the test once per thread count of the promise, with that count set."""
    with kael.num_threads(request.param):
        yield request.param


@pytest.fixture
def four_threads():
    """Runs the test with four threads."""
    with kael.num_threads(4):
        yield 4


@pytest.fixture
def interrupts():
    """Ctrl-C raises KeyboardInterrupt, also in a process that a shell started in the background.

    The collector rests: an exception in one of its callbacks, and hypothesis has one, is lost.
    """
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, former)


def run_script(source, env=None):
    """Runs Python code in a process of its own; returns what it printed.

    For what changes the whole process: forks, limits, environment switches, idle time. A script
    that hangs is killed and fails the test.
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        env={**os.environ, **(env or {})},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
