"""The optimizers' base class: groups, state, saving, hooks and messages, as torch.optim's."""

import copy
import pickle
import re
import threading

import numpy as np
import pytest
from conftest import bits_equal, in_use_bytes, spread

import kael
from kael.optim import SGD, Adam, AdamW, Optimizer
from kael.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)


def parameter(n=4, seed=0, gradient=True):
    p = kael.tensor(spread(n, seed=seed)).requires_grad_()
    if gradient:
        p.grad = kael.tensor(spread(n, seed=seed + 100))
    return p


def outcome(optimizer, steps=1):
    for _ in range(steps):
        optimizer.step()
    return [np.array(p.detach()) for g in optimizer.param_groups for p in g["params"]]


def test_groups_take_the_defaults_they_do_not_give():
    a, b, c = (parameter(seed=k) for k in range(3))
    optimizer = Adam([{"params": [a], "lr": 0.5}, {"params": b}], lr=0.1)
    assert [g["lr"] for g in optimizer.param_groups] == [0.5, 0.1]
    optimizer.add_param_group({"params": iter([c]), "amsgrad": True})
    assert [g["amsgrad"] for g in optimizer.param_groups] == [False, False, True]
    assert optimizer.param_groups[1]["params"][0] is b
    assert all(set(optimizer.defaults) < set(g) for g in optimizer.param_groups)


def test_errors_of_construction_match_torchs():
    torch = pytest.importorskip("torch")
    mine = {
        "tensor": kael.ones(1, requires_grad=True),
        "made": kael.ones(1, requires_grad=True).reshape(1),
        "optim": Adam,
    }
    theirs = {
        "tensor": torch.ones(1, requires_grad=True),
        "made": torch.ones(1, requires_grad=True).reshape(1),
        "optim": torch.optim.Adam,
    }
    calls = [
        lambda s: s["optim"]([]),
        lambda s: s["optim"](iter([])),
        lambda s: s["optim"]([s["made"]]),
        lambda s: s["optim"]([{"params": [s["tensor"]]}, {"params": [s["tensor"]]}]),
        lambda s: s["optim"]([{"params": {s["tensor"]}}]),
        lambda s: s["optim"]([s["tensor"]]).add_param_group([]),
        lambda s: s["optim"]([("a", s["tensor"]), s["tensor"]]),
        lambda s: s["optim"]([("a", s["tensor"])]).add_param_group({"params": []}),
        lambda s: s["optim"]([s["tensor"]]).add_param_group({"params": [("a", s["tensor"])]}),
        lambda s: s["optim"]([3]),
    ]
    for call in calls:
        with pytest.raises(Exception) as expected:
            call(theirs)
        with pytest.raises(type(expected.value), match=re.escape(str(expected.value))):
            call(mine)
    with pytest.raises(TypeError, match="params argument given to the optimizer should be an iter"):
        Adam(mine["tensor"])


def test_required_options():
    class Mine(Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": required})

    with pytest.raises(ValueError, match="didn't specify a value of required optimization parame"):
        Mine([parameter()])
    assert Mine([{"params": [parameter()], "lr": 1}]).param_groups[0]["lr"] == 1
    with pytest.raises(NotImplementedError):
        Mine([{"params": [parameter()], "lr": 1}]).step()


def test_named_parameters_are_kept_and_saved():
    a, b = parameter(), parameter(seed=1)
    optimizer = SGD([("first", a), ("second", b)], lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["first", "second"]
    assert all(p is q for p, q in zip(optimizer.param_groups[0]["params"], (a, b), strict=True))
    saved = optimizer.state_dict()
    assert saved["param_groups"][0]["param_names"] == ["first", "second"]
    other = SGD([("x", parameter()), ("y", parameter(seed=1))])
    other.load_state_dict(saved)
    assert other.param_groups[0]["param_names"] == ["first", "second"]
    del saved["param_groups"][0]["param_names"]
    other = SGD([("x", parameter()), ("y", parameter(seed=1))])
    other.load_state_dict(saved)
    assert other.param_groups[0]["param_names"] == ["x", "y"]


def test_repr_matches_torchs():
    torch = pytest.importorskip("torch")
    for kind in (SGD, Adam, AdamW):
        options = {"lr": 0.25, "weight_decay": 0.5}
        mine = kind([{"params": [parameter()]}, {"params": [parameter()], "lr": 1}], **options)
        tensors = [torch.ones(1, requires_grad=True) for _ in range(2)]
        theirs = getattr(torch.optim, kind.__name__)(
            [{"params": [tensors[0]]}, {"params": [tensors[1]], "lr": 1}], **options
        )
        assert repr(mine) == repr(theirs)


def test_zero_grad_forgets_or_zeroes():
    a, b = parameter(), parameter(gradient=False)
    optimizer = SGD([a, b], lr=0.1)
    held = a.grad
    optimizer.zero_grad(set_to_none=False)
    assert a.grad is held and not np.asarray(held).any() and b.grad is None
    optimizer.zero_grad()
    assert a.grad is None
    before = np.array(a.detach())
    optimizer.step()
    assert bits_equal(a.detach(), before)


def test_closures_run_with_gradients_recorded_and_return_the_loss():
    p = parameter()
    optimizer = SGD([p], lr=0.1)
    modes = []

    def closure():
        modes.append(kael.is_grad_enabled())
        return 42

    with kael.no_grad():
        assert optimizer.step(closure) == 42
    assert modes == [True]
    assert optimizer.step() is None


def test_saved_and_loaded_state_continues_as_if_never_stopped():
    for kind, options in ((SGD, {"momentum": 0.9}), (Adam, {"amsgrad": True}), (AdamW, {})):
        through = kind([parameter(), parameter(7, 1)], lr=0.1, **options)
        stopped = kind([parameter(), parameter(7, 1)], lr=0.1, **options)
        outcome(through, 3), outcome(stopped, 3)
        saved = pickle.loads(pickle.dumps(stopped.state_dict()))
        resumed = kind([parameter(), parameter(7, 1)], lr=0.9)
        for p, q in zip(
            resumed.param_groups[0]["params"], stopped.param_groups[0]["params"], strict=True
        ):
            with kael.no_grad():
                p.copy_(q)
        resumed.load_state_dict(saved)
        for a, b in zip(outcome(through, 2), outcome(resumed, 2), strict=True):
            assert bits_equal(a, b)
        assert resumed.param_groups[0]["lr"] == 0.1


def test_a_loaded_state_is_a_copy():
    # pytorch/pytorch#196083: two optimizers shared their state after load_state_dict
    a, b = Adam([parameter()]), Adam([parameter()])
    a.step()
    b.load_state_dict(a.state_dict())
    kept = {k: np.array(v) for k, v in next(iter(a.state.values())).items()}
    outcome(b, 2)
    for key, value in next(iter(a.state.values())).items():
        assert bits_equal(value, kept[key])
    assert (
        a.state_dict()["state"][0]["exp_avg"] is a.state[a.param_groups[0]["params"][0]]["exp_avg"]
    )


def test_loading_casts_state_but_not_the_step():
    p = kael.tensor(spread(5, "float64")).requires_grad_()
    p.grad = kael.tensor(spread(5, "float64", 1))
    single = Adam([parameter(5)])
    single.step()
    optimizer = Adam([p])
    optimizer.load_state_dict(single.state_dict())
    state = optimizer.state[p]
    assert state["exp_avg"].dtype is kael.float64 and state["step"].dtype is kael.float32
    optimizer.step()
    assert state["step"].item() == 2


def test_loading_what_does_not_match():
    optimizer = Adam([parameter()])
    optimizer.step()
    saved = optimizer.state_dict()
    with pytest.raises(ValueError, match="has a different number of parameter groups"):
        Adam([{"params": [parameter()]}, {"params": [parameter()]}]).load_state_dict(saved)
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        Adam([parameter(), parameter()]).load_state_dict(saved)


def test_state_dicts_of_older_versions_are_completed():
    optimizer = Adam([parameter()])
    optimizer.step()
    saved = copy.deepcopy(optimizer.state_dict())
    for key in ("amsgrad", "maximize", "foreach", "fused", "capturable", "differentiable",
                "decoupled_weight_decay"):  # fmt: skip
        del saved["param_groups"][0][key]
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["maximize"] is False
    optimizer.step()
    adamw = AdamW([parameter()])
    adamw.load_state_dict(saved)
    assert adamw.param_groups[0]["decoupled_weight_decay"] is True


def test_state_that_belongs_to_no_parameter_is_kept():
    optimizer = SGD([parameter()])
    saved = optimizer.state_dict()
    saved["state"] = {"note": [1, 2]}
    optimizer.load_state_dict(saved)
    assert optimizer.state_dict()["state"] == {"note": [1, 2]}


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_deepcopy_and_pickling(twin):
    optimizer = Adam([parameter()], amsgrad=True)
    optimizer.step()
    other = twin(optimizer)
    p, q = (o.param_groups[0]["params"][0] for o in (optimizer, other))
    assert q is not p and q in other.state
    q.grad = p.grad
    assert bits_equal(outcome(optimizer, 2)[0], outcome(other, 2)[0])


def test_step_hooks_see_and_change_the_arguments():
    seen = []
    p = parameter()
    optimizer = SGD([p], lr=0.1)
    handles = [
        optimizer.register_step_pre_hook(lambda o, a, k: seen.append(("pre", o is optimizer))),
        optimizer.register_step_pre_hook(lambda o, a, k: ((lambda: 5,), k)),
        optimizer.register_step_post_hook(lambda o, a, k: seen.append(("post", len(a)))),
        register_optimizer_step_pre_hook(lambda o, a, k: seen.append(("all pre", len(a)))),
        register_optimizer_step_post_hook(lambda o, a, k: seen.append(("all post", len(a)))),
    ]
    try:
        assert optimizer.step() == 5
    finally:
        for handle in handles:
            handle.remove()
    assert seen == [("all pre", 0), ("pre", True), ("post", 1), ("all post", 1)]
    assert optimizer.step() is None and len(seen) == 4
    handle = optimizer.register_step_pre_hook(lambda o, a, k: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple"):
        optimizer.step()
    handle.remove()


def test_hooks_work_for_steps_defined_by_users():
    class Mine(Optimizer):
        def step(self, closure=None):
            return "mine"

    optimizer = Mine([parameter()], {})
    seen = []
    optimizer.register_step_post_hook(lambda *a: seen.append(1))
    assert optimizer.step() == "mine" and seen == [1]


def test_state_dict_hooks():
    optimizer = SGD([parameter()], lr=0.1)
    order = []
    optimizer.register_state_dict_pre_hook(lambda o: order.append("second"))
    optimizer.register_state_dict_pre_hook(lambda o: order.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, s: {**s, "extra": 1})
    saved = optimizer.state_dict()
    assert order == ["first", "second"] and saved["extra"] == 1
    optimizer.register_load_state_dict_pre_hook(
        lambda o, s: {**s, "param_groups": [{**s["param_groups"][0], "lr": 7}]}
    )
    optimizer.register_load_state_dict_post_hook(lambda o: order.append("loaded"))
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["lr"] == 7 and order[-1] == "loaded"


def test_concurrent_steps_are_serialised():
    p = parameter(10_000)
    optimizer = Adam([p])
    expected = Adam([parameter(10_000)])
    threads = [threading.Thread(target=optimizer.step) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bits_equal(p.detach(), outcome(expected, 8)[0])


def test_a_step_keeps_neither_gradients_nor_memory():
    p = parameter(1000)
    optimizer = Adam([p])
    optimizer.step()
    before = in_use_bytes()
    optimizer.zero_grad()
    assert kael.allocator_stats().in_use_bytes < before
    for _ in range(3):
        p.grad = kael.ones(1000)
        optimizer.step()
        optimizer.zero_grad()
    steady = kael.allocator_stats().in_use_bytes
    p.grad = kael.ones(1000)
    optimizer.step()
    optimizer.zero_grad()
    assert kael.allocator_stats().in_use_bytes == steady


def test_checkpoints_interchange_with_torch():
    torch = pytest.importorskip("torch")
    values, gradient = spread(6), spread(6, seed=1)
    t = torch.from_numpy(values.copy()).requires_grad_()
    t.grad = torch.from_numpy(gradient.copy())
    theirs = torch.optim.Adam([t], lr=0.1)
    for _ in range(3):
        theirs.step()
    saved = theirs.state_dict()
    saved["state"] = {
        k: {key: kael.tensor(v.numpy()) for key, v in s.items()} for k, s in saved["state"].items()
    }
    p = kael.tensor(t.detach().numpy()).requires_grad_()
    p.grad = kael.tensor(gradient)
    mine = Adam([p])
    mine.load_state_dict(saved)
    theirs.step()
    mine.step()
    np.testing.assert_allclose(np.asarray(p.detach()), t.detach().numpy(), rtol=1e-5)
    assert mine.param_groups[0]["lr"] == 0.1
