"""The base class of the optimizers, with the behaviour of ``torch.optim.Optimizer``."""

import warnings
from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from itertools import chain

from kael.autograd import enable_grad
from kael.checks import flag
from kael.optim.hooked import (
    Hooked,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    with_hooks,
)
from kael.tensor import Tensor

__all__ = [
    "Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook",
    "required",
]  # fmt: skip


class _Required:
    def __repr__(self):
        return "<required parameter>"


# Options that are true or false.
FLAGS = (
    "amsgrad", "capturable", "centered", "decoupled_weight_decay", "maximize", "nesterov",
)  # fmt: skip

required = _Required()
"""Default of an option that every parameter group must give."""

# Keys of the state that are single numbers.
NUMBERS = ("step", "eta", "mu", "mu_product")


class Optimizer(Hooked):
    """What all optimizers share: parameter groups, state, hooks, saving and loading.

    A subclass gives ``defaults`` to ``__init__`` and defines ``step``.

    Parameters
    ----------
    params : iterable
        Of tensors, of (name, tensor) pairs, or of dicts that hold such an iterable under
        ``"params"`` beside options of their own.
    defaults : dict
        Options of the groups that do not give them.

    Attributes
    ----------
    param_groups : list of dict
        Every group has ``"params"`` and all options.
    state : defaultdict
        State of each parameter, keyed by the tensor object.
    defaults : dict

    Raises
    ------
    TypeError
        A bare tensor, a set, or something that is not a tensor among the parameters.
    ValueError
        No parameters, a tensor that is not a leaf, the same one in two groups, names for some
        parameters only.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        step = cls.__dict__.get("step")
        if step is not None and not getattr(step, "hooked", False):
            cls.step = with_hooks(step)

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {_typename(params)}"
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getstate__(self):
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(
                f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"
            )
        return text + ")"

    def step(self, closure=None):
        """Updates the parameters; the subclasses say how.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss, which ``step`` returns.
        """
        raise NotImplementedError

    @staticmethod
    def _evaluate(closure):
        """The closure's loss, computed with gradients recorded; None without a closure."""
        if closure is None:
            return None
        with enable_grad():
            return closure()

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters.

        Parameters
        ----------
        set_to_none : bool
            Set ``grad`` to None (a later ``step`` skips a parameter that gets no gradient), or
            fill it with zeros in place.
        """
        set_to_none = flag("zero_grad", "set_to_none", set_to_none)
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None
                elif p.grad is not None:
                    if p.grad.grad_fn is not None:
                        p.grad = p.grad.detach()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()

    def add_param_group(self, param_group):
        """Adds a group of parameters, such as layers that were frozen so far.

        Parameters
        ----------
        param_group : dict
            ``"params"`` (a tensor, or an ordered iterable of tensors or (name, tensor) pairs) and
            options that differ from ``defaults``. It is completed in place.

        Raises
        ------
        TypeError, ValueError
            As for the class; ValueError also for an option that is missing and has no default.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _separate_names(param_group)
        for p in param_group["params"]:
            self._check_parameter(p)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}"
                )
            param_group.setdefault(name, default)
            if name in FLAGS and param_group[name] is not None:
                flag(type(self).__name__, name, param_group[name])
        self._check_group(param_group)
        self.param_groups.append(param_group)

    def _check_parameter(self, p):
        if not isinstance(p, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {_typename(p)}"
            )
        if not (self.defaults.get("differentiable") or p.is_leaf):
            raise ValueError("can't optimize a non-leaf Tensor")

    def _check_group(self, param_group):
        """Refuses parameters that appear twice, and names in some groups only."""
        ids = [id(p) for p in param_group["params"]]
        if len(ids) != len(set(ids)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; "
                "in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=4,
            )
        named = "param_names" in param_group
        for group in self.param_groups:
            if named != ("param_names" in group):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param "
                    f"group {'with names' if named else 'without names'} to the optimizer"
                )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if not known.isdisjoint(ids):
            raise ValueError("some parameters appear in more than one parameter group")

    def state_dict(self):
        """The state with parameters replaced by their numbers.

        Returns
        -------
        dict
            ``"state"``: state of each parameter by its number; ``"param_groups"``: the groups,
            with lists of numbers under ``"params"``. The tensors are the optimizer's own, not
            copies: a later step changes them (``copy.deepcopy`` keeps them).
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers = {}
        start = 0
        groups = []
        for group in self.param_groups:
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            start += len(packed["params"])
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict):
        """Takes over a state made by :meth:`state_dict`, in copies.

        Tensors get the dtype of their parameter, except single numbers such as ``step``, which keep
        their own. Options of the groups are taken over too; names only where the saved groups have
        them.

        Parameters
        ----------
        state_dict : dict

        Raises
        ------
        ValueError
            Another number of groups, or of parameters in a group. Nothing is changed then.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        saved = deepcopy(state_dict["param_groups"])
        self._check_saved(saved)
        params = dict(
            zip(
                chain.from_iterable(group["params"] for group in saved),
                chain.from_iterable(group["params"] for group in self.param_groups),
                strict=True,
            )
        )
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = _copied(value, params[key])
            else:
                state[key] = value
        for group, old in zip(saved, self.param_groups, strict=True):
            group["params"] = old["params"]
            if "param_names" in old:
                group.setdefault("param_names", old["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _check_saved(self, saved):
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, old in zip(saved, self.param_groups, strict=True):
            if len(group["params"]) != len(old["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )


def _typename(thing):
    kind = type(thing)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _separate_names(group):
    """Makes ``group["params"]`` a list of tensors, names of (name, tensor) pairs set apart."""
    params = group["params"]
    if isinstance(params, Tensor):
        params = [params]
    elif isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but "
            "the ordering of tensors in sets will change between runs. Please use a list instead."
        )
    params = list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    if names and len(names) != len(params):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are missing"
        )
    group["params"] = [p[1] for p in params] if names else params
    if names:
        group["param_names"] = names


def _copied(value, param, key=None):
    """A deep copy of a parameter's state, floating point tensors in the parameter's dtype."""
    if isinstance(value, Tensor):
        keep = key in NUMBERS or not param.dtype.is_floating_point
        copy = value.detach().clone()
        return copy if keep else copy.to(param.dtype)
    if isinstance(value, dict):
        return {k: _copied(v, param, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_copied(v, param) for v in value)
    return value
