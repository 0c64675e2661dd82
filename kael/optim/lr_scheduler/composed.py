"""Schedulers made of schedulers."""

from bisect import bisect_right

from kael.optim.lr_scheduler.base import LRScheduler, assign, values
from kael.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = ["ChainedScheduler", "SequentialLR"]


class _Composed(LRScheduler):
    """A scheduler whose state holds the states of others."""

    def _check(self, optimizer, schedulers, purpose):
        name = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(
                f"{name} expects at least one scheduler{purpose}, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{i} in the given schedulers sequence."
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(scheduler).__name__} at index {i} has "
                    f"{scheduler.optimizer}, which is different from {type(optimizer).__name__}."
                )
        self._schedulers = schedulers
        self.optimizer = optimizer

    def _begin_again(self):
        """Forgets the steps that the parts made when they were constructed."""
        for group in self.optimizer.param_groups:
            assign(group, "lr", group["initial_lr"])
        _rewind(self)

    def _update_lr(self, epoch=None):
        """A part of a sequence starts at its milestone: epoch 0."""
        if epoch != 0:
            raise ValueError(f"{type(self).__name__} cannot go to epoch {epoch}")
        self._initial_step()

    def state_dict(self):
        """The state, with the states of the parts.

        Returns
        -------
        dict
        """
        state = super().state_dict()
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict):
        """Takes over a state, and gives the parts theirs.

        Parameters
        ----------
        state_dict : dict
            Made by :meth:`state_dict`.
        """
        state = dict(state_dict)
        for scheduler, part in zip(self._schedulers, state.pop("_schedulers"), strict=True):
            scheduler.load_state_dict(part)
        super().load_state_dict(state)


def _rewind(scheduler):
    for part in getattr(scheduler, "_schedulers", ()):
        _rewind(part)
    if not hasattr(scheduler, "_schedulers"):
        scheduler.last_epoch = -1


class SequentialLR(_Composed):
    """One scheduler after the other.

    Parameters
    ----------
    optimizer : Optimizer
    schedulers : list of LRScheduler
        Of this optimizer.
    milestones : list of int
        The epochs at which the second, third, ... scheduler starts, from the initial rate.
    last_epoch : int

    Raises
    ------
    ValueError
        If there is no scheduler, one is of another optimizer or watches a measure, or the
        milestones are not one fewer.

    Examples
    --------
    >>> from kael.optim.lr_scheduler import ExponentialLR, LinearLR, SequentialLR
    >>> optimizer = kael.optim.SGD([kael.ones(1, requires_grad=True)], lr=1.0)
    >>> warm_up = LinearLR(optimizer, start_factor=0.25, total_iters=3)
    >>> decay = ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = SequentialLR(optimizer, [warm_up, decay], milestones=[3])
    >>> for epoch in range(5):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        self._check(optimizer, schedulers, "")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self._begin()

    def _begin(self):
        self._begin_again()
        scheduler = self._schedulers[bisect_right(self._milestones, 0)]
        scheduler._initial_step()
        self._last_lr = scheduler.get_last_lr()

    def _initial_step(self):
        self.last_epoch = 0
        self._begin()

    def step(self):
        """Goes to the next epoch of the scheduler whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composed):
    """Several schedulers at once, each acting on what the one before it left.

    Parameters
    ----------
    schedulers : list of LRScheduler
    optimizer : Optimizer, optional
        The schedulers' own unless given.

    Raises
    ------
    ValueError
        If there is no scheduler, or one is of another optimizer or watches a measure.
    """

    def __init__(self, schedulers, optimizer=None):
        self._check(optimizer, schedulers, " to be chained")
        self._last_lr = values(self.optimizer, "lr")

    def _initial_step(self):
        self._begin_again()
        for scheduler in self._schedulers:
            scheduler._initial_step()
        self._last_lr = values(self.optimizer, "lr")

    def step(self):
        """Goes to the next epoch of every scheduler, in order."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values(self.optimizer, "lr")
