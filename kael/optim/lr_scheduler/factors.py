"""Schedulers that multiply the rate by a factor."""

import types
from bisect import bisect_right
from collections import Counter

from kael.optim.lr_scheduler.base import ClosedForm, LRScheduler

__all__ = [
    "ConstantLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "PolynomialLR", "StepLR",
]  # fmt: skip


def callable_state(function):
    """What a callable object keeps; None for a function, which is code and is not saved."""
    if isinstance(function, types.FunctionType) or not hasattr(function, "__dict__"):
        return None
    return function.__dict__.copy()


class _Functions(LRScheduler):
    """A scheduler that calls a function of the user's for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        for function in lr_lambda:
            if not callable(function):
                raise TypeError(
                    f"lr_lambda should be a function, but got {type(function).__name__}"
                )
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """The state; of the functions only what callable objects keep, as functions are code.

        Returns
        -------
        dict
        """
        state = super().state_dict()
        state["lr_lambdas"] = [callable_state(function) for function in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict):
        """Takes over a state, and gives callable objects what they kept.

        Parameters
        ----------
        state_dict : dict
            Made by :meth:`state_dict`.
        """
        state = dict(state_dict)
        for function, kept in zip(self.lr_lambdas, state.pop("lr_lambdas"), strict=True):
            if kept is not None:
                function.__dict__.update(kept)
        super().load_state_dict(state)


class LambdaLR(_Functions):
    """The initial rate times a function of the epoch.

    Parameters
    ----------
    optimizer : Optimizer
    lr_lambda : callable or list of callable
        From the epoch to the factor; a list has one for each group.
    last_epoch : int

    Raises
    ------
    ValueError
        If a list is not one function for each group.
    TypeError
        If something is not callable.

    Examples
    --------
    >>> optimizer = kael.optim.SGD([kael.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = kael.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def get_lr(self):
        """The groups' rates at ``last_epoch``.

        Returns
        -------
        list of float or Tensor
        """
        self._warn_outside_step()
        return [
            base_lr * function(self.last_epoch)
            for function, base_lr in zip(self.lr_lambdas, self.base_lrs, strict=True)
        ]


class MultiplicativeLR(_Functions):
    """The rate times a function of the epoch, each epoch.

    Parameters
    ----------
    optimizer : Optimizer
    lr_lambda : callable or list of callable
        From the epoch to the factor; a list has one for each group.
    last_epoch : int

    Raises
    ------
    ValueError
        If a list is not one function for each group.
    TypeError
        If something is not callable.
    """

    def get_lr(self):
        """The groups' rates at ``last_epoch``.

        Returns
        -------
        list of float or Tensor
        """
        self._warn_outside_step()
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self._is_initial:
            return rates
        return [
            lr * function(self.last_epoch)
            for function, lr in zip(self.lr_lambdas, rates, strict=True)
        ]


class StepLR(ClosedForm):
    """The rate times ``gamma`` every ``step_size`` epochs.

    Parameters
    ----------
    optimizer : Optimizer
    step_size : int
    gamma : float
    last_epoch : int

    Examples
    --------
    >>> optimizer = kael.optim.SGD([kael.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = kael.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return lr * self.gamma if due else lr

    def _at(self, base_lr):
        return base_lr * self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(ClosedForm):
    """The rate times ``gamma`` at each milestone.

    Parameters
    ----------
    optimizer : Optimizer
    milestones : iterable of int
        Epochs; one that occurs twice counts twice.
    gamma : float
    last_epoch : int
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        times = self.milestones.get(self.last_epoch)
        return lr * self.gamma**times if times else lr

    def _at(self, base_lr):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return base_lr * self.gamma**passed


class ConstantLR(ClosedForm):
    """The rate times ``factor`` for the first ``total_iters`` epochs.

    Parameters
    ----------
    optimizer : Optimizer
    factor : float
        In [0, 1]; ValueError otherwise.
    total_iters, last_epoch : int
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        if self.last_epoch == 0:
            return lr * self.factor
        if self.last_epoch != self.total_iters:
            return lr
        # From 0 no factor leads back.
        return lr * (1.0 / self.factor) if self.factor else base_lr

    def _at(self, base_lr):
        return base_lr * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))


class LinearLR(ClosedForm):
    """The initial rate times a factor that goes linearly from one value to another.

    Parameters
    ----------
    optimizer : Optimizer
    start_factor : float
        In (0, 1]; ValueError otherwise.
    end_factor : float
        In [0, 1], or ValueError; reached after ``total_iters`` epochs.
    total_iters, last_epoch : int
    """

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1
    ):
        if not 0 < start_factor <= 1.0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        if self.last_epoch == 0:
            return lr * self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return lr
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return lr * (1.0 + rise / before)

    def _at(self, base_lr):
        rise = self.end_factor - self.start_factor
        epoch = min(self.total_iters, self.last_epoch)
        return base_lr * (self.start_factor + rise * epoch / self.total_iters)


class ExponentialLR(ClosedForm):
    """The rate times ``gamma``, each epoch.

    Parameters
    ----------
    optimizer : Optimizer
    gamma : float
    last_epoch : int
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        return lr if self._is_initial else lr * self.gamma

    def _at(self, base_lr):
        return base_lr * self.gamma**self.last_epoch


class PolynomialLR(ClosedForm):
    """The initial rate times ``(1 - epoch / total_iters) ** power``, down to 0.

    Parameters
    ----------
    optimizer : Optimizer
    total_iters : int
    power : float
    last_epoch : int
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        if self._is_initial or self.last_epoch > self.total_iters:
            return lr
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return lr * (now / before) ** self.power

    def _at(self, base_lr):
        epoch = min(self.total_iters, self.last_epoch)
        return base_lr * (1.0 - epoch / self.total_iters) ** self.power
