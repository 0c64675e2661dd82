"""Arguments of a wrong kind: a TypeError that names the operation, the argument and the value."""

import re

import numpy as np
import pytest

import kael
from kael import nn

X, CUBE = kael.ones(3, 4), kael.ones(2, 3, 4)
CLASSES = kael.tensor([0, 1, 2])
WEIGHT = kael.ones(3, requires_grad=True)
WEIGHT.grad = kael.ones(3)
F = nn.functional

# Operation and argument: a call with a value for that argument.
INTEGERS = {
    "sum: dim": lambda v: kael.sum(X, v),
    "amax: dim": lambda v: kael.amax(X, (0, v)),
    "softmax: dim": lambda v: kael.softmax(X, v),
    "log_softmax: dim": lambda v: X.log_softmax(v),
    "cumsum: dim": lambda v: kael.cumsum(X, v),
    "transpose: dim": lambda v: kael.transpose(X, 0, v),
    "flatten: dim": lambda v: kael.flatten(X, v),
    "cat: dim": lambda v: kael.cat([X, X], v),
    "squeeze: dim": lambda v: kael.squeeze(X, [v]),
    "stride: dim": lambda v: X.stride(v),
    "reshape: a size": lambda v: kael.reshape(X, 3, v),
    "expand: a size": lambda v: X.expand(3, v),
    "empty: a size": lambda v: kael.empty(2, v),
    "zeros: a size": lambda v: kael.zeros([v]),
    "eye: n": kael.eye,
    "linspace: steps": lambda v: kael.linspace(0, 1, v),
    "causal_softmax: offset": lambda v: kael.causal_softmax(X, v),
    "diagonal: offset": lambda v: kael.diagonal(X, v),
    "narrow: start": lambda v: kael.narrow(X, 0, v, 1),
    "narrow: length": lambda v: kael.narrow(X, 0, 0, v),
    "select: index": lambda v: kael.select(X, 0, v),
    "chunk: chunks": lambda v: kael.chunk(X, v),
    "split: a size": lambda v: kael.split(X, [1, v]),
    "standardize: normalized_dims": lambda v: kael.standardize(X, v),
    "rms_norm: a size of normalized_shape": lambda v: kael.rms_norm(X, (v,)),
    "layer_norm: a size of normalized_shape": lambda v: F.layer_norm(X, [v]),
    "RMSNorm: a size of normalized_shape": lambda v: nn.RMSNorm([v]),
    "Linear: in_features": lambda v: nn.Linear(v, 2),
    "Embedding: embedding_dim": lambda v: nn.Embedding(2, v),
    "randint: high": lambda v: kael.randint(0, v, (2,)),
    "randperm: n": kael.randperm,
    "manual_seed: seed": kael.Generator,
    "parallel_for: grain": lambda v: kael.parallel_for(0, 5, v, lambda first, last: None),
}
NUMBERS = {
    "addmm: beta": lambda v: kael.addmm(X, X, kael.ones(4, 4), beta=v),
    "addmm: alpha": lambda v: kael.addmm(X, X, kael.ones(4, 4), alpha=v),
    "baddbmm: beta": lambda v: kael.baddbmm(CUBE, CUBE, kael.ones(2, 4, 4), beta=v),
    "isclose: rtol": lambda v: kael.isclose(X, X, v),
    "allclose: atol": lambda v: kael.allclose(X, X, atol=v),
    "arange: start": lambda v: kael.arange(v, 5),
    "arange: step": lambda v: kael.arange(0, 5, v),
    "linspace: end": lambda v: kael.linspace(0, v, 3),
    "full: fill_value": lambda v: kael.full((2,), v),
    "fill_: value": lambda v: X.clone().fill_(v),
    "std: correction": lambda v: kael.std(X, correction=v),
    "norm: p": lambda v: kael.norm(X, [v]),
    "standardize: eps": lambda v: kael.standardize(X, 1, v),
    "rms_norm: eps": lambda v: kael.rms_norm(X, 4, eps=[v]),
    "uniform_: low": lambda v: X.clone().uniform_(v, 1.0),
    "normal_: mean": lambda v: X.clone().normal_(v),
    "bernoulli_: p": lambda v: X.clone().bernoulli_(v),
    "dropout: p": lambda v: F.dropout(X, v),
    "cross_entropy: label_smoothing": lambda v: F.cross_entropy(X, CLASSES, label_smoothing=v),
    "clip_grad_norm_: max_norm": lambda v: nn.utils.clip_grad_norm_([WEIGHT], v),
    "clip_grad_value_: clip_value": lambda v: nn.utils.clip_grad_value_([WEIGHT], v),
    "xavier_uniform_: gain": lambda v: nn.init.xavier_uniform_(X.clone(), v),
}
SEQUENCES = {
    "cat: tensors": kael.cat,
    "stack: tensors": kael.stack,
    "expand: sizes": X.expand,
    "permute: sizes": lambda v: kael.permute(X, v),
    "broadcast_to: shape": lambda v: kael.broadcast_to(X, v),
    "broadcast_shapes: a shape": lambda v: kael.broadcast_shapes((2,), v),
    "layer_norm: normalized_shape": lambda v: F.layer_norm(X, v),
    "parameters_to_vector: parameters": nn.utils.parameters_to_vector,
    "clip_grad_norm_: parameters": lambda v: nn.utils.clip_grad_norm_(v, 1.0),
}

MODULE = nn.Linear(2, 2)
DATA = kael.data.TensorDataset(X)


def differentiable():
    return kael.ones((), requires_grad=True) * 2


FLAGS = {
    "sum: keepdim": lambda v: kael.sum(X, 1, v),
    "mean: keepdim": lambda v: X.mean(1, v),
    "var: keepdim": lambda v: kael.var(X, 1, keepdim=v),
    "var: unbiased": lambda v: kael.var(X, 1, unbiased=v),
    "std_mean: keepdim": lambda v: kael.std_mean(X, 1, keepdim=v),
    "norm: keepdim": lambda v: [kael.norm(X, p, 1, v) for p in (0, 3, 2, 1, float("inf"))],
    "prod: keepdim": lambda v: kael.prod(X, 1, v),
    "amax: keepdim": lambda v: kael.amax(X, 1, v),
    "max: keepdim": lambda v: (kael.max(X, None, v), kael.max(X, 1, v)),
    "argmin: keepdim": lambda v: kael.argmin(X, 1, v),
    "any: keepdim": lambda v: kael.any(X, 1, v),
    "logsumexp: keepdim": lambda v: kael.logsumexp(X, 1, v),
    "isclose: equal_nan": lambda v: kael.isclose(X, X, equal_nan=v),
    "to: copy": lambda v: X.to(kael.float64, v),
    "tensor: requires_grad": lambda v: kael.tensor(1.0, requires_grad=v),
    "empty: requires_grad": lambda v: kael.empty(1, requires_grad=v),
    "zeros_like: requires_grad": lambda v: kael.zeros_like(X, requires_grad=v),
    "full: requires_grad": lambda v: kael.full((1,), 1.0, requires_grad=v),
    "arange: requires_grad": lambda v: kael.arange(1.0, requires_grad=v),
    "linspace: requires_grad": lambda v: kael.linspace(0, 1, 2, requires_grad=v),
    "eye: requires_grad": lambda v: kael.eye(2, requires_grad=v),
    "randn: requires_grad": lambda v: kael.randn(2, requires_grad=v),
    "requires_grad: the value": lambda v: X.clone().requires_grad_(v),
    "set_grad_enabled: mode": lambda v: kael.set_grad_enabled(v).__exit__(None, None, None),
    "set_caching_allocator_enabled: enabled": kael.set_caching_allocator_enabled,
    "dropout: training": lambda v: F.dropout(X, training=v),
    "Linear: bias": lambda v: nn.Linear(2, 2, v),
    "LayerNorm: elementwise_affine": lambda v: nn.LayerNorm(2, elementwise_affine=v),
    "LayerNorm: bias": lambda v: nn.LayerNorm(2, bias=v),
    "load_state_dict: strict": lambda v: MODULE.load_state_dict(MODULE.state_dict(), v),
    "zero_grad: set_to_none": lambda v: (nn.Module().zero_grad(v), optimizer().zero_grad(v)),
    "SGD: nesterov": lambda v: optimizer(momentum=0.9, nesterov=v),
    "SGD: maximize": lambda v: optimizer(maximize=v),
    "Adam: amsgrad": lambda v: kael.optim.Adam([{"params": [WEIGHT], "amsgrad": v}]),
    "optimizer: foreach": lambda v: optimizer(foreach=v),
    "clip_grad_norm_: error_if_nonfinite": lambda v: nn.utils.clip_grad_norm_([WEIGHT], 9, 2, v),
    "DataLoader: shuffle": lambda v: kael.data.DataLoader(DATA, 2, v),
    "DataLoader: drop_last": lambda v: kael.data.DataLoader(DATA, 2, False, v),
}
REFUSED_AS_TRUE = {  # whoever calls with True is refused with something else
    "backward: create_graph": lambda v: differentiable().backward(create_graph=v),
    "backward: retain_graph": lambda v: differentiable().backward(retain_graph=v),
    "grad: allow_unused": lambda v: kael.autograd.grad(WEIGHT.sum(), WEIGHT, allow_unused=v),
}


def optimizer(**options):
    return kael.optim.SGD([WEIGHT], 0.1, **options)


def names(what, kind, value):
    return f"^{re.escape(what)} must be {kind}, got {re.escape(repr(value))}"


@pytest.mark.parametrize("what", INTEGERS)
def test_what_is_no_integer(what):
    for value in ("text", 1.5, object()):
        with pytest.raises(TypeError, match=names(what, "an integer", value)):
            INTEGERS[what](value)


@pytest.mark.parametrize("what", NUMBERS)
def test_what_is_no_number(what):
    for value in ("text", object()):
        given = [value] if what in ("norm: p", "rms_norm: eps") else value
        with pytest.raises(TypeError, match=names(what, "a number", given)):
            NUMBERS[what](value)


@pytest.mark.parametrize("what", FLAGS | REFUSED_AS_TRUE)
@pytest.mark.parametrize(
    "value", [X, kael.tensor(True), np.ones(2), np.ones(2, bool), "text", [True], 0.5, 2], ids=repr
)
def test_what_is_no_truth_value(what, value):
    """A tensor is none either: of several elements it would fail elsewhere, of one it would do."""
    with pytest.raises(TypeError, match=names(what, "a bool", value)):
        (FLAGS | REFUSED_AS_TRUE)[what](value)


@pytest.mark.parametrize("what", FLAGS)
def test_truth_values_of_numpy_and_0_and_1_are_truth_values(what):
    for value in (np.False_, 0, False, np.True_, 1, True):
        FLAGS[what](value)


@pytest.mark.parametrize("what", SEQUENCES)
def test_what_is_no_sequence(what):
    for value in (None, 1.5):
        with pytest.raises(TypeError, match=names(what, "a sequence", value)):
            SEQUENCES[what](value)


def test_layer_norm_takes_a_sequence_of_sizes_as_pytorch_does():
    with pytest.raises(TypeError, match="layer_norm: normalized_shape must be a sequence, got 4"):
        F.layer_norm(X, 4)
    with pytest.raises(TypeError, match=r"RMSNorm: normalized_shape must be an integer, got 1\.5"):
        nn.RMSNorm(1.5)
    with pytest.raises(TypeError, match="LayerNorm: normalized_shape must be an integer, got None"):
        nn.LayerNorm(None)


@pytest.mark.parametrize("name", ["matmul", "mm", "addmm"])
def test_out_is_a_tensor(name):
    operands = [X, kael.ones(4, 4)]
    operands = [X, *operands] if name == "addmm" else operands
    with pytest.raises(TypeError, match=f"^{name}: out must be a Tensor or None, got str"):
        getattr(kael, name)(*operands, out="text")


def test_parallel_for_takes_a_callable():
    with pytest.raises(TypeError, match="parallel_for: body must be callable, got 'text'"):
        kael.parallel_for(0, 5, 1, "text")


def test_limits_beyond_64_bits():
    with pytest.raises(OverflowError, match=f"^parallel_for: {2**64} does not fit in 64 bits"):
        kael.parallel_for(0, 2**64, 1, print)


def test_numbers_of_numpy_are_numbers():
    """Integers where integers are wanted, any where numbers are; a 0-d tensor, too."""
    assert kael.sum(X, np.int64(1)).shape == (3,)
    assert kael.zeros(np.int32(2)).shape == (2,)
    assert kael.narrow(X, 0, kael.tensor(1), np.uint8(2)).shape == (2, 4)
    assert kael.full((1,), np.float32(0.5)).tolist() == [0.5]
    assert kael.full((1,), np.True_).tolist() == [True]
    assert kael.arange(np.int64(3)).tolist() == [0, 1, 2]
    assert kael.arange(kael.tensor(2**53 + 1), np.array(2**53 + 2)).tolist() == [2**53 + 1]
    assert kael.arange(kael.tensor(2.0)).dtype is kael.float32
    assert kael.addmm(X, X, kael.eye(4), beta=np.float64(2)).tolist() == (X * 3).tolist()
    assert nn.utils.get_total_norm([X], np.float32(1)).item() == 12
    assert nn.utils.get_total_norm([X], "inf").item() == 1


NAMES = {
    "mse_loss": lambda: F.mse_loss(X, CLASSES),
    "l1_loss": lambda: F.l1_loss(X, CLASSES),
    "layer_norm": lambda: F.layer_norm(X, (3,)),
    "isclose": lambda: kael.isclose(X, CLASSES),
    "allclose": lambda: kael.allclose(X, CLASSES),
    "masked_fill": lambda: X.masked_fill(CLASSES > 0, 0.0),
    "masked_select": lambda: X.masked_select(CLASSES > 0),
    "var_mean": lambda: kael.var_mean(X, 5),
    "std_mean": lambda: kael.std_mean(X, unbiased="text"),
    "stack": lambda: kael.stack([X, X], 9),
    "embedding": lambda: F.embedding(CLASSES + 9, X),
    "dropout": lambda: F.dropout(CLASSES),
    "full: a size": lambda: kael.full("text", 1),
    "full: negative size -1 at dim 1": lambda: kael.full((2, -1), 1),
    "ones: negative size -1": lambda: kael.ones(-1),
    "zeros: negative size -1": lambda: kael.zeros(-1),
    "empty: negative size -1": lambda: kael.empty(-1),
    "eye: negative size -1 at dim 0": lambda: kael.eye(-1),
    "rand: negative size -1": lambda: kael.rand(-1),
    "randint: negative size -1": lambda: kael.randint(3, (-1,)),
    "full_like: fill_value": lambda: kael.full_like(X, "text"),
    "tensor: dtype complex128 is not supported": lambda: kael.tensor([1j]),
    "tensor: dtype str": lambda: kael.tensor("text"),
    "as_tensor: dtype int8 is not supported": lambda: kael.as_tensor(np.ones(1, "i1")),
    "from_numpy: dtype float16": lambda: kael.from_numpy(np.ones(1, "f2")),
    "copy_: dtype str": lambda: X.clone().copy_("text"),
    "setitem: dtype str": lambda: X.clone().__setitem__(0, "text"),
    "as_tensor": lambda: kael.as_tensor(object()),
    "copy_": lambda: X.clone().copy_(object()),
    "broadcast_to: shape": lambda: kael.broadcast_to(X, (1, 2)),
    "clamp: shapes": lambda: X.clamp(kael.ones(2, 5)),
    "clamp: shapes (3, 4), (2, 5)": lambda: X.clamp(None, kael.ones(2, 5, requires_grad=True)),
    "rand_like": lambda: kael.rand_like(X > 0),
    "randn_like": lambda: kael.randn_like(X > 0),
    "randint_like: low must be": lambda: kael.randint_like(X, 0),
    "bernoulli": lambda: kael.bernoulli(X > 0),
    "take_along_dim: index": lambda: kael.take_along_dim(X, CLASSES + 12),
    "take_along_dim: shapes": lambda: kael.take_along_dim(X, kael.tensor([[0], [0]]), 1),
    "masked_fill: shapes": lambda: X.masked_fill(X > 0, kael.ones(2, 5)),
    "get_total_norm: norm_type": lambda: nn.utils.get_total_norm([X], "text"),
    "get_total_norm: takes": lambda: nn.utils.get_total_norm([CLASSES]),
    "constant_: val": lambda: nn.init.constant_(X.clone(), kael.ones(2, 5)),
    "kaiming_uniform_: a must": lambda: nn.init.kaiming_uniform_(X.clone(), "text"),
    "kaiming_normal_: Fan in": lambda: nn.init.kaiming_normal_(CLASSES),
    "xavier_normal_: fills": lambda: nn.init.xavier_normal_(kael.ones(2, 2, dtype=int)),
    "xavier_uniform_: low must": lambda: nn.init.xavier_uniform_(X.clone(), -1),
    "parameters_to_vector": lambda: nn.utils.parameters_to_vector([]),
    "cross_entropy: ignore_index": lambda: F.cross_entropy(X, CLASSES, ignore_index=None),
    f"cross_entropy: ignore_index {2**70}": lambda: F.cross_entropy(X, CLASSES, ignore_index=2**70),
    "nll_loss: ignore_index": lambda: F.nll_loss(X, CLASSES, ignore_index=1.5),
    "cross_entropy: target 9 of row 0": lambda: F.cross_entropy(X, CLASSES + 9),
    "cross_entropy: dtypes differ: weight is int64": lambda: F.cross_entropy(
        X, CLASSES, weight=kael.ones(4, dtype=int)
    ),
    "cross_entropy: targets must be": lambda: F.cross_entropy(X, CLASSES > 0),
    "cross_entropy: shapes or dtypes differ: probabilities are float64, the logits float32": (
        lambda: F.cross_entropy(X, X.double())
    ),
    "cross_entropy: takes floating": lambda: F.cross_entropy(X.long(), CLASSES),
    "embedding: padding_idx": lambda: F.embedding(CLASSES, kael.ones(3, 2), padding_idx=3),
    "Linear: in_features must not be negative, got -1": lambda: nn.Linear(-1, 2),
    "Embedding: num_embeddings must not be negative": lambda: nn.Embedding(-1, 2),
    "layer_norm: sizes (3,) are not the last dims of (3, 4)": lambda: nn.LayerNorm(3)(X),
    "LayerNorm: a size of normalized_shape must not be": lambda: nn.LayerNorm((2, -1)),
    "load: path must be a str or path-like, got None": lambda: kael.load(None),
    "save: path must be a str or path-like, got 5": lambda: kael.save({}, 5),
    "optimizer: epsilon value must be a number": lambda: kael.optim.Adagrad([WEIGHT], eps="text"),
    "optimizer: lr must be a number": lambda: kael.optim.Adafactor([WEIGHT], "text"),
    "optimizer: betas[0] must be a number": lambda: kael.optim.Adam([WEIGHT], betas=("x", 0.9)),
    "optimizer: betas must be a sequence": lambda: kael.optim.Adam([WEIGHT], betas=0.9),
    "SGD: dampening must be a number": lambda: optimizer(dampening=None),
    "bernoulli: the probabilities must be in [0, 1], got tensor(1.5)": lambda: kael.bernoulli(
        kael.tensor(1.5)
    ),
    "index_select: index 3 is out of bounds": lambda: X.index_select(0, CLASSES + 1),
    "index_select: a 0-d tensor": lambda: kael.tensor(1.0).index_select(0, CLASSES),
    "select: index 4 is out of range for dim 1 of (3, 4)": lambda: X.select(1, 4),
    "select: index -4 is out of range for dim 0 of (3, 4)": lambda: kael.select(X, 0, -4),
    f"sum: dim {2**70} is out of range": lambda: X.sum(2**70),
    f"transpose: dim {-(2**70)} is out of range": lambda: X.transpose(0, -(2**70)),
    "setitem: a value of shape (5,)": lambda: X.clone().__setitem__(0, kael.ones(5)),
    "setitem: shape (5,) does not": lambda: X.clone().__setitem__(CLASSES, kael.ones(5)),
    "dim: operand 1": lambda: kael.Tensor.dim("text"),
    "size: operand 1": lambda: kael.Tensor.size("text"),
    "requires_grad_: operand 1": lambda: kael.Tensor.requires_grad_("text"),
    "repr: operand 1": lambda: kael.Tensor.__repr__("text"),
    "DataLoader: batch_size": lambda: kael.data.DataLoader(None, batch_size=2.5),
}


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_made_of_others_names_itself(name):
    with pytest.raises((IndexError, TypeError, ValueError), match=f"^{re.escape(name)}"):
        NAMES[name]()
