"""Matrix products: the ladder, the shapes of training, threads, and the price of a call.

Rates are 2 * rows * inner * columns / time; compare.py divides them by the measured FMA peak.
"""

import math

import kael

from .common import ISAS, MANY_THREADS, THREADS, need, operand, rate, use_isa
from .shapes import BATCHES, DTYPES, SHAPES, SQUARES

LIGHT = [sizes for sizes in SHAPES if math.prod(sizes) < 2e9]
RUNGS = ["v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded"]


class _Rungs:
    params = (RUNGS, [256, 512, 1024, 2048])
    param_names = ("rung", "n")

    def setup(self, rung, n):
        kael.set_num_threads(THREADS[-1])
        self.a, self.b, self.out = operand(n, n), operand(n, n), kael.zeros(n, n)
        self.run = need(rung, need("matmul_versions"))


class Version(_Rungs):
    """Each rung; v1_ijk takes the better part of a minute for 2048."""

    timeout = 600

    def time_version(self, rung, n):
        self.run(self.a, self.b, self.out)


class Rate(_Rungs):
    """The same as flops per second; the slow one where it ends soon."""

    def setup(self, rung, n):
        if rung == "v1_ijk" and n > 512:
            raise NotImplementedError
        super().setup(rung, n)

    def track_rate_version(self, rung, n):
        return rate(2 * n**3, lambda: self.run(self.a, self.b, self.out))

    track_rate_version.unit = "flop/s"


class InstructionSet:
    """The kernels of each instruction set, on one thread."""

    params = (["v4_packed", "v5_simd"], ISAS, list(DTYPES.values()))
    param_names = ("rung", "isa", "dtype")

    def setup(self, rung, isa, dtype):
        self.isa = use_isa(isa)
        kael.set_num_threads(1)
        dtype = getattr(kael, dtype)
        self.a, self.b = operand(512, 512, dtype=dtype), operand(512, 512, dtype=dtype)
        self.out = kael.zeros(512, 512, dtype=dtype)
        self.run = need(rung, need("matmul_versions"))

    def track_rate(self, rung, isa, dtype):
        return rate(2 * 512**3, lambda: self.run(self.a, self.b, self.out))

    track_rate.unit = "flop/s"


class Threads:
    """1024 cubed on the seeds' thread counts; beyond the cores it must not get slower."""

    params = (MANY_THREADS, list(DTYPES.values()))
    param_names = ("threads", "dtype")

    def setup(self, threads, dtype):
        kael.set_num_threads(threads)
        self.a = operand(1024, 1024, dtype=getattr(kael, dtype))
        kael.matmul(self.a, self.a)

    def time_matmul(self, threads, dtype):
        kael.matmul(self.a, self.a)

    def track_rate_matmul(self, threads, dtype):
        return rate(2 * 1024**3, lambda: kael.matmul(self.a, self.a))

    track_rate_matmul.unit = "flop/s"


class Product:
    """What a user calls: squares, layers, single rows, batches. compare.py has larger ones, too."""

    params = (
        [(8, 8, 8), *((n, n, n) for n in SQUARES if n <= 1024), *LIGHT, *BATCHES],
        THREADS,
    )
    param_names = ("[batch x] rows x inner x columns", "threads")

    def setup(self, sizes, threads):
        kael.set_num_threads(threads)
        *batch, rows, inner, columns = sizes
        self.a, self.b = operand(*batch, rows, inner), operand(*batch, inner, columns)
        kael.matmul(self.a, self.b)

    def time_matmul(self, sizes, threads):
        kael.matmul(self.a, self.b)


class Orientation:
    """Either operand as it lies in memory, or its transpose."""

    params = (
        [(64, 784, 128), (512, 512, 512)],
        list(DTYPES.values()),
        ["a @ b", "a @ b.T", "a.T @ b", "a.T @ b.T"],
    )
    param_names = ("rows x inner x columns", "dtype", "operands")

    def setup(self, sizes, dtype, operands):
        kael.set_num_threads(1)
        rows, inner, columns = sizes
        dtype = getattr(kael, dtype)
        self.a, self.b = operand(rows, inner, dtype=dtype), operand(inner, columns, dtype=dtype)
        if "a.T" in operands:
            self.a = self.a.T.contiguous().T
        if "b.T" in operands:
            self.b = self.b.T.contiguous().T
        kael.matmul(self.a, self.b)

    def time_matmul(self, sizes, dtype, operands):
        kael.matmul(self.a, self.b)


class Layer:
    """A linear layer of the digit example: forward, and the two products of its gradient."""

    params = ([(784, 128), (128, 10)], THREADS)
    param_names = ("inner x columns", "threads")

    def setup(self, shape, threads):
        kael.set_num_threads(threads)
        inner, columns = shape
        self.x, self.g = operand(64, inner), operand(64, columns)
        self.weight, self.bias = operand(columns, inner), operand(columns)

    def time_forward(self, shape, threads):
        kael.linear(self.x, self.weight, self.bias)

    def time_forward_without_bias(self, shape, threads):
        kael.linear(self.x, self.weight)

    def time_gradient_of_x(self, shape, threads):
        kael.matmul(self.g, self.weight)

    def time_gradient_of_weight(self, shape, threads):
        kael.matmul(self.g.T, self.x)


class Integer:
    """Exact products modulo 2**w."""

    params = (["uint8", "int32", "int64"], THREADS)
    param_names = ("dtype", "threads")

    def setup(self, dtype, threads):
        kael.set_num_threads(threads)
        self.a = kael.ones(512, 512, dtype=getattr(kael, dtype))

    def time_matmul(self, dtype, threads):
        kael.matmul(self.a, self.a)


class Call:
    """The price of a call: a product of 8 x 8, through the operator and by name, with a graph."""

    params = (["operator", "function", "linear"], [False, True])
    param_names = ("call", "requires_grad")

    def setup(self, call, requires_grad):
        kael.set_num_threads(1)
        a, b, bias = operand(8, 8), operand(8, 8), operand(8)
        b.requires_grad = requires_grad
        self.run = {
            "operator": lambda: a @ b,
            "function": lambda: kael.matmul(a, b),
            "linear": lambda: kael.linear(a, b, bias),
        }[call]

    def time_call(self, call, requires_grad):
        self.run()


class Einsum:
    """Contractions of attention, lowered to batched products."""

    params = (["bhqd,bhkd->bhqk", "bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd"], THREADS)
    param_names = ("equation", "threads")

    def setup(self, equation, threads):
        need("einsum")
        kael.set_num_threads(threads)
        sizes = {"b": 4, "h": 8, "q": 128, "k": 128, "d": 64}
        names = equation.split("->")[0].split(",")
        self.operands = [operand(*(sizes[name] for name in term)) for term in names]

    def time_einsum(self, equation, threads):
        kael.einsum(equation, *self.operands)
