"""Gradient clipping: one norm in double over all gradients, whatever their split."""

import numpy as np
import pytest
from conftest import bits_equal, spread

import kael
from kael.optim import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm


def holders(gradients):
    made = []
    for g in gradients:
        p = kael.zeros(g.shape, dtype=kael.tensor(g).dtype).requires_grad_()
        p.grad = kael.tensor(g)
        made.append(p)
    return made


def test_norm_and_scaling_agree_with_torch():
    torch = pytest.importorskip("torch")
    for norm_type in (2.0, 1.0, 3.0, float("inf")):
        gradients = [np.linspace(-k, 2, 10 * k + 3).astype("float32") for k in range(1, 5)]
        mine = holders(gradients)
        theirs = [torch.zeros(g.shape, requires_grad=True) for g in gradients]
        for t, g in zip(theirs, gradients, strict=True):
            t.grad = torch.from_numpy(g.copy())
        got = clip_grad_norm_(mine, 1.5, norm_type)
        expected = torch.nn.utils.clip_grad_norm_(theirs, 1.5, norm_type)
        assert got.shape == () and got.dtype is kael.float32
        np.testing.assert_allclose(got.item(), expected.item(), rtol=1e-6)
        for p, t in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(np.asarray(p.grad), t.grad.numpy(), rtol=1e-5, atol=1e-7)


def test_bits_do_not_depend_on_threads_isa_or_split():
    whole = spread(100_003)
    with kael.isa("generic"), kael.num_threads(1):
        (p,) = holders([whole])
        total = clip_grad_norm_([p], 1.0)
        expected = np.array(p.grad)
    for isa in kael.usable_isas():
        for threads in (1, 3, 7):
            for cuts in CUTS:
                with kael.isa(isa), kael.num_threads(threads):
                    parts = holders(np.split(whole, cuts))
                    assert bits_equal(clip_grad_norm_(parts, 1.0), total)
                    found = np.concatenate([np.asarray(p.grad) for p in parts])
                    assert bits_equal(found, expected)


# Cuts at ends of blocks and groups, inside of them, an empty piece, pieces shorter than a group.
CUTS = [
    [],
    [1, 50_000, 50_001],
    [16_384, 99_999],
    [31, 32, 33, 65, 65, 66, 98, 16_383, 16_385, 32_768],
    list(range(0, 3000, 7)),
]
ORDERS = [2.0, 1.0, 0.0, 3.0, 0.5, -1.5, float("inf"), float("-inf")]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", ORDERS)
def test_every_norm_is_that_of_the_concatenation(p, dtype, every_isa):
    whole = (spread(70_001, dtype) + 1e-3).astype(dtype)
    with kael.isa("generic"), kael.num_threads(1):
        expected = get_total_norm(kael.tensor(whole), p)
        in_one = kael.norm(kael.tensor(whole.astype("float64")), p).item()
        assert bits_equal(expected, np.array(in_one).astype(dtype))
    for cuts in CUTS:
        with kael.num_threads(3):
            parts = [kael.tensor(piece) for piece in np.split(whole, cuts) if len(piece) < 80_000]
            assert bits_equal(get_total_norm(parts, p), expected)
    for value in (np.nan, np.inf):
        special = whole.copy()
        special[[20_000, 69_999]] = value
        found = get_total_norm([kael.tensor(part) for part in np.split(special, CUTS[3])], p)
        with np.errstate(all="ignore"):
            reference = np.linalg.norm(special.astype("float64"), p)
        np.testing.assert_allclose(found.item(), reference.astype(dtype), rtol=1e-6)


def test_gradients_of_any_strides_are_read_in_logical_order():
    base = spread((60, 90, 11))
    views = [
        lambda a: a.transpose(2, 0, 1),
        lambda a: a[::2, :, ::-3],
        lambda a: a[:, 5:6, 3],
        lambda a: a[0, 0, :1],
        lambda a: np.broadcast_to(a[:, :1], a.shape),
        lambda a: a[:, ::-1],
        lambda a: np.broadcast_to(a[0, 0, 0], (3, 70)),
    ]
    for together in ([0], [1, 2, 3], range(len(views)), range(len(views) - 1, -1, -1)):
        strided = [views[k](base) for k in together]
        whole = np.concatenate([view.reshape(-1) for view in strided])
        for p in (2.0, 1.0, 3.0):
            found = get_total_norm([kael.from_numpy(view) for view in strided], p)
            assert bits_equal(found, get_total_norm(kael.tensor(whole), p)), (together, p)


def test_dtypes_may_be_mixed():
    a, b = spread(40_000), spread(777, "float64")
    found = get_total_norm([kael.tensor(a), kael.tensor(b)])
    assert found.dtype is kael.float32
    assert bits_equal(found, get_total_norm(kael.tensor(np.concatenate([a, b]))).float())
    with pytest.raises(TypeError, match="norm: takes floating-point tensors, got int64"):
        get_total_norm([kael.tensor([1, 2])])


def test_no_copy_is_made_of_the_gradients():
    parts = [kael.ones(1000) for _ in range(300)]
    kael.empty_cache()
    before = kael.allocator_stats()
    get_total_norm(parts)
    after = kael.allocator_stats()
    assert after.reserved_bytes - before.reserved_bytes < 10_000  # partials of blocks


def test_the_norm_is_taken_in_double():
    # torch reports inf for these and makes the gradients 0
    (p,) = holders([np.array([1e30, 1e30], np.float32)])
    assert clip_grad_norm_(p, 1.0).item() == pytest.approx(1.4142135e30)
    np.testing.assert_allclose(np.asarray(p.grad), [0.70710677] * 2, rtol=1e-6)


def test_small_norms_change_nothing_and_views_are_written_through():
    base = kael.tensor(spread((4, 6)))
    p = kael.zeros(6, 4, requires_grad=True)
    p.grad = base.transpose(0, 1)
    before = np.array(base)
    clip_grad_norm_([p], float("inf"))
    assert bits_equal(base, before)
    total = clip_grad_norm_([p], 1e-3).item()
    factor = np.float32(1e-3 / (np.sqrt((before.astype(np.float64) ** 2).sum()) + 1e-6))
    assert total > 1e-3 and bits_equal(base, factor * before)


def test_a_norm_as_small_as_the_constant_beside_it():
    """torch divides by the norm plus 1e-6, which shows where the norm is no larger."""
    (p,) = holders([np.array([3e-6, 4e-6], np.float64)])
    clip_grad_norm_([p], 3e-6)
    np.testing.assert_allclose(np.asarray(p.grad), [1.5e-6, 2e-6], rtol=1e-12)


def test_nonfinite_norms():
    for values, error in (([np.inf, 1.0], "non-finite"), ([np.nan, 1.0], "non-finite")):
        (p,) = holders([np.array(values, np.float32)])
        before = np.array(p.grad)
        with pytest.raises(RuntimeError, match=error):
            clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
        assert bits_equal(p.grad, before)
    (p,) = holders([np.array([np.inf, 1.0], np.float32)])
    assert clip_grad_norm_([p], 1.0).item() == np.inf
    assert bits_equal(p.grad, np.array([np.nan, 0.0], np.float32))
    (p,) = holders([np.array([np.nan, 1.0], np.float32)])
    clip_grad_norm_([p], 1.0)
    assert np.isnan(np.asarray(p.grad)).all()


def test_the_two_halves_equal_the_whole():
    gradients = [spread(9), spread(20, seed=1)]
    whole, halves = holders(gradients), holders(gradients)
    total = clip_grad_norm_(whole, 0.5)
    known = get_total_norm([p.grad for p in halves])
    assert bits_equal(known, total)
    clip_grads_with_norm_(halves, 0.5, known)
    for a, b in zip(whole, halves, strict=True):
        np.testing.assert_allclose(np.asarray(a.grad), np.asarray(b.grad), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clipping_by_value(dtype):
    values = np.array([-3.0, -0.5, -0.0, 0.5, 3.0, np.nan, np.inf, -np.inf] * 9, dtype)
    (p,) = holders([values])
    clip_grad_value_(iter([p]), 1)
    assert bits_equal(p.grad, np.clip(values, -1, 1))


def test_without_gradients_the_norm_is_zero():
    p = kael.zeros(3, requires_grad=True)
    assert clip_grad_norm_([p], 1.0).item() == 0
    assert clip_grad_norm_([], 1.0).item() == 0
    clip_grad_value_(p, 1.0)
    with pytest.warns(UserWarning, match="empty generator"):
        clip_grad_norm_((x for x in ()), 1.0)
    (q,) = holders([np.zeros((0, 2), np.float32)])
    assert clip_grad_norm_([q], 1.0).item() == 0


def test_parameters_as_one_vector():
    layer = kael.nn.Linear(3, 2)
    weight, bias = np.array(layer.weight.detach()), np.array(layer.bias.detach())
    vector = kael.nn.utils.parameters_to_vector(layer.parameters())
    assert bits_equal(vector.detach(), np.concatenate([weight.reshape(-1), bias]))
    (vector * vector).sum().backward()
    assert bits_equal(layer.weight.grad, 2 * weight)
    new = kael.arange(8).float()
    kael.nn.utils.vector_to_parameters(new, layer.parameters())
    assert layer.weight.detach().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert layer.bias.detach().tolist() == [6, 7] and layer.bias.requires_grad
    with kael.no_grad():
        layer.bias.zero_()
    assert new.tolist() == list(range(8))
    with pytest.raises(ValueError, match=r"8 elements needed, got shape \(7,\)"):
        kael.nn.utils.vector_to_parameters(new[1:], layer.parameters())
    with pytest.raises(TypeError, match="expected Tensor, but got: list"):
        kael.nn.utils.vector_to_parameters([1.0] * 8, layer.parameters())


def test_a_vector_is_not_written_in_part():
    writable, fixed = kael.ones(2), kael.ones(1).expand(2)
    with pytest.raises(RuntimeError, match="parameter 1 is read-only or expanded"):
        kael.nn.utils.vector_to_parameters(kael.zeros(4), [writable, fixed])
    assert writable.tolist() == [1, 1]
