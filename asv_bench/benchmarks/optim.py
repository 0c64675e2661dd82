"""Optimizer steps: from one large tensor, where memory is the limit, to many small ones, where the
call is."""

import kael

from .common import THREADS, operand

# name -> sizes of the parameters
PARAMETERS = {
    "20 million": [20_000_000],
    "500 x 4096": [4096] * 500,
    "500 x 1000": [1000] * 500,
    "784-128-10": [784 * 128, 128, 128 * 10, 10],
}
OPTIMIZERS = {
    "SGD, momentum": lambda parameters: kael.optim.SGD(parameters, lr=1e-3, momentum=0.9),
    "Adam": lambda parameters: kael.optim.Adam(parameters),
    "AdamW, amsgrad": lambda parameters: kael.optim.AdamW(parameters, amsgrad=True),
}


def with_gradients(sizes):
    """Leaves of these sizes, each with a gradient."""
    parameters = [operand(size).requires_grad_() for size in sizes]
    for parameter in parameters:
        parameter.grad = operand(parameter.numel())
    return parameters


class Step:
    params = (list(OPTIMIZERS), list(PARAMETERS), THREADS)
    param_names = ("optimizer", "parameters", "threads")

    def setup(self, optimizer, parameters, threads):
        kael.set_num_threads(threads)
        self.optimizer = OPTIMIZERS[optimizer](with_gradients(PARAMETERS[parameters]))
        self.optimizer.step()  # makes and touches the state

    def time_step(self, optimizer, parameters, threads):
        self.optimizer.step()


class Clip:
    params = (list(PARAMETERS), THREADS)
    param_names = ("parameters", "threads")

    def setup(self, parameters, threads):
        kael.set_num_threads(threads)
        self.parameters = with_gradients(PARAMETERS[parameters])

    def time_clip_grad_norm(self, parameters, threads):
        kael.optim.clip_grad_norm_(self.parameters, 1e9)
