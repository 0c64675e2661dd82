"""The same jobs written for kael, NumPy, torch and C libraries; compare.py times them, each in its
own process.

`jobs(name, threads)` gives the jobs of one contestant by name, each a function that prepares the
work and returns a function without arguments that does it once. A contestant may lack some.
"""

import os

from benchmarks.shapes import PRODUCTS

ROWS, BATCH = 4000, 64
RUNGS = ("v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded")
LADDER = 1024
CALLS = ("add", "add, requires_grad", "matmul 8x8", "matmul 8x8, requires_grad", "epoch")


def values(*shape):
    """Normal float32 values, the same for every contestant."""
    import numpy as np

    return np.random.default_rng(0).standard_normal(shape, np.float32)


def classes():
    return values(ROWS).argsort() % 10


def products(prepare, dtypes=("f32", "f64")):
    """The jobs of every measured product; prepare(a, b) takes NumPy arrays."""
    return {
        str(one): lambda one=one: prepare(*one.operands())
        for one in PRODUCTS
        if one.dtype in dtypes
    }


def binary(wrap, operation, requires_grad=False):
    """The job of an operation on two 8 x 8 tensors."""

    def prepare():
        a, b = wrap(values(8, 8)), wrap(values(8, 8).copy())
        if requires_grad:
            b.requires_grad = True
        return lambda: operation(a, b)

    return prepare


def numpy_jobs():
    def multiply(a, b):
        return lambda: a @ b

    return {
        "add": binary(lambda x: x, lambda a, b: a + b),
        "matmul 8x8": binary(lambda x: x, lambda a, b: a @ b),
        **products(multiply),
    }


def tensor_jobs(library, optimizer):
    """The jobs of kael and of torch, which share every name in them."""
    wrap = library.from_numpy

    def multiply(a, b):
        a, b = wrap(a), wrap(b)
        return lambda: library.matmul(a, b)

    return {
        "add": binary(wrap, lambda a, b: a + b),
        "add, requires_grad": binary(wrap, lambda a, b: a + b, True),
        "matmul 8x8": binary(wrap, library.matmul),
        "matmul 8x8, requires_grad": binary(wrap, library.matmul, True),
        "epoch": lambda: epoch(library, optimizer),
        **products(multiply),
    }


def kael_jobs():
    import kael

    def rung(name, dtype):
        a = kael.from_numpy(values(LADDER, LADDER)).to(getattr(kael, dtype))
        b, out = a.clone(), kael.zeros(LADDER, LADDER, dtype=a.dtype)
        return lambda: getattr(kael.matmul_versions, name)(a, b, out)

    ladder = {
        f"{name} {short}": lambda name=name, dtype=dtype: rung(name, dtype)
        for short, dtype in (("f32", "float32"), ("f64", "float64"))
        for name in RUNGS
    }
    return {**tensor_jobs(kael, kael.optim.Adam), **ladder}


def torch_jobs(threads, **adam):
    import torch

    torch.set_num_threads(threads)
    return tensor_jobs(torch, lambda parameters: torch.optim.Adam(parameters, **adam))


def epoch(library, make_optimizer):
    """The training loop of examples/mnist_mlp.py."""
    nn = library.nn
    images, labels = library.from_numpy(values(ROWS, 784)), library.from_numpy(classes())
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    criterion, optimizer = nn.CrossEntropyLoss(), make_optimizer(model.parameters())

    def run():
        order = library.randperm(ROWS)
        for start in range(0, ROWS, BATCH):
            rows = order[start : start + BATCH]
            optimizer.zero_grad()
            criterion(model(images[rows]), labels[rows]).backward()
            optimizer.step()

    return run


def library_jobs(name):
    import gemm

    dtypes, prepare = gemm.load(name)
    return products(prepare, dtypes)


def jobs(name, threads):
    """The jobs of one contestant, in a process that is its own."""
    for library in ("KAEL", "OPENBLAS", "OMP", "MKL", "BLIS"):
        os.environ[f"{library}_NUM_THREADS"] = str(threads)
    makers = {
        "kael": kael_jobs,
        "NumPy": numpy_jobs,
        "torch": lambda: torch_jobs(threads),
        "torch, fused Adam": lambda: {"epoch": torch_jobs(threads, fused=True)["epoch"]},
    }
    return makers[name]() if name in makers else library_jobs(name)
