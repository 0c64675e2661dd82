"""The base class of the schedulers: when a step happens, and what it does to the groups."""

import warnings

from kael.optim.optimizer import Optimizer
from kael.tensor import Tensor

__all__ = ["LRScheduler"]


def copied(value):
    """A number as it is, a tensor as a copy: nobody may change it from outside."""
    return value.detach().clone() if isinstance(value, Tensor) else value


def values(optimizer, key):
    """``group[key]`` of every group, in copies."""
    return [copied(group[key]) for group in optimizer.param_groups]


def assign(group, key, value):
    """Sets ``group[key]``; a tensor keeps its place, because the optimizer reads it there."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


def one_per_group(name, optimizer, value):
    """A list of one value for each group, from a list or from one value for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [copied(value) for _ in range(groups)]
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {groups}."
        )
    return [copied(v) for v in value]


def checked(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def _watch(optimizer):
    """From its first scheduler on, an optimizer's steps are to come before the scheduler's."""
    if not getattr(optimizer, "_scheduled", False):
        optimizer._scheduled = True
        optimizer._opt_called = False


def warn_of_epoch():
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated "
        "where possible. Please use `scheduler.step()` to step the scheduler. With an epoch the "
        "closed form takes the place of the chainable one, where there is one.",
        UserWarning,
        stacklevel=3,
    )


class LRScheduler:
    """What all schedulers share.

    A step advances ``last_epoch`` by one, asks :meth:`get_lr` for the groups' new rates and
    writes them into ``optimizer.param_groups``. Most schedulers compute the next rate from the
    current one, so that several of them, and changes by hand, act together. A subclass of your
    own overrides :meth:`get_lr`.

    Parameters
    ----------
    optimizer : Optimizer
        Its groups get ``initial_lr``, the rate to start from, unless they have it.
    last_epoch : int
        -1 for a new training; otherwise groups must have ``initial_lr``.

    Attributes
    ----------
    optimizer : Optimizer
    base_lrs : list
        The rates to start from.
    last_epoch : int

    Raises
    ------
    TypeError
        ``optimizer`` is none.
    KeyError
        ``last_epoch`` is given and a group has no ``initial_lr``.

    Notes
    -----
    To resume, make optimizer and scheduler as for a new training and load both states. Loading a
    scheduler puts its rates back into the groups, so the order does not matter.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer = checked(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    "scheduler with last_epoch >= 0: load the optimizer's state first, or leave "
                    "last_epoch at -1 for a new training"
                )
        self.base_lrs = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch(optimizer)
        self._initial_step()

    def _initial_step(self):
        """The step of construction, to epoch 0."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """Everything but the optimizer.

        Returns
        -------
        dict
            With the keys of PyTorch's scheduler of the same name.
        """
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        """Takes over a state, and sets the groups' rates to it.

        Parameters
        ----------
        state_dict : dict
            Made by :meth:`state_dict`.
        """
        self.__dict__.update(state_dict)
        self._restore()

    def _restore(self):
        """Gives the groups what the last step gave them."""
        rates = self.__dict__.get("_last_lr", [])
        if len(rates) == len(self.optimizer.param_groups):
            for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
                assign(group, "lr", copied(lr))
            self._update_others()

    def get_last_lr(self):
        """The groups' rates after the last step.

        Returns
        -------
        list of float or Tensor
        """
        return self._last_lr

    def get_lr(self):
        """The groups' rates at ``last_epoch``, for :meth:`step`.

        Returns
        -------
        list of float or Tensor
        """
        self._warn_outside_step()
        groups = self.optimizer.param_groups
        return [
            self._next(copied(group["lr"]), base_lr)
            for group, base_lr in zip(groups, self.base_lrs, strict=True)
        ]

    def _next(self, lr, base_lr):
        """The rate after ``lr`` of a group that started from ``base_lr``."""
        raise NotImplementedError

    def _warn_outside_step(self):
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def step(self, epoch=None):
        """Goes to the next epoch; call it after the optimizer's ``step``.

        Parameters
        ----------
        epoch : int, optional
            Deprecated: go to this epoch, by the closed form where the scheduler has one.
        """
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._update_lr(epoch)

    def _warn_of_order(self):
        if not getattr(self.optimizer.step, "hooked", False):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                "`lr_scheduler.step()`.",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in "
                "the opposite order: otherwise the first value of the schedule is skipped.",
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch=None):
        """Goes to the next epoch, or to a given one, and writes the rates."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed_form = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self._get_lr_called_within_step = True
        try:
            rates = (closed_form or self.get_lr)()
        finally:
            self._get_lr_called_within_step = False
        self._write(rates)

    def _write(self, rates):
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            assign(group, "lr", lr)
        self._last_lr = values(self.optimizer, "lr")
        self._update_others()

    def _update_others(self):
        """Sets what a scheduler changes besides the rates: momentum."""


class ClosedForm(LRScheduler):
    """A scheduler that can also tell the rate at ``last_epoch`` from the first one."""

    def _get_closed_form_lr(self):
        return [self._at(base_lr) for base_lr in self.base_lrs]

    def _at(self, base_lr):
        raise NotImplementedError
