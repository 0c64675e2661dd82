"""Adafactor, Muon and L-BFGS: their formulas in NumPy, PyTorch's answers, and nothing half done."""

import itertools
import math
import pickle
import threading

import numpy as np
import pytest
from conftest import bits_equal, spread
from optim_cases import combined

import kael
from kael import optim
from kael.optim import LBFGS, Adafactor, Muon

SHAPES = [(5,), (7, 3), (3, 9), (2, 4, 5), (), (0, 3), (64, 64)]
ADAFACTOR = combined(
    weight_decay=(0, 0.1),
    maximize=(False, True),
    d=(1.0, 2.0),
    eps=((None, 1e-3), (1e-30, 1e-2)),
    beta2_decay=(-0.8, -0.5),
)
MUON = combined(
    nesterov=(True, False),
    adjust_lr_fn=(None, "original", "match_rms_adamw"),
    momentum=(0, 0.95),
    weight_decay=(0, 0.1),
)


def normal(shapes, dtype, seed):
    generator = np.random.default_rng(seed)
    return [np.asarray(generator.normal(size=shape), dtype) for shape in shapes]


def run(library, kind, options, arrays, steps):
    tensors = [library.tensor(a).requires_grad_() for a in arrays]
    optimizer = kind(tensors, **options)
    for gradients in steps:
        for t, g in zip(tensors, gradients, strict=True):
            t.grad = None if g is None else library.tensor(g)
        optimizer.step()
    return [np.asarray(t.detach()) for t in tensors], optimizer


def compare(kind, options, shapes, dtype, bound):
    torch = pytest.importorskip("torch")
    arrays = normal(shapes, dtype, 0)
    steps = [normal(shapes, dtype, k) for k in range(1, 5)]
    steps[0][1] = None
    mine, optimizer = run(kael, kind, options, arrays, steps)
    theirs, other = run(torch, getattr(torch.optim, kind.__name__), options, arrays, steps)
    for a, b in zip(mine, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=bound, atol=bound)
    saved, reference = optimizer.state_dict(), other.state_dict()
    assert saved["param_groups"] == reference["param_groups"]
    for number, state in reference["state"].items():
        assert list(saved["state"][number]) == list(state)
        for key, value in state.items():
            found = np.asarray(saved["state"][number][key])
            assert found.dtype == value.numpy().dtype and found.shape == tuple(value.shape)
            np.testing.assert_allclose(found, value.numpy(), rtol=10 * bound, atol=bound)


def test_every_composed_optimizer_is_here():
    exported = [getattr(optim, name) for name in optim.__all__]
    composed = [x for x in exported if isinstance(x, type) and hasattr(x, "_initial")]
    assert composed == [Adafactor, Muon]


@pytest.mark.parametrize("options", ADAFACTOR)
def test_adafactor_agrees_with_torch(options):
    shapes = [shape for shape in SHAPES if 0 not in shape]  # torch divides by a size of 0
    for dtype, bound in (("float32", 4e-6), ("float64", 1e-8)):
        # float64: torch keeps some sums in float32's way; 1e-8 is what one step differs by
        compare(Adafactor, options, shapes, dtype, bound)


@pytest.mark.parametrize("options", MUON)
def test_muon_agrees_with_torch_within_its_bfloat16(options):
    compare(Muon, {"lr": 0.02, **options}, [(7, 3), (3, 9), (16, 16), (1, 5)], "float32", 3e-3)


def test_muon_follows_its_formula():
    """In NumPy's own order of sums; so closely, not bit for bit."""
    p, g = normal([(4, 7)], "float64", 0)[0], normal([(4, 7)], "float64", 1)[0]
    b = g * (1 - 0.95)
    u = g * (1 - 0.95) + b * 0.95
    u = u / max(np.linalg.norm(u), 1e-7)
    for _ in range(5):
        s = u @ u.T
        u = u * 3.4445 + (s * -4.7750 + (s @ s) * 2.0315) @ u
    expected = p * (1 - 0.02 * 0.1) - 0.02 * u
    found = run(kael, Muon, {"lr": 0.02}, [p], [[g]])[0][0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.abs(np.linalg.svd(u, compute_uv=False) - 1).max() < 0.4


@pytest.mark.parametrize(("kind", "shapes"), [(Adafactor, SHAPES), (Muon, [(70, 33), (0, 3)])])
def test_bits_do_not_depend_on_threads_isa_or_layout(kind, shapes):
    for dtype in ("float32", "float64"):
        arrays, steps = normal(shapes, dtype, 0), [normal(shapes, dtype, k) for k in (1, 2)]
        with kael.isa("generic"), kael.num_threads(1):
            expected = run(kael, kind, {}, arrays, steps)[0]
        turned = [[np.asarray(g, order="F") for g in gradients] for gradients in steps]
        columns = [np.asarray(a, order="F") for a in arrays]
        for isa, threads in itertools.product(kael.usable_isas(), (1, 2, 3, 7)):
            with kael.isa(isa), kael.num_threads(threads):
                found = run(kael, kind, {}, columns, turned)[0]
            assert all(map(bits_equal, found, expected))


@pytest.mark.parametrize("kind", [Adafactor, Muon])
def test_a_refused_step_changes_nothing(kind):
    good, bad = (kael.tensor(spread((4, 3), seed=k)).requires_grad_() for k in (1, 2))
    good.grad = kael.ones(4, 3)
    before = np.array(good.detach())

    def refused(error, words):
        optimizer = kind([good, bad], lr=0.1)
        with pytest.raises(error, match=words):
            optimizer.step()
        assert bits_equal(good.detach(), before) and not optimizer.state

    memory = np.zeros((4, 3), np.float32)
    memory.setflags(write=False)
    bad = kael.from_numpy(memory).requires_grad_()
    bad.grad = kael.ones(4, 3)
    refused(RuntimeError, "read-only")
    bad = kael.ones(4, 3, dtype=kael.int64)
    bad.grad = kael.ones(4, 3, dtype=kael.int64)
    refused(TypeError, f"{kind.__name__}: parameters must be float32 or float64, got int64")


@pytest.mark.parametrize("kind", [Adafactor, Muon])
def test_lr_zero_keeps_the_bits(kind):
    values = np.array([[1.5, -0.0], [np.nan, np.inf]], np.float32)
    p = kael.tensor(values).requires_grad_()
    p.grad = kael.tensor(np.array([[np.nan, 1.0], [0.0, np.inf]], np.float32))
    kind([p], lr=0.0).step()
    assert np.array_equal(np.asarray(p.detach()).view(np.uint32), values.view(np.uint32))


def test_options_of_muon_that_are_refused_at_the_step():
    p = kael.ones(2, 2, requires_grad=True)
    p.grad = kael.ones(2, 2)
    for options, words in (
        ({"ns_steps": 100}, "Number of steps must be less than 100"),
        ({"ns_coefficients": (1.0, 2.0)}, "Coefficients must be a tuple of exactly 3 values"),
    ):
        with pytest.raises(ValueError, match=words):
            Muon([p], **options).step()
    with pytest.raises(ValueError, match="Muon only supports 2D parameters whereas we found a par"):
        Muon([kael.ones(3, requires_grad=True)])
    assert bits_equal(p.detach(), np.ones((2, 2), np.float32))


def test_step_counters_that_are_numbers():
    p = kael.ones(3, requires_grad=True)
    p.grad = kael.ones(3)
    optimizer = Adafactor([p])
    optimizer.step()
    saved = optimizer.state_dict()
    saved["state"][0]["step"] = 7
    optimizer.load_state_dict(saved)
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 8


def rosenbrock(x):
    valley = x[1:] - x[:-1] * x[:-1]
    return ((1 - x[:-1]) * (1 - x[:-1])).sum() + (100 * valley * valley).sum()


def closure(optimizer, p):
    def evaluate():
        optimizer.zero_grad()
        loss = rosenbrock(p)
        loss.backward()
        return loss

    return evaluate


START = [-1.2, 1.0, 0.5, -0.3]


@pytest.mark.parametrize(
    "options",
    [
        {"lr": 1e-3, "max_iter": 10},
        {"lr": 1e-3, "max_iter": 10, "history_size": 2},
        {"line_search_fn": "strong_wolfe", "max_iter": 10},
        {"line_search_fn": "strong_wolfe", "history_size": 3, "max_eval": 7},
        {"lr": 0.5, "line_search_fn": "strong_wolfe", "tolerance_change": 1e-3},
    ],
)
def test_lbfgs_follows_torch(options):
    torch = pytest.importorskip("torch")
    p = kael.tensor(START, dtype=kael.float64).requires_grad_()
    t = torch.tensor(START, dtype=torch.float64).requires_grad_()
    mine, theirs = LBFGS([p], **options), torch.optim.LBFGS([t], **options)
    for _ in range(6):
        losses = [o.step(closure(o, x)).item() for o, x in ((mine, p), (theirs, t))]
        assert losses[0] == pytest.approx(losses[1], rel=1e-9)
        np.testing.assert_allclose(np.asarray(p.detach()), t.detach().numpy(), rtol=1e-9)
        for key in ("func_evals", "n_iter"):
            assert mine.state[p][key] == theirs.state[t][key]
    assert set(mine.state[p]) == set(theirs.state[t])
    assert mine.state_dict()["param_groups"] == theirs.state_dict()["param_groups"]
    np.testing.assert_allclose(np.asarray(mine.state[p]["d"]), theirs.state[t]["d"], rtol=1e-6)


def test_lbfgs_finds_the_minimum_over_several_parameters():
    generator = np.random.default_rng(0)
    goal = [generator.normal(size=shape).astype("float32") for shape in ((3, 4), (5,))]
    params = [kael.zeros(*g.shape, requires_grad=True) for g in goal]
    unused = kael.ones(2, requires_grad=True)
    optimizer = LBFGS([*params, unused], line_search_fn="strong_wolfe")

    def evaluate():
        optimizer.zero_grad()
        loss = sum(
            ((p - kael.tensor(g)) ** 2 * k).sum()
            for k, (p, g) in enumerate(zip(params, goal, strict=True), 1)
        )
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(evaluate)
    for p, g in zip(params, goal, strict=True):
        np.testing.assert_allclose(np.asarray(p.detach()), g, atol=1e-5)
    assert bits_equal(unused.detach(), np.ones(2, np.float32))


def test_lbfgs_continues_from_a_checkpoint():
    def fresh(values=START):
        p = kael.tensor(values, dtype=kael.float64).requires_grad_()
        return p, LBFGS([p], line_search_fn="strong_wolfe", max_iter=4)

    p, through = fresh()
    for _ in range(4):
        through.step(closure(through, p))
    q, stopped = fresh()
    for _ in range(2):
        stopped.step(closure(stopped, q))
    r, resumed = fresh(q.tolist())
    resumed.load_state_dict(pickle.loads(pickle.dumps(stopped.state_dict())))
    for _ in range(2):
        resumed.step(closure(resumed, r))
    assert bits_equal(p.detach(), r.detach())


def test_lbfgs_refuses_groups_and_unknown_searches():
    p, q = kael.ones(2, requires_grad=True), kael.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        LBFGS([{"params": [p]}, {"params": [q]}])
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        LBFGS([p], line_search_fn="armijo").step(lambda: p.sum())
    with pytest.raises(TypeError):
        LBFGS([p]).step()
    grown = LBFGS([p])
    grown.add_param_group({"params": [q]})
    with pytest.raises(AssertionError, match="Expected exactly one param_group, but got 2"):
        grown.step(closure_of_squares(grown, p))
    assert p.tolist() == [1, 1] and not grown.state


def test_lbfgs_stops_at_a_flat_start():
    p = kael.zeros(2, requires_grad=True)
    optimizer = LBFGS([p])
    assert optimizer.step(closure_of_squares(optimizer, p)).item() == 0
    assert optimizer.state[p] == {"func_evals": 1, "n_iter": 0}


def closure_of_squares(optimizer, p):
    def evaluate():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    return evaluate


def test_lbfgs_survives_a_loss_that_is_not_a_number():
    p = kael.ones(2, requires_grad=True)

    def evaluate():
        p.grad = kael.full((2,), math.nan)
        return kael.tensor(math.nan)

    for search in (None, "strong_wolfe"):
        assert math.isnan(LBFGS([p], line_search_fn=search).step(evaluate).item())


def test_steps_of_several_threads_are_serialised():
    values = normal([(40, 30)], "float32", 0)[0]
    gradient = kael.tensor(normal([(40, 30)], "float32", 1)[0])
    for kind in (Adafactor, Muon):
        alone, shared = (kael.tensor(values).requires_grad_() for _ in "ab")
        one, other = kind([alone]), kind([shared])
        alone.grad = shared.grad = gradient
        for _ in range(12):
            one.step()
        threads = [
            threading.Thread(target=lambda other=other: [other.step() for _ in range(3)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bits_equal(np.asarray(alone.detach()), np.asarray(shared.detach()))


@pytest.mark.parametrize("kind", [Adafactor, Muon])
def test_no_state_is_made_by_a_refused_step(kind):
    good, bad = (kael.ones(3, 4, requires_grad=True) for _ in "ab")
    good.grad, bad.grad = kael.ones(3, 4), kael.ones(3, 4)
    optimizer = kind([good, bad])
    optimizer.step()
    optimizer.state.pop(good)
    key = [k for k in optimizer.state[bad] if k != "step"][-1]
    kept, values = optimizer.state[bad][key], good.tolist()
    array = np.zeros(kept.shape, np.float32)
    array.flags.writeable = False
    for wrong, error, text in (
        (kael.zeros(7), ValueError, "does not match"),
        (kept.double(), ValueError, "float64 does not match"),
        (kael.from_dlpack(array), RuntimeError, "read-only"),
    ):
        optimizer.state[bad][key] = wrong
        with pytest.raises(error, match=text):
            optimizer.step()
        assert good not in optimizer.state and good.tolist() == values


def test_lbfgs_refuses_mixed_dtypes_before_anything_changes():
    p, q = kael.ones(3, requires_grad=True), kael.ones(3, dtype=kael.float64, requires_grad=True)
    optimizer = LBFGS([p, q])
    with pytest.raises(TypeError, match="LBFGS: the parameters must be of one dtype"):
        optimizer.step(lambda: kael.tensor(1.0))
    assert not optimizer.state and p.tolist() == [1, 1, 1]


def test_a_line_search_that_fails_puts_the_parameters_back():
    p = kael.ones(3, requires_grad=True)
    optimizer = LBFGS([p], line_search_fn="strong_wolfe")
    calls = []

    def closure():
        calls.append(p.tolist())
        if len(calls) == 2:
            raise ArithmeticError
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with pytest.raises(ArithmeticError):
        optimizer.step(closure)
    assert p.tolist() == [1, 1, 1] != calls[1]


@pytest.mark.parametrize("kind", [Adafactor, Muon])
def test_a_step_that_clips_and_zeroes_equals_three_calls(kind):
    arrays = normal([(5, 7), (6, 4)], "float32", 0)
    a, b = ([kael.tensor(x).requires_grad_() for x in arrays] for _ in "ab")
    fused, plain = kind(a), kind(b)
    for step in range(2):
        for params in (a, b):
            for p, g in zip(params, normal([(5, 7), (6, 4)], "float32", 5 + step), strict=True):
                p.grad = kael.tensor(3 * g)
        fused.step(max_norm=2.0, zero_grad=True)
        norm = optim.clip_grad_norm_(b, 2.0)
        plain.step()
        assert np.float32(fused.total_norm) == norm.item()
        for p, q in zip(a, b, strict=True):
            assert bits_equal(np.asarray(p.detach()), np.asarray(q.detach()))
            assert not np.asarray(p.grad).any()
