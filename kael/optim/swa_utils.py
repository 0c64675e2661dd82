"""Averages of a model's weights, with the names of ``torch.optim.swa_utils``."""

import math
from copy import deepcopy

from kael._kernels import optim as kernels
from kael.autograd import no_grad
from kael.creation import tensor
from kael.dtypes import int64
from kael.nn.module import Module
from kael.optim.lr_scheduler.base import LRScheduler, one_per_group

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip


def get_ema_multi_avg_fn(decay=0.999):
    """A ``multi_avg_fn`` of :class:`AveragedModel`: the exponential moving average.

    For each element, in this order of roundings, with ``w = 1 - decay``::

        average = average + w * (current - average)             # w < 0.5
        average = current - (1 - w) * (current - average)       # otherwise

    Parameters
    ----------
    decay : float
        In [0, 1]; ValueError otherwise.

    Returns
    -------
    callable
    """
    _check_decay(decay)

    plan = kernels.Listed("AveragedModel")

    @no_grad
    def ema_update(averaged, current, num_averaged):
        _go_towards(plan, averaged, current, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn():
    """A ``multi_avg_fn`` of :class:`AveragedModel`: the mean of all models seen.

    The formula is that of :func:`get_ema_multi_avg_fn` with ``w = 1 / (num_averaged + 1)``.

    Returns
    -------
    callable
    """

    plan = kernels.Listed("AveragedModel")

    @no_grad
    def swa_update(averaged, current, num_averaged):
        _go_towards(plan, averaged, current, 1 / (int(num_averaged) + 1))

    return swa_update


def _go_towards(plan, averaged, current, weight):
    """Floats in one region; integers are rounded towards zero."""
    pairs = list(zip(averaged, current, strict=True))
    floats = [(a, c.to(a.dtype)) for a, c in pairs if a.dtype.is_floating_point]
    params, values = [a for a, _ in floats], [c for _, c in floats]
    plan.update(params, values, [{} for _ in floats], {"weight": weight})
    for a, c in pairs:
        if not a.dtype.is_floating_point:
            a.copy_(a * (1 - weight) + c * weight)


def get_ema_avg_fn(decay=0.999):
    """An ``avg_fn`` of :class:`AveragedModel`: the exponential moving average of one tensor.

    Parameters
    ----------
    decay : float
        In [0, 1]; ValueError otherwise.

    Returns
    -------
    callable
    """
    _check_decay(decay)

    @no_grad
    def ema_update(averaged, current, num_averaged):
        return decay * averaged + (1 - decay) * current

    return ema_update


def get_swa_avg_fn():
    """An ``avg_fn`` of :class:`AveragedModel`: the mean of all values of one tensor.

    Returns
    -------
    callable
    """

    @no_grad
    def swa_update(averaged, current, num_averaged):
        return averaged + (current - averaged) / (int(num_averaged) + 1)

    return swa_update


def _check_decay(decay):
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """A copy of a model whose parameters are an average of the model's over time.

    Parameters
    ----------
    model : Module
        Is copied.
    device : optional
        Only None and "cpu" exist.
    avg_fn : callable, optional
        ``avg_fn(averaged, current, num_averaged)`` returns the new average of one parameter.
    multi_avg_fn : callable, optional
        The same in place for lists of parameters of one dtype. Without either, the average is
        the mean of all models seen.
    use_buffers : bool
        Average the buffers too; otherwise they are copied.

    Attributes
    ----------
    module : Module
        The average.
    n_averaged : Tensor of int64, shape ()

    Raises
    ------
    AssertionError
        If both functions are given.
    ValueError
        For another device.

    Notes
    -----
    Izmailov et al., "Averaging weights leads to wider optima and better generalization", 2018.

    Examples
    --------
    >>> from kael.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
    >>> model = kael.nn.Linear(3, 2)
    >>> average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    >>> average.update_parameters(model)  # after each step of the optimizer
    >>> average(kael.ones(1, 3)).shape
    (1, 2)
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        if device is not None and str(device) != "cpu":
            raise ValueError(f"AveragedModel: kael computes on the CPU, got device {device!r}")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", tensor(0, dtype=int64))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        """The averaged model's output.

        Parameters
        ----------
        *args, **kwargs
            What the model is called with.

        Returns
        -------
        Tensor
            Or whatever the model returns.
        """
        return self.module(*args, **kwargs)

    @no_grad
    def update_parameters(self, model):
        """Takes the model's present parameters into the average; the first ones are copied.

        Parameters
        ----------
        model : Module
            Of the structure of the one given at construction.
        """
        averaged, current = _tensors(self.module), _tensors(model)
        if not self.use_buffers:
            for a, c in zip(self.module.buffers(), model.buffers(), strict=True):
                a.copy_(c)
            averaged, current = _parameters(self.module), _parameters(model)
        if self.n_averaged.item() == 0:
            for a, c in zip(averaged, current, strict=True):
                a.copy_(c)
        else:
            self._average(averaged, current)
        self.n_averaged.add_(1)

    def _average(self, averaged, current):
        if self.avg_fn is not None:
            for a, c in zip(averaged, current, strict=True):
                a.copy_(self.avg_fn(a, c, self.n_averaged))
            return
        function = self.multi_avg_fn or get_swa_multi_avg_fn()
        for dtype in dict.fromkeys(a.dtype for a in averaged):
            pairs = [(a, c) for a, c in zip(averaged, current, strict=True) if a.dtype == dtype]
            function([a for a, _ in pairs], [c for _, c in pairs], self.n_averaged)


def _parameters(model):
    return [p.detach() for p in model.parameters()]


def _tensors(model):
    return _parameters(model) + [b.detach() for b in model.buffers()]


def update_bn(loader, model, device=None):
    """Makes the statistics of batch normalisation anew, for averaged weights.

    kael has no layer with statistics of batches, so that there is nothing to make: the call may
    stay in a script that was written for PyTorch.

    Parameters
    ----------
    loader, model, device
        Those of PyTorch's function; not read.
    """


class SWALR(LRScheduler):
    """The rate to a constant one, ``swa_lr``, in some epochs.

    Parameters
    ----------
    optimizer : Optimizer
    swa_lr : float or list of float
    anneal_epochs : int
    anneal_strategy : {"cos", "linear"}
    last_epoch : int

    Raises
    ------
    ValueError
        If the strategy is unknown, ``anneal_epochs`` negative, or a list not one value for each
        group.
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        rates = one_per_group("swa_lr", optimizer, swa_lr)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step):
        """How much of the way to ``swa_lr`` is behind after so many steps."""
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self):
        """The groups' rates at ``last_epoch``.

        Returns
        -------
        list of float or Tensor
        """
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            lr, end = group["lr"], group["swa_lr"]
            start = end if before == 1 else (lr - before * end) / (1 - before)
            rates.append(end * now + start * (1 - now))
        return rates
