"""The step that takes the place of PyTorch's."""

import functools

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

from kael._kernels.torch_step import TorchStep
from kael.optim.clip import clip_factor
from kael.torch import tensors
from kael.torch.nn.utils.clip import joint_norm

__all__ = ["Compiled", "with_hooks"]


def with_hooks(step):
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
    total_norm = None

    def add_param_group(self, param_group):
        """Adds a group of parameters, as PyTorch's method does.

        Parameters
        ----------
        param_group : dict
            ``"params"`` and options that differ from ``defaults``.

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

    @with_hooks
    def step(self, closure=None, *, max_norm=None, norm_type=2.0, zero_grad=False):
        """Updates every parameter that has a gradient.

        Clipping and zeroing here cost no pass over memory of their own: with ``max_norm`` the
        gradients are scaled as they are read (the numbers are those of
        :func:`kael.torch.nn.utils.clip_grad_norm_` before the step; the gradients themselves stay
        as they are), with ``zero_grad`` they are zeroed in the same pass, in place.

        A GradScaler may leave ``grad_scale`` and ``found_inf`` in attributes, as it does for
        ``fused=True``: gradients are divided by the scale on their way (they keep their scaled
        values in memory), and where an infinity was found the whole step is left out, state and
        counters included.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss, which ``step`` returns.
        max_norm : float, optional
            Clip the gradients of all groups together, after the division by a GradScaler's scale;
            ``total_norm`` then holds their norm.
        norm_type : float
            As in :func:`torch.nn.utils.clip_grad_norm_`.
        zero_grad : bool
            Leave zeros in the gradients that were used.

        Returns
        -------
        Tensor, float or None
            What the closure returned.

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
        factor = 1.0 if scale is None else 1.0 / float(scale)
        if max_norm is not None:
            factor *= self._clipping(float(max_norm), norm_type, factor)
        self._update(factor, zero_grad)
        return loss

    def _update(self, factor, clear):
        """Steps with the gradients times a factor; may leave zeros in them."""
        if self._compiled is None:
            made = TorchStep(self._rule, type(self).__name__, tensors)
            self.__dict__.setdefault("_compiled", made)  # another thread may have been here
        self._compiled.step(self.param_groups, self.state, factor, clear)

    def _clipping(self, max_norm, norm_type, factor):
        gradients = [
            p.grad for group in self.param_groups for p in group["params"] if p.grad is not None
        ]
        self.total_norm = factor * joint_norm(gradients, norm_type, type(self).__name__)
        return clip_factor(max_norm, self.total_norm)
