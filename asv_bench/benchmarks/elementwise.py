"""Elementwise operations: one pass over memory, and the price of a call."""

import kael

from .common import ISAS, THREADS, need, operand, rate, use_isa

UNARY = [
    *("neg", "abs", "square", "relu", "floor", "round", "sqrt", "rsqrt", "cbrt", "reciprocal"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sinh", "cosh", "tanh", "sigmoid"),
    *("erf", "erfc", "gelu", "gelu_tanh", "sin", "cos", "tan", "asin", "acos", "atan"),
]
BINARY = ["add", "mul", "div", "maximum", "remainder", "floor_divide", "pow", "atan2", "hypot"]
LAYOUTS = ["contiguous", "broadcast", "transposed"]


class Pass:
    """Large tensors; the output is written into a block that was used before."""

    params = (["add", "mul", "exp", "tanh", "gelu", "relu"], [10**5, 10**6, 10**7], THREADS)
    param_names = ("operation", "elements", "threads")

    def setup(self, operation, elements, threads):
        kael.set_num_threads(threads)
        x = operand(elements)
        functions = {
            "add": lambda: x + x,
            "mul": lambda: x * x,
            "exp": lambda: kael.exp(x),
            "tanh": lambda: kael.tanh(x),
            "gelu": lambda: kael.gelu(x),
            "relu": lambda: kael.relu(x),
        }
        self.run = functions[operation]
        self.run()

    def time_pass(self, operation, elements, threads):
        self.run()


class Layout:
    """The same addition over operands that are not laid out alike."""

    params = (["row", "column", "transposed", "in_place"], THREADS)
    param_names = ("layout", "threads")

    def setup(self, layout, threads):
        kael.set_num_threads(threads)
        self.x = operand(4096, 4096)
        others = {
            "row": operand(4096),
            "column": operand(4096, 1),
            "transposed": operand(4096, 4096).T,
            "in_place": operand(4096, 4096),
        }
        self.other = others[layout]

    def time_add(self, layout, threads):
        if layout == "in_place":
            self.x += self.other
        else:
            self.x + self.other


class ContiguousFromTransposed:
    """A transpose written out, by tiles."""

    params = ([1000, 4096], ["float32", "float64"], THREADS)
    param_names = ("n", "dtype", "threads")

    def setup(self, n, dtype, threads):
        kael.set_num_threads(threads)
        self.x = operand(n, n, dtype=getattr(kael, dtype)).T
        self.x.contiguous()

    def time_contiguous(self, n, dtype, threads):
        self.x.contiguous()

    def track_rate_contiguous(self, n, dtype, threads):
        return rate(2 * n * n * int(dtype[-2:]) // 8, self.x.contiguous)

    track_rate_contiguous.unit = "bytes/s"


class Function:
    """Every elementary function, in cache, on each instruction set."""

    params = (UNARY, ["float32", "float64"], ISAS)
    param_names = ("function", "dtype", "isa")

    def setup(self, function, dtype, isa):
        self.isa = use_isa(isa)
        kael.set_num_threads(1)
        self.run = need(function)
        self.x = kael.rand(10**5).to(getattr(kael, dtype))
        self.run(self.x)

    def time_function(self, function, dtype, isa):
        self.run(self.x)


class Pair:
    """Operations of two operands, in cache, on each instruction set."""

    params = (BINARY, ["float32", "float64"], ISAS)
    param_names = ("operation", "dtype", "isa")

    def setup(self, operation, dtype, isa):
        self.isa = use_isa(isa)
        kael.set_num_threads(1)
        self.run = need(operation)
        self.x = kael.rand(10**5).to(getattr(kael, dtype)) + 0.5
        self.run(self.x, self.x)

    def time_pair(self, operation, dtype, isa):
        self.run(self.x, self.x)


class Naive:
    """A loop in Python beside the kernel, over operands that are laid out alike or not."""

    params = (LAYOUTS, ["loop", "kernel"])
    param_names = ("layout", "by")

    def setup(self, layout, by):
        kael.set_num_threads(1)
        a, b = operand(128, 128), operand(128, 128)
        b = {"contiguous": b, "broadcast": operand(128), "transposed": b.T}[layout]
        if by == "kernel":
            self.run = lambda: a + b
        else:
            rows, other = a.tolist(), kael.broadcast_to(b, (128, 128)).tolist()
            self.run = lambda: [
                [x + y for x, y in zip(*pair, strict=True)]
                for pair in zip(rows, other, strict=True)
            ]

    def time_add(self, layout, by):
        self.run()


class Memory:
    """Bytes a second of operands that lie in memory, read and written."""

    params = (["add", "relu", "exp"], ["float32", "float64"], THREADS)
    param_names = ("operation", "dtype", "threads")

    def setup(self, operation, dtype, threads):
        kael.set_num_threads(threads)
        x = operand(10**7, dtype=getattr(kael, dtype))
        self.run = (lambda: x + x) if operation == "add" else lambda: need(operation)(x)
        self.bytes = 2 * x.numel() * int(dtype[-2:]) // 8

    def track_rate(self, operation, dtype, threads):
        return rate(self.bytes, self.run)

    track_rate.unit = "bytes/s"


class Call:
    """8 x 8 tensors: the time is the call's."""

    params = ([False, True],)
    param_names = ("requires_grad",)

    def setup(self, requires_grad):
        kael.set_num_threads(1)
        self.a, self.b = operand(8, 8), operand(8, 8)
        self.a.requires_grad = requires_grad

    def time_add(self, requires_grad):
        self.a + self.b

    def time_relu(self, requires_grad):
        self.a.relu()
