"""The step that takes the place of PyTorch's."""

import functools
import inspect
import sys

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

from kael._kernels.torch_step import TorchStep
from kael.optim.clip import clipping
from kael.torch import tensors
from kael.torch.nn.utils.clip import joint_norm

__all__ = ["Compiled", "with_hooks"]

_profiler_enabled = torch.autograd._profiler_enabled


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
            or _profiler_enabled()
        ):
            return wrapped(*args, **kwargs)
        return step(*args, **kwargs)

    function.hooked = True  # PyTorch wraps what does not say so
    return function


def directly(method):
    """A method of PyTorch's without its wrapper, which imports PyTorch's compiler when it is first
    called: that takes seconds, and an optimizer needs none of it."""
    inner = getattr(method, "__wrapped__", None)
    if inner is None or "torch._dynamo" in sys.modules:
        return method
    return functools.partial(inner, method.__self__)


STORING = ("master_weights", "stochastic_rounding")


def constructor_of(reference):
    """The constructor of a class of PyTorch's with kael's options behind its own."""

    @functools.wraps(reference.__init__)
    def constructor(self, *args, master_weights=False, stochastic_rounding=False, **kwargs):
        self._storing = storing(master_weights, stochastic_rounding)
        reference.__init__(self, *args, **kwargs)
        self._constructed()

    signature = inspect.signature(reference.__init__)
    more = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=False) for n in STORING]
    parameters = [*signature.parameters.values(), *more]
    constructor.__signature__ = signature.replace(parameters=parameters)
    return constructor


def storing(*chosen):
    """The names of the options that are chosen."""
    return tuple(name for name, wanted in zip(STORING, chosen, strict=True) if wanted)


class Compiled(Optimizer):
    """Stands before a class of PyTorch's in the bases: ``_rule`` names the kernel of its step.

    Besides that class's arguments it takes two, for parameters of float16 and bfloat16 (others do
    not change by them), also as options of a group:

    ``master_weights``
        The step is one of float32 parameters, which are kept as ``master_param`` in the state, all
        of which is then float32. The parameter is the rounding of its master; an element that
        somebody else has changed gives its master a new value.
    ``stochastic_rounding``
        New values are rounded up or down at random, with the probabilities that make the rounding
        right on average, so that steps below half a unit are not lost. Element i of the 16-bit
        parameters of a group, as if they were one, takes random number i (R7 of docs/promise.md)
        from ``rounding_state``, an option of the group: a seed, that of PyTorch and the number of
        the group, and a position, which each step moves on.
    """

    _rule = None
    _compiled = None
    _storing = ()
    total_norm = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for base in cls.__bases__:
            if issubclass(base, Optimizer) and not issubclass(base, Compiled):
                cls.__init__ = constructor_of(base)

    def _constructed(self):
        """Runs behind PyTorch's constructor."""

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
        ValueError
            ``master_weights`` and ``stochastic_rounding`` together.
        NotImplementedError
            ``differentiable``.
        """
        self.defaults.update(dict.fromkeys(self._storing, True))
        directly(super().add_param_group)(param_group)
        try:
            self._check(param_group)
        except BaseException:
            self.param_groups.pop()
            raise
        self._complete(param_group, len(self.param_groups) - 1)

    def _complete(self, group, number):
        """Options that checkpoints of PyTorch lack, and the start of random numbers."""
        for key in STORING:
            if key in self.defaults:
                group.setdefault(key, self.defaults[key])
        if group.get("stochastic_rounding"):
            group.setdefault("rounding_state", tensors.rounding_state(number))

    def _check(self, group):
        name = type(self).__name__
        tensors.check_storing(group)
        if group.get("differentiable"):
            raise NotImplementedError(f"{name}: differentiable=True: the step cannot be recorded")
        for p in group["params"]:
            tensors.check_kind(p, name, "parameters")
            tensors.check_place(p, name, "parameters")

    def zero_grad(self, set_to_none=True):
        """Forgets or zeroes the gradients, as PyTorch's method does.

        Parameters
        ----------
        set_to_none : bool
            Set ``grad`` to None, or fill it with zeros in place.
        """
        directly(super().zero_grad)(set_to_none)

    def state_dict(self):
        """State and groups with parameters replaced by numbers, as of PyTorch's method.

        Returns
        -------
        dict
        """
        return directly(super().state_dict)()

    def load_state_dict(self, state_dict):
        """Takes over a state, as PyTorch's method does.

        That gives all of a parameter's state its dtype. Here single numbers keep theirs, and so
        does what stands beside a master: a run that was saved goes on as if it had not been.

        Parameters
        ----------
        state_dict : dict
            Made by ``state_dict`` of this class or PyTorch's.
        """
        taken = {}

        def remember(_, changed):
            taken.update(changed)

        hook = self.register_load_state_dict_pre_hook(remember)  # behind all others
        try:
            directly(super().load_state_dict)(state_dict)
        finally:
            hook.remove()
        saved_groups = taken["param_groups"]
        for number, (group, saved) in enumerate(zip(self.param_groups, saved_groups, strict=True)):
            self._complete(group, number)
            for p, key in zip(group["params"], saved["params"], strict=True):
                kept = taken["state"].get(key, {})
                tensors.restore(self.state.get(p), kept, p, group.get("master_weights"))

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
        found_inf, scale = self.__dict__.get("found_inf"), self.__dict__.get("grad_scale")
        if found_inf is not None and float(found_inf) != 0.0:
            return loss
        factor = 1.0 if scale is None else 1.0 / float(scale)
        if max_norm is not None:
            factor = clipping(self, max_norm, norm_type, self._norm, factor)
        self._update(factor, zero_grad)
        return loss

    def _update(self, factor, clear):
        """Steps with the gradients times a factor; may leave zeros in them."""
        if self._compiled is None:
            made = TorchStep(self._rule, type(self).__name__, tensors)
            self.__dict__.setdefault("_compiled", made)  # another thread may have been here
        self._compiled.step(self.param_groups, self.state, factor, clear)

    def _norm(self, gradients, norm_type):
        return joint_norm(gradients, norm_type, type(self).__name__)
