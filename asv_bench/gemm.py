"""The matrix products of C libraries, called through ctypes: oneDNN, OpenBLAS, BLIS, MKL.

``prepare(a, b)`` returns a function without arguments that computes ``a @ b`` into memory of its
own; a batch is a loop of calls. Operands are row-major, b perhaps transposed.
"""

import ctypes
import ctypes.util
import sys
from pathlib import Path

import numpy as np

LIBRARIES = {"oneDNN": "dnnl", "OpenBLAS": "openblas", "BLIS": "blis", "MKL": "mkl_rt"}
ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112  # of cblas.h


def find(name):
    """What dlopen takes for the library, or None: the system's, or one that pip installed."""
    stem = LIBRARIES[name]
    found = sorted(Path(sys.prefix, "lib").glob(f"lib{stem}.so*"))
    return ctypes.util.find_library(stem) or (str(found[0]) if found else None)


def load(name):
    """``(dtypes, prepare)`` of a library; OSError where it is not installed."""
    if find(name) is None:
        raise OSError(f"lib{LIBRARIES[name]} not found")
    library = ctypes.CDLL(find(name))
    if name == "oneDNN":
        return ("f32",), lambda a, b: _batched(_dnnl(library), a, b)
    return ("f32", "f64"), lambda a, b: _batched(_cblas(library, a.dtype), a, b)


def _batched(gemm, a, b):
    out = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    stacks = [x.reshape(-1, *x.shape[-2:]) if x.ndim > 3 else x for x in (a, b, out)]
    calls = [_arguments(*x) for x in zip(*(s if s.ndim == 3 else [s] for s in stacks), strict=True)]

    def run():
        for sizes, places in calls:
            gemm(sizes, places)

    run.memory = a, b, out  # the calls hold only addresses
    return run


def _arguments(a, b, out):
    """Sizes and places of one call: (rows, inner, columns, transposed), (a, lda, b, ldb, ...)."""
    transposed = b.strides[1] != b.itemsize
    ldb = b.strides[1 if transposed else 0] // b.itemsize
    rows, inner = a.shape
    places = (a.ctypes.data, inner, b.ctypes.data, ldb, out.ctypes.data, b.shape[1])
    return (rows, inner, b.shape[1], transposed), places


def _dnnl(library):
    size, place, scale = ctypes.c_int64, ctypes.c_void_p, ctypes.c_float
    function = library.dnnl_sgemm
    function.argtypes = [
        *(ctypes.c_char, ctypes.c_char, size, size, size, scale),
        *(place, size, place, size, scale, place, size),
    ]

    def gemm(sizes, places):
        rows, inner, columns, transposed = sizes
        a, lda, b, ldb, out, ldc = places
        kind = b"T" if transposed else b"N"
        function(b"N", kind, rows, columns, inner, 1, a, lda, b, ldb, 0, out, ldc)

    return gemm


def _cblas(library, dtype):
    single = dtype == np.float32
    size, place = ctypes.c_int, ctypes.c_void_p
    scale = ctypes.c_float if single else ctypes.c_double
    function = library.cblas_sgemm if single else library.cblas_dgemm
    function.argtypes = [
        *(size, size, size, size, size, size, scale),
        *(place, size, place, size, scale, place, size),
    ]

    def gemm(sizes, places):
        rows, inner, columns, transposed = sizes
        a, lda, b, ldb, out, ldc = places
        kind = TRANSPOSED if transposed else PLAIN
        function(ROW_MAJOR, PLAIN, kind, rows, columns, inner, 1, a, lda, b, ldb, 0, out, ldc)

    return gemm
