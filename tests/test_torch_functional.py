"""The functional forms of kael.torch.optim against those of torch.optim."""

import importlib
import inspect

import pytest

torch = pytest.importorskip("torch")

from kael.torch.optim import functional  # noqa: E402


def close(a, b, bound):
    torch.testing.assert_close(a, b, rtol=bound, atol=bound)


ONE_BY_ONE = {
    "adadelta": {"lr": 0.5, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.1, "maximize": False},
    "adagrad": {"lr": 0.1, "weight_decay": 0.1, "lr_decay": 0.1, "eps": 1e-9, "maximize": True},
    "adam": {"amsgrad": True, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1,
             "eps": 1e-8, "maximize": False},
    "adamax": {"eps": 1e-8, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1},
    "asgd": {"lambd": 1e-4, "lr": 0.1, "t0": 1.0, "alpha": 0.75, "weight_decay": 0.1},
    "nadam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1,
              "momentum_decay": 4e-3, "eps": 1e-8},
    "radam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-8},
    "rmsprop": {"lr": 0.1, "alpha": 0.9, "eps": 1e-8, "weight_decay": 0.1, "momentum": 0.9,
                "centered": True},
    "rprop": {"step_size_min": 1e-6, "step_size_max": 50, "etaminus": 0.5, "etaplus": 1.2},
    "sgd": {"weight_decay": 0.1, "momentum": 0.9, "lr": 0.1, "dampening": 0.0, "nesterov": True,
            "maximize": False},
}  # fmt: skip
ONE_BY_ONE["adamw"] = ONE_BY_ONE["adam"]
OTHERS = {"adafactor", "lion", "muon"}


def lists_for(name):
    """Positional lists of a functional form, for two parameters."""
    function = getattr(importlib.import_module(f"torch.optim.{name}"), name)
    arguments = []
    for key in inspect.signature(function).parameters:
        if key == "params":
            arguments.append([torch.linspace(-1, 1, 20), torch.linspace(1, 2, 6).view(2, 3)])
        elif key in ("grads", "d_p_list"):
            arguments.append([torch.linspace(2, -1, 20), torch.linspace(1, -2, 6).view(2, 3)])
        elif key in ("state_steps", "mus", "mu_products", "etas"):
            arguments.append([torch.tensor(0.5 if key != "state_steps" else 2.0) for _ in "ab"])
        elif key in functional.LISTS:
            arguments.append([torch.full((20,), 0.3), torch.full((2, 3), 0.3)])
        else:
            break
    return function, arguments


def test_every_form_is_tested():
    assert {*functional.__all__} == {*ONE_BY_ONE} | OTHERS


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_functional_forms(name):
    reference, expected = lists_for(name)
    _, found = lists_for(name)
    options = ONE_BY_ONE[name]
    assert getattr(functional, name)(*found, **options) is None
    reference(*expected, foreach=False, **options)
    for a, b in zip(found, expected, strict=True):
        for x, y in zip(a, b, strict=True):
            close(x, y, 2e-6)


def test_functional_forms_make_and_refuse():
    params, grads = [torch.ones(3)], [torch.ones(3)]
    buffers = [None]
    functional.sgd(params, grads, buffers, **ONE_BY_ONE["sgd"])
    assert torch.equal(buffers[0], torch.full((3,), 1.1))
    with pytest.raises(ValueError, match="adam: 2 of exp_avg for 1 parameters"):
        functional.adam(
            params, grads, [torch.ones(3)] * 2, [torch.ones(3)], [torch.ones(3)],
            [torch.tensor(0.0)], **ONE_BY_ONE["adam"],
        )  # fmt: skip
    with pytest.raises(TypeError, match="missing a required argument"):
        functional.adam(params, grads)
    before = params[0].clone()
    functional.sgd(params, grads, buffers, found_inf=torch.tensor(1.0), **ONE_BY_ONE["sgd"])
    assert torch.equal(params[0], before)
    functional.sgd(
        params, [torch.full((3,), 8.0)], [torch.zeros(3)], grad_scale=torch.tensor(8.0),
        **{**ONE_BY_ONE["sgd"], "weight_decay": 0.0, "momentum": 0.0, "nesterov": False},
    )  # fmt: skip
    close(params[0], before - 0.1, 1e-6)
    # gradients of 16 bits for parameters of 32: no conversion pass
    half = [torch.ones(3, dtype=torch.bfloat16)]
    wide = [torch.ones(3)]
    options = {**ONE_BY_ONE["sgd"], "weight_decay": 0.0, "momentum": 0.0, "nesterov": False}
    functional.sgd(wide, half, [], **options)
    close(wide[0], torch.full((3,), 0.9), 1e-6)


def matrices():
    return [torch.linspace(-1, 1, 20).view(4, 5), torch.linspace(1, 2, 6).view(2, 3)]


@pytest.mark.parametrize("maximize", [False, True])
def test_adafactor_is_torchs(maximize):
    from torch.optim._adafactor import adafactor as reference

    made = []
    for function in (functional.adafactor, reference):
        params = [*matrices(), torch.linspace(-2, 2, 7)]
        grads = [p * p - 0.5 for p in params]
        rows = [torch.full((4, 1), 0.3), torch.full((2, 1), 0.3), None]
        columns = [torch.full((1, 5), 0.3), torch.full((1, 3), 0.3), None]
        variances = [None, None, torch.full((7,), 0.3)]
        steps = [torch.tensor(2.0) for _ in params]
        function(
            params, grads, rows, columns, variances, steps, foreach=False, d=1.5, lr=0.1,
            beta2_decay=-0.8, weight_decay=0.1, eps1=1e-6, eps2=1e-3, maximize=maximize,
        )  # fmt: skip
        made.append([*params, *rows[:2], *columns[:2], variances[2], *steps])
    for a, b in zip(*made, strict=True):
        close(a, b, 2e-6)
    assert rows[2] is None and variances[0] is None
    with pytest.raises(AssertionError, match="Grad scaling should occur outside"):
        functional.adafactor(
            [torch.ones(3)], [torch.ones(3)], [None], [None], [None], [torch.tensor(0.0)],
            found_inf=torch.tensor(0.0), d=1.0, lr=0.1, beta2_decay=-0.8, weight_decay=0.0,
            eps1=None, eps2=1e-3, maximize=False,
        )  # fmt: skip


def test_muon_is_torchs():
    from torch.optim._muon import muon as reference

    options = {
        "lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "nesterov": True, "ns_steps": 5,
        "ns_coefficients": (3.4445, -4.7750, 2.0315), "eps": 1e-7, "adjust_lr_fn": None,
        "has_complex": False,
    }  # fmt: skip
    made = []
    for function in (functional.muon, reference):
        params = matrices()
        buffers = [torch.full_like(p, 0.3) for p in params]
        function(params, [p * p - 0.5 for p in params], buffers, **options)
        made.append([*params, *buffers])
    for a, b in zip(*made, strict=True):
        close(a, b, 1e-2)  # PyTorch iterates in bfloat16
    with pytest.raises(RuntimeError, match="Foreach is not supported for Muon yet"):
        functional.muon([], [], [], foreach=True, **options)


def test_lion_is_kaels():
    import kael

    params, grads, averages = matrices(), matrices(), [torch.zeros_like(p) for p in matrices()]
    options = {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1}
    arrays = [[t.numpy().copy() for t in ts] for ts in (params, grads, averages)]
    functional.lion(params, grads, averages, **options)
    kael.optim.functional.lion(*arrays, **options)
    for ts, several in zip((params, grads, averages), arrays, strict=True):
        for t, a in zip(ts, several, strict=True):
            assert (t.numpy() == a).all()
    with pytest.raises(NotImplementedError, match="lion: differentiable=True"):
        functional.lion(params, grads, averages, differentiable=True, **options)


@pytest.mark.parametrize("name", [n for n in ONE_BY_ONE if n != "adamw"])
def test_bfloat16_gradients_of_float32_parameters(name):
    """The offload case: no conversion pass, the bits of the widened gradient."""
    _, halves = lists_for(name)
    _, wide = lists_for(name)
    halves[1] = [g.bfloat16() for g in halves[1]]
    wide[1] = [g.float() for g in halves[1]]
    for lists in (halves, wide):
        getattr(functional, name)(*lists, **ONE_BY_ONE[name])
    for several, others in zip(halves[2:] + halves[:1], wide[2:] + wide[:1], strict=True):
        for a, b in zip(several, others, strict=True):
            assert a.dtype == torch.float32 and torch.equal(a, b)
