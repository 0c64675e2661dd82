"""Parameters of 16 bits: master weights and stochastic rounding in kael.torch.optim."""

import copy
import inspect
import io
import itertools
import struct
from fractions import Fraction

import pytest

import kael
from kael._kernels.random import philox

torch = pytest.importorskip("torch")

import kael.torch.optim as mine  # noqa: E402
from kael._kernels.torch_step import TorchStep  # noqa: E402
from kael.torch import tensors  # noqa: E402

OPTIONS = {
    "ASGD": {"t0": 1, "weight_decay": 0.1},
    "Adadelta": {"weight_decay": 0.1},
    "Adafactor": {"weight_decay": 0.1, "eps": (1e-3, 1e-3)},
    "Adagrad": {"lr_decay": 0.1},
    "Adam": {"amsgrad": True, "weight_decay": 0.1},
    "AdamW": {"maximize": True},
    "Adamax": {"weight_decay": 0.1},
    "Lion": {"weight_decay": 0.1},
    "Muon": {},
    "NAdam": {"decoupled_weight_decay": True, "weight_decay": 0.1},
    "RAdam": {"betas": (0.8, 0.9)},
    "RMSprop": {"momentum": 0.9, "centered": True},
    "Rprop": {},
    "SGD": {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
}
LR = 2.0**-6  # exact in 16 bits, as Rprop keeps it there
HALVES = (torch.bfloat16, torch.float16)
PLANE = 6  # KL_PLANE_ROUNDING of include/kael/philox.h
NUMBERS = ("step", "eta", "mu", "mu_product")
every_class = pytest.mark.parametrize("name", OPTIONS)
both = pytest.mark.parametrize("dtype", HALVES)


def make(name, params, **more):
    return getattr(mine, name)(params, lr=LR, **OPTIONS[name], **more)


def parts(dtype, shapes=((3, 5), (17, 4), (9, 9)), seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator).to(dtype).requires_grad_() for shape in shapes]


def give(params, step):
    generator = torch.Generator().manual_seed(100 + step)
    for p in params:
        p.grad_dtype = None
        p.grad = torch.randn(p.shape, generator=generator).to(torch.bfloat16).to(p.dtype)


def steps(optimizer, first, last):
    for step in range(first, last):
        give([p for group in optimizer.param_groups for p in group["params"]], step)
        optimizer.step()
    return optimizer


def same(a, b):
    """All bits; NaN equals NaN."""
    a, b = a.detach(), b.detach()
    assert a.dtype == b.dtype and a.shape == b.shape
    view = torch.int16 if a.dtype in HALVES else torch.int32
    different = (a.view(view) != b.view(view)) & ~(a.isnan() & b.isnan())
    assert not different.any()


def random_16(seed, number):
    """Random number of that number, below 2**16."""
    block = number // 8
    words = philox((block % 2**32, block >> 32, PLANE, 0), (seed % 2**32, seed >> 32))
    return words[number % 8 // 2] >> 16 * (number % 2) & 0xFFFF


def scalar_round(x, random, dtype):
    """A float to one of 16 bits, by exact arithmetic: up in magnitude where the random number
    reaches the rest of the way."""
    if x != x or abs(x) == float("inf"):
        return x
    digits, least, largest = (8, -133, 128) if dtype is torch.bfloat16 else (11, -24, 16)
    size = Fraction(abs(x))
    exponent = least
    while size >= Fraction(2) ** (exponent + digits):
        exponent += 1
    unit = Fraction(2) ** exponent
    below = size // unit
    rest = size / unit - below
    # bfloat16 drops 16 bits and float16 13, of which a denormal may have more
    kept = 16 if dtype is torch.bfloat16 or size < Fraction(2) ** -14 else 13
    up = int(rest * 2**kept) + (random >> 16 - kept) >= 2**kept
    size = (below + up) * unit
    size = float("inf") if size >= Fraction(2) ** largest else float(size)
    return -size if struct.pack(">d", x)[0] & 0x80 else size


def scalar_rounded(values, seed, position, dtype):
    made = [
        scalar_round(x, random_16(seed, position + i), dtype)
        for i, x in enumerate(values.detach().flatten().tolist())
    ]
    return torch.tensor(made, dtype=torch.float64).to(dtype).view(values.shape)


def widened(optimizer, dtype):
    """The same optimizer on float32 copies of parameters and state, which are those of 16 bits."""
    params = [p.detach().float().requires_grad_() for p in optimizer.param_groups[0]["params"]]
    twin = type(optimizer)(params, **OPTIONS[type(optimizer).__name__])
    twin.param_groups[0].update(
        {k: v for k, v in optimizer.param_groups[0].items() if k in twin.param_groups[0]}
        | {"params": params}
    )
    for p, w in zip(optimizer.param_groups[0]["params"], params, strict=True):
        if p in optimizer.state:
            twin.state[w] = {
                key: value.clone() if key in NUMBERS else value.float()
                for key, value in optimizer.state[p].items()
            }
    return twin, params


@every_class
@both
def test_stochastic_rounding_is_the_scalar_formula(name, dtype):
    torch.manual_seed(12345)
    params = parts(dtype)
    optimizer = make(name, params, stochastic_rounding=True)
    assert optimizer.param_groups[0]["rounding_state"] == (12345, 0)
    size, position = sum(p.numel() for p in params), 0
    for step in range(3):
        give(params, step)
        twin, wide = widened(optimizer, dtype)
        for p, w in zip(params, wide, strict=True):
            w.grad = p.grad.float()
        twin.step(), optimizer.step()
        for p, w in zip(params, wide, strict=True):
            same(p, scalar_rounded(w, 12345, position, dtype))
            position += p.numel()
            for key, value in optimizer.state[p].items():
                same(value, twin.state[w][key].to(value.dtype))
        assert position == (step + 1) * size
        assert optimizer.param_groups[0]["rounding_state"] == (12345, position)


def awkward(dtype):
    """Every number of 16 bits, and around and between them; denormals, overflow, NaN."""
    exact = torch.arange(0, 2**16, 7, dtype=torch.int32).to(torch.int16).view(dtype).float()
    bits = exact.view(torch.int32)
    near = torch.cat([bits + d for d in (0, 1, -1, 77, 4097, 0x7FFF, 0x8001)]).view(torch.float32)
    largest = torch.finfo(dtype).max
    edges = [largest, largest * (1 + 2**-12), 65519.0, 65520.0, 65535.9, 65536.0, 3.4e38, 1e-40]
    return torch.cat([near, torch.tensor([*edges, *(-x for x in edges)])])


@both
def test_every_instruction_set_rounds_as_the_scalar_formula(dtype):
    values, position, seed = awkward(dtype), 2**33 + 5, 2**63 + 99
    step = TorchStep("assign", "assign", tensors)
    expected = scalar_rounded(values[::37], seed, 0, dtype)
    found = {}
    for isa in kael.usable_isas():
        with kael.isa(isa):
            p, few = (
                torch.zeros(values.shape, dtype=dtype),
                torch.zeros(expected.shape, dtype=dtype),
            )
            group = {"stochastic_rounding": True, "rounding_state": (seed, position)}
            step.update([p], [values], [{}], group)
            assert group["rounding_state"] == (seed, position + values.numel())
            group = {"stochastic_rounding": True, "rounding_state": (seed, 0)}
            step.update([few], [values[::37].contiguous()], [{}], group)
            same(few, expected)
            found[isa] = p
    for p in found.values():
        assert torch.equal(p.view(torch.int16), found["generic"].view(torch.int16))
    exact = values == values.to(dtype).float()
    same(p[exact], values[exact].to(dtype))


@both
def test_rounding_is_right_on_average(dtype):
    torch.manual_seed(0)
    p = torch.ones(200_000, dtype=dtype, requires_grad=True)
    unit = torch.finfo(dtype).eps
    p.grad_dtype = None
    p.grad = torch.full(p.shape, -unit / 5)
    mine.SGD([p], lr=1.0, stochastic_rounding=True).step()
    up = (p.detach().double() - 1) / unit
    assert set(up.tolist()) == {0.0, 1.0}
    assert up.mean().item() == pytest.approx(0.2, abs=0.004)  # four standard deviations
    pairs = (up[1:] * up[:-1]).mean().item()
    assert pairs == pytest.approx(0.04, abs=0.002)


@both
def test_random_numbers_depend_on_the_element_alone(dtype):
    """On no thread, slice, split, stride, order of memory or instruction set."""
    values = torch.randn(12, 1009, generator=torch.Generator().manual_seed(0)).to(dtype)
    gradient = torch.randn(12, 1009, generator=torch.Generator().manual_seed(1)).to(dtype)
    layouts = {
        "packed": torch.clone,
        "strided": lambda t: torch.stack([t, t], dim=-1)[..., 1],
        "transposed": lambda t: t.t().contiguous().t(),
    }

    def stepped(layout, rows=(12,)):
        torch.manual_seed(7)
        params = [layouts[layout](v).requires_grad_() for v in values.split(rows)]
        optimizer = mine.AdamW(params, lr=0.1, stochastic_rounding=True)
        for _ in range(2):
            for p, g in zip(params, gradient.split(rows), strict=True):
                p.grad = g.clone()
            optimizer.step()
        assert optimizer.param_groups[0]["rounding_state"] == (7, 2 * values.numel())
        return torch.cat([p.detach() for p in params])

    with kael.isa("generic"), kael.num_threads(1):
        expected = stepped("packed")
    for isa, threads in itertools.product(kael.usable_isas(), (1, 2, 3, 7)):
        with kael.isa(isa), kael.num_threads(threads):
            assert torch.equal(stepped("packed"), expected)
            assert torch.equal(stepped("packed", (1, 4, 7)), expected)
    for layout in layouts:
        assert torch.equal(stepped(layout), expected)


@every_class
@both
def test_masters_are_a_float32_run_rounded(name, dtype):
    params = parts(dtype)
    params.append(params[0].detach().clone().t().requires_grad_())
    params.append(torch.stack([params[1].detach()] * 2, dim=-1)[..., 1].requires_grad_())
    wide = [p.detach().float().requires_grad_() for p in params]
    a, b = make(name, params, master_weights=True), make(name, wide)
    for isa, threads in itertools.product(kael.usable_isas(), (1, 2, 3, 7)):
        with kael.isa(isa), kael.num_threads(threads):
            give(params, threads)
            for p, w in zip(params, wide, strict=True):
                w.grad = p.grad.float()
            a.step(), b.step()
    for p, w in zip(params, wide, strict=True):
        same(p, w.detach().to(dtype))
        same(a.state[p]["master_param"], w)
        assert a.state[p].keys() == b.state[w].keys() | {"master_param"}
        for key, value in b.state[w].items():
            same(a.state[p][key], value)


@pytest.mark.parametrize("name", ["Adam", "Adafactor"])
def test_a_parameter_that_somebody_changed_gives_its_master_a_new_value(name):
    params = parts(torch.bfloat16)
    optimizer = steps(make(name, params, master_weights=True), 0, 1)
    p = params[1]
    kept = optimizer.state[p]["master_param"].clone()
    with torch.no_grad():
        p[2, 1:3] = 7.0
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    steps(optimizer, 1, 2)
    kept[2, 1:3] = 7.0
    same(optimizer.state[p]["master_param"], kept)
    same(p, kept.to(torch.bfloat16))


@every_class
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALVES])
@pytest.mark.parametrize("option", ["master_weights", "stochastic_rounding", None])
def test_five_steps_saved_and_five_more_equal_ten(name, dtype, option):
    more = {option: True} if option else {}
    whole = steps(make(name, parts(dtype), **more), 0, 10)
    first = steps(make(name, parts(dtype), **more), 0, 5)
    file = io.BytesIO()
    torch.save(first.state_dict(), file)
    file.seek(0)
    params = [p.detach().clone().requires_grad_() for p in first.param_groups[0]["params"]]
    second = getattr(mine, name)(params, lr=0.5)  # the options are in the groups that were saved
    second.load_state_dict(torch.load(file))
    steps(second, 5, 10)
    assert second.param_groups[0].get("rounding_state") == whole.param_groups[0].get(
        "rounding_state"
    )
    for p, q in zip(whole.param_groups[0]["params"], params, strict=True):
        assert torch.equal(p, q)
        assert whole.state[p].keys() == second.state[q].keys()
        for key, value in whole.state[p].items():
            assert value.dtype == second.state[q][key].dtype
            assert torch.equal(value, second.state[q][key])


def test_checkpoints_of_pytorch_with_masters():
    params = parts(torch.bfloat16)
    saved = copy.deepcopy(steps(torch.optim.Adam(params, lr=LR), 0, 3).state_dict())
    optimizer = mine.Adam(params, lr=0.5, master_weights=True)
    optimizer.load_state_dict(saved)
    group = optimizer.param_groups[0]
    assert group["lr"] == LR and group["master_weights"]
    assert all(optimizer.state[p]["exp_avg"].dtype == torch.float32 for p in params)
    before = [p.detach().clone() for p in params]
    steps(optimizer, 3, 4)
    for p, old in zip(params, before, strict=True):
        master = optimizer.state[p]["master_param"]
        same(p, master.to(torch.bfloat16))
        assert (master - old.float()).abs().max() < 0.1 and not torch.equal(master, old.float())
    back = torch.optim.Adam(params)
    back.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    steps(back, 4, 5)
    drawn = mine.Adam(params, stochastic_rounding=True)
    drawn.load_state_dict(saved)
    steps(drawn, 0, 1)
    assert drawn.param_groups[0]["rounding_state"][1] == sum(p.numel() for p in params)


def test_momentum_of_a_checkpoint_is_kept_where_only_the_master_is_new():
    params, wide = parts(torch.bfloat16), parts(torch.float32)
    for p, w in zip(params, wide, strict=True):
        w.data.copy_(p.data)
    a = steps(mine.SGD(params, lr=0.0, momentum=0.5), 0, 1)
    b = steps(mine.SGD(wide, lr=0.0, momentum=0.5), 0, 1)
    a.param_groups[0].update(master_weights=True, lr=0.1)
    b.param_groups[0].update(lr=0.1)
    steps(a, 1, 2), steps(b, 1, 2)
    for p, w in zip(params, wide, strict=True):
        same(a.state[p]["master_param"], w)


def test_groups_have_streams_of_their_own():
    torch.manual_seed(5)
    params = parts(torch.bfloat16, ((40,), (40,), (40,)))
    groups = [{"params": params[:1]}, {"params": params[1:2], "stochastic_rounding": False}]
    optimizer = mine.SGD(groups, lr=0.1, stochastic_rounding=True)
    optimizer.add_param_group({"params": params[2:]})
    steps(optimizer, 0, 1)
    states = [group.get("rounding_state") for group in optimizer.param_groups]
    assert states == [(5, 40), None, (7, 40)]
    for clone in (copy.deepcopy(optimizer), optimizer):
        clone.add_param_group({"params": parts(torch.bfloat16, ((3,),))})
        assert clone.param_groups[3]["rounding_state"] == (8, 0)
    plain = mine.SGD(parts(torch.float32), lr=0.1)
    assert not {"master_weights", "stochastic_rounding", "rounding_state"} & {*plain.defaults}


@every_class
def test_parameters_of_more_bits_do_not_change_by_either(name):
    params = [parts(torch.float32) for _ in range(3)]
    for ps, more in zip(params, ({}, {"master_weights": True}, {"stochastic_rounding": True}),
                        strict=True):  # fmt: skip
        optimizer = steps(make(name, ps, **more), 0, 2)
        assert all("master_param" not in state for state in optimizer.state.values())
    for p, q, r in zip(*params, strict=True):
        same(p, q), same(p, r)


@every_class
def test_the_constructor_is_pytorchs_with_two_more_options(name):
    kind = getattr(mine, name)
    found = inspect.signature(kind)
    assert list(found.parameters)[-2:] == ["master_weights", "stochastic_rounding"]
    if name != "Lion":
        expected = inspect.signature(getattr(torch.optim, name))
        assert list(found.parameters.values())[:-2] == list(expected.parameters.values())
    p = torch.ones(3, 3, requires_grad=True)
    with pytest.raises(ValueError, match="`master_weights` and `stochastic_rounding` cannot be"):
        kind([p], master_weights=True, stochastic_rounding=True)


def unchanged(optimizer, error, text):
    params = optimizer.param_groups[0]["params"]
    values, saved = [p.detach().clone() for p in params], copy.deepcopy(optimizer.state_dict())
    with pytest.raises(error, match=text):
        optimizer.step()
    now = optimizer.state_dict()
    for p, value in zip(params, values, strict=True):
        assert torch.equal(p, value)
    assert (
        now["param_groups"] == saved["param_groups"]
        and now["state"].keys() == saved["state"].keys()
    )
    for number, state in saved["state"].items():
        assert now["state"][number].keys() == state.keys()
        for key, value in state.items():
            assert torch.equal(now["state"][number][key], value)


@every_class
@pytest.mark.parametrize("option", ["master_weights", "stochastic_rounding"])
def test_a_refused_step_changes_nothing(name, option):
    params = parts(torch.float16)
    optimizer = make(name, params, **{option: True})
    give(params, 0)
    params[-1].grad = torch.ones(params[-1].shape).to_sparse()
    unchanged(optimizer, (TypeError, RuntimeError), "sparse")
    steps(optimizer, 0, 1)
    if option == "master_weights":
        state = optimizer.state[params[-1]]
        kept = dict(state)
        state["master_param"] = torch.zeros(2)
        unchanged(optimizer, ValueError, "state 'master_param'")
        for wrong in (torch.float16, torch.float64):
            state["master_param"] = kept["master_param"].to(wrong)
            unchanged(optimizer, TypeError, "master_param|does not go with")
        state.update(kept)
    optimizer.param_groups[0].update(master_weights=True, stochastic_rounding=True)
    unchanged(optimizer, ValueError, "cannot be `True` together")
    optimizer.param_groups[0].update({"master_weights": False, "stochastic_rounding": False} |
                                     {option: True})  # fmt: skip
    optimizer.found_inf = torch.tensor(1.0)
    before = copy.deepcopy(optimizer.state_dict())
    optimizer.step()
    assert before["param_groups"] == optimizer.state_dict()["param_groups"]


def test_lbfgs_takes_neither():
    p = torch.ones(3, requires_grad=True)
    for option in ("master_weights", "stochastic_rounding"):
        with pytest.raises(ValueError, match="LBFGS: takes no 16-bit parameters"):
            mine.LBFGS([p], **{option: True})
