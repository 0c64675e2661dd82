"""The optimizers' arithmetic: every element against its formula, bit for bit (numerics R6),
whatever the slice, layout, thread count and instruction set. The formulas are in optim_cases.py,
PyTorch's answers in test_optim_torch.py, the base class in test_optimizer.py."""

import itertools

import numpy as np
import pytest
from conftest import bits_equal, forks, run_script, spread
from optim_cases import CASES, FLAGS, FORMULAS, FULL, FULL_IDS, IDS, LR, expected, steps_of

import kael
from kael import optim
from kael.optim import SGD, Adam, AdamW
from kael.optim.fused import Fused

SIZES = [*range(71), 4099, 10007]
DTYPES = ("float32", "float64")


def parameters(arrays):
    return [kael.tensor(a).requires_grad_() for a in arrays]


def give(tensors, gradients):
    for t, g in zip(tensors, gradients, strict=True):
        t.grad = None if g is None else kael.tensor(g)


def motley(dtype, seed=0):
    return [spread(n, dtype, seed + n) for n in SIZES]


def run(kind, flags, arrays, gradients, **options):
    """Parameters and optimizer after a step for each list of gradients."""
    tensors = parameters(arrays)
    optimizer = kind(tensors, lr=LR, **flags, **options)
    for step in gradients:
        give(tensors, step)
        optimizer.step()
    return [np.asarray(t.detach()) for t in tensors], optimizer


def test_every_optimizer_has_cases():
    """A new class without a formula and flags fails here."""
    exported = [getattr(optim, name) for name in optim.__all__]
    fused = {x for x in exported if isinstance(x, type) and issubclass(x, Fused)}
    assert fused == set(FLAGS)


@pytest.mark.parametrize(("kind", "flags"), CASES, ids=IDS)
def test_every_element_follows_the_formula(kind, flags):
    # pytorch/pytorch#191763: whole vectors were left unchanged, or only their tails were right
    ends = np.cumsum(SIZES)[:-1]
    for dtype in DTYPES:
        start = np.concatenate(motley(dtype))
        gradients = [np.concatenate(motley(dtype, 1000 * k)) for k in range(1, steps_of(kind) + 1)]
        p, state = expected(kind, start, gradients, {"lr": LR, **flags})
        arrays, steps = np.split(start, ends), [np.split(g, ends) for g in gradients]
        for isa in kael.usable_isas():
            with kael.isa(isa):
                found, optimizer = run(kind, flags, arrays, steps)
            assert bits_equal(np.concatenate(found), p), (dtype, isa)
            states = [optimizer.state[q] for q in optimizer.param_groups[0]["params"]]
            for key, value in state.items():
                kept = [np.asarray(s[key]) for s in states]
                whole = kept[0] if value.ndim == 0 else np.concatenate(kept)
                assert bits_equal(whole, value), (dtype, isa, key)


@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_bits_do_not_depend_on_threads_isa_or_split(kind, flags):
    # slices end inside tensors and inside vectors; one long tensor is cut at odd places
    whole = spread(200_017, "float32", 5)
    steps = [[spread(whole.size, "float32", k)] for k in (6, 7)]
    with kael.isa("generic"), kael.num_threads(1):
        outcome = run(kind, flags, [whole], steps)[0][0]
    cuts = [0, 1, 17, 4096, 99_999, 100_000, 150_003]
    pieces = np.split(whole, cuts)
    split_steps = [np.split(step[0], cuts) for step in steps]
    for isa, threads in itertools.product(kael.usable_isas(), (1, 2, 3, 7)):
        with kael.isa(isa), kael.num_threads(threads):
            assert bits_equal(run(kind, flags, [whole], steps)[0][0], outcome)
            found = run(kind, flags, pieces, split_steps)[0]
            assert bits_equal(np.concatenate(found), outcome)


@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_a_zero_size_parameter_does_not_hide_the_others(kind, flags):
    # NVIDIA/TransformerEngine#3207, deepspeedai/DeepSpeed#129
    arrays = [spread(n) for n in (1000, 0, 1000, 0)]
    found, optimizer = run(kind, flags, arrays, [[np.ones_like(a) for a in arrays]])
    for a, f in zip(arrays, found, strict=True):
        assert a.size == 0 or (a != f).any()
    assert len(optimizer.state_dict()["state"]) == 4


def layouts():
    """Name and a function that makes a (20, 30) view holding given values, over a larger base."""

    def every_second():
        base = kael.zeros(40, 30)
        return base, base[::2]

    def transposed():
        base = kael.zeros(30, 20)
        return base, base.transpose(0, 1)

    def columns():
        base = kael.zeros(20, 64)
        return base, base[:, 3:63:2]

    def reversed_numpy():
        memory = np.zeros((20, 30), np.float32)
        return kael.from_numpy(memory), kael.from_numpy(memory[::-1, ::-1])

    def misaligned():
        memory = np.zeros(20 * 30 * 4 + 1, np.uint8)
        return kael.from_numpy(memory), kael.from_numpy(memory[1:].view(np.float32).reshape(20, 30))

    return [every_second, transposed, columns, reversed_numpy, misaligned]


@pytest.mark.parametrize("layout", layouts(), ids=lambda f: f.__name__)
@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_strided_parameters_and_gradients(layout, kind, flags):
    # torch's fused Adam wrote into the neighbours of a strided parameter and paired the wrong
    # elements of a transposed one; related: pytorch/pytorch#106951
    values, steps = spread((20, 30)), [[spread((20, 30), seed=k)] for k in (1, 2)]
    right = run(kind, flags, [values], steps)[0][0]
    base, view = layout()
    view.copy_(kael.tensor(values))
    untouched = np.asarray(base) == 0
    view.requires_grad_()
    optimizer = kind([view], lr=LR, **flags)
    for i, (gradient,) in enumerate(steps):
        if i == 0:
            view.grad = kael.tensor(gradient)
        else:
            view.grad = layout()[1].copy_(kael.tensor(gradient))
        optimizer.step()
    assert bits_equal(np.array(view.detach()), right)
    if base.dtype is kael.float32:
        assert not np.asarray(base)[untouched].any()


def test_expanded_gradients_and_parameters():
    values = spread((6, 5))
    row = spread(5, seed=1)
    right = run(Adam, {}, [values], [[np.tile(row, (6, 1))]])[0][0]
    p = kael.tensor(values).requires_grad_()
    p.grad = kael.tensor(row).expand(6, 5)
    Adam([p], lr=LR).step()
    assert bits_equal(p.detach(), right)
    repeated = kael.tensor(row).expand(6, 5).requires_grad_()
    repeated.grad = kael.ones(6, 5)
    optimizer = Adam([p, repeated], lr=LR)
    with pytest.raises(RuntimeError, match="expanded"):
        optimizer.step()
    assert bits_equal(p.detach(), right) and not optimizer.state


def test_parameters_that_share_memory_are_updated_in_order():
    base = kael.tensor(spread(64))
    first, second = base[:48].requires_grad_(), base[16:].requires_grad_()
    gradient = spread(48, seed=1)
    right = spread(64)
    for part in (slice(0, 48), slice(16, 64)):
        right[part] = run(SGD, {}, [right[part].copy()], [[gradient]])[0][0]
    for threads in (1, 4):
        with kael.num_threads(threads):
            base.copy_(kael.tensor(spread(64)))
            give((first, second), (gradient, gradient))
            SGD([first, second], lr=LR).step()
            assert bits_equal(base, right)


def test_many_threads_update_shared_memory_one_parameter_after_the_other():
    # Sixteen views of one memory, each as long as a chunk: in one region the threads would update
    # the same elements at once and lose some of the updates.
    base, gradient = kael.ones(1_000_000), kael.ones(1_000_000)
    views = [base[:].requires_grad_() for _ in range(16)]
    for view in views:
        view.grad = gradient
    optimizer = SGD(views, lr=0.5, weight_decay=0.5)
    expected = np.float32(1)
    with kael.num_threads(4):
        for _ in range(5):
            optimizer.step()
            for _ in views:
                expected -= np.float32(0.5) * (1 + np.float32(0.5) * expected)
            assert bits_equal(base, np.full(base.shape, expected))


def test_shared_memory_is_found_among_parameters_that_took_turns():
    base, alone = kael.zeros(600_000), kael.ones(8, requires_grad=True)
    first, second = base[:400_000].requires_grad_(), base[200_000:].requires_grad_()
    optimizer = SGD([alone, first, second], lr=0.5, weight_decay=0.5)
    with kael.num_threads(4):
        for turn in ((alone, second), (first,), (first, second)):
            optimizer.zero_grad()
            give(turn, [np.ones(p.shape, "float32") for p in turn])
            optimizer.step()
    right = np.zeros(600_000, "float32")
    for part in (slice(200_000, None), slice(400_000), slice(400_000), slice(200_000, None)):
        right[part] -= np.float32(0.5) * (1 + np.float32(0.5) * right[part])
    assert bits_equal(base, right)


@pytest.mark.parametrize("kind", [SGD, Adam])
@pytest.mark.parametrize("shift", [-100_000, 0, 5])
def test_a_gradient_in_the_memory_of_a_parameter_is_read_when_its_turn_comes(kind, shift):
    # Of the other parameter (which has had its step by then), of its own, or partly of both.
    size = 100_000
    for threads in (1, 2, 7):
        with kael.num_threads(threads):
            base, right = kael.tensor(spread(3 * size)), kael.tensor(spread(3 * size))
            parts = [base[i * size : (i + 1) * size].requires_grad_() for i in (0, 1)]
            whole = kind(parts, lr=LR)
            singles = [kind([p], lr=LR) for p in parameters([spread(size)] * 2)]
            for _ in range(3):
                for i, single in enumerate(singles):
                    begin = size + shift if i else 2 * size
                    parts[i].grad = base[begin : begin + size]
                    (p,) = single.param_groups[0]["params"]
                    p.detach().copy_(right[i * size : (i + 1) * size])
                    p.grad = right[begin : begin + size].clone()
                    single.step()
                    right[i * size : (i + 1) * size] = p.detach()
                whole.step()
                assert bits_equal(base, right)


def test_the_same_parameter_twice_in_a_group_is_updated_twice():
    # pytorch/pytorch#40967
    torch = pytest.importorskip("torch")
    values, gradient = np.linspace(1, 2, 9).astype("float32"), np.ones(9, "float32")
    p = kael.tensor(values).requires_grad_()
    t = torch.from_numpy(values.copy()).requires_grad_()
    for kind, reference in ((Adam, torch.optim.Adam), (SGD, torch.optim.SGD)):
        with pytest.warns(UserWarning, match="duplicate parameters"):
            optimizer = kind([p, p], lr=LR)
        with pytest.warns(UserWarning, match="duplicate parameters"):
            other = reference([t, t], lr=LR, foreach=False)
        for _ in range(3):
            p.grad, t.grad = kael.tensor(gradient), torch.from_numpy(gradient.copy())
            optimizer.step()
            other.step()
        np.testing.assert_allclose(np.asarray(p.detach()), t.detach().numpy(), rtol=1e-6)


def test_weight_decay_of_adam_is_coupled_and_of_adamw_decoupled():
    # deepspeedai/DeepSpeed#482, #5214
    values = np.array([1.0, -2.0, 0.0], np.float32)
    p, q = parameters([values, values])
    give((p, q), (np.zeros(3, np.float32),) * 2)
    Adam([p], lr=0.1, weight_decay=0.5).step()
    AdamW([q], lr=0.1, weight_decay=0.5).step()
    np.testing.assert_allclose(np.asarray(p.detach()), [0.9, -1.9, 0.0], rtol=1e-6)
    assert bits_equal(q.detach(), values * np.float32(0.95))
    assert Adam([p]).defaults["weight_decay"] == 0
    assert AdamW([p]).defaults["weight_decay"] == 0.01


@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_lr_zero_keeps_the_bits_and_advances_the_state(kind, flags):
    if kind is optim.Rprop:  # its lr is only the first step size
        return
    values = np.array([1.5, -0.0, 0.0, np.nan, np.inf, -3.0] * 1000, np.float32)
    gradient = np.array([1.0, -1.0, 0.0, np.inf, np.nan, -2.0] * 1000, np.float32)
    p = kael.tensor(values).requires_grad_()
    optimizer = kind([p], **{**flags, "lr": 0.0})
    give([p], [gradient])
    optimizer.step()
    assert np.array_equal(np.asarray(p.detach()).view(np.uint32), values.view(np.uint32))
    with np.errstate(invalid="ignore", divide="ignore"):
        state = expected(kind, values, [gradient], {**flags, "lr": 0.0})[1]
    for key, value in state.items():
        assert bits_equal(optimizer.state[p][key], value), key
    assert "step" not in optimizer.state[p] or optimizer.state[p]["step"].item() == 1


def test_eps_zero_with_zero_gradient_is_nan_as_torch():
    p = kael.ones(20, requires_grad=True)
    p.grad = kael.zeros(20)
    Adam([p], eps=0.0).step()
    assert np.isnan(np.asarray(p.detach())).all()


def test_bias_correction_follows_the_parameters_own_step():
    # deepspeedai/DeepSpeed#562, #1945, #1823: one counter for all
    torch = pytest.importorskip("torch")
    reference = torch.optim.Adam
    arrays = [np.ones(5, np.float32) * k for k in (1, 2, 3)]
    ours = parameters(arrays)
    theirs = [torch.from_numpy(a.copy()).requires_grad_() for a in arrays]
    pairs = [(Adam(ours[:2], lr=LR), ours), (reference(theirs[:2], lr=LR), theirs)]
    for step in range(1, 13):
        for optimizer, tensors in pairs:
            if step == 8:
                optimizer.add_param_group({"params": tensors[2], "lr": 0.05})
            for k, t in enumerate(tensors):
                if step >= (1, 5, 8)[k]:
                    g = np.full(5, np.sin(step + k), np.float32)
                    t.grad = kael.tensor(g) if optimizer is pairs[0][0] else torch.from_numpy(g)
            optimizer.step()
    for a, b, count in zip(ours, theirs, (12, 8, 5), strict=True):
        np.testing.assert_allclose(np.asarray(a.detach()), b.detach().numpy(), rtol=1e-6)
        assert pairs[0][0].state[a]["step"].item() == count


@pytest.mark.parametrize(
    "form",
    [
        lambda: 7,
        lambda: 7.0,
        lambda: kael.tensor(7),
        lambda: kael.tensor(7.0),
        lambda: kael.tensor(7, dtype=kael.int32),
        lambda: kael.tensor(7.0, dtype=kael.float64),
    ],
    ids=["int", "float", "int64", "float32", "int32", "float64"],
)
def test_step_counters_of_any_form(form):
    # pytorch/pytorch#74424, #127197, facebookresearch/fairscale#1083
    values, gradient = spread(9), spread(9, seed=1)
    p = kael.tensor(values).requires_grad_()
    optimizer = Adam([p], lr=LR)
    give([p], [gradient])
    optimizer.step()
    state = optimizer.state_dict()
    state["state"][0]["step"] = form()
    optimizer.load_state_dict(state)
    loaded = optimizer.state[p]["step"]
    old = {k: np.array(v) for k, v in optimizer.state[p].items() if k != "step"}
    before = np.array(p.detach())
    optimizer.step()
    step = optimizer.state[p]["step"]
    assert isinstance(step, kael.Tensor) and step.shape == () and step.item() == 8
    assert step.dtype is (loaded.dtype if isinstance(form(), kael.Tensor) else kael.float32)
    right = FORMULAS[Adam](before, gradient, old, 8, {**optimizer.defaults}, np.float32)
    assert bits_equal(p.detach(), right)


def test_group_flags_are_honoured_per_group():
    arrays, gradients = [spread(50, seed=k) for k in range(4)], [spread(50, seed=9)] * 4
    tensors = parameters(arrays)
    flags = [
        {"maximize": True, "amsgrad": False, "weight_decay": 0},
        {"maximize": False, "amsgrad": True, "weight_decay": 0.1, "decoupled_weight_decay": True},
        {"maximize": True, "amsgrad": True, "weight_decay": 0.1, "decoupled_weight_decay": False},
        {"maximize": False, "amsgrad": False, "weight_decay": 0.0},
    ]
    optimizer = Adam([{"params": [t], **f} for t, f in zip(tensors, flags, strict=True)], lr=LR)
    give(tensors, gradients)
    optimizer.step()
    for t, a, g, f in zip(tensors, arrays, gradients, flags, strict=True):
        assert bits_equal(t.detach(), run(Adam, f, [a], [[g]])[0][0])


def test_adagrad_makes_its_state_at_once_and_that_of_later_groups_at_their_first_step():
    first, later = parameters([np.ones(3, "float32"), np.ones(3, "float32")])
    optimizer = optim.Adagrad([first], initial_accumulator_value=0.5)
    assert optimizer.state[first]["sum"].tolist() == [0.5] * 3
    optimizer.add_param_group({"params": [later], "initial_accumulator_value": 2.0})
    assert later not in optimizer.state
    give([later], [np.ones(3, "float32")])
    optimizer.step()
    assert optimizer.state[later]["sum"].tolist() == [3.0] * 3
    assert optimizer.state[first]["step"].item() == 0


def test_amsgrad_may_be_switched_on_later():
    p = kael.tensor(spread(20)).requires_grad_()
    optimizer = Adam([p], lr=LR)
    give([p], [spread(20, seed=1)])
    optimizer.step()
    optimizer.param_groups[0]["amsgrad"] = True
    optimizer.step()
    state = optimizer.state[p]
    assert bits_equal(state["max_exp_avg_sq"], state["exp_avg_sq"])


def test_a_nan_that_amsgrad_once_saw_stays():
    # As torch.maximum: a loaded state may hold a NaN that the newer moments do not.
    p = kael.ones(20, requires_grad=True)
    p.grad = kael.ones(20)
    optimizer = Adam([p], amsgrad=True)
    optimizer.step()
    optimizer.state[p]["max_exp_avg_sq"][7] = float("nan")
    optimizer.step()
    expected = np.arange(20) == 7
    assert np.array_equal(np.isnan(np.asarray(p.detach())), expected)
    assert np.array_equal(np.isnan(np.asarray(optimizer.state[p]["max_exp_avg_sq"])), expected)


@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_a_refused_step_changes_nothing(kind, flags):
    good, whole = kael.tensor(spread(10)).requires_grad_(), kael.zeros(10, dtype=kael.int64)
    locked = np.ones(10, np.float32)
    locked.setflags(write=False)
    read_only, repeated = kael.from_numpy(locked), kael.ones(1).expand(10)
    give([good], [spread(10, seed=1)])
    for bad, error, words in [
        (whole, TypeError, ": parameters must be float32 or float64, got int64"),
        (read_only, RuntimeError, "read-only"),
        (repeated, RuntimeError, "expanded"),
    ]:
        bad.grad = kael.zeros(10, dtype=bad.dtype)
        optimizer = kind([good, bad], lr=LR, **flags)
        loss = (good * good).sum()
        before = np.array(good.detach()), copied(optimizer.state)
        with pytest.raises(error, match=words):
            optimizer.step()
        assert bits_equal(good.detach(), before[0])
        assert copied(optimizer.state) == before[1]
        loss.backward()  # which would fail, had the step counted a write
        give([good], [spread(10, seed=1)])


def copied(state, but=None):
    return {
        id(p): {k: np.asarray(v).tobytes() for k, v in s.items() if k != but}
        for p, s in state.items()
    }


@pytest.mark.parametrize(("kind", "flags"), FULL, ids=FULL_IDS)
def test_state_that_does_not_match_is_refused(kind, flags):
    good, other = (kael.tensor(spread(10, seed=k)).requires_grad_() for k in (0, 2))
    give([good, other], [spread(10, seed=1)] * 2)
    optimizer = kind([other, good], lr=LR, **flags)
    optimizer.step()
    state = optimizer.state[good]
    for key, kept in dict(state).items():
        if kept.dim() == 0:
            wrong = [(kael.zeros(2), ValueError), (kael.ones(1, dtype=kael.bool), ValueError)]
        else:
            wrong = [
                (kael.zeros(9), ValueError),
                (kept.double(), ValueError),
                (kael.ones(1).expand(10), RuntimeError),
                ([0.0] * 10, TypeError),
            ]
        for value, error in wrong:
            state[key] = value
            before = [np.array(p.detach()) for p in (good, other)]
            values = copied(optimizer.state, key)
            with pytest.raises(error):
                optimizer.step()
            assert all(map(bits_equal, (good.detach(), other.detach()), before))
            assert copied(optimizer.state, key) == values
        state[key] = kept
    optimizer.step()


def test_a_step_is_an_in_place_change_for_autograd():
    p = kael.tensor(spread(5)).requires_grad_()
    loss = (p * p).sum()
    p.grad = kael.ones(5)
    SGD([p], lr=LR).step()
    with pytest.raises(RuntimeError):
        loss.backward()


@pytest.mark.parametrize("betas", [(0.9,), (), [0.9], (0.9, 0.99, 0.999), None, 0.9])
def test_betas_of_a_group_that_are_no_pair_are_refused_by_the_step(betas):
    # Read in compiled code without bounds checks, a short pair would be memory beyond the tuple.
    p = parameters([np.ones(3, "float32")])[0]
    give([p], [np.ones(3, "float32")])
    optimizer = Adam([p])
    optimizer.param_groups[0]["betas"] = betas
    with pytest.raises(ValueError, match="Adam: betas must be a pair of numbers, got"):
        optimizer.step()
    assert p.tolist() == [1, 1, 1] and not optimizer.state


def test_learning_rate_as_tensor():
    values, gradient = spread(30), spread(30, seed=1)
    for kind, flags in FULL:
        right = run(kind, flags, [values], [[gradient]])[0][0]
        p = kael.tensor(values).requires_grad_()
        give([p], [gradient])
        kind([p], lr=kael.tensor(LR, dtype=kael.float64), **flags).step()
        assert bits_equal(p.detach(), right)
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        SGD([p], lr=kael.ones(2))


@forks
@pytest.mark.native
def test_forked_children_step_with_the_same_bits():
    # torch's fused Adam hangs in the child of a parent that used its pool (pytorch/pytorch#17199);
    # here the fork also comes while another thread is inside a step
    out = run_script(
        """
        import os, threading
        import numpy as np
        import kael
        kael.set_num_threads(4)
        start = np.linspace(-1, 1, 2_000_000).astype(np.float32)
        def steps(optimizer, p):
            for _ in range(3):
                p.grad = kael.from_numpy(start)
                optimizer.step()
            return bytes(memoryview(p.detach()))
        def fresh():
            p = kael.tensor(start).requires_grad_()
            return kael.optim.Adam([p]), p
        expected = steps(*fresh())
        busy, other = fresh()
        other.grad = kael.from_numpy(start)
        thread = threading.Thread(target=lambda: [busy.step() for _ in range(60)])
        thread.start()
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                busy.step()
                os._exit(0 if steps(*fresh()) == expected else 1)
            assert os.waitpid(pid, 0)[1] == 0
        thread.join()
        assert steps(*fresh()) == expected
        print("done")
        """,
        {"PYTHONWARNINGS": "ignore"},
    )
    assert out == "done\n"
