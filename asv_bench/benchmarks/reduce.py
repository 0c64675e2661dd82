"""Reductions: how near they come to reading memory once."""

import kael

from .common import ISAS, THREADS, need, operand, rate, use_isa

EVERY = [
    "sum",
    "mean",
    "prod",
    "var",
    "std",
    "norm",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "any",
    "all",
]


class Whole:
    """One output: split over blocks."""

    params = (["sum", "mean", "var", "norm", "max", "argmax"], [10**5, 10**6, 10**7], THREADS)
    param_names = ("operation", "elements", "threads")

    def setup(self, operation, elements, threads):
        kael.set_num_threads(threads)
        self.run = getattr(operand(elements), operation)

    def time_whole(self, operation, elements, threads):
        self.run()


class Dim:
    """Rows and columns of one matrix: the fold is the same, the memory is not."""

    params = (["sum", "var", "amax", "argmax"], [0, 1], THREADS)
    param_names = ("operation", "dim", "threads")

    def setup(self, operation, dim, threads):
        kael.set_num_threads(threads)
        self.run = getattr(operand(4096, 4096), operation)

    def time_dim(self, operation, dim, threads):
        self.run(dim)


class Every:
    """Every reduction in cache, on each instruction set."""

    params = (EVERY, ["float32", "float64"], ISAS)
    param_names = ("operation", "dtype", "isa")

    def setup(self, operation, dtype, isa):
        self.isa = use_isa(isa)
        kael.set_num_threads(1)
        self.run = need(operation, operand(10**5, dtype=getattr(kael, dtype)))

    def time_reduction(self, operation, dtype, isa):
        self.run()


class Memory:
    """Bytes a second that a sum reads from memory."""

    params = (["float32", "float64"], THREADS)
    param_names = ("dtype", "threads")

    def setup(self, dtype, threads):
        kael.set_num_threads(threads)
        self.x = operand(10**7, dtype=getattr(kael, dtype))

    def track_rate_sum(self, dtype, threads):
        return rate(10**7 * int(dtype[-2:]) // 8, self.x.sum)

    track_rate_sum.unit = "bytes/s"


class Narrow:
    """Many short rows, long narrow columns, and a bias gradient."""

    params = (["(1000000, 10)", "(64, 128)", "(2, 1000000)"], [0, 1])
    param_names = ("shape", "dim")

    def setup(self, shape, dim):
        kael.set_num_threads(1)
        self.x = operand(*(int(size) for size in shape.strip("()").split(",")))

    def time_sum(self, shape, dim):
        self.x.sum(dim)


class Call:
    """Eight by eight: the price of the call."""

    def setup(self):
        self.x = operand(8, 8)

    def time_sum(self):
        self.x.sum()

    def time_max_of_dim(self):
        self.x.max(1)
