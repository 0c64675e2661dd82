"""Schedulers that follow a cosine."""

import math

from kael.optim.lr_scheduler.base import ClosedForm, LRScheduler

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts"]


class CosineAnnealingLR(ClosedForm):
    """From the initial rate to ``eta_min`` along half a cosine, and back, and so on.

    Parameters
    ----------
    optimizer : Optimizer
    T_max : int
        Epochs from the top to the bottom.
    eta_min : float
    last_epoch : int

    Notes
    -----
    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2016, without the
    restarts.
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        if self._is_initial:
            return lr
        if self._step_count == 1 and self.last_epoch > 0:
            return self._at(base_lr)
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # up from the bottom
            return lr + (base_lr - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return now / before * (lr - self.eta_min) + self.eta_min

    def _at(self, base_lr):
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return self.eta_min + (base_lr - self.eta_min) * height / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the initial rate to ``eta_min`` along half a cosine, then again from the top.

    Parameters
    ----------
    optimizer : Optimizer
    T_0 : int
        Epochs of the first cycle.
    T_mult : int
        Each cycle is this many times as long as the one before.
    eta_min : float
    last_epoch : int

    Raises
    ------
    ValueError
        If ``T_0`` or ``T_mult`` is no positive integer, or ``eta_min`` no number.

    Notes
    -----
    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2016.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):  # noqa: N803
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def _next(self, lr, base_lr):
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return self.eta_min + (base_lr - self.eta_min) * height / 2

    def step(self, epoch=None):
        """Goes to the next epoch, or to a given one.

        Parameters
        ----------
        epoch : float, optional
            For steps within an epoch: ``scheduler.step(epoch + batch / batches)``. ValueError for a
            negative one.
        """
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_cur, self.T_i = self._cycle_of(epoch)
        self._update_lr(math.floor(epoch))

    def _cycle_of(self, epoch):
        """The epochs since the cycle of ``epoch`` began, and the cycle's length."""
        if self.T_mult == 1:
            return epoch % self.T_0, self.T_0
        length = self.T_0
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return epoch, length
