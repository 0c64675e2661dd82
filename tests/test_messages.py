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


def test_numbers_of_numpy_are_numbers():
    """Integers where integers are wanted, any where numbers are; a 0-d tensor, too."""
    assert kael.sum(X, np.int64(1)).shape == (3,)
    assert kael.zeros(np.int32(2)).shape == (2,)
    assert kael.narrow(X, 0, kael.tensor(1), np.uint8(2)).shape == (2, 4)
    assert kael.full((1,), np.float32(0.5)).tolist() == [0.5]
    assert kael.full((1,), np.True_).tolist() == [True]
    assert kael.arange(np.int64(3)).tolist() == [0, 1, 2]
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
    "DataLoader": lambda: kael.data.DataLoader(None, batch_size=2.5),
}


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_made_of_others_names_itself(name):
    with pytest.raises((IndexError, TypeError, ValueError), match=f"^{name}: "):
        NAMES[name]()
