"""The optimizers as functions of lists, and the step that clips and zeroes on its way."""

import importlib
import inspect

import numpy as np
import pytest
from conftest import bits_equal, spread
from optim_cases import FULL, FULL_IDS, LR, expected

import kael
from kael import optim
from kael.optim import SGD, Adam, clip_grad_norm_, functional

SHAPE = (9, 14)
# The name that torch gives to the list of a piece of state.
LISTS = {
    "step": "state_steps",
    "sum": "state_sums",
    "momentum_buffer": "momentum_buffer_list",
    "ax": "axs",
}


def call(kind, flags, params, gradients, states, **extra):
    """The functional form, its arguments found by name in the class's options and state."""
    function = getattr(functional, kind.__name__.lower())
    options = {**kind([kael.ones(1, requires_grad=True)], lr=LR, **flags).defaults}
    for names, key in (
        (("beta1", "beta2"), "betas"),
        (("etaminus", "etaplus"), "etas"),
        (("step_size_min", "step_size_max"), "step_sizes"),
    ):
        options.update(zip(names, options.get(key, ()), strict=False))
    lists = {LISTS.get(key, key + "s"): values for key, values in states.items()}
    arguments = {"params": params, "grads": gradients, "d_p_list": gradients, **options, **lists}
    arguments.update(extra)
    wanted = inspect.signature(function).parameters
    defaults = {"max_exp_avg_sqs": [], "momentum_buffer_list": [], "grad_avgs": []}
    function(**{name: value for name, value in {**defaults, **arguments}.items() if name in wanted})


def first_state(kind, flags, p):
    """State before the first step, as NumPy arrays."""
    t = kael.tensor(np.ascontiguousarray(p)).requires_grad_()
    t.grad = kael.zeros(*p.shape, dtype=t.dtype)
    optimizer = kind([t], lr=LR, **flags)
    optimizer.step()
    state = {
        k: np.zeros_like(v) for k, v in ((k, np.array(v)) for k, v in optimizer.state[t].items())
    }
    for key, value in (("mu_product", 1), ("mu", 1), ("eta", LR), ("step_size", LR)):
        if key in state:
            state[key][...] = value
    if "sum" in state:
        state["sum"][...] = flags["initial_accumulator_value"]
    return state


@pytest.mark.parametrize("wrap", [lambda a: a, kael.from_numpy], ids=["numpy", "kael"])
@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_every_form_follows_the_formula(kind, flags, wrap):
    for dtype in ("float32", "float64"):
        base = np.zeros((18, 14), dtype)
        p, gradients = base[::2], [spread(SHAPE, dtype, k) for k in (1, 2)]
        p[...] = spread(SHAPE, dtype)
        right, state = expected(kind, p.copy(), gradients, {"lr": LR, **flags})
        kept = first_state(kind, flags, p)
        if kind is SGD:
            kept = {"momentum_buffer": None}
        lists = {key: [None if a is None else wrap(a)] for key, a in kept.items()}
        for g in gradients:
            call(kind, flags, [wrap(p)], [wrap(g)], lists)
        assert bits_equal(p, right) and not base[1::2].any()
        for key, value in state.items():
            assert bits_equal(lists[key][0], value), key
            assert isinstance(lists[key][0], type(wrap(p)))


def test_every_class_with_a_rule_has_a_form():
    composed = ["adafactor", "muon"]
    assert sorted([kind.__name__.lower() for kind, _ in FULL] + composed) == functional.__all__


def test_signatures_are_torchs():
    pytest.importorskip("torch")
    for name in functional.__all__:
        if name == "lion":
            continue
        file = f"torch.optim.{'_' if name in ('adafactor', 'muon') else ''}{name}"
        mine = inspect.signature(getattr(functional, name)).parameters
        theirs = inspect.signature(getattr(importlib.import_module(file), name)).parameters
        assert list(mine) == list(theirs), name
        for key, parameter in theirs.items():
            assert (mine[key].default, mine[key].kind) == (parameter.default, parameter.kind), key


@pytest.mark.parametrize("wrap", [lambda a: a, kael.from_numpy], ids=["numpy", "kael"])
@pytest.mark.parametrize(
    ("kind", "shape", "kept"),
    [
        (optim.Adafactor, (6, 4), ("row_var", "col_var")),
        (optim.Adafactor, (9,), ("variance",)),
        (optim.Muon, (6, 4), ("momentum_buffer",)),
    ],
)
def test_composed_forms_are_their_classes(kind, shape, kept, wrap):
    p = kael.tensor(spread(shape)).requires_grad_()
    optimizer, array = kind([p], lr=0.1), spread(shape)
    made = {key: np.array(v) for key, v in optimizer._initial(optimizer.param_groups[0], p).items()}
    options = {**optimizer.defaults, "has_complex": False}
    options["foreach"] = None
    if kind is optim.Muon:
        lists = {"muon_momentum_bufs": [wrap(made["momentum_buffer"])]}
    else:
        options["eps1"], options["eps2"] = options.pop("eps")
        lists = {
            f"{key}s": [wrap(made[key]) if key in kept else None]
            for key in ("row_var", "col_var", "variance")
        }
        lists["state_steps"] = [wrap(made["step"])]
    for seed in (1, 2):
        gradient = spread(shape, seed=seed)
        p.grad = kael.tensor(gradient)
        optimizer.step()
        getattr(functional, kind.__name__.lower())(
            [wrap(array)], [wrap(gradient)], **lists, **options
        )
    assert bits_equal(p.detach(), array)
    for key in kept:
        assert bits_equal(optimizer.state[p][key], made[key])


def sgd(params, gradients, buffers=None, **options):
    settings = {
        "lr": 0.5,
        "momentum": 0,
        "dampening": 0,
        "weight_decay": 0,
        "nesterov": False,
        "maximize": False,
    }
    functional.sgd(params, gradients, buffers or [None] * len(params), **{**settings, **options})


def test_arrays_that_cannot_be_changed_in_place_are_refused():
    good, g = np.ones(4, np.float32), np.ones(4, np.float32)
    locked = g.copy()
    locked.setflags(write=False)
    odd = np.zeros(4, [("a", "f4"), ("b", "i1")])["a"]
    for bad, error, words in [
        (g.astype(">f4"), ValueError, "SGD: arrays that are changed must have the machine's byte"),
        (odd, ValueError, "strides of whole elements"),
        (locked, RuntimeError, "read-only"),
        (np.ones(4, np.float16), TypeError, "float16"),
        (np.ones(4, np.int64), TypeError, "SGD: parameters must be float32 or float64, got int64"),
        ([1.0] * 4, TypeError, "expected a NumPy array, got list"),
    ]:
        with pytest.raises(error, match=words):
            sgd([good, bad], [g, g])
        assert (good == 1).all()
    with pytest.raises(ValueError, match="SGD: lists of different lengths: params 1, grads 2"):
        sgd([good], [g, g], momentum=0.9)
    with pytest.raises(ValueError, match="does not match its parameter"):
        sgd([good], [np.ones(3, np.float32)])


def test_gradients_may_be_of_any_byte_order_and_read_only():
    p, g = np.ones(4, np.float32), np.ones(4, ">f4")
    g.setflags(write=False)
    sgd([p], [g])
    assert (p == 0.5).all()


def test_counters_must_be_seen_to_change():
    p, zero = np.ones(2, np.float32), np.zeros(2, np.float32)
    for step in (1, 1.0, None):
        with pytest.raises(RuntimeError, match="`state_steps` argument must contain a list of sin"):
            call(Adam, {}, [p], [p], {"exp_avg": [zero], "exp_avg_sq": [zero], "step": [step]})
    counter = np.array([3], np.int32)
    state = {"exp_avg": [zero], "exp_avg_sq": [zero.copy()], "step": [counter]}
    call(Adam, {}, [p], [p], state)
    assert counter[0] == 4


def test_scaled_gradients_and_steps_that_are_skipped():
    p, q, g = (spread(100, seed=k) for k in range(3))
    q[...] = p
    sgd([p], [g])
    sgd([q], [g * np.float32(1024)], grad_scale=kael.tensor(1024.0))
    assert bits_equal(p, q)
    sgd([q], [g], found_inf=kael.tensor(1.0))
    assert bits_equal(p, q)
    sgd([q], [g], found_inf=np.float32(0))
    assert not bits_equal(p, q)


def leaves(arrays, gradients):
    tensors = [kael.tensor(a).requires_grad_() for a in arrays]
    for t, g in zip(tensors, gradients, strict=True):
        t.grad = None if g is None else kael.tensor(g)
    return tensors


@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_clipping_within_the_step_is_clipping_before_it(kind, flags):
    sizes = (0, 3, 1025, 20_001)
    arrays = [np.linspace(-1, 1, n, dtype=np.float32) for n in sizes]
    gradients = [np.sin(np.arange(n, dtype=np.float32)) for n in sizes]
    for limit, threads in ((1.0, 1), (1e9, 2), (1.0, 3)):
        with kael.num_threads(threads):
            apart, together = leaves(arrays, gradients), leaves(arrays, gradients)
            norm = clip_grad_norm_(apart, limit)
            kind(apart, lr=LR, **flags).step()
            optimizer = kind(together, lr=LR, **flags)
            optimizer.step(max_norm=limit)
            assert optimizer.total_norm == pytest.approx(norm.item())
            for a, b, g in zip(apart, together, gradients, strict=True):
                assert bits_equal(a.detach(), b.detach())
                assert bits_equal(b.grad, g)


def test_zeroing_within_the_step():
    shapes = [(3000,), (40, 30)]
    arrays, gradients = [spread(s) for s in shapes], [spread(s, seed=1) for s in shapes]
    for dtype in (kael.float32, kael.float64):
        plain, zeroed = (
            [t.detach().to(dtype).requires_grad_() for t in leaves(arrays, gradients)]
            for _ in range(2)
        )
        for tensors in (plain, zeroed):
            tensors[0].grad = kael.tensor(gradients[0]).to(dtype)
            tensors[1].grad = kael.tensor(gradients[1].T.copy()).to(dtype).t()  # strided
        held = [t.grad for t in zeroed]
        Adam(plain).step()
        Adam(zeroed).step(zero_grad=True)
        for a, b, g in zip(plain, zeroed, held, strict=True):
            assert bits_equal(a.detach(), b.detach())
            assert b.grad is g and not np.asarray(g).any()
            assert np.asarray(a.grad).any()


def test_zeroing_a_gradient_that_cannot_be_written_is_refused():
    p = kael.ones(4, requires_grad=True)
    p.grad = kael.ones(1).expand(4)
    with pytest.raises(RuntimeError, match="expanded"):
        SGD([p]).step(zero_grad=True)
    assert bits_equal(p.detach(), np.ones(4, np.float32))


def test_an_infinite_norm_clips_as_before():
    arrays = [np.ones(3, np.float32)]
    (p,) = leaves(arrays, [np.array([np.inf, 1, 2], np.float32)])
    optimizer = SGD([p], lr=1.0)
    optimizer.step(max_norm=1.0)
    assert optimizer.total_norm == np.inf
    assert bits_equal(p.detach(), np.array([np.nan, 1, 1], np.float32))


def test_the_closure_still_gives_the_loss():
    (p,) = leaves([np.ones(3, np.float32)], [None])

    def closure():
        loss = (p * p).sum()
        loss.backward()
        return loss

    assert optim.Adam([p]).step(closure, max_norm=1.0, zero_grad=True).item() == 3
    assert not np.asarray(p.grad).any()
