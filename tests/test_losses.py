"""Cross entropy against distributions: the second form of include/kael/losses.inc.h against torch
and against the first form's bits; ignored rows; targets that are no class."""

import itertools

import numpy as np
import pytest
from conftest import THREAD_COUNTS, bits_equal
from test_rows import table

import kael
from kael.nn import functional
from kael.testing import gradcheck

NAN, INF = float("nan"), float("inf")


def distribution(rows, size, dtype="float32", seed=9):
    p = np.random.default_rng(seed).uniform(0, 1, (rows, size))
    return (p / p.sum(1, keepdims=True)).astype(dtype)


def with_gradient(array, target, g, **options):
    x = kael.from_numpy(np.array(array)).requires_grad_()
    losses = kael.cross_entropy_losses(x, target, **options)
    losses.backward(kael.from_numpy(g))
    return np.asarray(losses.detach()), np.asarray(x.grad)


OPTIONS = [
    {"weight": w, "label_smoothing": s} for w, s in itertools.product((False, True), (0.0, 0.1))
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_a_class_is_the_distribution_that_is_1_at_it(options, dtype, every_isa):
    for size in (1, 2, 31, 70, 513, 16385):
        array, g = table(5, size, dtype, size), table(1, 5, dtype)[0]
        classes = np.arange(5) * 7 % size
        sure = np.zeros((5, size), dtype)
        sure[np.arange(5), classes] = 1
        weight = kael.from_numpy(np.linspace(0.5, 2, size).astype(dtype))
        given = {**options, "weight": weight if options["weight"] else None}
        if options["weight"] and not options["label_smoothing"]:
            continue  # the weight is then applied to the loss, after its rounding
        of_classes = with_gradient(array, kael.from_numpy(classes), g, **given)
        of_sure = with_gradient(array, kael.from_numpy(sure), g, **given)
        assert all(map(bits_equal, of_classes, of_sure)), size


@pytest.mark.parametrize("options", OPTIONS)
def test_results_do_not_depend_on_threads_instruction_set_or_layout(options):
    for rows, size in ((700, 65), (40, 1000), (3, 20_001)):
        array, p, g = table(rows, size), distribution(rows, size), table(1, rows)[0]
        weight = kael.from_numpy(np.linspace(0.5, 2, size).astype("f4"))
        given = {**options, "weight": weight if options["weight"] else None}
        for target in (kael.from_numpy(p), kael.arange(rows) % size):
            want = with_gradient(array, target, g, **given)
            for isa in kael.usable_isas():
                for count in THREAD_COUNTS if isa == kael.get_isa() else (3,):
                    with kael.isa(isa), kael.num_threads(count):
                        found = with_gradient(array, target, g, **given)
                    assert all(map(bits_equal, found, want))
            turned = target.T.contiguous() if target.ndim == 2 else target
            losses, slope = with_gradient(array.T, turned, g, dim=0, **given)
            assert bits_equal(losses, want[0]) and bits_equal(slope.T, want[1])
            alone = with_gradient(array[:1], target[:1], g[:1], **given)
            assert bits_equal(alone[0][0], want[0][0]) and bits_equal(alone[1][0], want[1][0])


SHAPES = [(7,), (6, 7), (4, 7, 3), (2, 7, 3, 2)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reduction", ("none", "mean", "sum"))
def test_every_combination_agrees_with_torch(shape, reduction):
    torch = pytest.importorskip("torch")
    generator = np.random.default_rng(1)
    at = 0 if len(shape) == 1 else 1
    classes = generator.integers(0, 7, shape[:at] + shape[at + 1 :])
    ignoring = np.where(np.arange(classes.size).reshape(classes.shape) % 2, classes, -100)
    p = generator.uniform(0, 1, shape)
    for target, weighted, smoothing in itertools.product(
        (classes, ignoring, p / p.sum(at, keepdims=True)), (False, True), (0.0, 0.1)
    ):
        logits = generator.standard_normal(shape)
        weight = generator.uniform(0.5, 2, 7) if weighted else None
        x = kael.from_numpy(logits).requires_grad_()
        loss = functional.cross_entropy(
            x, kael.tensor(target), None if weight is None else kael.from_numpy(weight),
            reduction=reduction, label_smoothing=smoothing,
        )  # fmt: skip
        y = torch.tensor(logits, requires_grad=True)
        want = torch.nn.functional.cross_entropy(
            y, torch.tensor(target), None if weight is None else torch.tensor(weight),
            reduction=reduction, label_smoothing=smoothing,
        )  # fmt: skip
        assert loss.shape == tuple(want.shape)
        assert np.allclose(loss.detach(), want.detach(), rtol=1e-12, equal_nan=True)
        g = generator.standard_normal(tuple(want.shape))
        loss.backward(kael.tensor(g))
        want.backward(torch.tensor(g))
        assert np.allclose(x.grad, y.grad, rtol=1e-10, atol=1e-13, equal_nan=True)


def test_gradients_agree_with_differences():
    generator = np.random.default_rng(3)
    x = kael.from_numpy(generator.standard_normal((3, 6))).requires_grad_()
    p = kael.from_numpy(distribution(3, 6, "float64"))
    weight = kael.from_numpy(generator.uniform(0.5, 2, 6))
    classes = kael.tensor([0, -100, 5])
    losses = kael.cross_entropy_losses
    for smoothing in (0.0, 0.1):
        assert gradcheck(lambda x, s=smoothing: losses(x, p, label_smoothing=s), x)
        assert gradcheck(lambda x, s=smoothing: losses(x, p, weight=weight, label_smoothing=s), x)
        assert gradcheck(
            lambda x, s=smoothing: losses(
                x, classes, weight=weight, ignore_index=-100, label_smoothing=s
            ),
            x,
        )
    wanting = p.detach().clone().requires_grad_()
    assert gradcheck(lambda x, p: losses(x, p, weight=weight, label_smoothing=0.1), (x, wanting))


def test_ignored_rows_are_not_read_and_get_zeros(every_isa):
    array = table(6, 40)
    array[1], array[4] = NAN, INF
    for smoothing in (0.0, 0.1):
        target = kael.tensor([3, -7, 0, 39, -7, 8])
        losses, slope = with_gradient(
            array, target, np.ones(6, "f4"), ignore_index=-7, label_smoothing=smoothing
        )
        ignored = np.array([1, 4])
        assert not losses[ignored].any() and not slope[ignored].any()
        assert np.isfinite(losses).all() and np.isfinite(slope).all()


@pytest.mark.parametrize("smoothing", (0.0, 0.1))
def test_a_target_out_of_range_raises_from_any_row_and_the_pool_still_works(
    smoothing, every_thread_count
):
    logits = kael.zeros(40_001, 3)
    for row, bad in ((0, 3), (20_000, -1), (40_000, 2**40)):
        targets = np.zeros(40_001, np.int64)
        targets[row] = bad
        with pytest.raises(IndexError, match=f"target {bad} of row {row} .* 3 classes"):
            kael.cross_entropy_losses(
                logits, kael.from_numpy(targets), ignore_index=-100, label_smoothing=smoothing
            )
    good = kael.cross_entropy_losses(
        logits, kael.zeros(40_001, dtype=kael.int64), label_smoothing=smoothing
    )
    assert np.allclose(good, np.log(3))


def test_bad_rows_of_distributions_are_nan_at_every_width_and_place(every_isa):
    for size in range(1, 71):
        array, p = table(5, size), distribution(5, size)
        clean = np.asarray(kael.cross_entropy_losses(kael.from_numpy(array), kael.from_numpy(p)))
        for at in range(size):
            bad = array.copy()
            bad[1, at], bad[2, at], bad[3] = NAN, INF, -INF
            losses, slope = with_gradient(bad, kael.from_numpy(p), np.ones(5, "f4"))
            assert np.isnan(losses[1:4]).all() and np.isnan(slope[1:4]).all()
            assert bits_equal(losses[::4], clean[::4]) and np.isfinite(slope[::4]).all()


def test_errors_name_op_argument_and_value():
    x = kael.zeros(2, 3)
    losses = kael.cross_entropy_losses
    with pytest.raises(ValueError, match=r"shapes or dtypes differ: \(2, 3\) and \(3, 2\)"):
        losses(x, kael.zeros(3, 2))
    with pytest.raises(ValueError, match="shapes or dtypes differ"):
        losses(x, kael.zeros(2, 3, dtype=kael.float64))
    with pytest.raises(TypeError, match="targets must be integers, got bool"):
        losses(x, kael.tensor([True, False]))
    with pytest.raises(ValueError, match=r"weight must be contiguous.*3 elements.*\(2,\)"):
        losses(x, kael.tensor([0, 1]), weight=kael.ones(2))
    with pytest.raises(ValueError, match=r"label_smoothing must be in \[0, 1\], got 2"):
        losses(x, kael.tensor([0, 1]), label_smoothing=2)
    with pytest.raises(IndexError, match="dim 2"):
        losses(x, kael.tensor([0, 1]), dim=2)
    with pytest.raises(RuntimeError, match="not differentiable with respect to weight"):
        losses(x, kael.tensor([0, 1]), weight=kael.ones(3, requires_grad=True))
    with pytest.raises(ValueError, match=r"need one target per row, got targets \(3,\)"):
        losses(x, kael.tensor([0, 1, 2]))


def test_probabilities_have_no_class_to_ignore():
    """As in PyTorch; a negative number, which is no class, is taken for the default."""
    x, p = kael.randn(3, 4, generator=kael.Generator(1)), kael.ones(3, 4) / 4
    with pytest.raises(RuntimeError, match="cross_entropy: ignore_index 1 with probabilities"):
        functional.cross_entropy(x, p, ignore_index=1)
    assert bits_equal(
        functional.cross_entropy(x, p, ignore_index=-1), functional.cross_entropy(x, p)
    )
