"""NumPy's names for arguments: axis for dim, keepdims for keepdim, as PyTorch takes them; and what
NumPy's own functions make of a tensor."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from conftest import bits_equal

import kael

X = kael.tensor([[1.5, -2.0, 4.0], [0.0, 3.0, 4.0]])
INDICES = kael.tensor([[1, 0, 1]])
# What a function is called with before its dim.
BEFORE = {
    "cat": ([X, X],),
    "chunk": (X, 2),
    "split": (X, 1),
    "stack": ([X, X],),
    "take_along_dim": (X, INDICES),
}
# What it is called with besides, by name.
BESIDES = {
    "gather": {"index": INDICES},
    "index_select": {"index": kael.tensor([1])},
    "narrow": {"start": 0, "length": 1},
    "select": {"index": 1},
}


def parameters(name):
    return inspect.signature(getattr(kael, name)).parameters


# But those that PyTorch does not have.
WITH_DIM = [n for n in kael.ops.__all__ if "dim" in parameters(n) and n != "cross_entropy_losses"]


def parts(out):
    """A list of what a function returned."""
    return list(out) if isinstance(out, tuple) else [out]


@pytest.mark.parametrize("name", WITH_DIM)
def test_axis_is_dim_and_keepdims_is_keepdim(name):
    """github: tinygrad/tinygrad#5432, where every call became slower for it."""
    function, before, besides = getattr(kael, name), BEFORE.get(name, (X,)), BESIDES.get(name, {})
    names = [{"dim": 0}, {"axis": 0}]
    if "keepdim" in parameters(name):
        names += [{"dim": 0, "keepdim": True}, {"axis": 0, "keepdims": True}]
    for ours, numpys in zip(names[::2], names[1::2], strict=True):
        expected = parts(function(*before, **ours, **besides))
        calls = [function(*before, **numpys, **besides)]
        if hasattr(kael.Tensor, name):
            calls.append(getattr(X, name)(*before[1:], **numpys, **besides))
        if len(before) == 1 and before[0] is X:
            calls.append(function(input=X, **numpys, **besides))
        for out in calls:
            for a, b in zip(parts(out), expected, strict=True):
                assert bits_equal(a, b)


@pytest.mark.parametrize("name", WITH_DIM)
def test_it_is_a_function_all_the_same(name):
    function = getattr(kael, name)
    assert pickle.loads(pickle.dumps(function)) is function and copy.deepcopy(function) is function
    assert repr(function) == f"<function {name}>" and function.__name__ == name
    assert function.__module__.startswith("kael.ops.") and "Parameters" in function.__doc__


@pytest.mark.parametrize("name", ["all", "any", "max", "mean", "prod", "std", "sum", "var"])
def test_keepdims_needs_no_axis(name):
    """github: pytorch/pytorch#71209."""
    assert getattr(X, name)(keepdims=True).shape == (1, 1)


def test_a_dim_is_named_once():
    for call, text in [
        (lambda: X.mean(axis=0, dim=0), "mean: dim is given twice"),
        (lambda: X.sum(axis=0, dim=0), "sum: dim is given twice"),
        (lambda: X.softmax(axis=0, dim=0), "softmax: dim is given twice"),
        (lambda: X.std(ddof=0, correction=1), "std: correction is given twice"),
        (lambda: X.mean(0, axis=0), "multiple values for argument 'dim'"),
        (lambda: X.mean(axes=0), "unexpected keyword argument 'axes'"),
        (lambda: X.mean(out=X), "unexpected keyword argument 'out'"),
        (lambda: X.sum(out=X), "unexpected keyword argument .out."),
        (lambda: kael.mean(axis=0), "missing 1 required positional argument"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()
    for axis, error in ((5, IndexError), ("a", TypeError), (2**80, IndexError)):
        with pytest.raises(error):
            X.mean(axis=axis)


def test_methods_are_functions_all_the_same():
    for name in sorted(vars(kael.Tensor)):
        method = vars(kael.Tensor)[name]
        if type(method) is type(kael.sum):
            assert pickle.loads(pickle.dumps(getattr(kael.Tensor, name))) is method, name
    assert kael.Tensor.sum.__module__ == "kael.tensor"
    assert kael.Tensor.sum.__qualname__ == "Tensor.sum"
    assert kael.sum.__call__(X, axis=0).equal(X.sum(0))


def test_only_numpys_own_calls_get_numpys_meaning():
    assert kael.max(X, dim=0, out=None).indices.equal(X.argmax(0))
    for call, given in [
        (lambda: kael.mean(X, ddof=1), "ddof"),
        (lambda: X.softmax(axis=1, keepdims=True), "keepdims"),
        (lambda: X.sum(input=3), "input"),
    ]:
        with pytest.raises(TypeError, match=f"unexpected keyword argument .{given}."):
            call()


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    "name", ["sum", "mean", "std", "var", "prod", "max", "min", "amax", "any", "all"]
)
def test_numpys_reductions_take_a_tensor(name, keepdims, axis):
    """They call its methods; PyTorch's tensors raise TypeError for most of these."""
    arguments = {"axis": axis} | ({"keepdims": True} if keepdims else {})
    out = getattr(np, name)(X, **arguments)
    expected = getattr(np, name)(X.numpy(), **arguments)
    assert isinstance(out, kael.Tensor) and out.shape == np.shape(expected)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


def test_numpys_reductions_are_recorded():
    x = X.clone().requires_grad_()
    np.mean(x, axis=0).sum().backward()
    assert x.grad.tolist() == [[0.5] * 3] * 2
    x.grad = None
    np.max(x, axis=1).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    assert np.sum(X, dtype=np.float64).dtype is kael.float64
    assert np.std(X, ddof=1).equal(X.std()) and np.squeeze(X[:1], axis=0).shape == (3,)
    assert np.argmin(X, axis=1, keepdims=True).tolist() == [[1], [0]]
    assert np.cumsum(X).tolist() == [1.5, -0.5, 3.5, 3.5, 6.5, 10.5]  # flattened: NumPy's own
