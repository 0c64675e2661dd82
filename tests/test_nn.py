"""Layers and losses: values and gradients against torch's and finite differences, repr, errors."""

import math
import os
import signal
import threading

import numpy as np
import pytest
from conftest import bits_equal, in_use_bytes, spread

import kael
from kael import nn
from kael.nn import functional
from kael.testing import gradcheck


def values(*shape, seed=0, dtype="float64"):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def doubles(*shape, seed=0):
    return kael.tensor(values(*shape, seed=seed)).requires_grad_()


def pair(mine, torch_module):
    """Gives a torch module the values of ours."""
    import torch

    state = {k: torch.from_numpy(np.array(v)) for k, v in mine.state_dict().items()}
    torch_module.load_state_dict(state)
    return torch_module


CASES = {
    "Linear": lambda n: n.Linear(5, 3),
    "Linear without bias": lambda n: n.Linear(5, 3, bias=False),
    "ReLU": lambda n: n.ReLU(),
    "GELU": lambda n: n.GELU(),
    "GELU tanh": lambda n: n.GELU(approximate="tanh"),
    "Tanh": lambda n: n.Tanh(),
    "Sigmoid": lambda n: n.Sigmoid(),
    "Softmax": lambda n: n.Softmax(dim=1),
    "Softmax of rows": lambda n: n.Softmax(dim=-1),
    "LogSoftmax": lambda n: n.LogSoftmax(dim=-1),
    "LayerNorm": lambda n: n.LayerNorm(5),
    "LayerNorm of two dims": lambda n: n.LayerNorm((4, 5), eps=1e-3),
    "LayerNorm plain": lambda n: n.LayerNorm(5, elementwise_affine=False),
    "LayerNorm without bias": lambda n: n.LayerNorm(5, bias=False),
    "RMSNorm": lambda n: n.RMSNorm(5),
    "RMSNorm of two dims": lambda n: n.RMSNorm((4, 5), eps=1e-3),
    "RMSNorm without weight": lambda n: n.RMSNorm(5, elementwise_affine=False),
    "Flatten": lambda n: n.Flatten(),
    "Flatten some": lambda n: n.Flatten(0, 1),
    "Identity": lambda n: n.Identity(3, unused=True),
    "Dropout in eval": lambda n: n.Dropout(0.3).eval(),
    "Sequential": lambda n: n.Sequential(n.Linear(5, 8), n.Tanh(), n.LayerNorm(8), n.Linear(8, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_modules_agree_with_torch(name):
    torch = pytest.importorskip("torch")
    kael.manual_seed(1)
    mine = CASES[name](nn)
    theirs = pair(mine, CASES[name](torch.nn))
    x = values(3, 4, 5, dtype="float32")
    a = kael.tensor(x).requires_grad_()
    b = torch.from_numpy(x).requires_grad_()
    out, expected = mine(a), theirs(b)
    weights = values(*out.shape, seed=5, dtype="float32")
    (out * kael.tensor(weights)).sum().backward()
    (expected * torch.from_numpy(weights)).sum().backward()
    close = {"rtol": 1e-5, "atol": 2e-6}
    np.testing.assert_allclose(np.asarray(out.detach()), expected.detach().numpy(), **close)
    np.testing.assert_allclose(np.asarray(a.grad), b.grad.numpy(), **close)
    for p, q in zip(mine.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(np.asarray(p.grad), q.grad.numpy(), **close)
    assert repr(mine) == repr(theirs)


@pytest.mark.parametrize("name", CASES)
def test_gradients_by_finite_differences(name):
    kael.manual_seed(2)
    module = CASES[name](nn).double()
    parameters = list(module.parameters())
    assert gradcheck(lambda x, *rest: module(x).clone(), (doubles(3, 4, 5), *parameters))


def test_every_module_is_differentiated():
    """Those named here are checked further down, or compute nothing of their own."""
    others = "CrossEntropyLoss Embedding L1Loss MSELoss Module ModuleDict ModuleList NLLLoss "
    others += "ParameterDict ParameterList"
    classes = {name: getattr(nn, name) for name in nn.__all__}
    modules = {n for n, c in classes.items() if isinstance(c, type) and issubclass(c, nn.Module)}
    assert modules - {name.split()[0] for name in CASES} == set(others.split())


def test_linear_starts_as_torchs_and_follows_the_seed():
    kael.manual_seed(0)
    layer = nn.Linear(100, 50)
    bound = 1 / math.sqrt(100)
    for p in layer.parameters():
        assert p.requires_grad and np.abs(np.asarray(p.detach())).max() <= bound
    assert np.asarray(layer.weight.detach()).std() == pytest.approx(bound / math.sqrt(3), rel=0.05)
    kael.manual_seed(0)
    assert bits_equal(nn.Linear(100, 50).weight.detach(), layer.weight.detach())
    assert nn.Linear(4, 2, dtype=kael.float64).bias.dtype is kael.float64


def test_initial_values():
    torch = pytest.importorskip("torch")
    for name, arguments in [
        ("kaiming_uniform_", {"a": 0.3}),
        ("kaiming_normal_", {"mode": "fan_out", "nonlinearity": "relu"}),
        ("xavier_uniform_", {"gain": 2.0}),
        ("xavier_normal_", {}),
        ("uniform_", {"a": -2.0, "b": 1.0}),
        ("normal_", {"mean": 3.0, "std": 0.2}),
        ("constant_", {"val": 4.0}),
        ("ones_", {}),
        ("zeros_", {}),
    ]:
        w = kael.empty(300, 200).requires_grad_()
        t = torch.empty(300, 200)
        assert getattr(nn.init, name)(w, **arguments) is w
        getattr(torch.nn.init, name)(t, **arguments)
        got = np.asarray(w.detach())
        assert got.mean() == pytest.approx(t.mean().item(), abs=0.02)
        assert got.std() == pytest.approx(t.std().item(), rel=0.02, abs=1e-6)
        assert np.abs(got).max() == pytest.approx(t.abs().max().item(), rel=0.3)
    for nonlinearity in ("linear", "tanh", "relu", "sigmoid", "selu", "leaky_relu"):
        assert nn.init.calculate_gain(nonlinearity) == torch.nn.init.calculate_gain(nonlinearity)
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        nn.init.kaiming_uniform_(kael.empty(3))
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        nn.init.calculate_gain("none")


def test_dropout_writes_into_its_input():
    x = kael.ones(100)
    kael.manual_seed(0)
    fresh = functional.dropout(x, 0.3)
    kael.manual_seed(0)
    assert nn.Dropout(0.3, inplace=True)(x) is x and bits_equal(x, fresh)
    assert functional.dropout(x, 0.0, inplace=True) is x
    assert repr(nn.Dropout(0.3, inplace=True)) == "Dropout(p=0.3, inplace=True)"
    leaf = kael.ones(3, requires_grad=True)
    y = leaf * 2
    functional.dropout(y, 1.0, inplace=True).sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match="dropout: inplace must be a bool"):
        functional.dropout(x, inplace="yes")


def test_dropout_scales_what_it_keeps_forward_and_backward():
    kael.manual_seed(3)
    x = kael.ones(1000, 100).requires_grad_()
    layer = nn.Dropout(0.25)
    out = layer(x)
    got = np.asarray(out.detach())
    assert set(np.unique(got)) == {np.float32(0), np.float32(1 / 0.75)}
    assert got.mean() == pytest.approx(1, abs=0.01)
    out.sum().backward()
    assert bits_equal(x.grad, got)
    kael.manual_seed(3)
    assert bits_equal(layer(kael.ones(1000, 100)), got)
    assert layer.eval()(x) is x and nn.Dropout(0.0)(x) is x
    assert not np.asarray(functional.dropout(x.detach(), 1.0)).any()
    for p in (-0.1, 1.1):
        with pytest.raises(ValueError, match="has to be between 0 and 1"):
            nn.Dropout(p)


def test_probabilities_for_an_empty_batch_have_no_mean():
    for shape in [(0, 3), (0, 3, 4), (2, 3, 0)]:
        nothing = kael.zeros(*shape)
        assert np.isnan(functional.cross_entropy(nothing, nothing).item())
        assert functional.cross_entropy(nothing, nothing, reduction="sum").item() == 0


def test_no_classes_are_enough_where_every_target_is_ignored():
    targets = kael.full((2,), -100, dtype=kael.int64)
    for smoothing in (0.0, 0.2):
        loss = functional.cross_entropy(
            kael.zeros(2, 0), targets, reduction="none", label_smoothing=smoothing
        )
        assert loss.tolist() == [0, 0]


def test_embeddings_and_their_gradients_are_torchs():
    torch = pytest.importorskip("torch")
    indices = np.array([[1, 2, 2, 0], [9, 0, 1, 1]])
    for padding in (None, 1, -1):
        mine = nn.Embedding(10, 3, padding_idx=padding)
        theirs = pair(mine, torch.nn.Embedding(10, 3, padding_idx=padding))
        out, expected = mine(kael.tensor(indices)), theirs(torch.from_numpy(indices))
        assert bits_equal(out.detach(), expected.detach().numpy())
        weights = values(2, 4, 3, dtype="float32")
        (out * kael.tensor(weights)).sum().backward()
        (expected * torch.from_numpy(weights)).sum().backward()
        np.testing.assert_allclose(
            np.asarray(mine.weight.grad), theirs.weight.grad.numpy(), rtol=1e-6
        )
        assert repr(mine) == repr(theirs)
        if padding is not None:
            assert not np.asarray(mine.weight.detach())[padding].any()
    assert mine(kael.zeros(0, dtype=kael.int64)).shape == (0, 3)
    table = doubles(5, 2)
    picks = kael.tensor([0, 3, 3])
    assert gradcheck(lambda w: functional.embedding(picks, w), table)
    with pytest.raises(IndexError):
        mine(kael.tensor([10]))
    with pytest.raises(IndexError, match="embedding: index -2 is negative"):
        functional.embedding(kael.tensor([0, -1, -2]), table)
    with pytest.raises(TypeError, match="embedding: indices must be integers, got float32"):
        mine(kael.ones(2))
    with pytest.raises(ValueError, match="padding_idx must be within num_embeddings"):
        nn.Embedding(10, 3, padding_idx=10)


# ---- losses ----

LOSS_OPTIONS = [
    {"weight": w, "ignore_index": i, "reduction": r, "label_smoothing": s}
    for w in (False, True)
    for i in (-100, 2)
    for r in ("none", "mean", "sum")
    for s in (0.0, 0.2)
]


def option_name(options):
    return "-".join(map(str, options.values()))


def torch_loss(options, logits, target):
    import torch

    options = dict(options)
    if options.pop("weight"):
        options["weight"] = torch.from_numpy(np.linspace(0.5, 2, 6))
    x = torch.from_numpy(logits).requires_grad_()
    loss = torch.nn.CrossEntropyLoss(**options)(x, torch.from_numpy(target))
    loss.sum().backward()
    return loss.detach().numpy(), x.grad.numpy()


def kael_loss(options, logits, target):
    options = dict(options)
    if options.pop("weight"):
        options["weight"] = kael.tensor(np.linspace(0.5, 2, 6))
    x = kael.tensor(logits).requires_grad_()
    loss = nn.CrossEntropyLoss(**options)(x, kael.tensor(target))
    loss.sum().backward()
    return np.asarray(loss.detach()), np.asarray(x.grad)


@pytest.mark.parametrize("options", LOSS_OPTIONS, ids=option_name)
def test_cross_entropy_agrees_with_torch(options):
    pytest.importorskip("torch")
    draw = np.random.default_rng(7)
    for shape in ((6,), (5, 6), (1, 6), (4, 6, 3), (2, 6, 3, 2)):
        logits = values(*shape, seed=3)
        target = draw.integers(0, 6, shape[:1] + shape[2:] if len(shape) > 1 else ())
        if len(shape) == 2 and shape[0] > 1:
            target[:2] = options["ignore_index"]
        found, expected = kael_loss(options, logits, target), torch_loss(options, logits, target)
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weight", [False, True])
def test_cross_entropy_of_probabilities_agrees_with_torch(reduction, smoothing, weight):
    pytest.importorskip("torch")
    options = {"weight": weight, "reduction": reduction, "label_smoothing": smoothing}
    for shape in ((6,), (5, 6), (4, 6, 3)):
        target = np.abs(values(*shape, seed=4))
        logits = values(*shape, seed=5)
        found, expected = kael_loss(options, logits, target), torch_loss(options, logits, target)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_ignored_rows_do_not_count(reduction, smoothing):
    # pytorch/pytorch#73205: smoothing counted ignored rows
    logits = spread((20, 9))
    target = np.arange(20) % 9
    ignored = np.arange(20) % 3 == 1
    kept = ~ignored
    loss = nn.CrossEntropyLoss(reduction=reduction, label_smoothing=smoothing)
    expected = np.asarray(loss(kael.tensor(logits[kept]), kael.tensor(target[kept])))
    target[ignored] = -100
    x = kael.tensor(logits).requires_grad_()
    found = loss(x, kael.tensor(target))
    found.sum().backward()
    found = np.asarray(found.detach())
    assert bits_equal(found[kept] if reduction == "none" else found, expected)
    assert not np.asarray(x.grad)[ignored].any()
    everything = nn.CrossEntropyLoss()(kael.zeros(2, 3), kael.tensor([-100, -100]))
    assert math.isnan(everything.item())


def test_cross_entropy_of_known_and_extreme_logits():
    x = kael.tensor([[1.0, 2.0, 3.0]]).requires_grad_()
    loss = functional.cross_entropy(x, kael.tensor([0]))
    loss.backward()
    assert loss.item() == pytest.approx(2.407606, abs=1e-6)
    np.testing.assert_allclose(np.asarray(x.grad)[0], [-0.909969, 0.244728, 0.665241], atol=1e-6)
    large = kael.tensor([[1e4, 0.0]])
    assert functional.cross_entropy(large, kael.tensor([1])).item() == 1e4
    x = kael.tensor([[0.0, -math.inf], [1.0, 2.0]]).requires_grad_()
    loss = functional.cross_entropy(x, kael.tensor([1, 0]), reduction="sum")
    loss.backward()
    assert loss.item() == math.inf and np.isfinite(np.asarray(x.grad)[1]).all()


@pytest.mark.parametrize("wrong", [3, -1, 2**40])
def test_targets_out_of_range_raise(wrong):
    # pytorch/pytorch#12670
    for loss in (functional.cross_entropy, functional.nll_loss):
        with pytest.raises(IndexError):
            loss(kael.zeros(2, 3), kael.tensor([0, wrong]))
        with pytest.raises(IndexError):
            loss(kael.zeros(3, 3), kael.tensor([0, -100, wrong]))
    large = kael.zeros(70_001, 3)
    target = np.zeros(70_001, np.int64)
    target[70_000] = wrong
    with kael.num_threads(4), pytest.raises(IndexError):
        functional.cross_entropy(large, kael.tensor(target))
    assert functional.cross_entropy(large, kael.zeros(70_001, dtype=kael.int64)).item() > 1


@pytest.mark.parametrize("dtype", [kael.bool_, kael.float32])
def test_classes_are_integers(dtype):
    with pytest.raises(TypeError, match=f"nll_loss: targets must be integers, got {dtype.name}"):
        functional.nll_loss(kael.zeros(2, 3), kael.zeros(2, dtype=dtype))
    with pytest.raises((TypeError, ValueError), match="cross_entropy"):
        functional.cross_entropy(kael.zeros(2, 3), kael.zeros(2, dtype=dtype))


def test_loss_arguments_are_checked():
    x = kael.zeros(3, 4)
    for call, words in [
        (lambda: functional.cross_entropy(x, kael.tensor([0, 1])), "Expected input batch_size"),
        (lambda: functional.cross_entropy(x, kael.zeros(3, 1, dtype=kael.int64)), "target size"),
        (lambda: functional.cross_entropy(x, kael.zeros(3)), "probabilities must have"),
        (lambda: functional.cross_entropy(x, kael.tensor([0] * 3), kael.ones(3)), "weight tensor"),
        (lambda: nn.CrossEntropyLoss(reduction="avg"), "avg is not a valid value for reduction"),
        (lambda: functional.cross_entropy(x, kael.tensor([0] * 3), label_smoothing=2), "smoothing"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_other_losses_agree_with_torch(reduction):
    torch = pytest.importorskip("torch")
    a, b = values(4, 6, seed=1), values(4, 6, seed=2)
    target = np.array([0, 5, 2, -100])
    for kind, other in (("MSELoss", b), ("L1Loss", b), ("NLLLoss", target)):
        x, t = kael.tensor(a).requires_grad_(), torch.from_numpy(a).requires_grad_()
        found = getattr(nn, kind)(reduction=reduction)(x, kael.tensor(other))
        expected = getattr(torch.nn, kind)(reduction=reduction)(t, torch.from_numpy(other))
        found.sum().backward()
        expected.sum().backward()
        np.testing.assert_allclose(np.asarray(found.detach()), expected.detach().numpy())
        np.testing.assert_allclose(np.asarray(x.grad), t.grad.numpy())


@pytest.mark.parametrize(
    "loss",
    [
        lambda x: functional.cross_entropy(x, kael.tensor([0, 5, 3])),
        lambda x: functional.cross_entropy(x, kael.tensor([0, -100, 3]), reduction="none"),
        lambda x: functional.cross_entropy(
            x, kael.tensor([1, 1, 2]), kael.tensor(np.linspace(1, 2, 6)), label_smoothing=0.1
        ),
        lambda x: functional.cross_entropy(x, kael.tensor(np.full((3, 6), 1 / 6))),
        lambda x: functional.mse_loss(x, kael.tensor(values(3, 6, seed=9))),
        lambda x: functional.l1_loss(x, kael.tensor(values(3, 6, seed=9))),
        lambda x: functional.nll_loss(x, kael.tensor([0, 5, 3])),
        lambda x: functional.layer_norm(x, (6,)),
        lambda x: functional.log_softmax(x, 0),
    ],
)
def test_functions_by_finite_differences(loss):
    assert gradcheck(loss, doubles(3, 6))


def test_a_small_network_learns_with_the_same_bits_everywhere():
    draw = np.random.default_rng(0)
    x = kael.tensor(draw.normal(size=(96, 20)).astype("float32"))
    y = kael.tensor(np.asarray(x)[:, :5].argmax(1))

    def train():
        kael.manual_seed(0)
        net = nn.Sequential(nn.Linear(20, 33), nn.ReLU(), nn.LayerNorm(33), nn.Linear(33, 5))
        optimizer = kael.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(30):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(x), y, label_smoothing=0.05)
            loss.backward()
            kael.optim.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
        return loss.item(), [np.array(p.detach()) for p in net.parameters()]

    with kael.isa("generic"), kael.num_threads(1):
        loss, expected = train()
    assert loss < 0.6
    for isa in kael.usable_isas():
        for threads in (1, 2, 7):
            with kael.isa(isa), kael.num_threads(threads):
                for a, b in zip(train()[1], expected, strict=True):
                    assert bits_equal(a, b)


def test_an_interrupt_in_the_middle_of_training_leaves_the_process_usable(four_threads, interrupts):
    """KeyboardInterrupt at any point of a step: nothing stays held, and training goes on."""
    kael.manual_seed(0)
    x, y = kael.randn(256, 200), kael.randint(0, 10, (256,))

    def network():
        kael.manual_seed(1)
        net = nn.Sequential(nn.Linear(200, 128), nn.ReLU(), nn.LayerNorm(128), nn.Linear(128, 10))
        return net, kael.optim.Adam(net.parameters(), lr=1e-3)

    def step(net, optimizer):
        optimizer.zero_grad()
        loss = functional.cross_entropy(net(x), y)
        loss.backward()
        kael.optim.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    net, optimizer = network()
    step(net, optimizer)
    optimizer.zero_grad()
    before = in_use_bytes()
    for delay in range(20):
        timer = threading.Timer(0.002 + 0.0007 * delay, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            for _ in range(100_000):
                step(net, optimizer)
        timer.join()
        assert kael.is_grad_enabled()
    optimizer.zero_grad()
    assert in_use_bytes() == before
    again, expected = network(), network()
    assert [step(*again) for _ in range(3)] == [step(*expected) for _ in range(3)]


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss"])
def test_losses_name_themselves_and_do_not_wrap(name):
    loss = getattr(functional, name)
    with pytest.raises(ValueError, match=rf"^{name}: shapes \(2,\), \(3,\) do not broadcast"):
        loss(kael.ones(2), kael.ones(3))
    bytes_, others = (kael.tensor(x, dtype="uint8") for x in ([0, 255], [255, 0]))
    assert loss(bytes_, others).item() == (255.0**2 if name == "mse_loss" else 255.0)


def test_layers_name_themselves():
    x = kael.ones(2, 3)
    for call, error, text in [
        (lambda: functional.layer_norm(x, (4,)), ValueError, r"sizes \(4,\)"),
        (lambda: functional.layer_norm(x, (3,), kael.ones(4)), ValueError, "weight of shape"),
        (lambda: functional.layer_norm(x, (3,), eps="x"), TypeError, "eps must be a number"),
        (lambda: functional.layer_norm(kael.arange(3), (3,)), TypeError, "got int64"),
        (
            lambda: functional.layer_norm(x, (3,), kael.ones(3, dtype="float64")),
            TypeError,
            "dtypes differ: weight is float64, the input is float32",
        ),
        (lambda: functional.embedding(kael.tensor([5]), x), IndexError, "index 5 is out of bounds"),
        (lambda: functional.dropout(kael.arange(3)), TypeError, "must be of floats, got int64"),
        (lambda: kael.isclose(x, kael.ones(2)), ValueError, "do not broadcast"),
    ]:
        with pytest.raises(error, match=rf"^(layer_norm|embedding|dropout|isclose): .*{text}"):
            call()
