"""The hooks of optimizers: around a step, and around saving and loading."""

import functools
from collections import OrderedDict
from itertools import chain

from kael.hooks import register

__all__ = [
    "Hooked", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook",
    "with_hooks",
]  # fmt: skip

_global_pre_hooks = OrderedDict()
_global_post_hooks = OrderedDict()


def register_optimizer_step_pre_hook(hook):
    """Calls ``hook(optimizer, args, kwargs)`` before every step of every optimizer.

    Parameters
    ----------
    hook : callable
        May return a pair of new ``(args, kwargs)``.

    Returns
    -------
    RemovableHandle
        ``remove()`` undoes it.
    """
    return register(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Calls ``hook(optimizer, args, kwargs)`` after every step of every optimizer.

    Parameters
    ----------
    hook : callable

    Returns
    -------
    RemovableHandle
        ``remove()`` undoes it.
    """
    return register(_global_post_hooks, hook)


def with_hooks(step):
    """``step`` surrounded by the hooks; straight through when there are none."""

    @functools.wraps(step)
    def wrapper(self, *args, **kwargs):
        self._opt_called = True  # schedulers warn when they are stepped before
        before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        if not (before or after or _global_pre_hooks or _global_post_hooks):
            return step(self, *args, **kwargs)
        for hook in chain(_global_pre_hooks.values(), before.values()):
            result = hook(self, args, kwargs)
            if result is None:
                continue
            if not (isinstance(result, tuple) and len(result) == 2):
                raise RuntimeError(
                    f"{step} must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {result}."
                )
            args, kwargs = result
        out = step(self, *args, **kwargs)
        for hook in chain(after.values(), _global_post_hooks.values()):
            hook(self, args, kwargs)
        return out

    wrapper.hooked = True
    return wrapper


class Hooked:
    """The part of :class:`kael.optim.Optimizer` that keeps the hooks of one optimizer."""

    def _make_hooks(self):
        for name in (
            "step_pre", "step_post", "state_dict_pre", "state_dict_post",
            "load_state_dict_pre", "load_state_dict_post",
        ):  # fmt: skip
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", OrderedDict())

    def register_step_pre_hook(self, hook):
        """Calls ``hook(optimizer, args, kwargs)`` before each step.

        Parameters
        ----------
        hook : callable
            May return a pair of new ``(args, kwargs)``.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Calls ``hook(optimizer, args, kwargs)`` after each step.

        Parameters
        ----------
        hook : callable

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer)`` before :meth:`~Optimizer.state_dict`.

        Parameters
        ----------
        hook : callable
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer, state_dict)`` after :meth:`~Optimizer.state_dict`.

        Parameters
        ----------
        hook : callable
            What it returns, unless None, takes the place of the state.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer, state_dict)`` before a state is loaded.

        Parameters
        ----------
        hook : callable
            What it returns, unless None, takes the place of the state.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer)`` after a state was loaded.

        Parameters
        ----------
        hook : callable
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._optimizer_load_state_dict_post_hooks, hook, prepend)
