"""Each optimizer against PyTorch's of the same name: numbers, state, options and messages."""

import functools
import inspect
import itertools
import re

import numpy as np
import pytest
from optim_cases import CASES, FULL, IDS, LR

import kael
from kael import optim
from kael.optim import SGD, Adagrad, Adam, AdamW, Optimizer

torch = pytest.importorskip("torch")

OPTIMIZERS = [
    thing
    for thing in map(optim.__dict__.get, optim.__all__)
    if isinstance(thing, type) and issubclass(thing, Optimizer) and thing is not Optimizer
]
PAIRED = [kind for kind in OPTIMIZERS if kind is not optim.Lion]
PAIRED_CASES = [case for case in CASES if case[0] is not optim.Lion]
PAIRED_IDS = [name for name in IDS if not name.startswith("Lion")]
PAIRED_FULL = [case for case in FULL if case[0] is not optim.Lion]
BOUNDS = (("float32", 4e-6), ("float64", 1e-14))


@functools.cache
def normal(size, seed, dtype):
    return np.random.default_rng(seed).normal(size=size).astype(dtype)


def reference(kind):
    return getattr(torch.optim, kind.__name__)


def pair(arrays):
    mine = [kael.tensor(a).requires_grad_() for a in arrays]
    theirs = [torch.tensor(a).requires_grad_() for a in arrays]
    return mine, theirs


def give(mine, theirs, gradients):
    for p, t, g in zip(mine, theirs, gradients, strict=True):
        p.grad = None if g is None else kael.tensor(g)
        t.grad = None if g is None else torch.tensor(g)


def run(kind, options, arrays, steps):
    """Parameters and optimizers of both after a step for each list of gradients."""
    mine, theirs = pair(arrays)
    optimizer, other = kind(mine, **options), reference(kind)(theirs, **options)
    for gradients in steps:
        give(mine, theirs, gradients)
        optimizer.step()
        other.step()
    return mine, theirs, optimizer, other


def close(p, t, bound):
    p, t = np.asarray(p.detach()), t.detach().numpy()
    assert p.dtype == t.dtype and p.shape == t.shape
    np.testing.assert_allclose(p, t, rtol=bound, atol=bound)


def compare_states(optimizer, other, bound):
    mine, theirs = optimizer.state_dict(), other.state_dict()
    assert mine["state"].keys() == theirs["state"].keys()
    for number, state in theirs["state"].items():
        assert list(mine["state"][number]) == list(state)
        for key, value in state.items():
            close(mine["state"][number][key], value, bound)
    assert mine["param_groups"] == theirs["param_groups"]


def test_every_class_of_torch_is_here():
    names = [name for name in torch.optim.__all__ if name not in ("Optimizer", "lr_scheduler")]
    names = [name for name in names if isinstance(getattr(torch.optim, name), type)]
    assert sorted([*names, "Lion"]) == sorted(kind.__name__ for kind in OPTIMIZERS)


@pytest.mark.parametrize("kind", PAIRED)
def test_arguments_and_defaults_are_torchs(kind):
    mine = inspect.signature(kind.__init__).parameters
    theirs = inspect.signature(reference(kind).__init__).parameters
    assert list(mine) == list(theirs)
    for name, parameter in theirs.items():
        assert mine[name].default == parameter.default and mine[name].kind == parameter.kind, name


@pytest.mark.parametrize(("kind", "flags"), PAIRED_CASES, ids=PAIRED_IDS)
def test_every_flag_combination_agrees(kind, flags):
    for dtype, bound in BOUNDS:
        sizes = [0, 1, 7, 16, 33, 70, 4099]
        arrays = [normal(n, 0, dtype) for n in sizes]
        steps = [[normal(n, k, dtype) for n in sizes] for k in range(1, 5)]
        for gradients in steps[:2]:
            gradients[3] = None  # joins at the third step, with its own step count
        mine, theirs, optimizer, other = run(kind, {"lr": LR, **flags}, arrays, steps)
        if kind is optim.NAdam:
            bound = max(bound, 1e-9)  # mu_product is kept in float32, rounded in another order
        if flags.get("centered"):
            bound *= 20  # v - a * a cancels
        for p, t in zip(mine, theirs, strict=True):
            close(p, t, bound)
        compare_states(optimizer, other, 10 * bound)


@pytest.mark.parametrize(("kind", "flags"), PAIRED_CASES, ids=PAIRED_IDS)
def test_every_size_agrees(kind, flags):
    """As parts of one vector for PyTorch, which is slow on many: an element's step is its own."""
    sizes = [*range(71), 4099, 10_007, 1_000_000]
    total, ends = sum(sizes), np.cumsum(sizes)[:-1]
    steps = [normal(total, k, "float32") for k in (1, 2)]
    mine = [kael.tensor(a).requires_grad_() for a in np.split(normal(total, 0, "float32"), ends)]
    theirs = torch.tensor(normal(total, 0, "float32")).requires_grad_()
    optimizer, other = kind(mine, lr=LR, **flags), reference(kind)([theirs], lr=LR, **flags)
    for g in steps:
        for p, piece in zip(mine, np.split(g, ends), strict=True):
            p.grad = kael.tensor(piece)
        theirs.grad = torch.from_numpy(g)
        optimizer.step()
        other.step()
    found = np.concatenate([np.asarray(p.detach()) for p in mine])
    # of a million gradients some all but cancel with their decay, and RMSprop divides what is left
    bound = 2e-3 if kind is optim.RMSprop else 3e-5
    np.testing.assert_allclose(found, theirs.detach().numpy(), rtol=bound, atol=bound)


@pytest.mark.parametrize(("kind", "flags"), PAIRED_FULL, ids=[k.__name__ for k, _ in PAIRED_FULL])
def test_long_and_strided_tensors_agree(kind, flags):
    generator = np.random.default_rng(2)
    shapes = [(1_000_000,), (101, 99), (3, 5, 7)]
    arrays = [generator.normal(size=shape).astype("float32") for shape in shapes]
    mine, theirs = pair(arrays)
    optimizer, other = kind(mine, lr=LR, **flags), reference(kind)(theirs, lr=LR, **flags)
    for _ in range(2):
        gradients = [generator.normal(size=shape[::-1]).astype("float32").T for shape in shapes]
        give(mine, theirs, gradients)
        optimizer.step()
        other.step()
    for p, t in zip(mine, theirs, strict=True):
        close(p, t, 2e-4 if flags.get("centered") else 4e-6)


@pytest.mark.parametrize(("kind", "flags"), PAIRED_CASES, ids=PAIRED_IDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_and_inf_gradients(kind, flags, dtype):
    special = np.tile(np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0], dtype), 11)
    arrays = [np.linspace(-1, 1, special.size).astype(dtype)]
    steps = [[special], [np.roll(special, 3)], [np.ones_like(special)]]
    mine, theirs, *_ = run(kind, {"lr": LR, **flags}, arrays, steps)
    p, t = np.asarray(mine[0].detach()).copy(), theirs[0].detach().numpy().copy()
    if kind is optim.RAdam:  # an average that holds an inf stays inf; torch's lerp makes it NaN
        assert np.array_equal(np.isfinite(p), np.isfinite(t))
        p, t = p[np.isfinite(p)], t[np.isfinite(t)]
    np.testing.assert_allclose(p, t, rtol=1e-5)


INVALID = [
    ("lr", -1.0), ("lr", float("nan")), ("eps", -1.0), ("betas", (1.0, 0.9)),
    ("betas", (0.9, -0.1)), ("weight_decay", -0.5), ("momentum", -0.5), ("lr_decay", -0.1),
    ("alpha", -0.1), ("rho", 1.5), ("initial_accumulator_value", -1), ("momentum_decay", -1),
    ("etas", (1.5, 1.2)), ("d", 0.5), ("beta2_decay", 0.5), ("adjust_lr_fn", "wrong"),
]  # fmt: skip
# What torch takes: NaN among them.
TAKEN = [(SGD, "lr"), (optim.ASGD, "alpha"), (optim.Muon, "eps"), (optim.Adafactor, "eps")]


def invalid_calls():
    """Each option out of range, for each class that has it."""
    for kind, (name, value) in itertools.product(PAIRED, INVALID):
        known = inspect.signature(kind.__init__).parameters
        if name in known and (kind, name) not in TAKEN and kind is not optim.SparseAdam:
            yield kind, {name: value}
    yield SGD, {"lr": -1.0}
    yield SGD, {"nesterov": True}
    yield SGD, {"nesterov": True, "momentum": 0.9, "dampening": 0.1}
    yield optim.Adafactor, {"eps": (-1.0, 1e-3)}
    yield optim.Adafactor, {"eps": (None, -1.0)}


@pytest.mark.parametrize(("kind", "options"), list(invalid_calls()))
def test_invalid_options_raise_as_torch(kind, options):
    with pytest.raises(ValueError) as theirs:
        reference(kind)([torch.zeros(1, 1, requires_grad=True)], **options)
    with pytest.raises(ValueError, match=re.escape(str(theirs.value))):
        kind([kael.zeros(1, 1, requires_grad=True)], **options)


@pytest.mark.parametrize("kind", [Adam, AdamW, optim.NAdam, optim.Lion])
def test_betas_are_a_pair(kind):
    with pytest.raises(ValueError, match="betas must be a pair of numbers, got"):
        kind([kael.zeros(1, requires_grad=True)], betas=(0.9,))


def test_sparse_adam_is_refused():
    with pytest.raises(NotImplementedError, match="SparseAdam: kael has no sparse gradients"):
        optim.SparseAdam([kael.zeros(1, requires_grad=True)])


@pytest.mark.parametrize("kind", [kind for kind in OPTIMIZERS if kind is not optim.SparseAdam])
def test_placeholders_of_torchs_implementations(kind):
    known = inspect.signature(kind.__init__).parameters
    p = kael.zeros(1, 1, requires_grad=True)
    for name, value in itertools.product(("foreach", "fused", "capturable"), (None, False, True)):
        if name in known:
            assert kind([p], **{name: value}).param_groups[0][name] is value
    if "differentiable" in known:
        with pytest.raises(NotImplementedError, match="differentiable"):
            kind([p], differentiable=True)


@pytest.mark.parametrize("kind", [SGD, Adam, AdamW, Adagrad])
def test_fused_excludes_foreach_and_differentiable(kind):
    p = kael.zeros(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="cannot be `True` together"):
        kind([p], foreach=True, fused=True)
    with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
        kind([p], fused=True, differentiable=True)


@pytest.mark.parametrize("kind", [kind for kind in PAIRED if kind is not optim.SparseAdam])
def test_repr_is_torchs(kind):
    mine, theirs = pair([np.zeros((2, 2), np.float32)] * 2)
    if kind is optim.LBFGS:
        assert repr(kind(mine)) == repr(reference(kind)(theirs))
        return
    groups = [[{"params": [p]}, {"params": [q], "lr": 1}] for p, q in (mine, theirs)]
    assert repr(kind(groups[0], lr=0.25)) == repr(reference(kind)(groups[1], lr=0.25))


@pytest.mark.parametrize(("kind", "flags"), PAIRED_FULL, ids=[k.__name__ for k, _ in PAIRED_FULL])
def test_a_checkpoint_of_torch_continues(kind, flags):
    """Both layouts of its counters: tensors, and the numbers of older versions."""
    generator = np.random.default_rng(3)
    arrays = [generator.normal(size=9).astype("float32")]
    steps = [[generator.normal(size=9).astype("float32")] for _ in range(4)]
    *_, theirs, _, other = run(kind, {"lr": LR, **flags}, arrays, steps[:3])
    for as_numbers in (False, True):
        saved = other.state_dict()
        saved["state"] = {
            k: {
                key: v.item() if as_numbers and v.ndim == 0 else kael.tensor(v.numpy())
                for key, v in state.items()
            }
            for k, state in saved["state"].items()
        }
        saved["param_groups"] = [
            {k: v for k, v in group.items() if k not in ("capturable", "differentiable", "foreach")}
            for group in saved["param_groups"]
        ]
        mine = [kael.tensor(t.detach().numpy()).requires_grad_() for t in theirs]
        twins = [t.detach().clone().requires_grad_() for t in theirs]
        optimizer, twin = kind(mine), reference(kind)(twins)
        optimizer.load_state_dict(saved)
        twin.load_state_dict(other.state_dict())
        give(mine, twins, steps[3])
        optimizer.step()
        twin.step()
        close(mine[0], twins[0], 2e-5)
        compare_states(optimizer, twin, 1e-4)
