"""nn.Module and its containers: registration, walks, modes, saving, messages, as torch.nn's."""

import copy
import pickle
import re
import weakref
from collections import namedtuple

import numpy as np
import pytest
from conftest import bits_equal, in_use_bytes

import kael
from kael import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 2, bias=False))
        self.scale = nn.Parameter(kael.ones(2))
        self.register_buffer("offset", kael.zeros(2))
        self.register_buffer("cache", kael.zeros(5), persistent=False)

    def forward(self, x):
        return self.rest(self.first(x)) * self.scale + self.offset


NAMES = ["scale", "first.weight", "first.bias", "rest.1.weight"]


def names(pairs):
    return [name for name, _ in pairs]


def test_assignment_registers_in_order():
    net = Net()
    assert names(net.named_parameters()) == NAMES
    assert names(net.named_buffers()) == ["offset", "cache"]
    assert names(net.named_modules()) == ["", "first", "rest", "rest.0", "rest.1"]
    assert names(net.named_children()) == ["first", "rest"]
    assert list(net.children()) == [net.first, net.rest]
    assert len(list(net.modules())) == 5 and len(list(net.parameters(recurse=False))) == 1
    assert net(kael.ones(5, 3)).shape == (5, 2)
    assert names(net.named_parameters(prefix="net"))[0] == "net.scale"


def test_assignment_replaces_and_deletes():
    net = Net()
    net.scale = nn.Parameter(kael.zeros(2))
    assert net.get_parameter("scale") is net.scale
    net.scale = None
    assert "scale" not in names(net.named_parameters()) and net.scale is None
    net.offset = kael.ones(2)
    assert dict(net.named_buffers())["offset"] is net.offset
    net.first = nn.Identity()
    assert names(net.named_parameters()) == ["rest.1.weight"]
    del net.first
    assert not hasattr(net, "first") and names(net.named_children()) == ["rest"]
    with pytest.raises(TypeError, match="cannot assign 'Tensor' as parameter 'scale'"):
        net.scale = kael.ones(2)
    with pytest.raises(TypeError, match="cannot assign 'int' as child module 'rest'"):
        net.rest = 3
    with pytest.raises(TypeError, match="cannot assign 'list' as buffer 'offset'"):
        net.offset = [1]
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'missing'"):
        net.missing  # noqa: B018
    net.rest = nn.Parameter(kael.ones(1))
    assert names(net.named_children()) == [] and names(net.named_parameters()) == ["rest"]


def test_registering_by_name_is_checked():
    net = Net()
    for call, error, words in [
        (lambda: net.register_parameter("a.b", None), KeyError, 'contain "."'),
        (lambda: net.register_parameter("", None), KeyError, "be empty"),
        (lambda: net.register_buffer("forward", kael.ones(1)), KeyError, "already exist"),
        (lambda: net.register_buffer(3, kael.ones(1)), TypeError, "should be a string. Got int"),
        (lambda: net.register_parameter("p", kael.ones(1)), TypeError, "cannot assign 'Tensor'"),
        (lambda: net.register_buffer("b", 1), TypeError, "cannot assign 'int' object to buffer"),
        (lambda: net.add_module("m", 1), TypeError, "int is not a Module subclass"),
    ]:
        with pytest.raises(error, match=re.escape(words)):
            call()

    class Early(nn.Module):
        def __init__(self):
            self.w = nn.Parameter(kael.ones(1))

    class EarlyModule(nn.Module):
        def __init__(self):
            self.m = nn.Identity()

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__"):
        Early()
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__"):
        EarlyModule()


def test_parts_are_found_by_their_paths():
    net = Net()
    assert net.get_submodule("rest.1") is net.rest[1] and net.get_submodule("") is net
    assert net.get_parameter("rest.1.weight") is net.rest[1].weight
    assert net.get_buffer("offset") is net.offset
    with pytest.raises(AttributeError, match=r"no submodule 'rest\.7'"):
        net.get_submodule("rest.7")
    with pytest.raises(AttributeError, match=r"no parameter 'first\.none'"):
        net.get_parameter("first.none")
    with pytest.raises(AttributeError, match="no buffer 'scale'"):
        net.get_buffer("scale")


def test_shared_parameters_appear_once():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = net[0].weight
    assert names(net.named_parameters()) == ["0.weight", "0.bias", "1.bias"]
    assert len(names(net.named_parameters(remove_duplicate=False))) == 4
    twice = nn.Sequential(net[0], net[0])
    assert len(list(twice.parameters())) == 2 and len(list(twice.children())) == 1
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_modes_apply_and_requires_grad():
    net = Net()
    assert net.training and net.eval() is net
    assert not any(m.training for m in net.modules())
    net.train()
    assert all(m.training for m in net.modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(1)
    seen = []
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Net"]
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())


def test_zero_grad_drops_or_fills_the_gradients():
    net = Net()
    net(kael.ones(1, 3)).sum().backward()
    held = net.scale.grad
    net.zero_grad(set_to_none=False)
    assert not np.asarray(net.scale.grad).any() and not np.asarray(held).any()
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_conversion_to_another_dtype():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = net[0].weight
    net.register_buffer("count", kael.zeros(1, dtype=kael.int64))
    assert net.double() is net
    assert {p.dtype for p in net.parameters()} == {kael.float64}
    assert net[1].weight is net[0].weight and net.count.dtype is kael.int64
    assert isinstance(net[0].weight, nn.Parameter) and net[0].weight.requires_grad
    assert net(kael.ones(1, 3, dtype=kael.float64)).dtype is kael.float64
    before = net[0].weight
    assert net.to(kael.float64)[0].weight is before
    assert net.float()[0].weight.dtype is kael.float32
    with pytest.raises(TypeError, match="int64"):
        net.to(kael.int64)


def test_state_dict_and_strict_loading():
    net, other = Net(), Net()
    state = net.state_dict()
    assert list(state) == ["scale", "offset", "first.weight", "first.bias", "rest.1.weight"]
    assert not any(v.requires_grad for v in state.values())
    assert net.state_dict(keep_vars=True)["scale"] is net.scale
    result = other.load_state_dict(state)
    assert repr(result) == "<All keys matched successfully>" and result == ([], [])
    for key, value in other.state_dict().items():
        assert bits_equal(value, state[key])
    with kael.no_grad():
        net.scale.fill_(7)
    assert state["scale"].tolist() == [7, 7] and other.scale.tolist() == [1, 1]


def test_refused_loading_names_everything_and_changes_nothing():
    torch = pytest.importorskip("torch")
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    before = {k: np.array(v) for k, v in net.state_dict().items()}
    state = {k: v + 1 for k, v in net.state_dict().items() if k != "1.bias"}
    state["extra"] = kael.ones(1)
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    with pytest.raises(RuntimeError) as expected:
        theirs.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in state.items()})
    with pytest.raises(RuntimeError, match=re.escape(str(expected.value))):
        net.load_state_dict(state)
    missing, unexpected = net.load_state_dict(state, strict=False)
    assert missing == ["1.bias"] and unexpected == ["extra"]
    net.load_state_dict({k: kael.tensor(v) for k, v in before.items()})
    bad = dict(net.state_dict(), **{"0.weight": kael.ones(3, 3), "1.bias": 4})
    bad["1.weight"] = bad["1.weight"] * 2
    with pytest.raises(RuntimeError, match=r"size mismatch for 0.weight: copying a param with sh"):
        net.load_state_dict(bad)
    for strange in ([("0.weight", bad["0.weight"])], None, "weights"):
        with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class"):
            net.load_state_dict(strange)
    for key, value in net.state_dict().items():
        assert bits_equal(value, before[key])


def test_forward_hooks_change_what_passes():
    layer = nn.Identity()
    handles = [
        layer.register_forward_pre_hook(lambda m, args: args[0] + 1),
        layer.register_forward_pre_hook(lambda m, args: None, prepend=True),
        layer.register_forward_hook(lambda m, args, out: out * 10),
    ]
    assert layer(kael.ones(1)).item() == 20
    for handle in handles:
        handle.remove()
    assert layer(kael.ones(1)).item() == 1
    with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
        nn.Module()(1)


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_deepcopy_and_pickling(twin):
    net = Net()
    other = twin(net)
    assert names(other.named_parameters()) == NAMES
    assert other.scale is dict(other.named_parameters())["scale"] and other.scale is not net.scale
    x = kael.ones(2, 3)
    assert bits_equal(other(x).detach(), net(x).detach())
    with kael.no_grad():
        other.scale.fill_(0)
    assert net.scale.tolist() == [1, 1]


def test_a_parameter_is_a_leaf_on_the_memory_it_was_given():
    data = kael.ones(2)
    p = nn.Parameter(data)
    assert p.requires_grad and p.is_leaf and isinstance(p, kael.Tensor)
    assert p.data_ptr() == data.data_ptr()
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    assert nn.Parameter().shape == (0,) or nn.Parameter().numel() <= 1
    assert repr(p).startswith("Parameter containing:\ntensor(")
    assert type(p * 2) is kael.Tensor and type(p.detach()) is kael.Tensor
    assert type(copy.deepcopy(p)) is nn.Parameter
    with pytest.raises(TypeError):
        nn.Parameter([1.0])


def test_sequential_as_a_list():
    a, b, c = nn.Linear(1, 1), nn.ReLU(), nn.Tanh()
    net = nn.Sequential(a, b)
    assert net.append(c) is net and len(net) == 3 and net[-1] is c and list(net) == [a, b, c]
    assert isinstance(net[1:], nn.Sequential) and list(net[1:]) == [b, c]
    net[0] = nn.Identity()
    assert isinstance(net[0], nn.Identity)
    del net[0]
    assert names(net.named_children()) == ["0", "1"]
    net.insert(1, a)
    assert list(net) == [b, a, c]
    for index in (3, -4):
        with pytest.raises(IndexError, match="out of range"):
            net[index]
    named = nn.Sequential({"in": a, "out": c})
    assert names(named.named_children()) == ["in", "out"] and named[1] is c


def test_module_lists_and_dicts():
    layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    assert len(list(layers.parameters())) == 6 and len(layers[:2]) == 2
    layers += [nn.ReLU()]
    assert len(layers) == 4 and len(layers + nn.ModuleList([nn.Tanh()])) == 5
    table = nn.ModuleDict({"a": nn.Linear(2, 2)})
    table["b"] = nn.ReLU()
    assert list(table) == ["a", "b"] and "a" in table and len(table) == 2
    assert names(table.named_parameters()) == ["a.weight", "a.bias"]
    del table["a"]
    assert list(table.items()) == [("b", table["b"])]


def test_containers_join_repeat_and_give_back():
    a, b, c = nn.Linear(1, 1), nn.ReLU(), nn.Tanh()
    both = nn.Sequential(a, b) + nn.Sequential(c)
    assert type(both) is nn.Sequential and list(both) == [a, b, c]
    assert list(nn.Sequential(a, b) * 2) == list(2 * nn.Sequential(a, b)) == [a, b, a, b]
    both += nn.Sequential(a)
    both *= 2
    assert list(both) == [a, b, c, a] * 2
    assert both.pop(1) is b and both.pop(-1) is a and list(both) == [a, c, a, a, b, c]
    assert names(both.named_children()) == ["0", "1", "4"]
    assert list(both.pop(slice(0, 4))) == [a, c, a, a] and list(both) == [b, c]
    layers = nn.ModuleList([a, b])
    assert layers.pop(0) is a and list(layers) == [b] and layers.insert(-1, c) is layers
    assert list(layers) == [c, b]
    layers.extend(layers)
    assert list(layers) == [c, b, c, b]
    for call, error, text in [
        (lambda: both + layers, TypeError, "unsupported operand"),
        (lambda: both * 0, ValueError, "repeats must be positive, got 0"),
        (lambda: both * 1.5, TypeError, "repeats must be an integer, got 1.5"),
        (lambda: both.insert(3, a), IndexError, "index 3 is out of range"),
        (lambda: both.insert(0, "a"), TypeError, "str is not a Module subclass"),
        (lambda: both.pop(2), IndexError, "index 2 is out of range"),
        (lambda: layers.extend([a, 1]), TypeError, "int is not a Module subclass"),
    ]:
        with pytest.raises(error, match=text):
            call()
    assert list(both) == [b, c] and list(layers) == [c, b, c, b]
    assert "0" not in dir(both) and "append" in dir(both)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.row = nn.ParameterList([kael.ones(2), nn.Parameter(kael.zeros(3))])
        self.table = nn.ParameterDict({"a": kael.ones(1), "b": kael.ones(4)})


def test_parameters_in_lists_and_dicts_are_those_of_the_module():
    net = Scaled()
    assert names(net.named_parameters()) == ["row.0", "row.1", "table.a", "table.b"]
    state = {name: x * 2 for name, x in net.state_dict().items()}
    net.load_state_dict(state)
    assert net.row[0].tolist() == [2.0, 2.0] and net.table["b"].tolist() == [2.0] * 4
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert [x.tolist() for x in other.row] == [[2.0, 2.0], [0.0] * 3]
        assert list(other.table) == ["a", "b"] and type(other.row[0]) is nn.Parameter
        assert other.row[0].data_ptr() != net.row[0].data_ptr()
    (net.row[0].sum() * net.table["a"]).sum().backward()
    assert net.row[0].grad.tolist() == [2.0, 2.0] and net.table["a"].grad.tolist() == [4.0]
    assert net.row[1].grad is None
    assert repr(net.row) == (
        "ParameterList(\n  (0): Parameter of kael.float32, shape (2,)"
        "\n  (1): Parameter of kael.float32, shape (3,)\n)"
    )
    assert net.double().row[1].dtype is kael.float64 and repr(nn.ParameterDict()) == (
        "ParameterDict()"
    )


def test_a_parameter_list_is_a_list():
    x, y, z = (kael.full((n,), float(n)) for n in (1, 2, 3))
    row = nn.ParameterList()
    assert row.append(x) is row and len(row.extend([y, nn.Parameter(z, requires_grad=False)])) == 3
    assert row[0].data_ptr() == x.data_ptr() and row[0].requires_grad
    assert not row[2].requires_grad and not x.requires_grad
    assert [p.shape for p in row[1:]] == [(2,), (3,)] and type(row[:1]) is nn.ParameterList
    assert row[-1] is row[2] and row.pop(0).shape == (1,)
    row[0] = z
    row += [x]
    row.insert(0, y)
    assert [p.shape for p in row] == [(2,), (3,), (3,), (1,)]
    del row[1]
    assert names(row.named_parameters()) == ["0", "1", "2"] and "0" not in dir(row)
    for call, error, text in [
        (lambda: row.append(nn.ReLU()), TypeError, "ParameterList"),
        (lambda: row.extend([x, 1.0]), TypeError, "ParameterList"),
        (lambda: row.__setitem__(5, x), IndexError, "index 5 is out of range"),
        (lambda: row[3], IndexError, "index 3 is out of range"),
    ]:
        with pytest.raises(error, match=text):
            call()
    assert len(row) == 3


def test_a_parameter_dict_is_a_dict():
    x, y = kael.ones(1), kael.ones(2)
    table = nn.ParameterDict([("x", x)])
    table["y"] = y
    table.update({"x": y})
    assert [(name, p.shape) for name, p in table.items()] == [("x", (2,)), ("y", (2,))]
    assert "x" in table and len(table) == 2 and list(table.keys()) == list(table)
    assert table.pop("x").shape == (2,) and names(table.named_parameters()) == ["y"]
    for call, error, text in [
        (lambda: table.__setitem__("a", 1.0), TypeError, "ParameterDict"),
        (lambda: table.update({"a": x, "b": None}), TypeError, "ParameterDict"),
        (lambda: table.update({"a.b": x}), KeyError, "parameter name"),
        (lambda: table.__setitem__(1, x), TypeError, "parameter name should be a string"),
        (lambda: table.__delitem__("training"), KeyError, "training"),
        (lambda: table["z"], KeyError, "z"),
    ]:
        with pytest.raises(error, match=text):
            call()
    assert list(table) == ["y"]
    table.clear()
    assert len(table) == 0


def test_no_module_of_a_sequential_is_lost_to_another_of_its_name():
    """github: pytorch/pytorch#77067, an append after a deletion; a slice keeps its names."""
    a, b, c = nn.Linear(1, 1), nn.ReLU(), nn.Tanh()
    net = nn.Sequential(a, b, c)
    del net[1]
    assert list(net.append(b)) == [a, c, b] and names(net.named_children()) == ["0", "1", "2"]
    tail = nn.Sequential(a, b, c)[1:]
    assert names(tail.named_children()) == ["1", "2"]  # the keys of a checkpoint
    assert list(tail.append(a)) == [b, c, a] and len(tail) == 3
    named = nn.Sequential({"in": a, "out": c})
    assert named[:1][0] is a and names(named[:1].named_children()) == ["in"]

    class Net(nn.Sequential):
        pass

    assert type(Net(a, b)[:1]) is Net


def test_a_module_dict_gives_back_and_takes_its_like():
    """github: pytorch/pytorch#27441."""
    a, b = nn.Linear(2, 2), nn.ReLU()
    table = nn.ModuleDict({"a": a, "b": b})
    other = nn.ModuleDict()
    other.update(table)
    assert list(other.items()) == [("a", a), ("b", b)]
    assert other.pop("a") is a and list(other) == ["b"] and not hasattr(other, "a")
    for key in ("a", "training", "_modules"):
        for take in (other.pop, other.__delitem__):
            with pytest.raises(KeyError, match=key):
                take(key)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        other.update({"c": a, "d": 1})
    for key in ("a.b", "", "training"):
        with pytest.raises(KeyError):
            other.update({"ok": b, key: b})
    with pytest.raises(TypeError, match="module name should be a string"):
        other.update({"ok": b, 1: b})
    assert list(other) == ["b"]
    other.clear()
    assert len(other) == 0 and len(table) == 2
    assert len(nn.ModuleDict(None)) == len(nn.ModuleList(None)) == 0


class Pair(nn.Module):
    """Two tensors in; two and a number out."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(kael.tensor([2.0, 3.0]))

    def forward(self, a, b):
        return a * self.scale + b, b * b * 3, 7


def test_backward_hooks_see_the_gradients_of_inputs_and_outputs():
    net, seen = Pair(), []

    def noted(*grads):
        seen.append([[None if g is None else g.tolist() for g in side] for side in grads])

    handles = [
        net.register_full_backward_hook(lambda m, inputs, outputs: noted(inputs, outputs)),
        net.register_full_backward_pre_hook(lambda m, outputs: noted(outputs)),
    ]
    a = kael.ones(2, requires_grad=True)
    b = kael.tensor([1.0, 2.0], requires_grad=True)
    out = net(a, b)
    out[0].sum().backward(retain_graph=True)
    assert seen == [[[[1, 1], None, None]], [[[2, 3], [1, 1]], [[1, 1], None, None]]]
    seen.clear()
    (out[0] + out[1]).sum().backward()
    assert seen[1] == [[[2, 3], [7, 13]], [[1, 1], [1, 1], None]]
    assert a.grad.tolist() == [4, 6] and b.grad.tolist() == [8, 14]
    assert net.scale.grad.tolist() == [2, 2]
    seen.clear()
    net(a.detach(), b.detach())[0].sum().backward()  # an input layer: nothing to wait for
    assert seen[1] == [[None, None], [[1, 1], None, None]]
    for handle in handles:
        handle.remove()
    seen.clear()
    net(a, b)[0].sum().backward()
    assert seen == []


def test_backward_hooks_replace_gradients():
    net = nn.Linear(2, 1, bias=False)
    net.register_full_backward_pre_hook(lambda m, outputs: outputs[0] * 10)
    net.register_full_backward_hook(lambda m, inputs, outputs: (inputs[0] + outputs[0],))
    net.register_full_backward_hook(lambda m, inputs, outputs: None, prepend=True)
    x = kael.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    assert bits_equal(x.grad, (net.weight * 10 + 10).detach())
    assert net.weight.grad.tolist() == [[10, 10]]
    for made, error, text in [
        ((None, None), RuntimeError, "a hook made 2 gradients of 1"),
        (3, TypeError, "a hook must return Tensors or None, got int"),
    ]:
        net = nn.Linear(2, 1)
        net.register_full_backward_hook(lambda *_, made=made: made)
        with pytest.raises(error, match=text):
            net(x).sum().backward()
        assert net.weight.grad is None


class Twice(nn.Module):
    """Two outputs of one input, as what ``kind`` makes of them."""

    def __init__(self, kind=lambda *outs: outs):
        super().__init__()
        self.kind = kind
        self.register_full_backward_hook(lambda *_: None)

    def forward(self, x):
        return self.kind(x * 2, x * 3)


def test_a_failed_backward_leaves_nothing_to_the_next():
    net, seen = Twice(), []
    net.register_full_backward_hook(lambda m, inputs, outputs: seen.append(outputs))
    x = kael.ones(2, requires_grad=True)
    y, z = net(x)
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (y + z).sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [2, 2] and seen[0][1] is None
    # a walk within a walk has notes of its own
    total, part = (y + z).sum(), z.sum()
    y.register_hook(lambda g: kael.autograd.grad(part, x, retain_graph=True) and None)
    x.grad = None
    total.backward(retain_graph=True)
    assert x.grad.tolist() == [5, 5] and len(seen) == 3 and None not in seen[2]


def test_backward_hooks_see_only_gradients_of_their_own_walk():
    inner = []
    net = Twice(lambda a, b: inner.append(a) or (a, b))
    seen = []
    net.register_full_backward_hook(lambda m, inputs, outputs: seen.append(outputs))
    x = kael.ones(2, requires_grad=True)
    net(x)[1].sum().backward(retain_graph=True)
    inner[0].sum().backward()  # past the outputs of the module
    assert len(seen) == 1 and x.grad.tolist() == [5, 5]


class ScaledSum(nn.Module):
    """Its gradient reads the sum, not what was summed."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(kael.ones(1))

    def forward(self, x, y):
        return (x + y).sum() * self.scale


@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_graph_with_backward_hooks_keeps_no_tensor_that_no_gradient_reads(requires_grad):
    layer = ScaledSum()
    layer.register_full_backward_hook(lambda *_: None)
    before = in_use_bytes()
    x, y = kael.ones(5000, requires_grad=requires_grad) + 0, kael.ones(5000)
    out, kept = layer(x, y), (weakref.ref(x), weakref.ref(y))
    x = y = None
    assert [tensor() for tensor in kept] == [None, None]
    # A leaf is part of the graph, its memory too.
    assert kael.allocator_stats().in_use_bytes - before < 20000 * (1 + requires_grad)
    out.sum().backward()


class Two(tuple):
    """With a constructor of its own."""

    def __new__(cls, a, b):
        return super().__new__(cls, (a, b))


class Fields(namedtuple("Fields", "a b")):
    def __new__(cls, *outs):
        return super().__new__(cls, *outs)


def test_backward_hooks_leave_an_output_what_it_is():
    made = []
    for kind, expected in [
        (lambda *outs: outs, tuple),
        (lambda *outs: list(outs), list),
        (Fields, Fields),
        (Two, tuple),
    ]:
        net = Twice(lambda *outs, kind=kind: made.append(kind(*outs)) or made[-1])
        x = kael.ones(2, requires_grad=True)
        out = net(x)
        assert type(out) is expected
        (out[0] + out[1]).sum().backward()
        assert x.grad.tolist() == [5, 5]
        with kael.no_grad():
            assert net(x) is made[-1]


def test_backward_hooks_of_many_outputs():
    net, seen = Twice(lambda *outs: [out * n for n in range(1, 4) for out in outs]), []
    net.register_full_backward_hook(lambda m, inputs, outputs: seen.extend(outputs))
    x = kael.ones(2, requires_grad=True)
    for _ in range(2):
        sum(n * out for n, out in enumerate(net(x))).sum().backward()
        assert [g.tolist() for g in seen] == [[n, n] for n in range(6)]
        seen.clear()
    assert x.grad.tolist() == [2 * (2 * (0 + 2 * 2 + 3 * 4) + 3 * (1 + 2 * 3 + 3 * 5))] * 2


def test_a_hook_may_remove_itself():
    layer, calls = nn.Identity(), []
    handles = {}

    def once(name):
        def hook(*_):
            calls.append(name)
            handles[name].remove()

        return hook

    for name in ("forward_pre_hook", "forward_hook", "full_backward_pre_hook"):
        handles[name] = getattr(layer, f"register_{name}")(once(name))
        getattr(layer, f"register_{name}")(lambda *_: None)
    for _ in range(2):
        layer(kael.ones(1, requires_grad=True)).sum().backward()
    assert calls == list(handles)


def test_repr_matches_torchs():
    torch = pytest.importorskip("torch")

    def build(n):
        class Outer(n.Module):
            def __init__(self):
                super().__init__()
                self.stack = n.Sequential(n.Linear(2, 3), n.Sequential(n.ReLU(), n.Dropout(0.1)))
                self.norm = n.LayerNorm((2, 3))
                self.empty = n.Sequential()

        return Outer()

    assert repr(build(nn)) == repr(build(torch.nn))


@pytest.mark.parametrize("enter", ["register_buffer", "add_module"])
def test_a_name_is_not_taken_twice(enter):
    layer = nn.Linear(2, 2)
    with pytest.raises(KeyError, match="attribute 'weight' already exists"):
        getattr(layer, enter)("weight", None)


@pytest.mark.parametrize("kind", ["read-only", "expanded"])
def test_a_parameter_that_cannot_be_written_is_found_before_any_is(kind):
    """pytorch#28318."""
    model = nn.Linear(2, 2)
    bias = np.ones(2, "f4")
    bias.flags.writeable = False
    values = kael.from_numpy(bias) if kind == "read-only" else kael.ones(1).expand(2)
    model.bias = nn.Parameter(values)
    before = model.weight.detach().clone()
    with pytest.raises(RuntimeError, match="bias is read-only or expanded in the model"):
        model.load_state_dict({"weight": kael.zeros(2, 2), "bias": kael.zeros(2)})
    assert bits_equal(model.weight.detach(), before)
