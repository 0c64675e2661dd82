"""The same jobs written for kael, NumPy, torch and C libraries; compare.py times them, each in its
own process.

`jobs(name, threads, digits)` gives the jobs of one contestant by name, each a function that
prepares the work and returns a function without arguments that does it once. A contestant may
lack some. The first word of a job's name is its family.
"""

import os

import optimizers
from benchmarks.shapes import PRODUCTS

PEERS = (
    *("NumPy", "torch", "torch, foreach", "torch, fused", "kael.torch", "DeepSpeed", "RoundPipe"),
    *("oneDNN", "OpenBLAS", "BLIS", "MKL", "traffic"),
)
BATCH, HIDDEN, CLASSES = 64, 128, 10
RUNGS = ("v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded")
LADDER = 1024
COUNTS = {"1e5": 10**5, "1e6": 10**6, "1e7": 10**7}
UNARY = ("exp", "log", "sin", "tanh", "sigmoid", "erf", "sqrt", "relu", "gelu")
ROOTS = ("log", "sqrt")  # of positive values: their jobs are not to measure NaN
REDUCTIONS = ("sum", "mean", "var", "amax", "argmax")
ROWS = {
    **{"64x10": (64, 10), "4096x65": (4096, 65)},
    **{"1000x1000": (1000, 1000), "1024x50257": (1024, 50257)},
}
ROW_OPERATIONS = ("softmax", "log_softmax", "layer_norm", "cross_entropy")
CALLS = ("add", "matmul")

NAMES = [
    *(f"calls {call} 8x8{grad}" for call in CALLS for grad in ("", " requires_grad")),
    *map(str, PRODUCTS),
    *(f"elementwise {each} {n}" for each in ("add", *UNARY) for n in COUNTS),
    *(f"elementwise {each} 4096x4096" for each in ("add row", "add column", "transpose copy")),
    *(f"reduce {each} {n}" for each in REDUCTIONS for n in COUNTS),
    *(f"reduce {each} dim {dim} 4096x4096" for each in REDUCTIONS for dim in (0, 1)),
    *(f"rows {each} {shape}" for each in ROW_OPERATIONS for shape in ROWS),
    *(f"rows {each} backward {shape}" for each in ROW_OPERATIONS for shape in ROWS),
    *optimizers.NAMES,
    "training epoch",
]
FAMILIES = list(dict.fromkeys(name.split()[0] for name in NAMES))


def values(*shape):
    """Normal float32 values, the same for every contestant."""
    import numpy as np

    return np.random.default_rng(0).standard_normal(shape, np.float32)


def products(prepare, dtypes=("f32", "f64")):
    """The jobs of every measured product; prepare(a, b) takes NumPy arrays."""
    return {
        str(one): lambda one=one: prepare(*one.operands())
        for one in PRODUCTS
        if one.dtype in dtypes
    }


def on(wrap, operation, *shapes):
    """The job of an operation on tensors of these shapes."""

    def prepare():
        operands = [wrap(values(*shape)) for shape in shapes]
        return lambda: operation(*operands)

    return prepare


# ---- One family each, for any library that spells its names as NumPy or torch does ----


def elementwise_jobs(wrap, functions, copy):
    big = (4096, 4096)

    def positive(x):
        return wrap(abs(x) + x.dtype.type(0.001))

    return {
        **{
            f"elementwise add {name}": on(wrap, lambda a: a + a, (count,))
            for name, count in COUNTS.items()
        },
        **{
            f"elementwise {each} {name}": on(
                positive if each in ROOTS else wrap, function, (count,)
            )
            for each, function in functions.items()
            for name, count in COUNTS.items()
        },
        "elementwise add row 4096x4096": on(wrap, lambda a, b: a + b, big, (4096,)),
        "elementwise add column 4096x4096": on(wrap, lambda a, b: a + b, big, (4096, 1)),
        "elementwise transpose copy 4096x4096": on(wrap, lambda a: copy(a.T), big),
    }


def reduce_jobs(wrap, functions):
    whole = {
        f"reduce {each} {name}": on(wrap, function, (count,))
        for each, function in functions.items()
        for name, count in COUNTS.items()
    }
    along = {
        f"reduce {each} dim {dim} 4096x4096": on(
            wrap, lambda x, function=function, dim=dim: function(x, dim), (4096, 4096)
        )
        for each, function in functions.items()
        for dim in (0, 1)
    }
    return {**whole, **along}


def row_jobs(library, wrap):
    functional = library.nn.functional

    def loss(x):
        return functional.cross_entropy(x, library.arange(x.shape[0]) % x.shape[1])

    functions = {
        "softmax": lambda x: library.softmax(x, -1),
        "log_softmax": lambda x: library.log_softmax(x, -1),
        "layer_norm": lambda x: functional.layer_norm(x, x.shape[-1:]),
        "cross_entropy": loss,
    }

    def both(function, shape):
        def prepare():
            x = wrap(values(*shape))
            x.requires_grad = True
            g = library.ones_like(function(x))

            def run():
                function(x).backward(g)
                x.grad = None

            return run

        return prepare

    found = {}
    for each, function in functions.items():
        for label, shape in ROWS.items():
            found[f"rows {each} {label}"] = on(wrap, function, shape)
            found[f"rows {each} backward {label}"] = both(function, shape)
    return found


def call_jobs(wrap, matmul, with_gradient):
    found = {}
    for name, operation in (("add", lambda a, b: a + b), ("matmul", matmul)):
        found[f"calls {name} 8x8"] = on(wrap, operation, (8, 8), (8, 8))

        def prepare(operation=operation):
            a, b = wrap(values(8, 8)), wrap(values(8, 8))
            b.requires_grad = True
            return lambda: operation(a, b)

        if with_gradient:
            found[f"calls {name} 8x8 requires_grad"] = prepare
    return found


# ---- Contestants ----


def numpy_jobs(digits):
    import numpy as np
    import numpy_mlp
    import numpy_rows

    def same(x):
        return x

    functions = {
        **{name: getattr(np, name) for name in ("exp", "log", "sin", "tanh", "sqrt")},
        "relu": lambda x: np.maximum(x, 0),
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    }
    reductions = {name: getattr(np, name) for name in REDUCTIONS}
    return {
        **call_jobs(same, lambda a, b: a @ b, False),
        **products(lambda a, b: lambda: a @ b),
        **elementwise_jobs(same, functions, np.ascontiguousarray),
        **reduce_jobs(same, reductions),
        **numpy_rows.jobs(values, ROWS),
        "training epoch": lambda: numpy_mlp.epoch(*load(digits), HIDDEN, CLASSES, BATCH),
    }


def tensor_jobs(library, digits):
    """The jobs of kael and of torch, which share every name in them."""
    wrap = library.from_numpy

    def own(x):
        """x in memory of the library, as its users have it: NumPy's begins off a cache line."""
        if x.strides[-1] == x.itemsize:
            return wrap(x).clone()
        return wrap(x.swapaxes(-1, -2)).clone().mT

    def multiply(a, b):
        a, b = own(a), own(b)
        return lambda: library.matmul(a, b)

    gelu = library.nn.functional.gelu
    functions = {name: gelu if name == "gelu" else getattr(library, name) for name in UNARY}
    reductions = {name: getattr(library, name) for name in REDUCTIONS}
    return {
        **call_jobs(wrap, library.matmul, True),
        **products(multiply),
        **elementwise_jobs(own, functions, lambda x: x.contiguous()),
        **reduce_jobs(own, reductions),
        **row_jobs(library, own),
        "training epoch": lambda: epoch(library, digits, library.optim.Adam),
    }


def kael_jobs(digits):
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
    return {**tensor_jobs(kael, digits), **ladder}


def load(digits):
    """Images (rows of 784 float32) and labels, as NumPy arrays."""
    import numpy as np

    with np.load(digits) as arrays:
        return arrays["images"], arrays["labels"]


def epoch(library, digits, make_optimizer):
    """The training loop of examples/mnist_mlp.py."""
    nn = library.nn
    images, labels = map(library.from_numpy, load(digits))
    model = nn.Sequential(nn.Linear(784, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
    criterion, optimizer = nn.CrossEntropyLoss(), make_optimizer(model.parameters())

    def run():
        order = library.randperm(len(labels))
        for start in range(0, len(labels), BATCH):
            rows = order[start : start + BATCH]
            optimizer.zero_grad()
            criterion(model(images[rows]), labels[rows]).backward()
            optimizer.step()

    return run


def torch_jobs(digits):
    import torch

    return tensor_jobs(torch, digits)


def fused_torch_jobs(digits):
    import torch

    def adam(parameters):
        return torch.optim.Adam(parameters, fused=True)

    return {"training epoch": lambda: epoch(torch, digits, adam)}


def library_jobs(name):
    import gemm

    dtypes, prepare = gemm.load(name)
    return products(prepare, dtypes)


def jobs(name, threads, digits):
    """The jobs of one contestant, in a process that is its own."""
    for library in ("KAEL", "OPENBLAS", "OMP", "MKL", "BLIS"):
        os.environ[f"{library}_NUM_THREADS"] = str(threads)
    makers = {"kael": kael_jobs, "NumPy": numpy_jobs, "torch": torch_jobs}
    makers["torch, fused"] = fused_torch_jobs
    found = makers[name](digits) if name in makers else {}
    if name in ("oneDNN", "OpenBLAS", "BLIS", "MKL"):
        return library_jobs(name)
    found |= optimizers.jobs(name)
    if name in optimizers.FORMS:
        import torch

        torch.set_num_threads(threads)
    return found
