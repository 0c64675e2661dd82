"""Matrix products: the ladder, the shapes of training, threads, and the price of a call.

Rates are 2 * rows * inner * columns / time; compare.py divides them by the measured FMA peak.
"""

import kael
from kael import matmul_versions as ladder

from .common import THREADS, operand

RUNGS = ["v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded"]
SHAPES = [
    (64, 784, 128),
    (64, 128, 10),
    (1, 1024, 1024),
    (8, 4096, 4096),
    (16, 4096, 16),
    (4096, 64, 4096),
    (387, 513, 4100),
]


class Version:
    """Each rung; the slow ones only where they end in a reasonable time."""

    params = (RUNGS, [256, 512, 1024, 2048])
    param_names = ("rung", "n")
    timeout = 120

    def setup(self, rung, n):
        if rung in RUNGS[:1] and n > 1024:
            raise NotImplementedError
        kael.set_num_threads(THREADS[-1])
        self.a, self.b, self.out = operand(n, n), operand(n, n), kael.zeros(n, n)
        self.run = getattr(ladder, rung)

    def time_version(self, rung, n):
        self.run(self.a, self.b, self.out)


class Square:
    """What a user calls, from a tile to memory-bound."""

    params = (
        [8, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048],
        ["float32", "float64"],
        ["plain", "transposed"],
        THREADS,
    )
    param_names = ("n", "dtype", "b", "threads")

    def setup(self, n, dtype, b, threads):
        kael.set_num_threads(threads)
        dtype = getattr(kael, dtype)
        self.a, self.b = operand(n, n, dtype=dtype), operand(n, n, dtype=dtype)
        if b == "transposed":
            self.b = self.b.T
        kael.matmul(self.a, self.b)

    def time_matmul(self, n, dtype, b, threads):
        kael.matmul(self.a, self.b)


class Shape:
    """Products that are long in one direction."""

    params = (SHAPES, ["plain", "transposed"], THREADS)
    param_names = ("rows x inner x columns", "b", "threads")

    def setup(self, shape, b, threads):
        kael.set_num_threads(threads)
        rows, inner, columns = shape
        self.a = operand(rows, inner)
        self.b = operand(inner, columns) if b == "plain" else operand(columns, inner).T
        kael.matmul(self.a, self.b)

    def time_matmul(self, shape, b, threads):
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

    def time_gradient_of_x(self, shape, threads):
        kael.matmul(self.g, self.weight)

    def time_gradient_of_weight(self, shape, threads):
        kael.matmul(self.g.T, self.x)


class Batch:
    """Many small products, and a few large ones."""

    params = ([(64, 32), (8, 512)], THREADS)
    param_names = ("batch x n", "threads")

    def setup(self, shape, threads):
        kael.set_num_threads(threads)
        batch, n = shape
        self.a, self.b = operand(batch, n, n), operand(batch, n, n)

    def time_matmul(self, shape, threads):
        kael.matmul(self.a, self.b)


class Integer:
    """Exact products modulo 2**w."""

    params = (["uint8", "int32", "int64"], THREADS)
    param_names = ("dtype", "threads")

    def setup(self, dtype, threads):
        kael.set_num_threads(threads)
        self.a = kael.ones(512, 512, dtype=getattr(kael, dtype))

    def time_matmul(self, dtype, threads):
        kael.matmul(self.a, self.a)
