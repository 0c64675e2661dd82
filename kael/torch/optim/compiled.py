"""The step that takes the place of PyTorch's."""

import functools

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

from kael._kernels.torch_step import TorchStep
from kael.torch import tensors

__all__ = ["Compiled"]


def _with_hooks(step):
    """PyTorch's wrapper of a step (hooks and an entry for the profiler), which is left out while
    there are no hooks and no profiler: it takes as long as a small step."""
    wrapped = Optimizer.profile_hook_step(step)

    @functools.wraps(step)
    def function(*args, **kwargs):
        self = args[0]
        if (
            self._optimizer_step_pre_hooks
            or self._optimizer_step_post_hooks
            or _global_optimizer_pre_hooks
            or _global_optimizer_post_hooks
            or torch.autograd._profiler_enabled()
        ):
            return wrapped(*args, **kwargs)
        return step(*args, **kwargs)

    function.hooked = True  # PyTorch wraps what does not say so
    return function


class Compiled(Optimizer):
    """Stands before a class of PyTorch's in the bases: ``_rule`` names the kernel of its step."""

    _rule = None
    _compiled = None

    def add_param_group(self, param_group):
        """Adds a group of parameters; see PyTorch's method.

        Raises
        ------
        TypeError
            A tensor that is not in the CPU's memory.
        NotImplementedError
            ``differentiable``.
        """
        super().add_param_group(param_group)
        try:
            self._check(param_group)
        except BaseException:
            self.param_groups.pop()
            raise

    def _check(self, group):
        name = type(self).__name__
        if group.get("differentiable"):
            raise NotImplementedError(f"{name}: differentiable=True: the step cannot be recorded")
        for p in group["params"]:
            tensors.check_kind(p, name, "parameters")
            tensors.check_place(p, name, "parameters")

    @_with_hooks
    def step(self, closure=None):
        """Updates every parameter that has a gradient.

        A GradScaler may leave ``grad_scale`` and ``found_inf`` in attributes, as it does for
        ``fused=True``: gradients are divided by the scale on their way (they keep their scaled
        values in memory), and where an infinity was found the whole step is left out, state and
        counters included.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss, which ``step`` returns.

        Raises
        ------
        TypeError, ValueError, RuntimeError
            A tensor that the update cannot take. Nothing is changed then.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        found_inf = getattr(self, "found_inf", None)
        if found_inf is not None and float(found_inf) != 0.0:
            return loss
        scale = getattr(self, "grad_scale", None)
        if self._compiled is None:
            self._compiled = TorchStep(self._rule, type(self).__name__, tensors)
        self._compiled.step(
            self.param_groups, self.state, 1.0 if scale is None else 1.0 / float(scale)
        )
        return loss
