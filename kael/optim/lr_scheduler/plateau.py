"""The scheduler that watches a measure."""

import math

from kael.optim.lr_scheduler.base import LRScheduler, assign, checked, values, warn_of_epoch

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """The rate times ``factor`` when a measure has not improved for ``patience`` epochs.

    Parameters
    ----------
    optimizer : Optimizer
    mode : {"min", "max"}
        Whether the measure is to fall or to rise.
    factor : float
        Below 1.
    patience : int
        Epochs without improvement that are tolerated.
    threshold : float
        What counts as an improvement,
    threshold_mode : {"rel", "abs"}
        relative to the best so far or as a difference.
    cooldown : int
        Epochs after a reduction that do not count.
    min_lr : float or list of float
    eps : float
        A reduction by no more than this is left out.

    Raises
    ------
    ValueError
        If ``factor`` or a mode is not as described, or a list is not one value for each group.

    Examples
    --------
    >>> optimizer = kael.optim.SGD([kael.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = kael.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (3.0, 3.0, 3.0):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4,
        threshold_mode="rel", cooldown=0, min_lr=0, eps=1e-8,
    ):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        self.optimizer = checked(optimizer)
        groups = len(optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * groups
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values(optimizer, "lr")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self):
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self):
        """Whether the last reduction is so recent that epochs do not count."""
        return self.cooldown_counter > 0

    def step(self, metrics, epoch=None):
        """Goes to the next epoch.

        Parameters
        ----------
        metrics : float or Tensor of one element
            The measure.
        epoch : int, optional
            Deprecated.
        """
        measure = float(metrics)
        if epoch is not None:
            warn_of_epoch()
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        better = self._is_better(measure, self.best)
        if better:
            self.best = measure
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values(self.optimizer, "lr")

    def _reduce(self):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                assign(group, "lr", new)

    def _is_better(self, measure, best):
        margin = self.threshold
        if self.mode == "min":
            least = best * (1.0 - margin) if self.threshold_mode == "rel" else best - margin
            return measure < least
        least = best * (margin + 1.0) if self.threshold_mode == "rel" else best + margin
        return measure > least
