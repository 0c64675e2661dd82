"""kael.torch.optim against torch.optim: every class with every combination of its flags, on tensors
of all layouts; the base class's behaviour is PyTorch's own, and checkpoints go both ways."""

import copy
import itertools
import pickle
import re
import threading

import numpy as np
import pytest
from conftest import forks, run_script

import kael

torch = pytest.importorskip("torch")

from torch.optim.optimizer import (  # noqa: E402
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

import kael.torch.optim as mine  # noqa: E402
from kael._kernels.torch_step import TorchStep  # noqa: E402
from kael.torch import tensors  # noqa: E402

theirs = torch.optim


def combinations(**choices):
    return [
        dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())
    ]


MAX, WD = (False, True), (0, 0.1)
ADAM = combinations(amsgrad=MAX, maximize=MAX, weight_decay=WD)
FLAGS = {
    "Adam": [{**f, "decoupled_weight_decay": d} for f in ADAM for d in MAX],
    "AdamW": ADAM,
    "SGD": [
        f
        for f in combinations(
            momentum=(0, 0.9), dampening=(0, 0.3), nesterov=MAX, maximize=MAX, weight_decay=WD
        )
        if not f["nesterov"] or (f["momentum"] and not f["dampening"])
    ],
    "Adagrad": combinations(
        lr_decay=(0, 0.1), initial_accumulator_value=(0, 0.5), maximize=MAX, weight_decay=WD
    ),
    "RMSprop": combinations(momentum=(0, 0.9), centered=MAX, maximize=MAX, weight_decay=WD),
    "NAdam": combinations(maximize=MAX, weight_decay=WD, decoupled_weight_decay=MAX),
    "RAdam": combinations(maximize=MAX, weight_decay=WD, decoupled_weight_decay=MAX),
    "Adamax": combinations(maximize=MAX, weight_decay=WD),
    "Adadelta": combinations(rho=(0.9, 0.5), maximize=MAX, weight_decay=WD),
    "ASGD": combinations(t0=(1e6, 2), maximize=MAX, weight_decay=WD),
    "Rprop": combinations(etas=((0.5, 1.2), (0.3, 1.5)), maximize=MAX),
}
CASES = [(name, flags) for name, several in FLAGS.items() for flags in several]
IDS = [f"{name}-{'-'.join(map(str, flags.values()))}" for name, flags in CASES]
LAST = [(name, several[-1]) for name, several in FLAGS.items()]


def motley(dtype=torch.float32, seed=0):
    """Memory, and parameters in it: contiguous, strided, transposed, empty, single, channels last,
    sizes 1 with odd strides."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)

    base, other = normal(41), normal(9, 14)
    params = [
        normal(5, 7),
        normal(4099),
        normal(()),
        normal(0, 3),
        normal(6, 4).t(),
        base[::2],
        normal(3, 4, 5, 2).to(memory_format=torch.channels_last),
        other[1::2, ::3].t(),
        normal(6).as_strided((1, 3, 1), (17, 2, 5)),
        normal(70)[1:],
        normal(1),
    ]
    return [base, other], [p.requires_grad_() for p in params]


def give(params, step, dtype=None, special=False):
    """Gradients, some of them expanded, strided or transposed; parameter 0 joins at step 2."""
    generator = torch.Generator().manual_seed(1000 + step)
    for i, p in enumerate(params):
        g = torch.randn(p.shape, generator=generator, dtype=torch.float64).to(dtype or p.dtype)
        if special and g.numel() > 3:
            g.view(-1)[:4] = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0])
        if i == 1:
            g = torch.stack([g, g], dim=1)[:, 0]
        if i == 4:
            g = g[:, :1].expand(p.shape)
        if i == 6:
            g = g.contiguous()
        p.grad = None if i == 0 and step < 2 else g


def bits(t):
    return torch.view_as_real(t).tolist() if t.is_complex() else t.tolist()


def assert_same_bits(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    np.testing.assert_array_equal(np.array(bits(a)), np.array(bits(b)))


def close(a, b, bound):
    torch.testing.assert_close(a, b, rtol=bound, atol=bound, equal_nan=True)


def compare(a, b, bound):
    """Two optimizers: parameters, keys, numbers, arrays and their memory order."""
    for group, other in zip(a.param_groups, b.param_groups, strict=True):
        without = {k: v for k, v in group.items() if k != "params"}
        assert without == {k: v for k, v in other.items() if k != "params"}
        for p, q in zip(group["params"], other["params"], strict=True):
            close(p.detach(), q.detach(), bound)
            assert set(a.state.get(p, {})) == set(b.state.get(q, {}))
            for key, value in b.state.get(q, {}).items():
                found = a.state[p][key]
                if value is None:
                    continue
                assert found.dtype == value.dtype and found.shape == value.shape, key
                if key not in ("momentum_buffer", "step_size"):  # torch's lie as the gradient does
                    assert found.numel() < 2 or found.stride() == value.stride(), key
                close(found, value, 10 * bound)


BOUNDS = {torch.float32: 3e-6, torch.float64: 1e-13}


@pytest.mark.parametrize("name, flags", CASES, ids=IDS)
def test_every_flag_combination_agrees_with_torch(name, flags):
    for dtype, bound in BOUNDS.items():
        if name == "NAdam":
            bound = max(bound, 1e-8)  # torch rounds mu_product to float32 before it uses it
        memory, params = motley(dtype)
        other_memory, other_params = motley(dtype)
        a = getattr(mine, name)(params, lr=0.01, **flags)
        b = getattr(theirs, name)(other_params, lr=0.01, foreach=False, **flags)
        b.param_groups[0]["foreach"] = None
        for step in range(4):
            give(params, step), give(other_params, step)
            a.step(), b.step()
        compare(a, b, bound)
        for x, y in zip(memory, other_memory, strict=True):
            close(x, y, bound)  # neighbours of strided parameters are untouched


@pytest.mark.parametrize("name, flags", LAST)
def test_nan_and_infinite_gradients_as_torch(name, flags):
    """Not finite in the same places: of two infinities torch's moving average makes NaN."""
    _, params = motley()
    _, other_params = motley()
    a = getattr(mine, name)(params, lr=0.01, **flags)
    b = getattr(theirs, name)(other_params, lr=0.01, foreach=False, **flags)
    for step in range(3):
        give(params, step, special=True), give(other_params, step, special=True)
        a.step(), b.step()
    for p, q in zip(params, other_params, strict=True):
        pairs = [(p.detach(), q.detach())]
        pairs += [(a.state[p][key], value) for key, value in b.state[q].items()]
        for found, expected in pairs:
            assert torch.equal(found.isfinite(), expected.isfinite())
            close(found.nan_to_num(0, 0, 0), expected.nan_to_num(0, 0, 0), 3e-5)


@pytest.mark.parametrize("name, flags", LAST + [("Adam", flags) for flags in FLAGS["Adam"]])
def test_complex_parameters_are_pairs_of_real_ones(name, flags):
    # pytorch/pytorch#59998, #104990
    def parts():
        generator = torch.Generator().manual_seed(3)
        values = [torch.randn(n, 3, dtype=torch.complex64, generator=generator) for n in (4, 9)]
        return [values[0].t().requires_grad_(), values[1][::2].requires_grad_()]

    params, other_params = parts(), parts()
    a = getattr(mine, name)(params, lr=0.01, **flags)
    b = getattr(theirs, name)(other_params, lr=0.01, foreach=False, **flags)
    b.param_groups[0]["foreach"] = None
    for step in range(3):
        for p, q in zip(params, other_params, strict=True):
            g = torch.randn(p.shape, dtype=p.dtype, generator=torch.Generator().manual_seed(step))
            p.grad, q.grad = g.clone().conj(), g.conj().resolve_conj()
        a.step(), b.step()
    compare(a, b, 3e-6)


@pytest.mark.parametrize("name, flags", LAST)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_16_bit_tensors_are_computed_in_float32(name, flags, dtype):
    # pytorch/pytorch#191763: whole vectors of bfloat16 were left as they were
    def parts():
        return [torch.linspace(0.5, 2, n).to(dtype).requires_grad_() for n in (1, 7, 16, 17, 40)]

    params = parts()
    wide = [p.detach().float().requires_grad_() for p in parts()]
    a = getattr(mine, name)(params, lr=0.05, **flags)
    b = getattr(mine, name)(wide, lr=0.05, **flags)
    for p, w in zip(params, wide, strict=True):
        p.grad = torch.linspace(-1, 1, p.numel()).to(dtype)
        w.grad = p.grad.float()
    before = [p.detach().clone() for p in params]
    a.step(), b.step()
    for p, w, old in zip(params, wide, before, strict=True):
        assert_same_bits(p.detach(), w.detach().to(dtype))
        moved = (p.detach() != old) == (w.detach().to(dtype) != old)
        assert moved.all()
        for key, value in a.state[p].items():
            if key not in ("step", "eta", "mu", "mu_product"):
                assert value.dtype == dtype
                assert_same_bits(value, b.state[w][key].to(dtype))


def run(kind, steps, start=0, params=None, state=None, **options):
    _, params = motley() if params is None else (None, params)
    optimizer = kind(params, lr=0.01, **options)
    if state is not None:
        optimizer.load_state_dict(state)
    for step in range(start, start + steps):
        give(params, step)
        optimizer.step()
    return params, optimizer


@pytest.mark.parametrize("name, flags", LAST)
def test_five_steps_saved_and_five_more_equal_ten(name, flags, tmp_path):
    kind = getattr(mine, name)
    whole, _ = run(kind, 10, **flags)
    params, optimizer = run(kind, 5, **flags)
    torch.save(optimizer.state_dict(), tmp_path / "state")
    saved = torch.load(tmp_path / "state")
    params, _ = run(
        kind, 5, 5, [p.detach().clone().requires_grad_() for p in params], saved, **flags
    )
    for p, q in zip(params, whole, strict=True):
        assert_same_bits(p.detach(), q.detach())


@pytest.mark.parametrize("name, flags", LAST)
def test_checkpoints_go_both_ways_bit_for_bit(name, flags):
    """torch -> kael -> torch leaves the state as it was, and either continues the other."""
    reference, kind = getattr(theirs, name), getattr(mine, name)
    params, optimizer = run(reference, 3, foreach=False, **flags)
    saved = copy.deepcopy(optimizer.state_dict())
    through = kind([p.detach().clone().requires_grad_() for p in params], lr=0.5)
    through.load_state_dict(saved)
    back = reference([p.detach().clone().requires_grad_() for p in params], lr=0.5)
    back.load_state_dict(through.state_dict())
    returned = back.state_dict()
    assert saved["param_groups"] == returned["param_groups"]
    assert saved["state"].keys() == returned["state"].keys()
    for number, state in saved["state"].items():
        for key, value in state.items():
            assert_same_bits(returned["state"][number][key], value)
    for first, second in ((kind, reference), (reference, kind)):
        params, optimizer = run(first, 3, **flags)
        state = copy.deepcopy(optimizer.state_dict())
        found, _ = run(second, 3, 3, [p.detach().clone().requires_grad_() for p in params], state)
        expected, _ = run(reference, 6, foreach=False, **flags)
        for p, q in zip(found, expected, strict=True):
            close(p.detach(), q.detach(), 5e-6)


def test_bits_do_not_depend_on_threads_isa_split_or_layout():
    values = torch.randn(300_017, generator=torch.Generator().manual_seed(0)) * 3
    gradient = torch.randn(300_017, generator=torch.Generator().manual_seed(1))

    def stepped(cuts, strided):
        def piece(t):
            if not strided:
                return t.clone()
            return torch.stack([t, t], dim=1)[:, 1]

        params = [piece(v).requires_grad_() for v in values.tensor_split(cuts)]
        optimizer = mine.AdamW(params, amsgrad=True)
        for _ in range(2):
            for p, g in zip(params, gradient.tensor_split(cuts), strict=True):
                p.grad = g
            optimizer.step()
        return torch.cat([p.detach() for p in params])

    with kael.isa("generic"), kael.num_threads(1):
        expected = stepped([], False)
    for isa in kael.usable_isas():
        for threads, cuts in itertools.product((1, 3), ([], [1, 17, 4096, 100_000])):
            with kael.isa(isa), kael.num_threads(threads):
                for strided in (False, True):
                    assert torch.equal(stepped(cuts, strided), expected)


def test_they_are_torchs_optimizers():
    p = torch.ones(3, requires_grad=True)
    for name in FLAGS:
        optimizer = getattr(mine, name)([p])
        assert isinstance(optimizer, getattr(theirs, name))
        assert isinstance(optimizer, theirs.Optimizer)
        assert repr(optimizer) == repr(getattr(theirs, name)([p]))
    assert isinstance(mine.Lion([p]), theirs.Optimizer)
    with pytest.raises(AttributeError, match=r"use torch.optim.SparseAdam"):
        mine.SparseAdam  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        mine.Nothing  # noqa: B018


@pytest.mark.parametrize("decay", [0, 0.1])
def test_lion_equals_kaels(decay):
    values = torch.randn(99, generator=torch.Generator().manual_seed(0))
    p, q = values.clone().requires_grad_(), kael.tensor(values.numpy()).requires_grad_()
    a, b = mine.Lion([p], weight_decay=decay), kael.optim.Lion([q], weight_decay=decay)
    for k in range(3):
        g = torch.randn(99, generator=torch.Generator().manual_seed(k))
        p.grad, q.grad = g, kael.tensor(g.numpy())
        a.step(), b.step()
    assert (p.detach().numpy() == np.asarray(q.detach())).all()
    with pytest.raises(ValueError, match=r"Invalid beta parameter at index 1: 1\.5"):
        mine.Lion([p], betas=(0.5, 1.5))
    with pytest.raises(ValueError, match="betas must be a pair of numbers"):
        mine.Lion([p], betas=(0.5, 0.9, 0.9))


TRAINING = """
import torch, torch.nn as nn
import {module} as optim
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 5))
data = torch.utils.data.TensorDataset(torch.randn(64, 20), torch.randint(0, 5, (64,)))
loader = torch.utils.data.DataLoader(data, batch_size=16, num_workers=1)
optimizer = optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.05)
scheduler = optim.lr_scheduler.OneCycleLR(optimizer, 0.02, total_steps=12)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
print(loss.item())
"""


@forks  # the loader has a worker
def test_only_the_import_of_a_training_script_changes():
    found, expected = (
        float(run_script(TRAINING.format(module=m)).split()[-1])
        for m in ("kael.torch.optim", "torch.optim")
    )
    assert found == pytest.approx(expected, rel=1e-4)


def test_kael_does_not_import_torch():
    script = "import sys, kael, kael.optim; print('torch' in sys.modules)"
    assert run_script(script).strip() == "False"


@forks
def test_training_after_a_fork():
    script = """
    import os, torch, kael, kael.torch.optim
    kael.set_num_threads(3)
    p = torch.ones(1_000_000, requires_grad=True)
    optimizer = kael.torch.optim.Adam([p])
    p.grad = torch.ones_like(p)
    optimizer.step()
    child = os.fork()
    optimizer.step()
    if child == 0:
        os._exit(0 if p[0].item() == p[-1].item() < 1 else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run_script(script).strip() == "0"


def test_autograd_sees_the_change():
    p = torch.ones(3, requires_grad=True)
    optimizer = mine.SGD([p], lr=0.1, momentum=0.9)
    loss = (p * p).sum()
    version = p._version
    p.grad = torch.ones(3)
    optimizer.step()
    assert p._version > version
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    buffer = optimizer.state[p]["momentum_buffer"]
    version = buffer._version
    optimizer.step()
    assert buffer._version > version


def test_hooks_and_the_profiler():
    p = torch.ones(3, requires_grad=True)
    p.grad = torch.ones(3)
    optimizer = mine.Adam([p])
    seen = []
    handles = [
        optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before")),
        optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("after")),
        register_optimizer_step_pre_hook(lambda *a: seen.append("all before")),
        register_optimizer_step_post_hook(lambda *a: seen.append("all after")),
    ]
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert seen == ["all before", "before", "after", "all after"]
    with torch.profiler.profile() as profile:
        optimizer.step()
    assert "Optimizer.step#Adam.step" in {event.key for event in profile.key_averages()}


def test_a_closure_is_called_with_gradients_recorded():
    p = torch.ones(3, requires_grad=True)
    optimizer = mine.SGD([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 3
    assert p.tolist() == pytest.approx([0.8] * 3)
    assert optimizer.step(closure=closure).item() == pytest.approx(1.92)


SCHEDULERS = {
    "LambdaLR": {"lr_lambda": lambda epoch: 0.9**epoch},
    "MultiplicativeLR": {"lr_lambda": lambda epoch: 0.9},
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [2, 4]},
    "ConstantLR": {},
    "LinearLR": {},
    "ExponentialLR": {"gamma": 0.9},
    "PolynomialLR": {},
    "CosineAnnealingLR": {"T_max": 4},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "CyclicLR": {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 8},
    "ReduceLROnPlateau": {"patience": 0},
}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_torchs_schedulers(scheduler):
    found = []
    for module in (mine, theirs):
        _, params = motley()
        optimizer = module.AdamW(params, lr=0.05)
        schedule = getattr(theirs.lr_scheduler, scheduler)(optimizer, **SCHEDULERS[scheduler])
        for step in range(6):
            give(params, step)
            optimizer.step()
            schedule.step(*([1.0] if scheduler == "ReduceLROnPlateau" else []))
        found.append((schedule.get_last_lr(), params))
    assert found[0][0] == found[1][0]
    for p, q in zip(found[0][1], found[1][1], strict=True):
        close(p.detach(), q.detach(), 3e-5)


def test_composed_schedulers_of_torch():
    s = theirs.lr_scheduler
    for module in (mine, theirs):
        _, params = motley()
        optimizer = module.SGD(params, lr=0.1, momentum=0.9)
        parts = [s.ConstantLR(optimizer), s.ExponentialLR(optimizer, 0.9)]
        schedule = s.SequentialLR(optimizer, parts, milestones=[2])
        for step in range(4):
            give(params, step)
            optimizer.step()
            schedule.step()
        assert schedule.get_last_lr() == [pytest.approx(0.081)]
        chained = s.ChainedScheduler([s.StepLR(optimizer, 1), s.ExponentialLR(optimizer, 0.5)])
        optimizer.step()
        chained.step()
        assert chained.get_last_lr() == [pytest.approx(0.081 * 0.1 * 0.5)]


@pytest.mark.parametrize("options", [{}, {"fused": True}])
@pytest.mark.parametrize("name", ["Adam", "AdamW", "SGD"])
def test_a_grad_scaler_skips_the_whole_step(name, options):
    # LibreYOLO/libreyolo#771
    results = []
    for module in (mine, theirs):
        p = torch.linspace(-1, 1, 33).requires_grad_()
        extra = {"momentum": 0.9} if name == "SGD" else {}
        optimizer = getattr(module, name)([p], lr=0.1, **extra, **options)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for factor in (1.0, float("inf"), 2.0):
            optimizer.zero_grad()
            before, state = p.detach().clone(), copy.deepcopy(optimizer.state_dict()["state"])
            scaler.scale((p * p * factor).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
            if factor == float("inf"):
                assert torch.equal(p, before)
                for key, value in state.get(0, {}).items():
                    assert torch.equal(optimizer.state[p][key], value)
        results.append((p, optimizer))
    (p, a), (q, b) = results
    close(p.detach(), q.detach(), 1e-6)
    assert not hasattr(a, "found_inf") and not hasattr(a, "grad_scale")
    for key, value in b.state[q].items():
        close(a.state[p][key], value, 1e-5)


def test_flags_of_implementations():
    p = torch.ones(3, requires_grad=True)
    for options in ({"foreach": True}, {"fused": True}, {"capturable": True}, {"fused": False}):
        optimizer = mine.AdamW([p], **options)
        p.grad = torch.ones(3)
        optimizer.step()
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
        mine.AdamW([p], fused=True, foreach=True)
    with pytest.raises(NotImplementedError, match="differentiable=True"):
        mine.AdamW([p], differentiable=True)
    with pytest.raises(NotImplementedError, match="differentiable=True"):
        mine.AdamW([p]).add_param_group({"params": [p.detach().clone()], "differentiable": True})


@pytest.mark.parametrize("step", [3, 3.0, torch.tensor(3), torch.tensor(3.0, dtype=torch.float64),
                                  torch.tensor(3.0, dtype=torch.bfloat16)])  # fmt: skip
def test_step_counters_of_all_forms(step):
    # pytorch/pytorch#74424, #75214, #127197
    p, q = torch.ones(5, requires_grad=True), torch.ones(5, requires_grad=True)
    a, b = mine.Adam([p], lr=0.1), theirs.Adam([q], lr=0.1)
    for optimizer, t in ((a, p), (b, q)):
        t.grad = torch.full((5,), 0.5)
        optimizer.step()
        saved = copy.deepcopy(optimizer.state_dict())
        saved["state"][0]["step"] = copy.deepcopy(step)
        optimizer.load_state_dict(saved)
        optimizer.step()
    close(p.detach(), q.detach(), 1e-6)
    assert float(a.state[p]["step"]) == float(b.state[q]["step"]) == 4
    assert torch.is_tensor(a.state[p]["step"]) and a.state[p]["step"].shape == ()


def test_rates_that_are_tensors():
    p, q = torch.ones(5, requires_grad=True), torch.ones(5, requires_grad=True)
    lr = torch.tensor(0.1)
    a, b = mine.Adam([p], lr=lr), theirs.Adam([q], lr=lr)
    p.grad = q.grad = torch.ones(5)
    a.step(), b.step()
    lr.fill_(0.01)
    a.step(), b.step()
    close(p.detach(), q.detach(), 1e-6)


def test_groups_with_other_flags_and_flags_that_change():
    params, other_params = ([torch.ones(4, requires_grad=True) for _ in range(3)] for _ in "ab")
    optimizers = []
    for module, ps in ((mine, params), (theirs, other_params)):
        optimizer = module.Adam(
            [{"params": [ps[0]], "maximize": True}, {"params": [ps[1]], "weight_decay": 0.5}]
        )
        optimizer.add_param_group({"params": [ps[2]], "lr": 0.5})
        for step in range(3):
            for p in ps:
                p.grad = torch.full((4,), step - 0.5)
            optimizer.step()
        optimizers.append(optimizer)
    compare(*optimizers, 1e-6)
    optimizers[0].param_groups[0]["amsgrad"] = True  # a KeyError in torch
    optimizers[0].step()
    assert "max_exp_avg_sq" in optimizers[0].state[params[0]]
    assert "max_exp_avg_sq" not in optimizers[0].state[params[1]]


@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate")
def test_parameters_that_share_memory_are_updated_in_order():
    base = torch.ones(10)
    whole, part = base.requires_grad_(), base.detach()[3:7].requires_grad_()
    whole.grad, part.grad = torch.ones(10), torch.ones(4)
    mine.SGD([whole, part], lr=0.25).step()
    assert whole.tolist() == [0.75] * 3 + [0.5] * 4 + [0.75] * 3
    strided = torch.ones(10)[::2].requires_grad_()
    strided.grad = torch.ones(5)
    mine.SGD([strided, strided], lr=0.25).step()
    assert strided.tolist() == [0.5] * 5


@pytest.mark.parametrize("name", ["SGD", "Adam"])
@pytest.mark.parametrize("shift", [-300_000, 0, 5])
def test_a_gradient_in_the_memory_of_a_parameter_is_read_when_its_turn_comes(name, shift):
    size = 300_000
    right = torch.linspace(-1, 1, 3 * size)
    places = slice(size), slice(size, 2 * size), slice(size + shift, 2 * size + shift)
    one_by_one = [getattr(theirs, name)([right[place].requires_grad_()], lr=0.1)
                  for place in places[:2]]  # fmt: skip
    for _ in range(3):
        for optimizer, gradient in zip(one_by_one, (torch.ones(size), None), strict=True):
            (p,) = optimizer.param_groups[0]["params"]
            p.grad = right[places[2]].detach().clone() if gradient is None else gradient
            optimizer.step()
    results = []
    for threads in (1, 2, 7):
        with kael.num_threads(threads):
            base = torch.linspace(-1, 1, 3 * size)
            first, second = (base[place].requires_grad_() for place in places[:2])
            optimizer = getattr(mine, name)([first, second], lr=0.1)
            for _ in range(3):
                first.grad, second.grad = torch.ones(size), base[places[2]].detach()
                optimizer.step()
        results.append(base.detach())
    torch.testing.assert_close(results[0], right.detach(), rtol=1e-5, atol=1e-6)
    assert all(torch.equal(one, results[0]) for one in results)


class Wrapped(torch.Tensor):
    """A tensor without memory of its own."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(cls, (3,), requires_grad=True)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def test_tensors_that_cannot_be_taken_are_refused_at_construction():
    supported = "strided CPU tensors of float32, float64"
    for p in (
        torch.empty(3, device="meta", requires_grad=True),
        torch.eye(3).to_sparse().requires_grad_(),
        Wrapped(),
        torch.nn.parameter.UninitializedParameter(),
    ):
        with pytest.raises(TypeError, match=f"AdamW: {supported}"):
            mine.AdamW([p])
    optimizer = mine.AdamW([torch.ones(3, requires_grad=True)])
    with pytest.raises(TypeError, match=supported):
        optimizer.add_param_group({"params": [torch.empty(3, device="meta")]})
    assert len(optimizer.param_groups) == 1


def refused(optimizer, error, text):
    """A step raises, and nothing has changed."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    values = [p.detach().clone() for p in params]
    state = copy.deepcopy(optimizer.state_dict()["state"])
    with pytest.raises(error, match=text):
        optimizer.step()
    for p, value in zip(params, values, strict=True):
        assert torch.equal(p, value)
    now = optimizer.state_dict()["state"]
    assert now.keys() == state.keys()
    for number, entries in state.items():
        assert now[number].keys() == entries.keys()
        for key, value in entries.items():
            assert value.is_meta or torch.equal(now[number][key], value)


@pytest.mark.parametrize("fallback", [False, True])
def test_a_refused_step_changes_nothing(fallback, monkeypatch):
    if fallback:
        monkeypatch.setattr(tensors, "exchange_api", lambda: None)
    good, bad = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    optimizer = mine.Adam([good, bad])
    good.grad = torch.ones(3)
    bad.grad = torch.ones(3).to_sparse()
    refused(optimizer, TypeError, r"among the gradients is one of .*torch.sparse_coo")
    bad.grad = torch.ones(3)
    optimizer.step()
    state = optimizer.state[bad]
    kept = dict(state)
    for key, value, error, text in (
        ("exp_avg", torch.zeros(4), ValueError, "does not have the shape of its parameter"),
        ("exp_avg", torch.zeros(3, dtype=torch.float64), TypeError, "of torch.float64 does not go"),
        ("exp_avg_sq", torch.zeros(3).bfloat16(), TypeError, "the rest of the state"),
        ("exp_avg", torch.zeros(3, dtype=torch.int64), TypeError, "one of torch.int64"),
        ("step", torch.zeros(2), ValueError, "must be one number"),
        ("exp_avg", torch.empty(3, device="meta"), TypeError, "on meta"),
        ("exp_avg", torch.zeros(6, dtype=torch.complex64)[::2].imag, None, None),
    ):
        state[key] = value
        if error is not None:
            refused(optimizer, error, text)
        else:
            optimizer.step()
        state.update(kept)
    state["exp_avg"] = "text"
    with pytest.raises(TypeError, match="must be a Tensor, got str"):
        optimizer.step()


@pytest.mark.parametrize("fallback", [False, True])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_what_has_no_memory_to_walk_is_refused(fallback, monkeypatch):
    if fallback:
        monkeypatch.setattr(tensors, "exchange_api", lambda: None)
    step = TorchStep("SGD", "SGD", tensors)
    group = {key: 0.0 for key, _ in step.options} | dict.fromkeys(step.flags, False)

    def attempt(t, text="without memory of its own"):
        with pytest.raises(TypeError, match=text):
            step.update([t], [t], [{}], group)
        return t

    torch.vmap(attempt)(torch.ones(2, 3))
    torch.func.grad(lambda x: attempt(x).sum())(torch.ones(3))
    torch.func.functionalize(attempt)(torch.ones(3))
    attempt(torch.eye(3).to_mkldnn(), "torch._mkldnn")
    attempt(torch.ones(3, dtype=torch.bool), "torch.bool")
    attempt(torch.ones(3).to(torch.float8_e4m3fn), "torch.float8_e4m3fn")
    attempt(3, "must be Tensors, got int")
    with pytest.raises(TypeError, match="nested"):
        mine.SGD([torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])])
    freed = torch.ones(3)
    freed.untyped_storage().resize_(0)
    attempt(freed)


def test_views_that_negate_are_read_right():
    p = torch.zeros(4, requires_grad=True)
    z = torch.arange(4) * 1j
    p.grad = z.conj().imag
    assert p.grad.is_neg()
    mine.SGD([p], lr=1.0).step()
    assert p.tolist() == [0, 1, 2, 3]
    one = torch.zeros(1, requires_grad=True)
    one.grad = torch.tensor([3j]).conj().imag
    mine.SGD([one], lr=1.0).step()
    assert one.tolist() == [3]


def test_misaligned_memory():
    raw = np.zeros(4 * 20 + 1, np.uint8)
    values = np.frombuffer(raw.data, np.float32, 20, offset=1)
    p = torch.frombuffer(raw.data, dtype=torch.float32, count=20, offset=1).requires_grad_()
    p.grad = torch.ones(20)
    mine.SGD([p], lr=1.0).step()
    assert (values == -1).all() and raw[0] == 0


@pytest.mark.parametrize("name, flags", LAST)
def test_without_the_exchange_api(name, flags, monkeypatch):
    """What PyTorch before 2.10 does: tensors are described by their attributes."""
    expected, _ = run(getattr(mine, name), 3, **flags)
    monkeypatch.setattr(tensors, "exchange_api", lambda: None)
    found, _ = run(getattr(mine, name), 3, **flags)
    for p, q in zip(found, expected, strict=True):
        assert_same_bits(p.detach(), q.detach())


def test_copies_and_pickles():
    params, optimizer = run(mine.AdamW, 2, amsgrad=True)
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        copies = other.param_groups[0]["params"]
        assert all(p is not q for p, q in zip(params, copies, strict=True))
        before = [p.detach().clone() for p in params]
        for p in copies:
            p.grad = torch.ones_like(p)
        other.step()
        assert all(torch.equal(p, q) for p, q in zip(params, before, strict=True))
    for p, q in zip(params, copies, strict=True):
        p.grad = torch.ones_like(p)
        assert p.numel() == 0 or not torch.equal(p, q)
    optimizer.step()
    for p, q in zip(params, copies, strict=True):
        assert torch.equal(p, q)


def test_memory_that_moves_is_followed():
    p, q = torch.ones(6, requires_grad=True), torch.ones(6, requires_grad=True)
    a, b = mine.Adam([p], lr=0.1), theirs.Adam([q], lr=0.1)
    for step in range(4):
        p.grad, q.grad = torch.full((6,), 0.5 + step), torch.full((6,), 0.5 + step)
        a.step(), b.step()
        if step == 0:
            p.data, q.data = p.data.clone() + 1, q.data.clone() + 1
        if step == 1:
            for optimizer, t in ((a, p), (b, q)):
                optimizer.state[t]["exp_avg"] = optimizer.state[t]["exp_avg"] * 2
        if step == 2:
            for optimizer, t in ((a, p), (b, q)):
                optimizer.state = type(optimizer.state)(dict, {t: dict(optimizer.state[t])})
    compare(a, b, 1e-6)
    a.state.clear()
    a.step()
    assert float(a.state[p]["step"]) == 1


def in_gaps(t):
    """Its values in every second element of other memory."""
    return torch.stack([t.detach(), t.detach()], 1)[:, 0]


def moved_data(t, turn):
    t.data = t.detach().clone()


def moved_data_with_gaps(t, turn):
    t.data = in_gaps(t)


def moved_storage(t, turn):
    t.detach().share_memory_()


@torch.no_grad()
def set_to_another(t, turn):
    t.set_(in_gaps(t))


def resized(t, turn):
    values, recorded = t.detach().clone(), t.requires_grad
    t.requires_grad_(False).resize_(4000).resize_(values.shape).copy_(values)
    t.requires_grad_(recorded)


def swapped(t, turn):
    other = in_gaps(t).requires_grad_(t.requires_grad)
    other.grad, t.grad = t.grad, None
    torch.utils.swap_tensors(t, other)


def stretched(t, turn):
    """The first element stays where it is, and so does what follows it in memory."""
    values = t.detach().clone()
    memory = t.detach().new_zeros(12) if turn == 0 else t.detach()
    t.data = memory.as_strided((6,), (1 + turn,)).copy_(values)


MOVES = (
    moved_data, moved_data_with_gaps, moved_storage, set_to_another, resized, swapped, stretched,
)  # fmt: skip
MOVED = [
    (what, move)
    for what in ("parameter", "gradient", "exp_avg", "exp_avg_sq")
    for move in MOVES
    if (what, move) != ("gradient", swapped)  # PyTorch refuses it
]


@pytest.mark.parametrize("what, move", MOVED)
def test_every_way_to_move_a_tensor_is_followed(what, move):
    ours, others = (
        [torch.arange(6.0, requires_grad=True), torch.ones(6, requires_grad=True)] for _ in "ab"
    )
    a, b = mine.Adam(ours, lr=0.1), theirs.Adam(others, lr=0.1)
    for step in range(6):
        for t in (*ours, *others):
            if t.grad is None:
                t.grad = torch.full((6,), 0.5)
            t.grad.add_(step)
        a.step(), b.step()
        if step in (1, 3):
            p = ours[0]
            move({"parameter": p, "gradient": p.grad}.get(what, a.state[p].get(what)), step // 2)
    for p, q in zip(ours, others, strict=True):
        close(p.detach(), q.detach(), 1e-6)
        for key, value in b.state[q].items():
            close(a.state[p][key], value, 1e-5)


def test_a_counter_that_moves_is_followed():
    p = torch.ones(6, requires_grad=True)
    optimizer = mine.Adam([p], lr=0.1)
    for step, move in enumerate((moved_data, moved_storage, None)):
        p.grad = torch.ones(6)
        optimizer.step()
        assert float(optimizer.state[p]["step"]) == step + 1
        if move:
            move(optimizer.state[p]["step"], 0)


def test_gradients_that_somebody_else_gives(monkeypatch):
    """`grad` is read through PyTorch's descriptor; whoever puts another in its place is asked."""
    p = torch.ones(3, requires_grad=True)
    p.grad = torch.ones(3)
    optimizer = mine.SGD([p], lr=1.0)
    optimizer.step()
    given = torch.full((3,), 10.0)
    monkeypatch.setattr(torch.Tensor, "grad", property(lambda t: given), raising=False)
    optimizer.step()
    monkeypatch.undo()
    optimizer.step()
    assert p.tolist() == [1 - 1 - 10 - 1] * 3

    class Own(torch.nn.Parameter):
        grad = property(lambda t: given)

    q = Own(torch.ones(3))
    mine.SGD([q], lr=1.0).step()
    assert q.tolist() == [-9] * 3


def test_steps_of_several_threads_are_serialised():
    p = torch.zeros(200_000, requires_grad=True)
    p.grad = torch.ones_like(p)
    optimizer = mine.SGD([p], lr=1.0)

    def work():
        for _ in range(10):
            optimizer.step()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (p.detach() == -40).all()


def test_gradients_are_not_kept():
    import gc
    import weakref

    p = torch.zeros(5, requires_grad=True)
    optimizer = mine.Adam([p])
    p.grad = torch.ones(5)
    gradient = weakref.ref(p.grad)
    optimizer.step()
    optimizer.zero_grad()
    gc.collect()
    assert gradient() is None


def test_parameters_with_errors_of_torch():
    p = torch.ones(3, requires_grad=True)
    for call in (
        lambda m: m.AdamW([]),
        lambda m: m.AdamW(p),
        lambda m: m.AdamW([p], lr=-1),
        lambda m: m.AdamW([p], betas=(1.0, 0.9)),
        lambda m: m.AdamW([p * 2]),
        lambda m: m.SGD([p], nesterov=True),
        lambda m: m.AdamW([{"params": [p]}, {"params": [p]}]),
    ):
        with pytest.raises(Exception) as expected:
            call(theirs)
        with pytest.raises(type(expected.value), match=re.escape(str(expected.value))):
            call(mine)


def test_float16_has_the_same_bits_on_every_instruction_set():
    """All 65536 to float32; and back from values around every boundary, denormals, NaN."""
    halves = torch.arange(2**16, dtype=torch.int32).to(torch.int16).view(torch.float16)
    bits = torch.arange(0, 2**32, 65521, dtype=torch.int64).to(torch.int32)
    middles = halves.float().view(torch.int32)  # and 1 or half a unit beside each
    every = [bits] + [middles + d for d in (0, 1, -1, 4096, 4097, -4096, -4095, -4097)]
    floats = torch.cat(every).view(torch.float32)

    def first_buffer(gradient):
        p = torch.zeros(gradient.shape, dtype=torch.float16, requires_grad=True)
        p.grad_dtype = None
        p.grad = gradient
        optimizer = mine.SGD([p], lr=0.0, momentum=0.9)
        optimizer.step()
        return optimizer.state[p]["momentum_buffer"]

    for gradient, expected in ((halves, halves), (floats, floats.half())):
        with kael.isa("generic"):
            portable = first_buffer(gradient)
        assert torch.equal(portable.isnan(), gradient.isnan())
        number = ~expected.isnan()
        assert torch.equal(portable[number].view(torch.int16), expected[number].view(torch.int16))
        for isa in kael.usable_isas():
            with kael.isa(isa):
                for start in (0, 1):
                    found = first_buffer(gradient[start:])
                    assert torch.equal(found.view(torch.int16), portable[start:].view(torch.int16))
