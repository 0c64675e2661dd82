"""Adafactor, Muon and L-BFGS of kael.torch.optim: kael.optim's bits, PyTorch's checkpoints."""

import copy

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

import kael.torch.optim as mine  # noqa: E402

theirs = torch.optim
OPTIONS = {
    "Adafactor": [{}, {"weight_decay": 0.1, "maximize": True, "d": 2.0}],
    "Muon": [{}, {"nesterov": False, "weight_decay": 0.1, "adjust_lr_fn": "match_rms_adamw"}],
}
CASES = [(name, options) for name, several in OPTIONS.items() for options in several]
DTYPES = [torch.float32, torch.float64]


def parts(name, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)

    made = [normal(5, 7), normal(6, 4).t(), normal(9, 8)[::2, 1::3], normal(16, 16)]
    if name == "Adafactor":
        made += [normal(9), normal(()), normal(2, 3, 4), normal(12)[::3]]
    return [p.requires_grad_() for p in made]


def give(params, step, dtype=None):
    generator = torch.Generator().manual_seed(100 + step)
    for p in params:
        p.grad_dtype = None
        p.grad = torch.randn(p.shape, generator=generator, dtype=torch.float64).to(dtype or p.dtype)


def to_kael(t):
    return kael.from_dlpack(t.detach().clone()).requires_grad_()


def same(a, b):
    np.testing.assert_array_equal(np.asarray(a.detach()), np.asarray(b.detach()))


def run(kind, params, steps, start=0, state=None, **options):
    optimizer = kind(params, **options)
    if state is not None:
        optimizer.load_state_dict(state)
    for step in range(start, start + steps):
        give(params, step)
        optimizer.step()
    return optimizer


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, options", CASES)
def test_bits_are_those_of_kaels(name, options, dtype):
    params = parts(name, dtype)
    twins = [to_kael(p) for p in params]
    a = getattr(mine, name)(params, **options)
    b = getattr(kael.optim, name)(twins, **options)
    assert isinstance(a, getattr(theirs, name))
    for step in range(3):
        give(params, step)
        for p, q in zip(params, twins, strict=True):
            q.grad = kael.from_dlpack(p.grad)
        versions = [p._version for p in params]
        a.step(), b.step()
        assert all(p._version > v for p, v in zip(params, versions, strict=True))
    for p, q in zip(params, twins, strict=True):
        same(p, q)
        for key, value in b.state[q].items():
            same(a.state[p][key], value)


@pytest.mark.parametrize("name, options", CASES)
def test_checkpoints_go_both_ways(name, options):
    reference, kind = getattr(theirs, name), getattr(mine, name)
    whole = parts(name)
    run(kind, whole, 6, **options)
    bound = 1e-2 if name == "Muon" else 1e-5  # PyTorch's Muon iterates in bfloat16
    for first, second in ((kind, kind), (kind, reference), (reference, kind)):
        params = parts(name)
        saved = copy.deepcopy(run(first, params, 3, **options).state_dict())
        rest = [p.detach().clone().requires_grad_() for p in params]
        optimizer = run(second, rest, 3, 3, saved, **options)
        assert optimizer.state_dict()["state"].keys() == saved["state"].keys()
        for p, q in zip(rest, whole, strict=True):
            torch.testing.assert_close(p, q, rtol=bound, atol=bound)
            assert first is not second or torch.equal(p, q)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name, options", CASES)
def test_16_bit_tensors_are_computed_in_float32(name, options, dtype):
    params = parts(name, dtype)
    wide = [p.detach().float().requires_grad_() for p in params]
    if name == "Adafactor":
        options = {**options, "eps": (1e-3, 1e-3)}  # the default's depends on the dtype
    a, b = getattr(mine, name)(params, **options), getattr(mine, name)(wide, **options)
    give(params, 0)
    for p, w in zip(params, wide, strict=True):
        w.grad = p.grad.float()
    a.step(), b.step()
    for p, w in zip(params, wide, strict=True):
        assert torch.equal(p, w.detach().to(dtype))
        for key, value in a.state[p].items():
            assert torch.equal(value, b.state[w][key].to(value.dtype))
    give(wide, 1, dtype)  # 16-bit gradients of float32 parameters
    b.step()


@pytest.mark.parametrize("name, options", CASES)
def test_a_refused_step_changes_nothing(name, options):
    params = parts(name)
    optimizer = run(getattr(mine, name), params, 1, **options)
    give(params, 1)
    last = params[-1]

    def refused(error, text, **arguments):
        values, state = [p.detach().clone() for p in params], copy.deepcopy(optimizer.state_dict())
        with pytest.raises(error, match=text):
            optimizer.step(**arguments)
        for p, value in zip(params, values, strict=True):
            assert torch.equal(p, value)
        for number, entries in state["state"].items():
            for key, value in entries.items():
                assert torch.equal(optimizer.state_dict()["state"][number][key], value)

    kept = dict(optimizer.state[last])
    for key, value in kept.items():
        if key == "step":
            continue
        optimizer.state[last][key] = torch.zeros(77)
        refused(ValueError, f"state '{key}' does not match")
        optimizer.state[last][key] = value.double()
        refused(TypeError, "does not go with a parameter")
        optimizer.state[last][key] = value
    optimizer.state[last].clear()
    optimizer.state[last].update(kept)
    last.grad = torch.ones(1).expand(last.shape)
    refused(RuntimeError, "one element at several places", zero_grad=True)
    last.grad = torch.ones(last.shape).to_sparse()
    refused(RuntimeError, f"{name} does not support sparse gradients")
    optimizer.found_inf = torch.tensor(1.0)
    before = [p.detach().clone() for p in params]
    optimizer.step()
    assert all(torch.equal(p, q) for p, q in zip(params, before, strict=True))


def closure_of(optimizer, p):
    def closure():
        optimizer.zero_grad()
        loss = ((p * p - 2) * (p * p - 2)).sum()
        loss.backward()
        return loss

    return closure


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_has_kaels_bits_and_torchs_checkpoints(search, dtype):
    options = {"lr": 0.3, "max_iter": 4, "line_search_fn": search}
    values = torch.linspace(-1, 2, 12, dtype=dtype).reshape(3, 4).t()
    p, q = values.clone().requires_grad_(), to_kael(values)
    r = values.contiguous().requires_grad_()  # PyTorch's takes no other
    a, b = mine.LBFGS([p], **options), kael.optim.LBFGS([q], **options)
    c = theirs.LBFGS([r], **options)
    assert isinstance(a, theirs.LBFGS)
    for _ in range(4):
        a.step(closure_of(a, p)), b.step(closure_of(b, q)), c.step(closure_of(c, r))
        same(p, q)
    torch.testing.assert_close(p, r, rtol=1e-4, atol=1e-4)
    ours, reference = a.state_dict()["state"][0], c.state_dict()["state"][0]
    assert set(ours) == set(reference)
    assert ours["n_iter"] == reference["n_iter"] and ours["func_evals"] == reference["func_evals"]
    same(a.state[p]["d"], b.state[q]["d"])
    for first, second in ((a, theirs.LBFGS), (c, mine.LBFGS), (a, mine.LBFGS)):
        old = first.param_groups[0]["params"][0]
        new = old.detach().clone(memory_format=torch.contiguous_format).requires_grad_()
        other = second([new], **options)
        other.load_state_dict(copy.deepcopy(first.state_dict()))
        other.step(closure_of(other, new))
        first.step(closure_of(first, old))
        torch.testing.assert_close(old, new, rtol=1e-4, atol=1e-4)


def test_lbfgs_borrows_the_state_of_an_idle_step_as_it_is():
    p = torch.ones(3, requires_grad=True)
    optimizer = mine.LBFGS([p], max_iter=3)
    optimizer.step(closure_of(optimizer, p))
    kept = optimizer.state[p]["old_dirs"][0]
    optimizer.param_groups[0]["tolerance_grad"] = 1e9
    optimizer.step(closure_of(optimizer, p))
    assert optimizer.state[p]["old_dirs"][0] is kept


def test_lbfgs_of_complex_parameters():
    z, w = ((torch.arange(4) * (1 + 0.5j)).requires_grad_() for _ in "ab")
    for module, t in ((mine, z), (theirs, w)):
        optimizer = module.LBFGS([t], lr=0.5)

        def closure(t=t, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (t - 1j).abs().square().sum()
            loss.backward()
            return loss

        optimizer.step(closure)
    torch.testing.assert_close(z, w, rtol=1e-4, atol=1e-4)


def test_lbfgs_refuses_before_anything_changes():
    p, q = torch.ones(3, requires_grad=True), torch.ones(3).half().requires_grad_()
    optimizer = mine.LBFGS([p, q])
    with pytest.raises(TypeError, match=r"LBFGS: parameters must be float32.*got torch.float16"):
        optimizer.step(lambda: p.sum())
    two = mine.LBFGS([p, torch.ones(2, dtype=torch.float64, requires_grad=True)])
    with pytest.raises(TypeError, match="must be of one dtype"):
        two.step(closure_of(two, p))
    assert not optimizer.state_dict()["state"] and not two.state_dict()["state"]
    for module in (mine, theirs):  # a group would be passed over in silence
        grown = module.LBFGS([p])
        grown.add_param_group({"params": [torch.ones(2, requires_grad=True)]})
        with pytest.raises(AssertionError, match="Expected exactly one param_group, but got 2"):
            grown.step(closure_of(grown, p))
    assert p.tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_adafactor_takes_what_is_empty_whatever_its_strides(dtype):
    p = torch.empty(0, dtype=dtype).as_strided((2, 0), (0, 0)).requires_grad_()
    p.grad = torch.empty(2, 0, dtype=dtype)
    mine.Adafactor([p]).step()


def test_muons_bad_input_is_torchs():
    flat = torch.ones(3, requires_grad=True)
    with pytest.raises(ValueError, match="Muon only supports 2D parameters"):
        mine.Muon([flat])
    complex_one = torch.ones(3, 3, dtype=torch.complex64, requires_grad=True)
    complex_one.grad = torch.ones_like(complex_one)
    with pytest.raises(RuntimeError, match="Muon does not support complex parameters"):
        mine.Muon([complex_one]).step()
