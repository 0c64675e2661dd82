"""What a call costs on tensors too small to matter: views, operators, functions, with a graph."""

import kael

from .common import operand

CALLS = {
    "add": lambda x: x + x,
    "mul by a number": lambda x: x * 2.0,
    "relu": lambda x: x.relu(),
    "sum": lambda x: x.sum(),
    "matmul": lambda x: x @ x,
    "softmax": lambda x: x.softmax(-1),
    "reshape": lambda x: x.reshape(64),
    "index": lambda x: x[1],
    "transpose": lambda x: x.T,
    "item": lambda x: x[0, 0].item(),
    "zeros": lambda x: kael.zeros(8, 8),
}


class Tiny:
    params = (list(CALLS), [False, True])
    param_names = ("call", "requires_grad")

    def setup(self, call, requires_grad):
        kael.set_num_threads(1)
        self.x = operand(8, 8)
        self.x.requires_grad = requires_grad
        self.run = CALLS[call]

    def time_call(self, call, requires_grad):
        self.run(self.x)
