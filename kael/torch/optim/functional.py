"""The functional forms, with the arguments of ``torch.optim.adam.adam`` and its like; ``lion`` with
those of :func:`kael.optim.functional.lion`.

Everything comes in lists and is updated in place; no state is kept here.
"""

import functools
import importlib
import inspect

from kael._kernels.torch_step import TorchStep
from kael.optim import functional as kaels
from kael.optim.docstrings import described
from kael.torch import tensors
from kael.torch.optim import composed

__all__ = [
    "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "asgd", "lion", "muon", "nadam",
    "radam", "rmsprop", "rprop", "sgd",
]  # fmt: skip

# Key of the state that a list holds, for each parameter of that name.
LISTS = {
    "acc_deltas": "acc_delta",
    "axs": "ax",
    "col_vars": "col_var",
    "etas": "eta",
    "exp_avg_sqs": "exp_avg_sq",
    "exp_avgs": "exp_avg",
    "exp_infs": "exp_inf",
    "grad_avgs": "grad_avg",
    "max_exp_avg_sqs": "max_exp_avg_sq",
    "momentum_buffer_list": "momentum_buffer",
    "mu_products": "mu_product",
    "muon_momentum_bufs": "momentum_buffer",
    "mus": "mu",
    "prevs": "prev",
    "row_vars": "row_var",
    "square_avgs": "square_avg",
    "state_steps": "step",
    "state_sums": "sum",
    "step_sizes": "step_size",
    "variances": "variance",
}
# Options that come one by one and that groups hold in pairs.
PAIRS = {
    "betas": ("beta1", "beta2"),
    "eps": ("eps1", "eps2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def _form(reference, step, **always):
    """The function with the name and signature of a reference; ``always`` are more options."""
    name, signature = reference.__name__, inspect.signature(reference)

    @functools.wraps(reference, assigned=("__name__", "__qualname__"))
    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = {**bound.arguments, **always}
        if values.get("differentiable"):
            raise NotImplementedError(f"{name}: differentiable=True: the step cannot be recorded")
        params, grads, *_ = bound.arguments.values()
        lists = {LISTS[key]: values.pop(key) for key in tuple(values) if key in LISTS}
        states = _states(name, lists, len(params))
        step(list(params), list(grads), states, values)
        for key, values_of in lists.items():
            for i in range(len(values_of)):
                values_of[i] = states[i].get(key)

    function.__module__ = __name__
    required = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    function.__doc__ = described(
        f"One step of ``{reference.__module__}.{name}``, with its arguments.",
        list(signature.parameters),
        len([p for p in required if p.default is p.empty]),
    )
    return function


def _reference(name, module=None):
    """PyTorch's function."""
    return getattr(importlib.import_module(f"torch.optim.{module or name}"), name)


def _compiled(reference, rule, **always):
    """The function whose step is one call of a rule's kernel."""
    compiled = TorchStep(rule, reference.__name__, tensors)

    def step(params, grads, states, values):
        found_inf, scale = values.get("found_inf"), values.get("grad_scale")
        if found_inf is not None and float(found_inf) != 0.0:
            return
        factor = 1.0 if scale is None else 1.0 / float(scale)
        compiled.update(params, grads, states, _group(values, compiled), factor)

    return _form(reference, step, **always)


def _composed(reference, kind):
    """The function whose step is written with kael's operations."""

    def step(params, grads, states, values):
        if values.get("found_inf") is not None or values.get("grad_scale") is not None:
            raise AssertionError("Grad scaling should occur outside of optimizer.step()")
        if values.get("foreach") and kind is composed.Muon:
            raise RuntimeError("Foreach is not supported for Muon yet")
        composed.update(kind, params, grads, states, _group(values))

    return _form(reference, step)


def _states(name, lists, count):
    """A dict of state for each parameter, of the lists that are not empty."""
    for key, values in lists.items():
        if len(values) not in (0, count):
            raise ValueError(f"{name}: {len(values)} of {key} for {count} parameters")
    return [{key: values[i] for key, values in lists.items() if values} for i in range(count)]


def _group(values, compiled=None):
    """The options as a group of parameters holds them."""
    group = dict(values)
    for key, names in PAIRS.items():
        if names[0] in values:
            group[key] = tuple(values[n] for n in names)
    for key, _ in compiled.options if compiled else ():
        group.setdefault(key, 0.0)
    for key in compiled.flags if compiled else ():
        group.setdefault(key, False)
    return group


adadelta = _compiled(_reference("adadelta"), "Adadelta")
adafactor = _composed(_reference("adafactor", "_adafactor"), composed.Adafactor)
adagrad = _compiled(_reference("adagrad"), "Adagrad")
adam = _compiled(_reference("adam"), "Adam")
adamax = _compiled(_reference("adamax"), "Adamax")
adamw = _compiled(_reference("adamw"), "Adam", decoupled_weight_decay=True)
asgd = _compiled(_reference("asgd"), "ASGD")
lion = _compiled(kaels.lion, "Lion")
muon = _composed(_reference("muon", "_muon"), composed.Muon)
nadam = _compiled(_reference("nadam"), "NAdam")
radam = _compiled(_reference("radam"), "RAdam")
rmsprop = _compiled(_reference("rmsprop"), "RMSprop")
rprop = _compiled(_reference("rprop"), "Rprop")
sgd = _compiled(_reference("sgd"), "SGD")
