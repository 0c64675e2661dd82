"""Optimizer steps: from one large tensor, where memory is the limit, to many small ones, where the
call is. `python asv_bench/compare.py optim` has larger ones, beside torch and the memory itself."""

import kael

from .common import THREADS, need, operand, rate
from .parameters import LIGHT

OPTIMIZERS = {
    "SGD, momentum": lambda parameters: kael.optim.SGD(parameters, lr=1e-3, momentum=0.9),
    "Adam": kael.optim.Adam,
    "AdamW, amsgrad": lambda parameters: kael.optim.AdamW(parameters, amsgrad=True),
    "Adagrad": kael.optim.Adagrad,
    "RMSprop": kael.optim.RMSprop,
    "Lion": kael.optim.Lion,
}

NAMES = [
    *("SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "NAdam", "RAdam", "Adamax", "Adadelta"),
    *("ASGD", "Rprop", "Lion", "Adafactor", "Muon"),
]


def with_gradients(sizes):
    """Leaves of these sizes, each with a gradient."""
    parameters = [operand(size).requires_grad_() for size in sizes]
    for parameter in parameters:
        parameter.grad = operand(parameter.numel())
    return parameters


class Step:
    params = (list(OPTIMIZERS), list(LIGHT), THREADS)
    param_names = ("optimizer", "parameters", "threads")

    def setup(self, optimizer, parameters, threads):
        kael.set_num_threads(threads)
        self.optimizer = OPTIMIZERS[optimizer](with_gradients(LIGHT[parameters]))
        self.optimizer.step()  # makes and touches the state

    def time_step(self, optimizer, parameters, threads):
        self.optimizer.step()


class Every:
    """Every optimizer that needs no closure; matrices, as Muon wants them."""

    params = ([*NAMES], THREADS)
    param_names = ("optimizer", "threads")

    def setup(self, optimizer, threads):
        kael.set_num_threads(threads)
        parameters = [operand(*shape).requires_grad_() for shape in ((784, 128), (128, 10))]
        for parameter in parameters:
            parameter.grad = operand(*parameter.shape)
        self.optimizer = need(optimizer, kael.optim)(parameters, lr=1e-3)
        self.optimizer.step()

    def time_step(self, optimizer, threads):
        self.optimizer.step()


class Memory:
    """Bytes a second of Adam's step: four arrays read, three written."""

    params = (THREADS,)
    param_names = ("threads",)

    def setup(self, threads):
        kael.set_num_threads(threads)
        self.optimizer = kael.optim.Adam(with_gradients([10_000_000]))
        self.optimizer.step()

    def track_rate_adam(self, threads):
        return rate(7 * 4 * 10_000_000, self.optimizer.step)

    track_rate_adam.unit = "bytes/s"


class Fused:
    """Clipping, the step and zeroing: in one pass, and in three."""

    params = (list(LIGHT), THREADS)
    param_names = ("parameters", "threads")

    def setup(self, parameters, threads):
        kael.set_num_threads(threads)
        self.parameters = with_gradients(LIGHT[parameters])
        self.optimizer = kael.optim.Adam(self.parameters)
        self.optimizer.step()

    def time_together(self, parameters, threads):
        self.optimizer.step(max_norm=1e-3, zero_grad=True)

    def time_apart(self, parameters, threads):
        kael.optim.clip_grad_norm_(self.parameters, 1e-3)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)


class Clip:
    params = (list(LIGHT), THREADS)
    param_names = ("parameters", "threads")

    def setup(self, parameters, threads):
        kael.set_num_threads(threads)
        self.parameters = with_gradients(LIGHT[parameters])

    def time_clip_grad_norm(self, parameters, threads):
        kael.optim.clip_grad_norm_(self.parameters, 1e9)


class FirstStep:
    """What a user waits for: construction and the first step, which makes the state."""

    def setup(self):
        self.parameters = with_gradients(LIGHT["784-128-10"])

    def time_first_step(self):
        kael.optim.Adam(self.parameters).step()
