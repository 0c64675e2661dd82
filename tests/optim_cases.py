"""Every optimizer's flags in all combinations, and its formula: what its docstring says, on NumPy
arrays, each operation rounded once and scalars in double, narrowed once."""

import itertools
import math

import numpy as np

import kael
from kael import optim

LR, DECAY = 0.01, 0.1
FORMULAS = {}


def combined(**choices):
    """All combinations of the choices, as dicts."""
    return [
        dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())
    ]


def sgd_flags():
    for flags in combined(
        momentum=(0, 0.9),
        dampening=(0, 0.3),
        nesterov=(False, True),
        weight_decay=(0, DECAY),
        maximize=(False, True),
    ):
        if not flags["nesterov"] or (flags["momentum"] > 0 and flags["dampening"] == 0):
            yield flags


COMMON = {"weight_decay": (0, DECAY), "maximize": (False, True)}
DECOUPLED = {**COMMON, "decoupled_weight_decay": (False, True)}
FLAGS = {
    optim.ASGD: combined(**COMMON, t0=(1e6, 1)),
    optim.Adadelta: combined(**COMMON),
    optim.Adagrad: combined(**COMMON, lr_decay=(0, 0.1), initial_accumulator_value=(0, 0.5)),
    optim.Adam: combined(**DECOUPLED, amsgrad=(False, True)),
    optim.AdamW: combined(**{**COMMON, "weight_decay": (0, 0.01, DECAY)}, amsgrad=(False, True)),
    optim.Adamax: combined(**COMMON),
    optim.Lion: combined(**COMMON),
    optim.NAdam: combined(**DECOUPLED),
    optim.RAdam: combined(**DECOUPLED, betas=((0.9, 0.999), (0.8, 0.9))),
    optim.RMSprop: combined(**COMMON, momentum=(0, 0.9), centered=(False, True)),
    optim.Rprop: combined(maximize=(False, True)),
    optim.SGD: list(sgd_flags()),
}
CASES = [(kind, flags) for kind, combinations in FLAGS.items() for flags in combinations]
IDS = [f"{kind.__name__}-{'-'.join(map(str, flags.values()))}" for kind, flags in CASES]
# One demanding combination of each: all of its state, all of its terms.
FULL = [
    (kind, max(combinations, key=lambda flags: sum(map(bool, flags.values()))))
    for kind, combinations in FLAGS.items()
]
FULL_IDS = [kind.__name__ for kind, _ in FULL]


def steps_of(kind):
    """Enough for every formula: the rectified variance of RAdam begins at the sixth."""
    return 6 if kind is optim.RAdam else 3


def power(beta, step):
    """The order of multiplications of include/kael/optim/powers.h."""
    result = 1.0
    while step:
        if step & 1:
            result *= beta
        beta *= beta
        step >>= 1
    return result


def real_power(base, exponent):
    return kael.tensor(base, dtype=kael.float64).pow(exponent).item()


def formula(*kinds):
    def register(function):
        for kind in kinds:
            FORMULAS[kind] = function
        return function

    return register


def expected(kind, p, gradients, options):
    """Parameter and state after a step for each gradient."""
    o = {**kind([kael.ones(1, requires_grad=True)], **options).defaults}
    state = {}
    for t, g in enumerate(gradients, 1):
        g = -g if o.get("maximize") else g
        decay = o.get("weight_decay", 0)
        if decay and (o.get("decoupled_weight_decay") or kind is optim.Lion):
            p = p * p.dtype.type(1 - o["lr"] * decay)
        elif decay:
            g = g + p.dtype.type(decay) * p
        p = FORMULAS[kind](p, g, state, t, o, p.dtype.type)
    return p, state


def average(state, key, value, beta, n):
    state[key] = n(beta) * state.get(key, np.zeros_like(value)) + n(1 - beta) * value
    return state[key]


def average_square(state, key, value, beta, n):
    old = state.get(key, np.zeros_like(value))
    state[key] = n(beta) * old + (n(1 - beta) * value) * value
    return state[key]


@formula(optim.Adam, optim.AdamW)
def adam(p, g, state, t, o, n):
    (beta1, beta2), lr = o["betas"], o["lr"]
    m = average(state, "exp_avg", g, beta1, n)
    v = average_square(state, "exp_avg_sq", g, beta2, n)
    if o["amsgrad"]:
        v = np.maximum(state.get("max_exp_avg_sq", np.zeros_like(v)), v)
        state["max_exp_avg_sq"] = v
    inverse = n(1 / (1 - power(beta2, t)))
    return p - (n(lr / (1 - power(beta1, t))) * m) / (np.sqrt(v * inverse) + n(o["eps"]))


@formula(optim.NAdam)
def nadam(p, g, state, t, o, n):
    (beta1, beta2), lr = o["betas"], o["lr"]
    mu, after = (beta1 * (1 - 0.5 * real_power(0.96, k * o["momentum_decay"])) for k in (t, t + 1))
    product = float(state.get("mu_product", np.float32(1))) * mu
    state["mu_product"] = np.float32(product)
    m = average(state, "exp_avg", g, beta1, n)
    v = average_square(state, "exp_avg_sq", g, beta2, n)
    root = np.sqrt(v * n(1 / (1 - power(beta2, t)))) + n(o["eps"])
    p = p - (n(lr * (1 - mu) / (1 - product)) * g) / root
    return p - (n(lr * after / (1 - product * after)) * m) / root


@formula(optim.RAdam)
def radam(p, g, state, t, o, n):
    (beta1, beta2), size = o["betas"], o["lr"] / (1 - power(o["betas"][0], t))
    m = average(state, "exp_avg", g, beta1, n)
    v = average_square(state, "exp_avg_sq", g, beta2, n)
    limit, rest = 2 / (1 - beta2) - 1, 1 - power(beta2, t)
    length = limit - 2.0 * t * power(beta2, t) / rest
    if not length > 5:
        return p - n(size) * m
    above = (length - 4) * (length - 2) * limit
    below = (limit - 4) * (limit - 2) * length
    size *= math.sqrt(above / below) * math.sqrt(rest)
    return p - (n(size) * m) / (np.sqrt(v) + n(o["eps"]))


@formula(optim.Adamax)
def adamax(p, g, state, t, o, n):
    m = average(state, "exp_avg", g, o["betas"][0], n)
    old = state.get("exp_inf", np.zeros_like(g))
    u = state["exp_inf"] = np.maximum(n(o["betas"][1]) * old, np.abs(g) + n(o["eps"]))
    return p - (n(o["lr"] / (1 - power(o["betas"][0], t))) * m) / u


@formula(optim.SGD)
def sgd(p, g, state, t, o, n):
    if o["momentum"]:
        factor = n(o["momentum"])
        old = state.get("momentum_buffer")
        b = g if old is None else factor * old + n(1 - o["dampening"]) * g
        state["momentum_buffer"] = b
        g = g + factor * b if o["nesterov"] else b
    return p - n(o["lr"]) * g


@formula(optim.Adagrad)
def adagrad(p, g, state, t, o, n):
    old = state.get("sum", np.full_like(g, o["initial_accumulator_value"]))
    state["sum"] = old + g * g
    lr = n(o["lr"] / (1 + (t - 1) * o["lr_decay"]))
    return p - (lr * g) / (np.sqrt(state["sum"]) + n(o["eps"]))


@formula(optim.RMSprop)
def rmsprop(p, g, state, t, o, n):
    square = average_square(state, "square_avg", g, o["alpha"], n)
    if o["centered"]:
        a = average(state, "grad_avg", g, o["alpha"], n)
        square = square - a * a
    root = np.sqrt(square) + n(o["eps"])
    if not o["momentum"]:
        return p - (n(o["lr"]) * g) / root
    old = state.get("momentum_buffer", np.zeros_like(g))
    state["momentum_buffer"] = n(o["momentum"]) * old + g / root
    return p - n(o["lr"]) * state["momentum_buffer"]


@formula(optim.Adadelta)
def adadelta(p, g, state, t, o, n):
    v = average_square(state, "square_avg", g, o["rho"], n)
    old = state.get("acc_delta", np.zeros_like(g))
    d = (np.sqrt(old + n(o["eps"])) / np.sqrt(v + n(o["eps"]))) * g
    average_square(state, "acc_delta", d, o["rho"], n)
    return p - n(o["lr"]) * d


@formula(optim.ASGD)
def asgd(p, g, state, t, o, n):
    eta, mu = state.get("eta", np.float32(o["lr"])), state.get("mu", np.float32(1))
    p = p * n(1 - o["lambd"] * float(eta)) - n(eta) * g
    old = state.get("ax", np.zeros_like(p))
    state["ax"] = p if mu == 1 else old + (p - old) * n(mu)
    below = real_power(1 + o["lambd"] * o["lr"] * t, o["alpha"])
    state["eta"] = np.float32(o["lr"] / below)
    state["mu"] = np.float32(1 / max(1, t - o["t0"]))
    return p


@formula(optim.Rprop)
def rprop(p, g, state, t, o, n):
    agreement = g * state.get("prev", np.zeros_like(g))
    factor = np.where(
        agreement > 0, n(o["etas"][1]), np.where(agreement < 0, n(o["etas"][0]), n(1))
    )
    size = state.get("step_size", np.full_like(g, o["lr"])) * factor
    size = state["step_size"] = np.clip(size, *map(n, o["step_sizes"]))
    g = state["prev"] = np.where(agreement < 0, n(0), g)
    return p - np.sign(g) * size


@formula(optim.Lion)
def lion(p, g, state, t, o, n):
    beta1, beta2 = o["betas"]
    m = state.get("exp_avg", np.zeros_like(g))
    state["exp_avg"] = n(beta2) * m + n(1 - beta2) * g
    return p - n(o["lr"]) * np.sign(n(beta1) * m + n(1 - beta1) * g)
