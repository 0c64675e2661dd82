"""Elementwise operations: one pass over memory, and the price of a call."""

import kael

from .common import THREADS, operand


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

    def time_contiguous(self, layout, threads):
        if layout == "transposed":
            self.other.contiguous()


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
