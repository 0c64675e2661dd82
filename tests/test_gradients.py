"""Every differentiable operation: its gradient against finite differences and against torch's, for
packed and strided operands, with equal bits for both.

What is differentiable is read from the registry and from the public names: a new operation fails
here until it has a case (rules of ops/elementwise.py get theirs from the registry) or is listed
among those that have no gradient.
"""

import types

import numpy as np
import pytest
from conftest import bits_equal

import kael
from kael.ops.rules import BINARY, METHODS, UNARY
from kael.testing import gradcheck

# ---- what an operation is called with ----


class Torch:
    """torch under kael's names."""

    def __getattr__(self, name):
        import torch

        return getattr(torch if hasattr(torch, name) else torch.nn.functional, name)

    def standardize(self, x, dims, eps, *affine):
        return self.layer_norm(x, x.shape[-dims:], *affine, eps=eps)

    def causal_softmax(self, x, offset):
        seen = self.ones(x.shape[-2:]).tril(offset) > 0
        return self.where(seen, x, float("-inf")).softmax(-1)

    def add_relu(self, a, b):
        return self.relu(a + b)

    def linear(self, *operands, activation=None):
        out = self.__getattr__("linear")(*operands)
        if activation == "gelu_tanh":
            return self.gelu(out, approximate="tanh")
        return out if activation is None else getattr(self, activation)(out)

    def cross_entropy_losses(self, logits, targets):
        return self.cross_entropy(logits, targets, reduction="none")


# Name: (function of the library and the operands, the operands' shapes). A name is that of a
# function of kael or of a method; what follows a space tells two cases of one name apart.
CASES = {
    # pointwise
    "clamp": (lambda m, x: m.clamp(x, 1.0, 2.0), (3, 4)),
    "clamp above": (lambda m, x: m.clamp(x, max=1.7), (3, 4)),
    "clamp by tensors": (lambda m, x, a, b: m.clamp(x, a, b + 1), (3, 4), (4,), (3, 1)),
    "where": (lambda m, x, y: m.where(x > y, x * 2, y), (3, 4), (3, 1)),
    "where and a number": (lambda m, x: m.where(x > 1.5, x, 0.0), (3, 4)),
    "pow of a number": (lambda m, x: m.pow(x, 2) + m.pow(x, -1.5) + x**3, (3, 4)),
    "pow to a tensor": (lambda m, x: 2.0**x, (3, 4)),
    "gelu by tanh": (lambda m, x: m.gelu(x, approximate="tanh"), (3, 4)),
    "masked_fill": (lambda m, x: m.masked_fill(x, m.tensor([True, False, True, False]), 2.0),
                    (3, 4)),
    # reductions
    "sum": (lambda m, x: m.sum(x, 1), (2, 3, 4)),
    "sum of all": (lambda m, x: m.sum(x), (2, 3, 4)),
    "sum of some": (lambda m, x: m.sum(x, (0, -1), keepdim=True), (2, 3, 4)),
    "mean": (lambda m, x: m.mean(x, (0, 2)), (2, 3, 4)),
    "mean of all": (lambda m, x: m.mean(x), (2, 3, 4)),
    "mean kept": (lambda m, x: m.mean(x, -1, keepdim=True), (2, 3, 4)),
    "var": (lambda m, x: m.var(x, (0, 2)), (2, 3, 4)),
    "var corrected": (lambda m, x: m.var(x, 1, correction=0, keepdim=True), (2, 3, 4)),
    "var of all": (lambda m, x: m.var(x, correction=3), (2, 3, 4)),
    "std": (lambda m, x: m.std(x, -1), (2, 3, 4)),
    "std corrected": (lambda m, x: m.std(x, (0, 1), correction=0), (2, 3, 4)),
    "var_mean": (lambda m, x: m.var_mean(x, (0, 2)), (2, 3, 4)),
    "std_mean": (lambda m, x: m.std_mean(x, 1, correction=0), (2, 3, 4)),
    "prod": (lambda m, x: m.prod(x, 1), (2, 3, 4)),
    "prod of all": (lambda m, x: m.prod(x), (2, 3)),
    "norm": (lambda m, x: m.norm(x), (2, 3, 4)),
    "norm 1": (lambda m, x: m.norm(x, 1, dim=1), (2, 3, 4)),
    "norm 2": (lambda m, x: m.norm(x, 2, dim=(0, 2), keepdim=True), (2, 3, 4)),
    "norm 3": (lambda m, x: m.norm(x, 3, dim=2), (2, 3, 4)),
    "norm of a fraction": (lambda m, x: m.norm(x, 0.5, dim=2), (2, 3, 4)),
    "norm inf": (lambda m, x: m.norm(x, float("inf"), dim=0), (2, 3, 4)),
    "norm -inf": (lambda m, x: m.norm(x, float("-inf"), dim=-1), (2, 3, 4)),
    "amax": (lambda m, x: m.amax(x, (0, 2)), (2, 3, 4)),
    "amin": (lambda m, x: m.amin(x, 1, keepdim=True), (2, 3, 4)),
    "max": (lambda m, x: m.max(x), (2, 3, 4)),
    "max of a dim": (lambda m, x: m.max(x, 1).values, (2, 3, 4)),
    "max of two": (lambda m, x, y: m.max(x, y), (2, 3), (2, 3)),
    "min": (lambda m, x: m.min(x), (2, 3, 4)),
    "min of a dim": (lambda m, x: m.min(x, -1, keepdim=True).values, (2, 3, 4)),
    # rows
    "softmax": (lambda m, x: m.softmax(x, 1), (2, 3, 4)),
    "softmax of the last": (lambda m, x: m.softmax(x, -1), (2, 3, 4)),
    "log_softmax": (lambda m, x: m.log_softmax(x, 0), (2, 3, 4)),
    "log_softmax of the last": (lambda m, x: m.log_softmax(x, -1), (2, 3, 4)),
    "standardize": (lambda m, x: m.standardize(x, 1, 1e-5), (3, 5)),
    "standardize of two": (lambda m, x, w, b: m.standardize(x, 2, 1e-3, w, b),
                           (2, 3, 4), (3, 4), (3, 4)),
    "causal_softmax": (lambda m, x: m.causal_softmax(x, 1), (2, 4, 3)),
    "logsumexp": (lambda m, x: m.logsumexp(x, 1), (2, 3, 4)),
    "logsumexp of some": (lambda m, x: m.logsumexp(x, (0, 2), keepdim=True), (2, 3, 4)),
    "cumsum": (lambda m, x: m.cumsum(x, 1), (2, 3, 4)),
    "cumsum of the last": (lambda m, x: m.cumsum(x, -1), (3, 5)),
    "rms_norm": (lambda m, x: m.rms_norm(x, (5,)), (3, 5)),
    "rms_norm of two": (lambda m, x, w: m.rms_norm(x, (3, 4), w, 1e-3), (2, 3, 4), (3, 4)),
    "cross_entropy_losses": (
        lambda m, x: m.cross_entropy_losses(x, m.tensor([0, 4, 2])), (3, 5)),
    # products
    "matmul": (lambda m, a, b: m.matmul(a, b), (3, 4), (4, 2)),
    "matmul of batches": (lambda m, a, b: m.matmul(a, b), (2, 1, 3, 4), (3, 4, 2)),
    "matmul by a vector": (lambda m, a, b: m.matmul(a, b), (2, 3, 4), (4,)),
    "matmul of a vector": (lambda m, a, b: m.matmul(a, b), (4,), (2, 4, 3)),
    "matmul of vectors": (lambda m, a, b: m.matmul(a, b), (4,), (4,)),
    "mm": (lambda m, a, b: m.mm(a, b), (3, 4), (4, 2)),
    "bmm": (lambda m, a, b: m.bmm(a, b), (2, 3, 4), (2, 4, 3)),
    "mv": (lambda m, a, b: m.mv(a, b), (3, 4), (4,)),
    "dot": (lambda m, a, b: m.dot(a, b), (4,), (4,)),
    "einsum of one": (lambda m, a: m.einsum("iij->j", a), (3, 3, 4)),
    "outer": (lambda m, a, b: m.outer(a, b), (4,), (3,)),
    "addmm": (lambda m, c, a, b: m.addmm(c, a, b, beta=0.5, alpha=2.0), (2,), (3, 4), (4, 2)),
    "baddbmm": (
        lambda m, c, a, b: m.baddbmm(c, a, b, beta=0.5, alpha=2.0), (3, 2), (2, 3, 4), (2, 4, 2)
    ),
    "inner": (lambda m, a, b: m.inner(a, b), (2, 4), (3, 4)),
    "vdot": (lambda m, a, b: m.vdot(a, b), (4,), (4,)),
    "einsum": (lambda m, a, b: m.einsum("bij,kj->bki", a, b), (2, 3, 4), (5, 4)),
    "einsum of batches": (lambda m, a, b: m.einsum("bij,bjk->bki", a, b), (2, 3, 4), (2, 4, 5)),
    "einsum with a diagonal": (lambda m, a, b: m.einsum("ii,j->ij", a, b), (3, 3), (2,)),
    "linear": (lambda m, x, w: m.linear(x, w), (2, 3, 4), (5, 4)),
    "linear with bias": (lambda m, x, w, b: m.linear(x, w, b), (3, 4), (5, 4), (5,)),
    **{
        f"linear and {name}": (
            lambda m, x, w, b, name=name: m.linear(x - 1.5, w, b, activation=name),
            (2, 3, 4), (5, 4), (5,))
        for name in ("relu", "gelu", "gelu_tanh", "sigmoid", "tanh")
    },
    # views and rearrangements
    "reshape": (lambda m, x: m.reshape(x, (4, -1)), (3, 4)),
    "view": (lambda m, x: (x * 1).view(2, 6), (3, 4)),
    "flatten": (lambda m, x: m.flatten(x, 1), (2, 3, 4)),
    "permute": (lambda m, x: m.permute(x, (2, 0, 1)), (2, 3, 4)),
    "transpose": (lambda m, x: m.transpose(x, 0, -1), (2, 3, 4)),
    "t": (lambda m, x: m.t(x), (3, 4)),
    "T": (lambda m, x: x.T, (3, 4)),
    "mT": (lambda m, x: x.mT, (2, 3, 4)),
    "diagonal": (lambda m, x: m.diagonal(x, 1, 0, 2), (2, 3, 4)),
    "movedim": (lambda m, x: m.movedim(x, 0, 2), (2, 3, 4)),
    "expand": (lambda m, x: x.expand(2, -1, 4), (3, 1)),
    "broadcast_to": (lambda m, x: m.broadcast_to(x, (2, 3, 4)), (3, 1)),
    "squeeze": (lambda m, x: m.squeeze(x), (3, 1, 4)),
    "squeeze of a dim": (lambda m, x: m.squeeze(x, 1), (3, 1, 4)),
    "unsqueeze": (lambda m, x: m.unsqueeze(x, 1), (3, 4)),
    "narrow": (lambda m, x: m.narrow(x, 1, 1, 2), (3, 4)),
    "select": (lambda m, x: m.select(x, 1, -1), (3, 4)),
    "unbind": (lambda m, x: m.unbind(x, 1), (3, 4)),
    "split": (lambda m, x: m.split(x, [1, 3], 1), (3, 4)),
    "split evenly": (lambda m, x: m.split(x, 3, 1), (3, 4)),
    "chunk": (lambda m, x: m.chunk(x, 2, 0), (3, 4)),
    "flip": (lambda m, x: m.flip(x, (0, 1)), (3, 4)),
    "cat": (lambda m, x, y: m.cat([x, y, x * 2], 1), (3, 4), (3, 2)),
    "stack": (lambda m, x, y: m.stack([x, y], 1), (3, 4), (3, 4)),
    # indexing
    "gather": (lambda m, x: m.gather(x, 1, m.tensor([[0, 0], [3, 1], [2, 2]])), (3, 4)),
    "take_along_dim": (lambda m, x: m.take_along_dim(x, m.tensor([[0], [3], [2]]), 1), (3, 4)),
    "take_along_dim flat": (lambda m, x: m.take_along_dim(x, m.tensor([11, 0, 5])), (3, 4)),
    "index_select": (lambda m, x: m.index_select(x, 0, m.tensor([2, 2, 0])), (3, 4)),
    "masked_select": (
        lambda m, x: m.masked_select(x, m.tensor([True, False, False, True])), (3, 4)),
    "__getitem__": (lambda m, x: x[1:, None, ..., ::2], (3, 4)),
    "__getitem__ by arrays": (
        lambda m, x: x[m.tensor([0, 2, 0]), m.tensor([1, 1, 1])], (3, 4)),
    "__getitem__ by a mask": (lambda m, x: x[m.tensor([True, False, True])], (3, 4)),
    # copies, and changes in place
    "clone": (lambda m, x: x.clone(), (3, 4)),
    "contiguous": (lambda m, x: x.contiguous() * 1, (3, 4)),
    "to": (lambda m, x: x.to(m.float64) * 1, (3, 4)),
    "double": (lambda m, x: x.double() * 1, (3, 4)),
    "type_as": (lambda m, x, y: x.type_as(y) * 1, (3, 4), (1,)),
    "copy_": (lambda m, x, y: (x * 2).copy_(y), (3, 4), (4,)),
    "fill_": (lambda m, x: (x * 2).fill_(3.0) * x, (3, 4)),
    "zero_": (lambda m, x: (x * 2).zero_() + x, (3, 4)),
    "clamp_": (lambda m, x: (x * 1).clamp_(1.0, 2.0), (3, 4)),
}  # fmt: skip

# Public names without a gradient of their own.
FUNCTIONS_WITHOUT = """
    all allclose any arange argmax argmin as_tensor bernoulli broadcast_shapes equal empty
    empty_like eye from_dlpack from_numpy full full_like isclose linspace nonzero ones ones_like
    rand rand_like randint randint_like randn randn_like randperm tensor zeros zeros_like
    allocator_stats caching_allocator_enabled empty_cache get_isa get_num_threads get_rng_state
    initial_seed is_grad_enabled isa load manual_seed num_threads parallel_for save seed
    set_caching_allocator_enabled set_num_threads set_rng_state show_config usable_isas
"""
METHODS_WITHOUT = """
    allclose backward bernoulli_ bool data_ptr detach dim dims dtype dtype_code dtype_object equal
    float grad grad_fn int is_contiguous is_leaf is_writable isclose item long ndim nonzero
    normal_ numel numpy register_hook requires_grad requires_grad_ retain_grad shape size
    storage_offset stride tolist uniform_ all any argmax argmin
"""


def named(name):
    """The name of the operation of a case."""
    return name.split()[0]


def values(shapes, low=0.6, high=3.0):
    draw = np.random.default_rng(3)
    return [draw.uniform(low, high, shape) for shape in shapes]


def packed(array):
    return kael.tensor(array, requires_grad=True)


def strided(array):
    """A leaf over memory in which no two neighbours of the array are neighbours."""
    memory = np.zeros([2 * n for n in array.shape][::-1])
    view = memory.T[(..., *[slice(None, None, -2)] * array.ndim)]
    view[...] = array
    leaf = kael.from_numpy(view).requires_grad_()
    assert leaf.is_contiguous() == (array.ndim == 0)
    return leaf


def outputs(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def weights(shape, number):
    return np.random.default_rng(10 + number).uniform(-1, 1, shape)


def gradients(function, leaves):
    """Of the weighted sum of all outputs, by kael."""
    results = outputs(function(kael, *leaves))
    seeds = [kael.tensor(weights(y.shape, k)) for k, y in enumerate(results)]
    return kael.autograd.grad(results, leaves, seeds)


def torch_gradients(function, arrays):
    import torch

    leaves = [torch.from_numpy(a.copy()).requires_grad_() for a in arrays]
    results = outputs(function(Torch(), *leaves))
    seeds = [torch.tensor(weights(tuple(y.shape), k)) for k, y in enumerate(results)]
    return torch.autograd.grad(results, leaves, seeds, allow_unused=True)


def check(function, arrays):
    """Finite differences for packed and strided leaves, with the same bits."""
    found = []
    for make in (packed, strided):
        leaves = [make(a) for a in arrays]
        assert gradcheck(lambda *x: function(kael, *x), leaves)
        found.append(gradients(function, leaves))
    for a, b in zip(*found, strict=True):
        assert bits_equal(a, b)
    return found[0]


def check_with_torch(function, arrays):
    for got, expected in zip(
        gradients(function, [packed(a) for a in arrays]),
        torch_gradients(function, arrays),
        strict=True,
    ):
        expected = np.zeros(got.shape) if expected is None else expected.numpy()
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)


# ---- the cases ----


@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_finite_differences(name):
    function, *shapes = CASES[name]
    used = [a for a in values(shapes) if a.shape != (1,)]
    one = [np.ones(1)] * (len(shapes) - len(used))
    if one:  # type_as reads nothing but a dtype
        assert gradcheck(lambda x: function(kael, x, kael.tensor(one[0])), packed(used[0]))
    else:
        check(function, used)


@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_torchs(name):
    pytest.importorskip("torch")
    function, *shapes = CASES[name]
    if (1,) in shapes:
        return
    check_with_torch(function, values(shapes))


# ---- the registry ----

SMOOTH = [name for name, rule in UNARY.items() if rule.gradients]
SMOOTH_BINARY = [name for name, rule in BINARY.items() if rule.gradients]
# Within the domain of every function so far: of logarithms and roots, of arcs, of both signs.
WINDOWS = [(0.6, 3.0), (0.1, 0.9), (-0.9, -0.1), (-6.0, 6.0), (1.1, 2.9)]
BROADCAST = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)), ((), (3,))]


def method(name):
    """The operation as a function of the library and its operands."""
    return lambda m, *x: getattr(m if hasattr(m, name) else type(x[0]), name)(*x)


def domains(name):
    """Arrays of each window in which the function is finite."""
    found = [values([(3, 4)], *window) for window in WINDOWS]
    plain = METHODS[name]
    return [a for a in found if np.isfinite(plain(kael.tensor(a[0])).numpy()).all()]


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_of_unary_rules(name):
    assert domains(name)
    for arrays in domains(name):
        check(method(name), arrays)


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_of_unary_rules_agree_with_torchs(name):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, name) and not hasattr(torch.nn.functional, name):
        return  # gelu_tanh: a case above
    for arrays in domains(name):
        check_with_torch(method(name), arrays)


@pytest.mark.parametrize("shapes", BROADCAST, ids=str)
@pytest.mark.parametrize("name", SMOOTH_BINARY)
def test_gradients_of_binary_rules(name, shapes):
    check(method(name), values(shapes))


@pytest.mark.parametrize("shapes", BROADCAST, ids=str)
@pytest.mark.parametrize("name", SMOOTH_BINARY)
def test_gradients_of_binary_rules_agree_with_torchs(name, shapes):
    pytest.importorskip("torch")
    check_with_torch(method(name), values(shapes))


@pytest.mark.parametrize("name", [n for n in METHODS if n[-1] == "_" and n[:-1] in SMOOTH])
def test_gradients_of_unary_forms_in_place(name):
    for arrays in domains(name[:-1]):
        form = check(lambda m, x: getattr(x * 1.0, name)(), arrays)
        plain = gradients(lambda m, x: method(name[:-1])(m, x * 1.0), [packed(arrays[0])])
        assert bits_equal(form[0], plain[0])


@pytest.mark.parametrize("name", [n for n in METHODS if n[-1] == "_" and n[:-1] in SMOOTH_BINARY])
@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 1))], ids=str)
def test_gradients_of_binary_forms_in_place(name, shapes):
    arrays = values(shapes)
    form = check(lambda m, x, y: getattr(x * 1.0, name)(y), arrays)
    plain = gradients(lambda m, x, y: method(name[:-1])(m, x * 1.0, y), [*map(packed, arrays)])
    assert all(map(bits_equal, form, plain))


# ---- completeness ----


def test_every_public_operation_has_a_case_or_no_gradient():
    """A new name: give it a case in CASES, or list it among those without a gradient."""
    have = {named(name) for name in CASES} | set(UNARY) | set(BINARY)
    functions = {
        name
        for name in kael.__all__
        if isinstance(getattr(kael, name), types.FunctionType | types.BuiltinFunctionType)
        or type(getattr(kael, name)).__name__ in ("cython_function_or_method", "Named")
    }
    assert functions - have - set(FUNCTIONS_WITHOUT.split()) == set()
    methods = {name for name in dir(kael.Tensor) if name[0] != "_"}
    forms = {name + "_" for name in have}
    assert methods - have - forms - set(METHODS_WITHOUT.split()) == set()


def test_what_is_listed_without_a_gradient_is_there_and_has_no_case():
    functions, methods = FUNCTIONS_WITHOUT.split(), METHODS_WITHOUT.split()
    assert [name for name in functions if not hasattr(kael, name)] == []
    assert [name for name in methods if not hasattr(kael.Tensor, name)] == []
    assert {named(name) for name in CASES} & {*functions, *methods} == set()
