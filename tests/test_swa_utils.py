"""Averaged weights against torch.optim.swa_utils."""

import copy
import pickle

import numpy as np
import pytest
from conftest import bits_equal

import kael
from kael.optim import swa_utils

WEIGHTS = [np.random.default_rng(k).normal(size=(5, 4)).astype("float32") for k in range(6)]


def kael_model(weight):
    model = kael.nn.Linear(4, 5)
    with kael.no_grad():
        model.weight.copy_(kael.tensor(weight))
        model.bias.copy_(kael.tensor(weight[:, 0]))
    model.register_buffer("seen", kael.tensor(weight[0]))
    model.register_buffer("count", kael.tensor([int(100 * weight[0, 0]), 7]))
    return model


def torch_model(torch, weight):
    model = torch.nn.Linear(4, 5)
    with torch.no_grad():
        model.weight.copy_(torch.from_numpy(weight))
        model.bias.copy_(torch.from_numpy(weight[:, 0].copy()))
    model.register_buffer("seen", torch.from_numpy(weight[0].copy()))
    model.register_buffer("count", torch.tensor([int(100 * weight[0, 0]), 7]))
    return model


AVERAGES = {
    "mean": lambda u: {},
    "ema": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.9)},
    "ema_fast": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.3)},
    "swa": lambda u: {"multi_avg_fn": u.get_swa_multi_avg_fn()},
    "ema_each": lambda u: {"avg_fn": u.get_ema_avg_fn()},
    "swa_each": lambda u: {"avg_fn": u.get_swa_avg_fn()},
    "own": lambda u: {"avg_fn": lambda a, c, n: a * 0.25 + c * 0.75},
}


CASES = [(average, False) for average in AVERAGES]
CASES += [(average, True) for average in AVERAGES if average != "swa"]  # torch's refuses integers


@pytest.mark.parametrize("average, use_buffers", CASES)
def test_averages_equal_torchs(average, use_buffers):
    torch = pytest.importorskip("torch")
    theirs = torch.optim.swa_utils.AveragedModel(
        torch_model(torch, WEIGHTS[0]),
        use_buffers=use_buffers,
        **AVERAGES[average](torch.optim.swa_utils),
    )
    mine = swa_utils.AveragedModel(
        kael_model(WEIGHTS[0]), use_buffers=use_buffers, **AVERAGES[average](swa_utils)
    )
    for weight in WEIGHTS:
        mine.update_parameters(kael_model(weight))
        theirs.update_parameters(torch_model(torch, weight))
    state, other = mine.state_dict(), theirs.state_dict()
    assert list(state) == list(other)
    assert mine.n_averaged.item() == len(WEIGHTS)
    for key, value in other.items():
        np.testing.assert_allclose(np.asarray(state[key]), value.numpy(), rtol=1e-6, atol=1e-7)


def test_the_average_is_a_model_of_its_own():
    model = kael_model(WEIGHTS[0])
    average = swa_utils.AveragedModel(model)
    average.update_parameters(model)
    assert bits_equal(average.module.weight.detach(), WEIGHTS[0])
    with kael.no_grad():
        model.weight.zero_()
    assert bits_equal(average.module.weight.detach(), WEIGHTS[0])
    x = kael.ones(2, 4)
    assert average(x).shape == (2, 5)
    average.update_parameters(model)
    assert average.module.weight.requires_grad and average.module.weight.grad_fn is None
    np.testing.assert_allclose(np.asarray(average.module.weight.detach()), WEIGHTS[0] / 2)
    for other in (copy.deepcopy(average), pickle.loads(pickle.dumps(average))):
        assert other.n_averaged.item() == 2
        assert bits_equal(other(x).detach(), average(x).detach())


def test_a_weight_of_one_gives_the_model_exactly():
    model = kael_model(WEIGHTS[0])
    average = swa_utils.AveragedModel(model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.0))
    average.update_parameters(model)
    average.update_parameters(kael_model(WEIGHTS[1] * 1e-20))
    assert bits_equal(average.module.weight.detach(), WEIGHTS[1] * np.float32(1e-20))


def test_errors_as_torchs():
    torch = pytest.importorskip("torch")
    for utils, model in (
        (swa_utils, kael_model(WEIGHTS[0])),
        (torch.optim.swa_utils, torch_model(torch, WEIGHTS[0])),
    ):
        for make in (utils.get_ema_multi_avg_fn, utils.get_ema_avg_fn):
            with pytest.raises(ValueError, match=r"Invalid decay value 1.5 provided"):
                make(1.5)
        functions = {"avg_fn": utils.get_swa_avg_fn(), "multi_avg_fn": utils.get_swa_multi_avg_fn()}
        with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
            utils.AveragedModel(model, **functions)
    with pytest.raises(ValueError, match="computes on the CPU"):
        swa_utils.AveragedModel(kael_model(WEIGHTS[0]), device="cuda")


def test_update_bn_has_nothing_to_do():
    model = kael_model(WEIGHTS[0])
    assert swa_utils.update_bn(iter(()), model) is None


def optimizers(torch):
    mine = kael.optim.SGD(
        [{"params": [kael.ones(1, requires_grad=True)]},
         {"params": [kael.ones(1, requires_grad=True)], "lr": 0.5}], lr=0.1
    )  # fmt: skip
    theirs = torch.optim.SGD(
        [{"params": [torch.ones(1, requires_grad=True)]},
         {"params": [torch.ones(1, requires_grad=True)], "lr": 0.5}], lr=0.1
    )  # fmt: skip
    return mine, theirs


@pytest.mark.parametrize("options", [
    {"swa_lr": 0.05}, {"swa_lr": [0.05, 0.2], "anneal_epochs": 4, "anneal_strategy": "linear"},
    {"swa_lr": 0.05, "anneal_epochs": 0}, {"swa_lr": 1.0, "anneal_epochs": 25},
])  # fmt: skip
def test_rates_equal_torchs_and_go_on_after_loading(options):
    torch = pytest.importorskip("torch")
    mine, theirs = optimizers(torch)
    a, b = swa_utils.SWALR(mine, **options), torch.optim.swa_utils.SWALR(theirs, **options)
    assert set(a.state_dict()) == set(b.state_dict())
    for epoch in range(30):
        assert a.get_last_lr() == b.get_last_lr() == [g["lr"] for g in mine.param_groups]
        mine.step(), theirs.step()
        a.step(), b.step()
        if epoch == 7:
            saved = copy.deepcopy((mine.state_dict(), a.state_dict()))
            mine, _ = optimizers(torch)
            a = swa_utils.SWALR(mine, **options)
            mine.load_state_dict(saved[0])
            a.load_state_dict(saved[1])


def test_errors_of_the_schedule_as_torchs():
    torch = pytest.importorskip("torch")
    mine, theirs = optimizers(torch)
    for utils, optimizer in ((swa_utils, mine), (torch.optim.swa_utils, theirs)):
        with pytest.raises(ValueError, match="anneal_strategy must be one of"):
            utils.SWALR(optimizer, 0.1, anneal_strategy="square")
        with pytest.raises(
            ValueError, match="anneal_epochs must be equal or greater than 0, got -1"
        ):
            utils.SWALR(optimizer, 0.1, anneal_epochs=-1)
        with pytest.raises(ValueError, match="swa_lr must have the same length as"):
            utils.SWALR(optimizer, [0.1])
