"""The functional forms, with the arguments of ``torch.optim.adam.adam`` and its like.

Everything comes in lists and is updated in place; no state is kept here.
"""

import functools
import importlib
import inspect

from kael._kernels.torch_step import TorchStep
from kael.optim.arguments import described
from kael.torch import tensors

__all__ = [
    "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop",
    "rprop", "sgd",
]  # fmt: skip

# Key of the state that a list holds, for each parameter of that name.
LISTS = {
    "acc_deltas": "acc_delta",
    "axs": "ax",
    "etas": "eta",
    "exp_avg_sqs": "exp_avg_sq",
    "exp_avgs": "exp_avg",
    "exp_infs": "exp_inf",
    "grad_avgs": "grad_avg",
    "max_exp_avg_sqs": "max_exp_avg_sq",
    "momentum_buffer_list": "momentum_buffer",
    "mu_products": "mu_product",
    "mus": "mu",
    "prevs": "prev",
    "square_avgs": "square_avg",
    "state_steps": "step",
    "state_sums": "sum",
    "step_sizes": "step_size",
}
# Options that come one by one and that groups hold in pairs.
PAIRS = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def _functional(name, rule, **always):
    """The function of that name, with the signature of PyTorch's; ``always`` are more options."""
    reference = getattr(importlib.import_module(f"torch.optim.{name}"), name)
    signature = inspect.signature(reference)
    compiled = TorchStep(rule, name, tensors)

    @functools.wraps(reference, assigned=("__name__", "__qualname__"))
    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = {**bound.arguments, **always}
        if values.get("differentiable"):
            raise NotImplementedError(f"{name}: differentiable=True: the step cannot be recorded")
        found_inf, scale = values.get("found_inf"), values.get("grad_scale")
        if found_inf is not None and float(found_inf) != 0.0:
            return
        params, grads, *_ = bound.arguments.values()
        lists = {LISTS[key]: values.pop(key) for key in tuple(values) if key in LISTS}
        states = _states(name, lists, len(params))
        group = _group(compiled, values)
        factor = 1.0 if scale is None else 1.0 / float(scale)
        compiled.update(list(params), list(grads), states, group, factor)
        for key, values_of in lists.items():
            for i in range(len(values_of)):
                values_of[i] = states[i].get(key)

    function.__module__ = __name__
    required = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    function.__doc__ = described(
        f"One step of ``torch.optim.{name}.{name}``, with its arguments.",
        list(signature.parameters),
        len([p for p in required if p.default is p.empty]),
    )
    return function


def _states(name, lists, count):
    """A dict of state for each parameter, of the lists that are not empty."""
    for key, values in lists.items():
        if len(values) not in (0, count):
            raise ValueError(f"{name}: {len(values)} of {key} for {count} parameters")
    return [{key: values[i] for key, values in lists.items() if values} for i in range(count)]


def _group(compiled, values):
    """The options as a group of parameters holds them."""
    group = dict(values)
    for key, names in PAIRS.items():
        if names[0] in values:
            group[key] = tuple(values[n] for n in names)
    for key, _ in compiled.options:
        group.setdefault(key, 0.0)
    for key in compiled.flags:
        group.setdefault(key, False)
    return group


adadelta = _functional("adadelta", "Adadelta")
adagrad = _functional("adagrad", "Adagrad")
adam = _functional("adam", "Adam")
adamax = _functional("adamax", "Adamax")
adamw = _functional("adamw", "Adam", decoupled_weight_decay=True)
asgd = _functional("asgd", "ASGD")
nadam = _functional("nadam", "NAdam")
radam = _functional("radam", "RAdam")
rmsprop = _functional("rmsprop", "RMSprop")
rprop = _functional("rprop", "Rprop")
sgd = _functional("sgd", "SGD")
