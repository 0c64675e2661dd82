"""Schedulers that take momentum through a cycle against the rate."""

import math

from kael.optim.lr_scheduler.base import LRScheduler, assign, checked, copied, one_per_group
from kael.optim.lr_scheduler.factors import callable_state

__all__ = ["CyclicLR", "OneCycleLR"]


class _Momentum(LRScheduler):
    """A scheduler that may change ``momentum``, or the first of ``betas``, too."""

    def _begin_momentum(self, optimizer, base_momentum, max_momentum, last_epoch):
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        lowest = one_per_group("base_momentum", optimizer, base_momentum)
        highest = one_per_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, low, high in zip(optimizer.param_groups, lowest, highest, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return lowest, highest

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _update_others(self):
        if not self.cycle_momentum:
            return
        for i, group in enumerate(self.optimizer.param_groups):
            self._set_momentum(group, self._momentum_of(i, group))

    def _momentum_of(self, i, group):
        raise NotImplementedError


class CyclicLR(_Momentum):
    """Between two rates, linearly up and down, in cycles that may get lower.

    Parameters
    ----------
    optimizer : Optimizer
    base_lr, max_lr : float or list of float
    step_size_up : int
        Epochs up.
    step_size_down : int, optional
        Epochs down; as many as up unless given.
    mode : {"triangular", "triangular2", "exp_range"}
        Height of the cycles: the same, halved each time, times ``gamma ** epoch``.
    gamma : float
    scale_fn : callable, optional
        The height, in place of ``mode``.
    scale_mode : {"cycle", "iterations"}
        What ``scale_fn`` gets: the cycle's number, from 1, or the epoch.
    cycle_momentum : bool
        Take momentum along.
    base_momentum, max_momentum : float or list of float
        Momentum is highest where the rate is lowest.
    last_epoch : int

    Raises
    ------
    ValueError
        If the mode is unknown, a list is not one value for each group, or there is no momentum to
        take along.

    Notes
    -----
    Smith, "Cyclical learning rates for training neural networks", 2015.
    """

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None,
        mode="triangular", gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True,
        base_momentum=0.8, max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        base_lrs = one_per_group("base_lr", checked(optimizer), base_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, base_lrs, strict=True):
                assign(group, "lr", lr)
        self.max_lrs = one_per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._begin_momentum(
                optimizer, base_momentum, max_momentum, last_epoch
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x):
        """The height of a cycle, where the first one's is 1.

        Parameters
        ----------
        x : float
            The cycle's number, or the epoch.

        Returns
        -------
        float
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular2":
            return 1 / 2.0 ** (x - 1)
        return self.gamma**x if self.mode == "exp_range" else 1.0

    def _between(self, low, high):
        """How far the epoch's place in its cycle is above ``low``, and the cycle's height."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        falling = x > self.step_ratio
        part = (x - 1) / (self.step_ratio - 1) if falling else x / self.step_ratio
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return (high - low) * part, height

    def get_lr(self):
        """The groups' rates at ``last_epoch``.

        Returns
        -------
        list of float or Tensor
        """
        self._warn_outside_step()
        rates = []
        for low, high in zip(self.base_lrs, self.max_lrs, strict=True):
            rise, height = self._between(low, high)
            rates.append(low + rise * height)
        return rates

    def _momentum_of(self, i, group):
        high = self.max_momentums[i]
        rise, height = self._between(self.base_momentums[i], high)
        return high - rise * height

    def state_dict(self):
        """The state; of ``scale_fn`` only what a callable object keeps, as functions are code.

        Returns
        -------
        dict
        """
        state = super().state_dict()
        state["_scale_fn_custom"] = callable_state(self._scale_fn_custom)
        return state

    def load_state_dict(self, state_dict):
        """Takes over a state, and gives a callable object what it kept.

        Parameters
        ----------
        state_dict : dict
            Made by :meth:`state_dict`.
        """
        state = dict(state_dict)
        kept = state.pop("_scale_fn_custom")
        if kept is not None:
            self._scale_fn_custom.__dict__.update(kept)
        super().load_state_dict(state)


def _cosine(start, end, part):
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _line(start, end, part):
    return (end - start) * part + start


_CURVES = {"cos": _cosine, "linear": _line}


class OneCycleLR(_Momentum):
    """Up to ``max_lr``, and then down to nearly nothing, in a number of steps known before.

    Parameters
    ----------
    optimizer : Optimizer
    max_lr : float or list of float
    total_steps : int, optional
        Or ``epochs`` and ``steps_per_epoch``; a step beyond is a ValueError.
    epochs, steps_per_epoch : int, optional
    pct_start : float
        Part of the steps in which the rate rises.
    anneal_strategy : {"cos", "linear"}
    cycle_momentum : bool
        Take momentum along.
    base_momentum, max_momentum : float or list of float
        Momentum is highest where the rate is lowest.
    div_factor : float
        The first rate is ``max_lr / div_factor``,
    final_div_factor : float
        and the last one that divided by this.
    three_phase : bool
        Down to the first rate as fast as up, and only then to the last one.
    last_epoch : int

    Raises
    ------
    ValueError
        If the number of steps is missing, an option is out of its range, a list is not one value
        for each group, or there is no momentum to take along.

    Notes
    -----
    Smith and Topin, "Super-convergence", 2017.
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None,
        pct_start=0.3, anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85,
        max_momentum=0.95, div_factor=25.0, final_div_factor=1e4, three_phase=False,
        last_epoch=-1,
    ):  # fmt: skip
        checked(optimizer)
        self.total_steps = _count_of_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in _CURVES:
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        highest = one_per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _value_of(self, group, what):
        """Where ``lr`` or ``momentum`` is on its way through the phases."""
        start = 0.0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if self.last_epoch <= end or phase is self._schedule_phases[-1]:
                break
            start = end
        curve = _CURVES[self._anneal_func_type]
        part = (self.last_epoch - start) / (end - start)
        return curve(group[phase[f"start_{what}"]], group[phase[f"end_{what}"]], part)

    def get_lr(self):
        """The groups' rates at ``last_epoch``.

        Returns
        -------
        list of float or Tensor

        Raises
        ------
        ValueError
            Behind the last step.
        """
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        return [copied(self._value_of(g, "lr")) for g in self.optimizer.param_groups]

    def _momentum_of(self, i, group):
        return self._value_of(group, "momentum")


def _count_of_steps(total_steps, epochs, steps_per_epoch):
    if total_steps is not None:
        given = {"total_steps": total_steps}
    elif epochs is not None and steps_per_epoch is not None:
        given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    else:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def _phases(steps, pct_start, three_phase):
    """(last step, names of the rates at both ends) of each phase; momentum goes against them."""
    top = float(pct_start * steps) - 1
    legs = [(top, "initial_lr", "max_lr")]
    if three_phase:
        legs += [(float(2 * pct_start * steps) - 2, "max_lr", "initial_lr")]
    legs += [(steps - 1, legs[-1][2], "min_lr")]
    momentum = {"initial_lr": "max_momentum", "min_lr": "max_momentum", "max_lr": "base_momentum"}
    return [
        {
            "end_step": end,
            "start_lr": first,
            "end_lr": last,
            "start_momentum": momentum[first],
            "end_momentum": momentum[last],
        }
        for end, first, last in legs
    ]
