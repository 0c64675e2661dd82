"""Row operations, forward alone and with the gradient."""

import kael

from .common import THREADS, need, operand

SHAPES = ["(64, 10)", "(4096, 65)", "(1000, 1000)", "(1024, 50257)"]
FUNCTIONS = {
    "softmax": lambda x, targets: x.softmax(-1),
    "log_softmax": lambda x, targets: x.log_softmax(-1),
    "standardize": lambda x, targets: kael.standardize(x),
    "rms_norm": lambda x, targets: kael.rms_norm(x, x.shape[-1]),
    "logsumexp": lambda x, targets: x.logsumexp(-1),
    "cumsum": lambda x, targets: x.cumsum(-1),
    "cross_entropy": kael.cross_entropy_losses,
    "smoothed cross_entropy": lambda x, targets: kael.cross_entropy_losses(
        x, targets, label_smoothing=0.1
    ),
}


def composed_cross_entropy(x, targets):
    """What cross_entropy_losses fuses."""
    return kael.nn.functional.nll_loss(x.log_softmax(-1), targets, reduction="none")


class Rows:
    params = (list(FUNCTIONS), SHAPES, THREADS)
    param_names = ("operation", "shape", "threads")

    def setup(self, operation, shape, threads):
        kael.set_num_threads(threads)
        rows, size = (int(n) for n in shape.strip("()").split(","))
        self.x = operand(rows, size)
        self.leaf = self.x.clone().requires_grad_()
        self.targets = kael.arange(rows) % size
        self.run = FUNCTIONS[operation]
        self.g = self.run(self.x, self.targets)

    def time_forward(self, operation, shape, threads):
        self.run(self.x, self.targets)

    def time_forward_and_backward(self, operation, shape, threads):
        self.run(self.leaf, self.targets).backward(self.g)
        self.leaf.grad = None


class Fusion:
    """The fused cross entropy beside the composed one."""

    params = (["fused", "composed"], SHAPES)
    param_names = ("form", "shape")

    def setup(self, form, shape):
        need("nll_loss", kael.nn.functional)
        kael.set_num_threads(1)
        rows, size = (int(n) for n in shape.strip("()").split(","))
        self.x = operand(rows, size)
        self.leaf = self.x.clone().requires_grad_()
        self.targets = kael.arange(rows) % size
        self.run = kael.cross_entropy_losses if form == "fused" else composed_cross_entropy
        self.g = kael.ones(rows)

    def time_losses(self, form, shape):
        self.run(self.x, self.targets)

    def time_losses_and_gradient(self, form, shape):
        self.run(self.leaf, self.targets).backward(self.g)
        self.leaf.grad = None


class Causal:
    """Attention's softmax over a triangle beside that over whole rows."""

    params = (["causal", "whole"], THREADS)
    param_names = ("form", "threads")

    def setup(self, form, threads):
        need("causal_softmax")
        kael.set_num_threads(threads)
        self.x = operand(8, 512, 512)
        self.run = kael.causal_softmax if form == "causal" else kael.softmax

    def time_softmax(self, form, threads):
        self.run(self.x)


class Layout:
    """Rows along the first dim are staged through tiles."""

    params = ([0, 1], THREADS)
    param_names = ("dim", "threads")

    def setup(self, dim, threads):
        kael.set_num_threads(threads)
        self.x = operand(1000, 1000)

    def time_softmax(self, dim, threads):
        self.x.softmax(dim)
