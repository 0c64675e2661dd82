"""The graph: recording, the walk, modes, in-place changes; gradients against finite differences."""

import gc
import signal
import threading
import weakref

import numpy as np
import pytest
from conftest import HANGS, in_use_bytes, spread

import kael
from kael import autograd
from kael.ops import rules
from kael.testing import GradcheckError, assert_bits_equal, gradcheck


def leaf(*values, dtype=kael.float32):
    return kael.tensor(list(values), dtype=dtype, requires_grad=True)


# ---- recording and the walk ----


def test_gradients_accumulate_in_leaves():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    kept = x.grad
    (x * 3.0).sum().backward()
    assert x.grad is kept and kept.tolist() == [5.0, 7.0]
    assert x.is_leaf and x.grad_fn is None
    y = x * 2
    assert not y.is_leaf and y.requires_grad and repr(y.grad_fn) == "<mul gradient>"


def test_a_tensor_used_many_times_gets_every_part():
    x = leaf(1.0, 2.0, 3.0)
    y = x
    for _ in range(5):
        y = y + x
    z = y * x + y - x
    z.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [6 * 2 * v + 5 for v in (1, 2, 3)])


def test_leaves_never_share_a_gradient_with_each_other_or_the_caller():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = kael.ones(2)
    (x + y).backward(seed)
    pointers = {x.grad.data_ptr(), y.grad.data_ptr(), seed.data_ptr()}
    assert len(pointers) == 3
    x.grad.zero_()
    assert y.grad.tolist() == [1.0, 1.0] and seed.tolist() == [1.0, 1.0]


def test_a_gradient_that_nobody_shares_is_taken_without_a_copy():
    kept = []

    def gradient(g):
        out = g * 2
        kept.append(out.data_ptr())
        return (out,)

    x = leaf(1.0, 2.0)
    autograd.record("double", x.detach() * 2, (x,), gradient).backward(kael.ones(2))
    assert x.grad.data_ptr() == kept[0]


def test_gradients_are_added_in_reverse_order_of_creation():
    """(1e8 + 1) - 1e8 in float32 depends on the order; numerics R8 fixes it."""
    for weights, expected in [((1.0, 1e8, -1e8), 1.0), ((1e8, 1.0, -1e8), 0.0)]:
        x = leaf(1.0)
        parts = [x * w for w in weights]
        (parts[2] + (parts[0] + parts[1])).backward()
        # The latest part arrives first: ((w2 + w1) + w0).
        w0, w1, w2 = (np.float32(w) for w in weights)
        assert x.grad.item() == float((w2 + w1) + w0) == expected
        assert_bits_equal(x.grad, np.float32([(w2 + w1) + w0]))


def test_backward_needs_a_gradient_for_many_elements():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="only one element"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match=r"shape \(3,\)"):
        (x * 2).backward(kael.ones(3))
    with pytest.raises(TypeError, match="float"):
        (x * 2).backward(1.0)
    with pytest.raises(RuntimeError, match="does not require grad"):
        kael.ones(1).backward()
    (x * 2).backward(kael.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2.0, 20.0]


def test_a_freed_graph_raises_and_a_retained_one_does_not():
    x = leaf(3.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()
    with pytest.raises(RuntimeError, match="freed"):
        (y * 2).backward()
    assert x.grad.tolist() == [12.0]


def test_inputs_limits_what_is_accumulated():
    x, w = leaf(2.0), leaf(3.0)
    h = x * w
    (h * h).backward(inputs=[w, h])
    assert x.grad is None and w.grad.tolist() == [24.0] and h.grad.tolist() == [12.0]


def test_grad_returns_and_changes_nothing():
    x, w, other = leaf(2.0), leaf(3.0), leaf(1.0)
    h = x * w
    gx, gh = autograd.grad(h * h, [x, h], retain_graph=True)
    assert (gx.tolist(), gh.tolist(), x.grad) == ([36.0], [12.0], None)
    with pytest.raises(RuntimeError, match="input 1 is not used"):
        autograd.grad(h * h, [x, other], retain_graph=True)
    assert autograd.grad(h * h, [other], allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="input 0 does not require grad"):
        autograd.grad(x * 2, [kael.ones(1)])
    with pytest.raises(NotImplementedError, match="create_graph"):
        autograd.grad(x * 2, [x], create_graph=True)


def test_several_outputs_at_once():
    x = leaf(2.0)
    autograd.backward([x * 2, x * x], [kael.ones(1), kael.tensor([10.0])])
    assert x.grad.tolist() == [42.0]


def test_a_root_that_is_a_leaf():
    x = leaf(2.0)
    x.backward()
    assert x.grad.tolist() == [1.0]


def test_the_gradient_arrives_in_the_dtype_of_the_leaf():
    x = leaf(2.0)
    y = leaf(3.0, dtype=kael.float64)
    (x * y).backward()
    assert x.grad.dtype is kael.float32 and y.grad.dtype is kael.float64
    assert x.grad.tolist() == [3.0] and y.grad.tolist() == [2.0]


def test_a_failing_gradient_changes_no_leaf():
    x, w = leaf(1.0), leaf(2.0)

    def gradient(g):
        raise ArithmeticError("planned")

    y = autograd.record("fails", x.detach() * 1, (x,), gradient)
    with pytest.raises(ArithmeticError, match="planned"):
        (w * 2 + y).backward()
    assert w.grad is None and x.grad is None
    assert kael.is_grad_enabled()


@pytest.mark.parametrize("result", [None, [None], (None, None)])
def test_a_gradient_of_the_wrong_form_is_named(result):
    x = leaf(1.0)
    y = autograd.record("odd", x.detach() * 1, (x,), lambda g: result)
    with pytest.raises(RuntimeError, match="odd: its gradient must return a tuple of 1"):
        y.backward()


def test_a_gradient_of_the_wrong_shape_is_refused():
    x = leaf(1.0, 2.0)
    y = autograd.record("odd", x.detach() * 1, (x,), lambda g: (kael.ones(3),))
    with pytest.raises(RuntimeError, match=r"shape \(3,\) reached a tensor of shape \(2,\)"):
        y.backward(kael.ones(2))


def test_deep_graphs_do_not_recurse():
    """100 000 nodes: neither the walk nor the release of a graph may use the C stack."""
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [1.0]
    del y
    y = x
    for _ in range(100_000):
        y = y.reshape(1)
    gc.collect()
    del y
    gc.collect()


def test_graphs_free_their_tensors():
    x = leaf(1.0, 2.0)
    h = x * x
    seen = weakref.ref(h)
    y = (h + 1.0).sum()
    del h
    assert seen() is None, "a sum does not read its input: nothing may hold it"
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_failing_calls_leave_nothing_behind():
    # The books of the allocator must close: an exception may not keep a temporary.
    x, w = kael.ones(64, 64, requires_grad=True), kael.ones(3, requires_grad=True)
    calls = [
        lambda: (x + 1.0) * w,
        lambda: x.reshape(5),
        lambda: x[64],
        lambda: (x * 2).backward(),
        lambda: x.fill_(1.0),
        lambda: kael.cat([x * 1, w * 1]),
        lambda: (x * 2)[kael.tensor([70])],
    ]
    for call in calls:
        with pytest.raises((ValueError, RuntimeError, IndexError)):
            call()
    before = in_use_bytes()
    for _ in range(1000 // len(calls) + 1):
        for call in calls:
            with pytest.raises((ValueError, RuntimeError, IndexError)):
                call()
    assert in_use_bytes() == before


# ---- leaves, hooks, detach ----


def test_only_leaves_of_floats_choose_requires_grad():
    x = kael.ones(2)
    assert not x.requires_grad and x.requires_grad_().requires_grad
    y = x * 2
    with pytest.raises(RuntimeError, match="detach"):
        y.requires_grad = False
    for dtype in (kael.int64, kael.bool_):
        with pytest.raises(RuntimeError, match="floating point"):
            kael.ones(2, dtype=dtype).requires_grad_()
    assert not (x > 0).requires_grad and not x.long().requires_grad


def test_a_gradient_that_does_not_fit_its_tensor_is_refused():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="shape"):
        x.grad = kael.ones(2)
    with pytest.raises(RuntimeError, match="got float64"):
        x.grad = kael.ones(1, dtype=kael.float64)
    with pytest.raises(TypeError, match="Tensor or None"):
        x.grad = 1.0
    x.grad = kael.ones(1)
    x.grad = None
    assert x.grad is None


def test_detach_shares_memory_and_leaves_the_graph():
    x = leaf(1.0, 2.0)
    y = (x * 2).detach()
    assert not y.requires_grad and y.grad_fn is None
    assert x.detach().data_ptr() == x.data_ptr()
    (x * x.detach()).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0]


def test_retain_grad_keeps_the_gradient_of_an_inner_tensor():
    x = leaf(2.0)
    h = x * 3
    h.retain_grad()
    (h * h).backward()
    assert h.grad.tolist() == [12.0] and x.grad.tolist() == [36.0]


def test_retain_grad_follows_a_change_in_place():
    x = leaf(2.0)
    h = x * 3
    h.retain_grad()
    h *= 5
    (h * h).backward()
    assert h.grad.tolist() == [60.0] and x.grad.tolist() == [900.0]


def test_retain_grad_refuses_a_tensor_without_a_gradient():
    with pytest.raises(RuntimeError, match="retain_grad: the tensor does not require grad"):
        kael.ones(2).retain_grad()


def test_hooks_see_and_replace_gradients():
    x = leaf(2.0)
    h = x * 3
    seen = []
    h.register_hook(lambda g: seen.append(g.tolist()))
    handle = h.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    (h * 1).backward(retain_graph=True)
    assert seen == [[1.0]] and x.grad.tolist() == [31.0]
    handle.remove()
    (h * 1).backward()
    assert x.grad.tolist() == [35.0]
    with pytest.raises(RuntimeError, match="register_hook"):
        kael.ones(1).register_hook(print)


# ---- grad mode ----


def test_grad_modes_nest_and_end_with_their_block():
    x = leaf(1.0)
    with kael.no_grad():
        assert not kael.is_grad_enabled() and not (x * 2).requires_grad
        with kael.enable_grad():
            assert (x * 2).requires_grad
        assert not kael.is_grad_enabled()
        kael.set_grad_enabled(True)
        assert kael.is_grad_enabled()
    assert kael.is_grad_enabled()
    with kael.set_grad_enabled(False):
        assert not kael.is_grad_enabled()
    assert kael.is_grad_enabled()


def test_grad_modes_as_decorators():
    x = leaf(1.0)

    @kael.no_grad()
    def called(y):
        """Doc."""
        return y * 2

    @kael.no_grad
    def bare(y):
        return called(y)

    @kael.set_grad_enabled(False)
    def switched(y):
        return y * 2

    assert called.__doc__ == "Doc."
    for function in (called, bare, switched):
        assert not function(x).requires_grad
    assert kael.is_grad_enabled()


def test_the_mode_is_restored_after_an_exception():
    with pytest.raises(KeyError), kael.no_grad():
        raise KeyError
    assert kael.is_grad_enabled()


def test_the_mode_is_restored_when_an_interrupt_falls_into_its_exit(interrupts):
    @kael.no_grad()
    def decorated():
        pass

    def block():
        with kael.no_grad():
            pass

    def interrupt(*_):
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        for run in (block, decorated) * 100:
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.0003)
                while True:
                    run()
            assert kael.is_grad_enabled()
    finally:
        signal.signal(signal.SIGALRM, former)


def test_the_mode_belongs_to_its_thread():
    inside, outside = threading.Event(), threading.Event()
    found = []

    def other():
        with kael.no_grad():
            inside.set()
            outside.wait(HANGS)
            found.append(kael.is_grad_enabled())

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(HANGS)
    found.append(kael.is_grad_enabled())
    found.append((leaf(1.0) * 2).requires_grad)
    outside.set()
    thread.join()
    assert found == [True, True, False]


def test_walks_of_two_threads_share_a_graph():
    x = leaf(*range(1, 101))
    h = x * 2.0
    errors = []

    def walk():
        for _ in range(50):
            (g,) = autograd.grad((h * h).sum(), [x], retain_graph=True)
            errors.append(not np.array_equal(g.numpy(), 8 * x.detach().numpy()))

    threads = [threading.Thread(target=walk) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 200 and not any(errors)


# ---- in-place changes ----


def test_a_leaf_that_requires_grad_is_not_changed_in_place():
    for change in (
        lambda x: x.__iadd__(1.0),
        lambda x: x.mul_(2.0),
        lambda x: x.fill_(0.0),
        lambda x: x.zero_(),
        lambda x: x.copy_(kael.ones(2)),
        lambda x: x.__setitem__(0, 1.0),
    ):
        x = leaf(1.0, 2.0)
        with pytest.raises(RuntimeError, match="leaf"):
            change(x)
        assert x.tolist() == [1.0, 2.0] and x.grad_fn is None
        with kael.no_grad():
            change(x)
        assert x.requires_grad and x.is_leaf


def test_a_saved_tensor_changed_in_place_is_noticed():
    for change in (lambda h: h.add_(1.0), lambda h: h[0:1].zero_(), lambda h: h.detach().zero_()):
        x = leaf(1.0, 2.0)
        h = x * 2.0
        y = h * h
        with kael.no_grad():
            change(h)
        with pytest.raises(RuntimeError, match=r"mul: .*in-place"):
            y.sum().backward()
        assert x.grad is None


def test_a_tensor_that_no_gradient_reads_may_change():
    x = leaf(1.0, 2.0)
    h = x + 1.0
    y = h + 1.0
    with kael.no_grad():
        h.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda h, w: h.add_(w),
        lambda h, w: h.mul_(w),
        lambda h, w: h.__itruediv__(w),
        lambda h, w: h.__isub__(2.0),
        lambda h, w: h.mul_(h),
        lambda h, w: h.copy_(w),
        lambda h, w: h.fill_(2.0),
        lambda h, w: h.exp_(),
        lambda h, w: h.mul_(w).add_(w).mul_(w),
    ],
)
def test_recorded_in_place_changes(change):
    rng = np.random.default_rng(7)
    x = kael.tensor(rng.uniform(0.5, 2, (2, 3)), requires_grad=True)
    w = kael.tensor(rng.uniform(0.5, 2, (2, 3)), requires_grad=True)

    def function(x, w):
        h = x * x
        change(h, w)
        return h * h

    assert gradcheck(function, (x, w))


def test_an_in_place_change_is_visible_in_the_same_memory():
    h = leaf(1.0, 2.0) * 2.0
    kept = h.data_ptr()
    h += 1.0
    assert h.data_ptr() == kept and h.tolist() == [3.0, 5.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda view: view.mul_(2.0),
        lambda view: view.fill_(1.0),
        lambda view: view.copy_(kael.zeros(2)),
        lambda view: view.__setitem__(0, 1.0),
    ],
)
def test_writing_through_a_view_in_a_graph_is_refused(change):
    x = leaf(1.0, 2.0, 3.0)
    h = x * 2.0
    for tensor, other in ((h[1:], h), (h, h[1:])):
        target = tensor if tensor.shape == (2,) else tensor[:2]
        with pytest.raises(RuntimeError, match="shares its memory"):
            change(target)
        del other
    assert h.tolist() == [2.0, 4.0, 6.0]
    h.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_writing_a_recorded_value_into_a_view_of_a_plain_tensor_is_refused():
    base = kael.zeros(4)
    with pytest.raises(RuntimeError, match="shares its memory"):
        base[1:].copy_(leaf(1.0, 2.0, 3.0))
    assert base.tolist() == [0.0] * 4


# ---- gradcheck itself, and the compiled twins ----


def test_gradcheck_finds_a_wrong_gradient():
    def wrong(x):
        return autograd.record("wrong", x.detach() * 2, (x,), lambda g: (g * 2.001 + 0.01,))

    x = kael.tensor([1.0, 2.0], dtype=kael.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="output 0, input 0"):
        gradcheck(wrong, x)
    assert not gradcheck(wrong, x, raise_exception=False)
    assert x.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="float64"):
        gradcheck(lambda x: x, leaf(1.0))
    with pytest.raises(ValueError, match="requires grad"):
        gradcheck(lambda x: x, kael.ones(1))


def arrays(*shapes, positive=False):
    """Tensors whose exponents spread; the first of them positive where that is asked for."""
    values = [spread(shape, seed=number) for number, shape in enumerate(shapes)]
    values[0] = abs(values[0]) if positive else values[0]
    return map(kael.from_numpy, values)


def recorded(function, operands, seed):
    """The output of a function of fresh leaves, and their gradients."""
    leaves = [x.clone().requires_grad_() for x in operands]
    out = function(*leaves)
    out.backward(seed)
    return out.detach(), *(x.grad for x in leaves)


@pytest.mark.parametrize("name", [n for n, rule in rules.UNARY.items() if rule.gradients])
def test_the_plain_case_of_one_operand_has_the_bits_of_its_rule(name):
    """_kernels/rules.pyx records it at once; its slow twin is _apply_unary of ops/rules.py."""
    *operands, seed = arrays((3, 5), (3, 5), positive="log" in name)
    fast = recorded(getattr(kael, name), operands, seed)
    slow = recorded(lambda x: rules._apply_unary(rules.UNARY[name], x), operands, seed)
    for found, expected in zip(fast, slow, strict=True):
        assert_bits_equal(found, expected)


@pytest.mark.parametrize("shape", [(3, 5), (5,), (3, 1)], ids=str)
@pytest.mark.parametrize("name", [n for n, rule in rules.BINARY.items() if rule.gradients])
def test_the_plain_case_of_two_operands_has_the_bits_of_its_rule(name, shape):
    *operands, seed = arrays((3, 5), shape, (3, 5), positive=name == "pow")
    fast = recorded(getattr(kael, name), operands, seed)
    slow = recorded(lambda a, b: rules._apply_binary(rules.BINARY[name], a, b), operands, seed)
    for found, expected in zip(fast, slow, strict=True):
        assert_bits_equal(found, expected)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [None, 0, -1, (0, 2), (), (2, 1, 0)])
def test_the_compiled_sum_has_the_gradient_of_its_rule(dim, keepdim):
    """Tensor.sum records it at once; with a dtype ops.reduce.sum does, its slow twin."""
    values = np.random.default_rng(13).standard_normal((2, 3, 4)).astype("f4")
    found = []
    for options in ({}, {"dtype": kael.float32}):
        x = kael.tensor(values, requires_grad=True)
        out = x.transpose(0, 2).sum(dim, keepdim, **options)
        (out * out).sum().backward()
        found.append((out, x.grad))
    for fast, slow in zip(*found, strict=True):
        assert_bits_equal(fast, slow)


def test_a_hook_cannot_smuggle_a_wrong_shape_into_the_gradient_of_a_sum():
    for wrong in (kael.ones(2), kael.ones(3, 1), kael.ones(4)):
        x = kael.ones(3, 4, requires_grad=True)
        total = x.sum(1)
        total.register_hook(lambda g, wrong=wrong: wrong)
        with pytest.raises(RuntimeError, match="a hook made a gradient of shape"):
            total.backward(kael.ones(3))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: x + y[0],
        lambda x, y: x[:, :1] * y,
        lambda x, y: 2.0 - x * 3.0 + y / 2,
        lambda x, y: 1.0 / y,
        lambda x, y: x @ y.T,
        lambda x, y: -x + abs(y),
        lambda x, y: kael.where(x > 0, x, y),
        lambda x, y: x.relu() * y.softmax(-1) + x.sum(),
    ],
)
def test_gradients_of_operators(function):
    rng = np.random.default_rng(11)
    x = kael.tensor(rng.standard_normal((2, 3)), requires_grad=True)
    y = kael.tensor(rng.uniform(0.5, 2, (2, 3)), requires_grad=True)
    assert gradcheck(function, (x, y))


def test_grad_mode_holds_inside_a_decorated_generator_only():
    @kael.no_grad()
    def batches():
        seen = []
        try:
            while len(seen) < 2:
                seen.append((yield kael.is_grad_enabled()))
        finally:
            seen.append(kael.is_grad_enabled())
        return seen

    generator = batches()
    assert next(generator) is False and kael.is_grad_enabled()
    assert generator.send("a") is False and kael.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        generator.send("b")
    assert end.value.value == ["a", "b", False]
    assert kael.is_grad_enabled()


@pytest.mark.parametrize(
    ("hook", "error"),
    [(lambda g: "text", TypeError), (lambda g: kael.ones(2), RuntimeError)],
)
@pytest.mark.parametrize("of_leaf", [True, False])
def test_a_hook_that_is_refused_changes_no_gradient(hook, error, of_leaf):
    x, y = (kael.ones(3, requires_grad=True) for _ in range(2))
    h = x if of_leaf else x * 1
    h.register_hook(hook)
    with pytest.raises(error, match="hook"):
        (h + y).sum().backward()
    assert x.grad is None and y.grad is None


def test_gradients_at_the_ends_of_the_range():
    """Where the gradient is in the range, a square or a product of all on the way is not."""
    small, large = 1e-30, 1e30
    a = kael.tensor([small, large], requires_grad=True)
    b = kael.tensor([small, large], requires_grad=True)
    (a / b).sum().backward()
    np.testing.assert_allclose(b.grad.numpy(), [-large, -small], rtol=1e-6)
    a.grad = b.grad = None
    kael.hypot(a, b).backward(kael.tensor([small, large]))
    np.testing.assert_allclose(a.grad.numpy(), [small * 0.5**0.5, large * 0.5**0.5], rtol=1e-6)
    a.grad = None
    a.detach()[0] = large
    a.prod().backward()
    np.testing.assert_allclose(a.grad.numpy(), [large, large], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "x", "slope"),
    [
        ("asin", 1 - 2900 * 2.0**-24, lambda x: ((1 - x) * (1 + x)) ** -0.5),
        ("acos", 1 - 2900 * 2.0**-24, lambda x: -(((1 - x) * (1 + x)) ** -0.5)),
        ("expm1", -20.0, np.exp),
        ("log1p", -1 + 2.0**-20, lambda x: 1 / (1 + x)),
    ],
)
def test_gradients_without_cancellation(name, x, slope):
    leaf = kael.tensor([x], requires_grad=True)
    getattr(kael, name)(leaf).sum().backward()
    np.testing.assert_allclose(leaf.grad.item(), slope(x), rtol=3e-7)


@pytest.mark.parametrize("kind", ["expanded", "read-only"])
def test_a_gradient_that_cannot_be_written_is_replaced(kind):
    x, y = (kael.ones(3, requires_grad=True) for _ in range(2))
    array = np.ones(3, "f4")
    array.flags.writeable = False
    y.grad = kael.ones(1).expand(3) if kind == "expanded" else kael.from_numpy(array)
    (x + y * 2).sum().backward()
    assert x.grad.tolist() == [1, 1, 1] and y.grad.tolist() == [3, 3, 3]
    assert array.tolist() == [1, 1, 1]
