"""The optimizers as functions of lists, with torch.optim's signatures.

They change ``params``, the state and the counters in place. Every list may hold kael tensors or
writable NumPy arrays, of float32 or float64 and with any strides; a counter is a tensor or an array
of one number. The formulas are those of the classes. ``foreach``, ``fused``, ``capturable`` and
``has_complex`` are accepted and ignored; ``differentiable=True`` is refused. Where ``grad_scale``
and ``found_inf`` are taken, gradients are divided by the first as they are read, and nothing at all
is changed where the second is not 0.

Examples
--------
>>> import numpy as np
>>> w, g = np.ones(3, np.float32), np.ones(3, np.float32)
>>> kael.optim.functional.sgd(
...     [w], [g], [None], lr=0.5, momentum=0, dampening=0, weight_decay=0, nesterov=False,
...     maximize=False,
... )
>>> w
array([0.5, 0.5, 0.5], dtype=float32)
"""

from kael._kernels import optim as kernels
from kael._kernels.plan import check
from kael.autograd import no_grad
from kael.interop import from_numpy
from kael.optim import adafactor as _adafactor
from kael.optim import muon as _muon
from kael.optim.docstrings import described
from kael.optim.options import check_placeholders
from kael.tensor import Tensor

__all__ = [
    "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "asgd", "lion", "muon", "nadam",
    "radam", "rmsprop", "rprop", "sgd",
]  # fmt: skip


def adam(
    params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None,
    capturable=False, differentiable=False, fused=None, grad_scale=None, found_inf=None,
    has_complex=False, decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr, weight_decay,
    eps, maximize,
):  # fmt: skip
    """See :class:`kael.optim.Adam`."""
    check_placeholders(foreach, fused, differentiable)
    kept = {"step": _counters(state_steps), "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}
    if amsgrad:
        kept["max_exp_avg_sq"] = max_exp_avg_sqs
    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "eps": eps,
        "amsgrad": amsgrad, "maximize": maximize,
        "decoupled_weight_decay": decoupled_weight_decay,
    }  # fmt: skip
    _step("Adam", params, grads, kept, group, grad_scale, found_inf)


def adamw(
    params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None,
    capturable=False, differentiable=False, fused=None, grad_scale=None, found_inf=None,
    has_complex=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize,
):  # fmt: skip
    """See :class:`kael.optim.AdamW`."""
    adam(
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach, capturable,
        differentiable, fused, grad_scale, found_inf, has_complex, True, amsgrad=amsgrad,
        beta1=beta1, beta2=beta2, lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize,
    )  # fmt: skip


def sgd(
    params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None,
    grad_scale=None, found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov,
    maximize,
):  # fmt: skip
    """See :class:`kael.optim.SGD`; absent momentum buffers are None and are put into their list."""
    check_placeholders(foreach, fused)
    kept = {"momentum_buffer": momentum_buffer_list} if momentum != 0 else {}
    group = {
        "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
        "nesterov": nesterov, "maximize": maximize,
    }  # fmt: skip
    _step("SGD", params, d_p_list, kept, group, grad_scale, found_inf)


def adagrad(
    params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None,
    has_sparse_grad=False, foreach=None, differentiable=False, has_complex=False, *, lr,
    weight_decay, lr_decay, eps, maximize,
):  # fmt: skip
    """See :class:`kael.optim.Adagrad`."""
    check_placeholders(foreach, fused, differentiable)
    kept = {"step": _counters(state_steps), "sum": state_sums}
    group = {
        "lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps,
        "maximize": maximize, "initial_accumulator_value": 0.0,
    }  # fmt: skip
    _step("Adagrad", params, grads, kept, group, grad_scale, found_inf)


def rmsprop(
    params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None,
    maximize=False, differentiable=False, capturable=False, has_complex=False, *, lr, alpha,
    eps, weight_decay, momentum, centered,
):  # fmt: skip
    """See :class:`kael.optim.RMSprop`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"step": _counters(state_steps), "square_avg": square_avgs}
    if momentum != 0:
        kept["momentum_buffer"] = momentum_buffer_list
    if centered:
        kept["grad_avg"] = grad_avgs
    group = {
        "lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay,
        "momentum": momentum, "centered": centered, "maximize": maximize,
    }  # fmt: skip
    _step("RMSprop", params, grads, kept, group)


def nadam(
    params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps,
    decoupled_weight_decay=False, foreach=None, capturable=False, differentiable=False,
    has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay, momentum_decay, eps,
):  # fmt: skip
    """See :class:`kael.optim.NAdam`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {
        "step": _counters(state_steps), "mu_product": mu_products, "exp_avg": exp_avgs,
        "exp_avg_sq": exp_avg_sqs,
    }  # fmt: skip
    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay,
        "momentum_decay": momentum_decay, "eps": eps,
        "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize,
    }  # fmt: skip
    _step("NAdam", params, grads, kept, group)


def radam(
    params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False,
    foreach=None, differentiable=False, capturable=False, has_complex=False, maximize=False, *,
    beta1, beta2, lr, weight_decay, eps,
):  # fmt: skip
    """See :class:`kael.optim.RAdam`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"step": _counters(state_steps), "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}
    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "eps": eps,
        "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize,
    }  # fmt: skip
    _step("RAdam", params, grads, kept, group)


def adamax(
    params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False,
    differentiable=False, capturable=False, has_complex=False, *, eps, beta1, beta2, lr,
    weight_decay,
):  # fmt: skip
    """See :class:`kael.optim.Adamax`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"step": _counters(state_steps), "exp_avg": exp_avgs, "exp_inf": exp_infs}
    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "eps": eps,
        "maximize": maximize,
    }  # fmt: skip
    _step("Adamax", params, grads, kept, group)


def adadelta(
    params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None,
    differentiable=False, has_complex=False, *, lr, rho, eps, weight_decay, maximize,
):  # fmt: skip
    """See :class:`kael.optim.Adadelta`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"step": _counters(state_steps), "square_avg": square_avgs, "acc_delta": acc_deltas}
    group = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
    _step("Adadelta", params, grads, kept, group)


def asgd(
    params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False,
    differentiable=False, capturable=False, has_complex=False, *, lambd, lr, t0, alpha,
    weight_decay,
):  # fmt: skip
    """See :class:`kael.optim.ASGD`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"step": _counters(state_steps), "eta": etas, "mu": mus, "ax": axs}
    group = {
        "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
        "maximize": maximize,
    }  # fmt: skip
    _step("ASGD", params, grads, kept, group)


def rprop(
    params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False,
    maximize=False, differentiable=False, has_complex=False, *, step_size_min, step_size_max,
    etaminus, etaplus,
):  # fmt: skip
    """See :class:`kael.optim.Rprop`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"step": _counters(state_steps), "prev": prevs, "step_size": step_sizes}
    group = {
        "lr": 0.0, "etas": (etaminus, etaplus), "step_sizes": (step_size_min, step_size_max),
        "maximize": maximize,
    }  # fmt: skip
    _step("Rprop", params, grads, kept, group)


def lion(
    params, grads, exp_avgs, foreach=None, maximize=False, differentiable=False,
    capturable=False, has_complex=False, *, beta1, beta2, lr, weight_decay,
):  # fmt: skip
    """See :class:`kael.optim.Lion`."""
    check_placeholders(foreach, differentiable=differentiable)
    kept = {"exp_avg": exp_avgs}
    group = {"betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "maximize": maximize}
    _step("Lion", params, grads, kept, group)


def adafactor(
    params, grads, row_vars, col_vars, variances, state_steps, foreach=None, grad_scale=None,
    found_inf=None, has_complex=False, *, d, lr, beta2_decay, weight_decay, eps1, eps2, maximize,
):  # fmt: skip
    """See :class:`kael.optim.Adafactor`; AssertionError for scaled gradients, as in PyTorch."""
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    kept = {
        "step": _counters(state_steps), "row_var": row_vars, "col_var": col_vars,
        "variance": variances,
    }  # fmt: skip
    group = {
        "lr": lr, "eps": (eps1, eps2), "d": d, "beta2_decay": beta2_decay,
        "weight_decay": weight_decay, "maximize": maximize,
    }  # fmt: skip
    _compose("Adafactor", _adafactor.update, params, grads, kept, group)


def muon(
    params, grads, muon_momentum_bufs, *, foreach=None, lr, weight_decay, momentum, nesterov,
    ns_coefficients, ns_steps, eps, adjust_lr_fn, has_complex,
):  # fmt: skip
    """See :class:`kael.optim.Muon`."""
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    kept = {"momentum_buffer": muon_momentum_bufs}
    group = {
        "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
        "ns_coefficients": ns_coefficients, "ns_steps": ns_steps, "eps": eps,
        "adjust_lr_fn": adjust_lr_fn,
    }  # fmt: skip
    _muon.check(group)
    if any(len(g.shape) != 2 for g in grads):
        raise ValueError("Param gradient must be a 2D matrix")
    _compose("Muon", _muon.update, params, grads, kept, group)


def _step(rule, params, grads, kept, group, grad_scale=None, found_inf=None):
    """One step of a rule; kept has a list for each key of the state, in which absent arrays of a
    first step are None and are then filled in."""
    if found_inf is not None and float(found_inf) != 0:
        return
    tensors, gradients, states = _tensors(rule, params, grads, kept)
    factor = 1.0 if grad_scale is None else 1.0 / float(grad_scale)
    kernels.Listed(rule).update(tensors, gradients, states, group, factor)
    for key, values in kept.items():
        for i, value in enumerate(values):
            if value is None:
                made = states[i][key]
                values[i] = made if isinstance(params[i], Tensor) else made.numpy()


def _compose(name, update, params, grads, kept, group):
    """One step that is written with kael's operations."""
    tensors, gradients, states = _tensors(name, params, grads, kept)
    check(tensors, gradients, name)
    with no_grad():
        for p, g, state in zip(tensors, gradients, states, strict=True):
            update(group, p, g, state)


def _tensors(name, params, grads, kept):
    """Parameters, gradients and for each parameter its state, all as tensors on their memory."""
    if len({len(params), len(grads), *map(len, kept.values())}) > 1:
        lengths = "".join(f", {key} {len(values)}" for key, values in kept.items())
        raise ValueError(
            f"{name}: lists of different lengths: params {len(params)}, grads {len(grads)}{lengths}"
        )
    states = [
        {
            key: values[i] if values[i] is None else _shared(name, values[i])
            for key, values in kept.items()
        }
        for i in range(len(params))
    ]
    tensors = [_shared(name, p) for p in params]
    return tensors, [_shared(name, g, False) for g in grads], states


def _shared(rule, array, written=True):
    """A tensor on the memory of an array; a tensor itself."""
    if isinstance(array, Tensor):
        return array
    tensor = from_numpy(array)
    if written and array.size > 0 and tensor.data_ptr() != array.__array_interface__["data"][0]:
        raise ValueError(
            f"{rule}: arrays that are changed must have the machine's byte order and strides of "
            "whole elements"
        )
    return tensor


def _counters(state_steps):
    """The counters, which cannot be Python's numbers: nobody would see them change."""
    if any(isinstance(step, (int, float)) or not hasattr(step, "shape") for step in state_steps):
        raise RuntimeError(
            "API has changed, `state_steps` argument must contain a list of singleton tensors"
        )
    return state_steps


for _function in map(globals().get, __all__):
    _code = _function.__code__
    _function.__doc__ = described(
        _function.__doc__,
        _code.co_varnames[: _code.co_argcount + _code.co_kwonlyargcount],
        _code.co_argcount - len(_function.__defaults__ or ()),
    )
