"""Row operations: R5 against a literal twin, the same bits in any batch and layout, odd values,
torch's errors, gradients."""

from itertools import permutations

import numpy as np
import pytest
from conftest import THREAD_COUNTS, at_offset, bits_equal, spread
from test_reduce import fold

import kael
from kael.nn import functional
from kael.ops import rows as ops
from kael.testing import gradcheck

NAN, INF = float("nan"), float("inf")
ROW_SIZES = (1, 2, 7, 10, 31, 32, 33, 65, 1000, 16384, 16385, 50257)
BATCHES = (1, 2, 3, 4, 5, 8, 26, 64)


def exp(x):
    return np.asarray(kael.from_numpy(np.ascontiguousarray(x)).exp())


def log(x):
    return np.asarray(
        kael.tensor([x.item()], dtype=kael.dtypes.by_code(4 + x.itemsize // 8)).log()
    )[0]


@np.errstate(all="ignore")
def twin(name, row, g=None):
    """R5 for one row, with kael's exp and log and a literal fold."""
    kind, n = row.dtype.type, len(row)
    if name == "standardize":
        wide = row.astype(np.float64)
        center = fold(wide) / n
        scale = 1 / np.sqrt(fold((wide - center) ** 2) / n + 1e-5)
        return ((wide - center) * scale).astype(row.dtype)
    largest = row.max()
    e = exp(row - largest)
    total = kind(fold(e.astype(np.float64)))
    if name == "softmax":
        return e / total
    if name == "log_softmax":
        return (row - largest) - log(total)
    return log(total) - (row[n // 2] - largest)


def call(name, x):
    if name == "cross_entropy_losses":
        return kael.cross_entropy_losses(
            x, kael.full(x.shape[:-1], x.shape[-1] // 2, dtype=kael.int64)
        )
    return ops.standardize(x) if name == "standardize" else getattr(ops, name)(x, -1)


def gradient(name, x, g):
    """The gradient of `call` at x, weighted by g."""
    x = kael.from_numpy(np.array(x)).requires_grad_()
    out = call(name, x)
    out.backward(kael.from_numpy(np.ascontiguousarray(g[..., 0] if out.ndim < x.ndim else g)))
    return x.grad


def table(rows, size, dtype="float32", seed=0):
    """Logits of mixed magnitudes, so that a change of order shows in the totals."""
    generator = np.random.default_rng(seed)
    return (generator.standard_normal((rows, size)) * 6).astype(dtype)


NAMES = ("softmax", "log_softmax", "standardize", "cross_entropy_losses")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_rows_have_the_bits_of_the_twin(name, dtype, every_isa):
    for size in (*range(1, 71), *ROW_SIZES[8:]):
        row = table(1, size, dtype, size)
        assert bits_equal(np.asarray(call(name, kael.from_numpy(row)))[0], twin(name, row[0])), size


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_the_same_alone_and_in_a_batch(name):
    """pytorch/pytorch#136338, #45422, tensorflow/tensorflow#11610."""
    for size in (10, 65, 784, 20_000):
        array, g = table(64, size), table(64, size, seed=1)
        whole = np.asarray(call(name, kael.from_numpy(array)))
        slopes = np.asarray(gradient(name, array, g))
        for batch in BATCHES:
            for at in range(0, 64, batch):
                part = slice(at, at + batch)
                assert bits_equal(call(name, kael.from_numpy(array[part])), whole[part])
            assert bits_equal(gradient(name, array[:batch], g[:batch]), slopes[:batch])


@pytest.mark.parametrize("name", NAMES)
def test_results_do_not_depend_on_threads_or_instruction_set(name):
    for shape in ((700, 65), (301, 1000), (9, 50257)):
        array, g = table(*shape), table(*shape, seed=1)
        results = []
        for isa in kael.usable_isas():
            for count in THREAD_COUNTS if isa == kael.get_isa() else (2,):
                with kael.isa(isa), kael.num_threads(count):
                    results.append((call(name, kael.from_numpy(array)), gradient(name, array, g)))
        for out, slope in results[1:]:
            assert bits_equal(out, results[0][0]) and bits_equal(slope, results[0][1])


@pytest.mark.native  # for the minutes
@pytest.mark.parametrize("name", NAMES)
def test_results_stored_past_the_caches_have_the_bits_of_others(name):
    """40 MB are, their halves are not; rows begin at any place of a vector."""
    x, g = (kael.tensor(table(1001, 10_001, seed=seed)) for seed in (1, 2))
    for isa in kael.usable_isas()[:-1]:  # portable C has no such stores
        with kael.isa(isa):
            for function in (lambda part, _: call(name, part), lambda *a: gradient(name, *a)):
                whole = function(x, g)
                for half in (slice(0, 501), slice(501, None)):
                    assert bits_equal(whole[half], function(x[half], g[half]))


@pytest.mark.parametrize("name", ("softmax", "log_softmax"))
def test_dim_and_layout_never_show_in_the_bits(name, every_isa):
    for size in (1, 3, 33, 100):
        flat = table(6 * 5, size)
        want = np.asarray(call(name, kael.from_numpy(flat))).reshape(6, 5, size)
        cube = flat.reshape(6, 5, size)
        for dim in (0, 1, 2):
            x = kael.from_numpy(np.ascontiguousarray(np.moveaxis(cube, 2, dim)))
            assert bits_equal(np.moveaxis(np.asarray(getattr(x, name)(dim)), dim, 2), want)
        wide = np.zeros((6, 10, 2 * size), "f4")[:, ::2, ::-2]
        wide[...] = cube
        assert bits_equal(getattr(kael.from_numpy(wide), name)(-1), want)
        odd = np.frombuffer(bytearray(4 * cube.size + 8), np.float32, cube.size, 4).reshape(
            cube.shape
        )
        odd[...] = cube
        assert bits_equal(getattr(kael.from_numpy(odd), name)(2), want)


@pytest.mark.parametrize("name", ("softmax", "log_softmax"))
def test_gradients_have_the_same_bits_along_any_dim(name):
    array, g = table(40, 33), table(40, 33, seed=1)
    want = np.asarray(gradient(name, array, g))
    x = kael.from_numpy(np.ascontiguousarray(array.T)).requires_grad_()
    getattr(x, name)(0).backward(kael.from_numpy(g.T))
    assert bits_equal(np.asarray(x.grad).T, want)


def side_by_side(name, array, g, lead):
    """`call` and its gradient with rows across memory: (lead, size, the rest of the rows)."""

    def turn(rows):
        shape = (lead, len(rows) // lead, *rows.shape[1:])
        return np.ascontiguousarray(np.moveaxis(rows.reshape(shape), 1, -1))

    x = kael.from_numpy(turn(array)).requires_grad_()
    if name == "cross_entropy_losses":
        classes = kael.from_numpy(np.arange(len(array)).reshape(lead, -1) % array.shape[1])
        out = kael.cross_entropy_losses(x, classes, 1, ignore_index=2)
        out.backward(kael.from_numpy(turn(g[:, 0])))
        return np.asarray(out.detach()), x.grad
    out = getattr(kael, name)(x, 1)
    out.backward(kael.from_numpy(turn(g[:, 0] if name == "logsumexp" else g)))
    return np.asarray(out.detach()), x.grad


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("name", ("softmax", "log_softmax", "logsumexp", "cross_entropy_losses"))
def test_rows_side_by_side_have_the_bits_of_rows(name, dtype, every_isa):
    """Softmax over a middle dim: rows/columns.inc.h against the kernels of contiguous rows, of
    widths that fill vectors and that do not, with rows of values that are no numbers."""
    for i, size in enumerate((1, 2, 3, 10, 21, 31, 32, 33, 64, 65, 100, 1030, 16384, 16385)):
        for width in (15, 16, (17, 31, 48, 64)[i % 4], (65, 100, 130)[i % 3]):
            if size > 1030 and width > 17:
                continue
            array, g = table(2 * width, size, dtype, i), table(2 * width, size, dtype, 99)
            array[3, size // 2], array[5, 0], array[width + 1] = NAN, INF, -INF
            whole, slopes = side_by_side(name, array, g, 2)
            x = kael.from_numpy(array).requires_grad_()
            if name == "cross_entropy_losses":
                classes = kael.from_numpy(np.arange(2 * width) % size)
                out = kael.cross_entropy_losses(x, classes, ignore_index=2)
            else:
                out = getattr(kael, name)(x, 1)
            out.backward(kael.from_numpy(np.ascontiguousarray(g if out.ndim == 2 else g[:, 0])))
            whole = np.moveaxis(whole, 1, -1) if out.ndim == 2 else whole
            whole = whole.reshape(out.shape)
            assert bits_equal(whole, out.detach()), (size, width)
            turned = np.moveaxis(np.asarray(slopes), 1, -1).reshape(array.shape)
            assert bits_equal(turned, x.grad), (size, width)


def test_rows_side_by_side_are_the_same_by_any_threads_and_in_slices(every_thread_count):
    array = np.ascontiguousarray(table(3 * 700, 21).reshape(3, 700, 21).swapaxes(1, 2))
    want = np.moveaxis(np.asarray(kael.from_numpy(np.moveaxis(array, 1, -1)).softmax(-1)), -1, 1)
    assert bits_equal(kael.from_numpy(array).softmax(1), want)
    assert bits_equal(kael.from_numpy(array)[:, :, 13:600].softmax(1), want[:, :, 13:600])
    assert bits_equal(kael.from_numpy(array[:, :, ::2]).softmax(1), want[:, :, ::2])
    image = kael.from_numpy(array).reshape(3, 21, 28, 25)
    assert bits_equal(image.softmax(1), want.reshape(image.shape))
    assert bits_equal(image[:, :, :, 3:20].softmax(1), want.reshape(image.shape)[..., 3:20])


def test_a_target_out_of_range_raises_where_rows_lie_side_by_side(every_thread_count):
    x = kael.zeros(2, 5, 300)
    classes = kael.zeros(2, 300, dtype=kael.int64)
    classes[1, 299] = 5
    with pytest.raises(IndexError, match="target 5 of row 599 is out of range"):
        kael.cross_entropy_losses(x, classes, 1)


# --- numbers known beforehand --------------------------------------------------------------------


def test_numbers_known_beforehand():
    x = kael.tensor([1.0, 2.0, 3.0])
    assert np.allclose(x.softmax(0), [0.090031, 0.244728, 0.665241], atol=5e-7)
    assert np.allclose(x.log_softmax(0), [-2.407606, -1.407606, -0.407606], atol=5e-7)
    row = kael.tensor([1.0, 2.0, 3.0, 4.0])
    assert np.allclose(ops.standardize(row), [-1.341635, -0.447212, 0.447212, 1.341635], atol=5e-7)
    assert (
        kael.tensor([1000.0, 1001.0]).softmax(0).tolist()
        == kael.tensor([0.0, 1.0]).softmax(0).tolist()
    )
    logits = kael.tensor([[1.0, 2.0, 3.0]]).requires_grad_()
    losses = kael.cross_entropy_losses(logits, kael.tensor([0]))
    assert np.allclose(losses.detach(), [2.407606], atol=5e-7)
    losses.backward(kael.ones(1))
    assert np.allclose(logits.grad, [[-0.909969, 0.244728, 0.665241]], atol=5e-7)


def test_log_softmax_is_exact_where_log_of_softmax_is_not():
    x = kael.tensor([0.0, -200.0])
    assert x.log_softmax(0).tolist() == [0.0, -200.0]
    assert x.softmax(0).tolist() == [1.0, 0.0]


# --- values that are not numbers -----------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_row_is_nan_and_its_neighbours_untouched(name, every_isa):
    """HandlesNonFiniteValuesLikeTheComposedPath; pytorch/pytorch#25110, #106545, #55056."""
    for size in range(1, 71):
        array = table(5, size)
        clean = np.asarray(call(name, kael.from_numpy(array)))
        for at in range(size):
            bad = array.copy()
            bad[1, at], bad[2, at], bad[3] = NAN, INF, -INF
            out = np.asarray(call(name, kael.from_numpy(bad)))
            assert np.isnan(out[1:4]).all()
            assert bits_equal(out[::4], clean[::4])
            if name.endswith("softmax"):
                across = kael.from_numpy(np.ascontiguousarray(bad.T))
                assert bits_equal(np.asarray(getattr(across, name)(0)).T, out)


def test_rows_with_some_minus_inf_are_exact(every_isa):
    """A running maximum from -inf poisons rows narrower than a vector."""
    for size in range(2, 71):
        for hidden in ([0], [size - 1], list(range(1, size))):
            array = table(1, size)
            array[0, hidden] = -INF
            x = kael.from_numpy(array)
            kept = np.setdiff1d(np.arange(size), hidden)
            soft = np.asarray(x.softmax(1))
            assert (soft[0, hidden] == 0).all() and np.isclose(soft.sum(), 1, atol=1e-6)
            assert (np.asarray(x.log_softmax(1))[0, hidden] == -INF).all()
            if hidden != [0]:  # the kept ones keep their lanes
                assert bits_equal(
                    soft[0, kept], np.asarray(kael.from_numpy(array[:, kept]).softmax(1))[0]
                )


def test_cross_entropy_of_large_and_hidden_logits():
    logits = kael.tensor([[1e4, 0.0], [0.0, -INF]]).requires_grad_()
    losses = kael.cross_entropy_losses(logits, kael.tensor([1, 1]))
    assert losses.tolist() == [1e4, INF]
    losses.backward(kael.ones(2))
    assert logits.grad.tolist() == [[1, -1], [1, -1]]


def test_empty_rows_and_scalars():
    assert kael.zeros(3, 0).softmax(1).shape == (3, 0) and kael.zeros(0, 3).log_softmax(
        1
    ).shape == (0, 3)
    assert kael.tensor(5.0).softmax(0).item() == 1 and kael.tensor(5.0).log_softmax(-1).item() == 0
    assert ops.standardize(kael.zeros(0, 4)).shape == (0, 4)
    none = kael.cross_entropy_losses(kael.zeros(0, 4), kael.zeros(0, dtype=kael.int64))
    assert none.shape == (0,)


@pytest.mark.parametrize("shape, sizes", [((0, 4), (4,)), ((3, 0, 4), (4,)), ((4, 0), (0,))])
def test_gradients_of_norms_without_elements(shape, sizes):
    for layer in (kael.nn.LayerNorm(sizes), kael.nn.RMSNorm(sizes)):
        x = kael.zeros(*shape, requires_grad=True)
        layer(x).sum().backward()
        assert x.grad.shape == shape
        for parameter in layer.parameters():
            assert parameter.grad.tolist() == [0] * sizes[0]


# --- standardize ---------------------------------------------------------------------------------


def test_a_large_mean_costs_no_accuracy():
    """pytorch/pytorch#51102, microsoft/onnxruntime#28463: an error of 0.01 at mean 1000."""
    rows = [mean + np.arange(64) * 1e-3 for mean in (0, 100, 1e3, 1e4)]
    rows += [[40000.0, 40001, 40002, 40003], 2000 + np.random.default_rng(0).standard_normal(4)]
    for row in rows:
        row = np.asarray(row, "f4")
        wide = row.astype(np.float64)
        exact = (wide - wide.mean()) / np.sqrt(wide.var() + 1e-5)
        assert np.abs(np.asarray(ops.standardize(kael.from_numpy(row))) - exact).max() < 1e-5


def test_affine_and_several_dims_have_the_bits_of_the_composed_form():
    array, w, b = table(6, 70), table(1, 70, seed=1)[0], table(1, 70, seed=2)[0]
    x, weight, bias = (kael.from_numpy(a) for a in (array, w, b))
    plain = np.asarray(ops.standardize(x))
    assert bits_equal(ops.standardize(x, (70,), 1e-5, weight), plain * w)
    assert bits_equal(ops.standardize(x, 1, 1e-5, weight, bias), plain * w + b)
    folded = x.reshape(6, 7, 10)
    assert bits_equal(ops.standardize(folded, 2), plain.reshape(6, 7, 10))
    turned = kael.from_numpy(np.ascontiguousarray(array.reshape(6, 7, 10).transpose(2, 0, 1)))
    assert bits_equal(ops.standardize(turned.permute(1, 2, 0), (7, 10)), plain.reshape(6, 7, 10))
    assert bits_equal(ops.standardize(kael.from_numpy(np.asfortranarray(array))), plain)


# --- errors --------------------------------------------------------------------------------------


def test_a_target_out_of_range_raises_and_the_pool_still_works(every_thread_count):
    """pytorch/pytorch#12670: never read out of bounds."""
    logits = kael.zeros(70_001, 3)
    for bad in (3, -1, 2**40):
        targets = np.zeros(70_001, np.int64)
        targets[70_000] = bad
        with pytest.raises(IndexError, match=f"target {bad} of row 70000 .* 3 classes"):
            kael.cross_entropy_losses(logits, kael.from_numpy(targets))
    with pytest.raises(IndexError, match=r"target 0 of row 0 .* 0 classes"):
        kael.cross_entropy_losses(kael.zeros(2, 0), kael.tensor([0, 0]))
    good = kael.cross_entropy_losses(logits, kael.zeros(70_001, dtype=kael.int64))
    assert good[0].item() == np.float32(np.log(3))


def test_errors_name_op_argument_and_value():
    x = kael.zeros(2, 3)
    with pytest.raises(IndexError, match="softmax: dim 2"):
        x.softmax(2)
    with pytest.raises(TypeError, match="softmax: takes floating-point"):
        kael.tensor([1, 2]).softmax(0)
    with pytest.raises(ValueError, match=r"logits \(2, 3\) need one target per row.*\(3,\)"):
        kael.cross_entropy_losses(x, kael.tensor([0, 1, 2]))
    with pytest.raises(TypeError, match="targets must be integers, got float32"):
        kael.cross_entropy_losses(x, kael.tensor([0.0, 1.0]))
    with pytest.raises(ValueError, match=r"sizes \(2,\) are not the last dims of \(2, 3\)"):
        ops.standardize(x, (2,))
    with pytest.raises(ValueError, match="normalized_dims must be 1 to 2, got 3"):
        ops.standardize(x, 3)
    with pytest.raises(ValueError, match=r"weight of shape \(2,\)"):
        ops.standardize(x, 1, 1e-5, kael.ones(2))


def test_other_integer_targets_are_taken():
    x = kael.from_numpy(table(4, 9))
    want = kael.cross_entropy_losses(x, kael.tensor([0, 3, 8, 1]))
    for dtype in (kael.uint8, kael.int32):
        assert bits_equal(
            kael.cross_entropy_losses(x, kael.tensor([0, 3, 8, 1], dtype=dtype)), want
        )
    every_second = kael.tensor([0, 9, 3, 9, 8, 9, 1, 9])[::2]
    assert bits_equal(kael.cross_entropy_losses(x, every_second), want)


# --- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", range(1, 8))
def test_misaligned_rows_and_targets(offset):
    logits = np.linspace(-3, 3, 35, dtype="f4").reshape(7, 5)
    for dtype in ("uint8", "int32", "int64"):
        targets = np.arange(7).astype(dtype) % 5
        x = kael.tensor(logits, requires_grad=True)
        odd = kael.from_numpy(at_offset(logits, offset)).requires_grad_()
        want = kael.cross_entropy_losses(x, kael.tensor(targets))
        found = kael.cross_entropy_losses(odd, kael.from_numpy(at_offset(targets, offset)))
        assert bits_equal(found.detach(), want.detach())
        want.sum().backward()
        found.sum().backward()
        assert bits_equal(odd.grad, x.grad)


ROW_FUNCTIONS = {
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "softmax along dim 0": lambda x: x.softmax(0),
    "causal_softmax": ops.causal_softmax,
    "logsumexp": lambda x: x.logsumexp(-1),
    "cumsum": lambda x: x.cumsum(-1),
    "layer_norm": lambda x: kael.nn.functional.layer_norm(x, (5,), x[0], x[1]),
    "rms_norm": lambda x: kael.nn.functional.rms_norm(x, (5,), x[0]),
    "distributions": lambda x: kael.cross_entropy_losses(x, x.detach(), weight=x.detach()[0]),
}


@pytest.mark.parametrize("name", ROW_FUNCTIONS)
@pytest.mark.parametrize("offset", range(1, 8))
def test_misaligned_operands_and_gradients(name, offset):
    function = ROW_FUNCTIONS[name]
    values = np.linspace(-3, 3, 35, dtype="f4").reshape(7, 5)
    x = kael.tensor(values, requires_grad=True)
    odd = kael.from_numpy(at_offset(values, offset)).requires_grad_()
    want, found = function(x), function(odd)
    assert bits_equal(found.detach(), want.detach())
    slope = values[: want.shape[0], 0] if want.ndim == 1 else values
    want.backward(kael.tensor(slope))
    found.backward(kael.from_numpy(at_offset(slope, offset)))
    assert bits_equal(odd.grad, x.grad)


def test_gradients_agree_with_differences():
    generator = np.random.default_rng(3)
    x = kael.from_numpy(generator.standard_normal((3, 4, 5))).requires_grad_()
    g = kael.from_numpy(generator.standard_normal((3, 4, 5)))
    for dim in (0, 1, 2):
        assert gradcheck(lambda x, dim=dim: x.softmax(dim) * g, x)
        assert gradcheck(lambda x, dim=dim: x.log_softmax(dim) * g, x)
    weight = kael.from_numpy(generator.standard_normal(5)).requires_grad_()
    bias = kael.from_numpy(generator.standard_normal(5)).requires_grad_()
    assert gradcheck(lambda x, w, b: ops.standardize(x, 1, 1e-5, w, b) * g, (x, weight, bias))
    assert gradcheck(lambda x, b: ops.standardize(x, 1, 1e-5, None, b) * g, (x, bias))
    assert gradcheck(lambda x: ops.standardize(x, 2) * g, x)
    assert gradcheck(lambda x: ops.standardize(x.permute(2, 0, 1), (3, 4)) * g.permute(2, 0, 1), x)
    targets = kael.from_numpy(generator.integers(0, 5, (3, 4)))
    assert gradcheck(lambda x: kael.cross_entropy_losses(x, targets) * g[..., 0], x)


def test_an_in_place_change_of_what_a_gradient_reads_is_found():
    logits = kael.zeros(2, 3, requires_grad=True)
    scores = logits * 1.0
    losses = kael.cross_entropy_losses(scores, kael.tensor([0, 1]))
    with kael.no_grad():
        scores += 1.0
    with pytest.raises(RuntimeError, match="modified by an in-place"):
        losses.sum().backward()


def test_normalized_dims_may_end_in_one_of_size_1_with_any_stride():
    array = np.random.default_rng(0).standard_normal((4, 3)).astype("f4")
    x = kael.from_numpy(array).requires_grad_()
    flat = kael.from_numpy(array).requires_grad_()
    wide, narrow = ops.standardize(x[..., None], (3, 1)), ops.standardize(flat, 1)
    assert bits_equal(wide.detach()[..., 0], narrow.detach())
    g = kael.from_numpy(array * 2)
    wide.backward(g[..., None])
    narrow.backward(g)
    assert bits_equal(x.grad, flat.grad)


# --- running sums --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_a_running_sum_has_the_bits_of_the_sums_of_prefixes(dtype, every_isa):
    sizes = (1, 2, 31, 32, 33, 70, 255, 256, 257, 1000, 16384, 16385, 3 * 16384 + 77)
    for size in sizes:
        x = kael.from_numpy(spread(size, dtype, size))
        running = x.cumsum(0)
        for i in {*range(min(size, 70)), size // 3, size // 2, size - 1}:
            assert bits_equal(running[i], x[: i + 1].sum()), (size, i)


def test_running_sums_are_the_same_in_any_layout_and_by_any_threads():
    array = spread((70, 33, 40))
    x = kael.from_numpy(array)
    for dim in range(3):
        want = np.asarray(x.cumsum(dim))
        for count in THREAD_COUNTS:
            with kael.num_threads(count):
                assert bits_equal(x.cumsum(dim), want)
        assert bits_equal(kael.from_numpy(np.asfortranarray(array)).cumsum(dim), want)
        turned = kael.from_numpy(np.ascontiguousarray(array[::-1, ::-1, ::-1]))
        assert bits_equal(turned.flip((0, 1, 2)).cumsum(dim), want)
        one = kael.from_numpy(np.ascontiguousarray(np.moveaxis(array, dim, 0)[:, 3, 5]))
        assert bits_equal(one.cumsum(0), np.moveaxis(want, dim, 0)[:, 3, 5])


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_running_sums_of_short_rows_have_the_bits_of_the_sums_of_prefixes(dtype, every_isa):
    """Rows of every length that are turned, of any number, close together and apart."""
    for size in (*range(1, 42), 63, 64, 65, 255, 256, 257):
        for rows in (1 + size % 7, 8 + size % 13):
            array = spread((rows, size + 3), dtype, size)[:, 1:-2]
            array[::2] *= -0.0
            x = kael.from_numpy(array)
            found = np.asarray(x.cumsum(1))
            assert bits_equal(x.contiguous().cumsum(1), found)
            for i in {*range(min(size, 41)), size // 2, size - 1}:
                assert bits_equal(found[:, i], x[:, : i + 1].sum(1)), (rows, size, i)
            if size in (3, 8, 33):
                for count in (2, 3, 7):
                    with kael.num_threads(count):
                        wide = kael.from_numpy(np.tile(array, (2000, 1))).cumsum(1)
                    assert bits_equal(wide, np.tile(found, (2000, 1)))


@pytest.mark.parametrize("dtype", ("float32", "float64", "int64"))
def test_running_sums_side_by_side_have_the_bits_of_rows(dtype, every_isa):
    """Along a middle dim, of widths that fill vectors and that do not, and from the end."""
    for i, size in enumerate((1, 2, 3, 10, 17, 31, 32, 33, 64, 65, 1030, 16384, 16385)):
        for width in (15, 16, (17, 31, 48, 64)[i % 4], (65, 100, 130)[i % 3]):
            if size > 1030 and width > 17:
                continue
            array = spread((2, size, width), dtype, i)
            array[:, 0, ::2] = -array[:, 0, ::2] * 0
            x = kael.from_numpy(array)
            rows = kael.from_numpy(np.ascontiguousarray(np.moveaxis(array, 1, -1)))
            if dtype != "int64":
                x, rows = x.requires_grad_(), rows.requires_grad_()
                x.cumsum(1).backward(x.detach())
                rows.cumsum(-1).backward(rows.detach())
                assert bits_equal(np.moveaxis(np.asarray(rows.grad), -1, 1), x.grad), (size, width)
            want = np.moveaxis(np.asarray(rows.cumsum(-1).detach()), -1, 1)
            assert bits_equal(want, x.cumsum(1).detach()), (size, width)


def test_running_sums_are_torchs():
    for dtype in ("bool", "uint8", "int32", "int64"):
        array = spread((5, 70), dtype)
        found = kael.from_numpy(array).cumsum(1)
        assert bits_equal(found, np.cumsum(array, 1, dtype=np.int64))
    assert kael.tensor(3.0).cumsum(0).item() == 3 and kael.zeros(0, 3).cumsum(0).shape == (0, 3)
    x = kael.tensor([1.5, 1.5])
    assert x.cumsum(0, dtype=kael.float64).dtype is kael.float64
    assert x.cumsum(0, dtype=kael.int32).tolist() == [1, 2]
    assert kael.tensor([1, 2]).cumsum(0, dtype=kael.float32).tolist() == [1.0, 3.0]
    with pytest.raises(IndexError, match="cumsum: dim 1"):
        x.cumsum(1)
    flat = kael.tensor([1.0, NAN, 2.0]).cumsum(0).tolist()
    assert flat[0] == 1 and np.isnan(flat[1:]).all()


# --- logsumexp -----------------------------------------------------------------------------------


def test_logsumexp_is_torchs():
    torch = pytest.importorskip("torch")
    array = np.random.default_rng(0).standard_normal((3, 4, 5)) * 5
    array[0, 0], array[1, 1, 2], array[2, 2, 2], array[0, 1, 1] = -INF, INF, NAN, -INF
    for dim in (0, 1, 2, -1, (0, 1), (0, 2), (2, 1), (0, 1, 2)):
        for keepdim in (False, True):
            found = kael.from_numpy(array).logsumexp(dim, keepdim)
            want = torch.logsumexp(torch.from_numpy(array), dim, keepdim).numpy()
            assert found.shape == want.shape
            assert np.allclose(found, want, rtol=1e-14, equal_nan=True)
    assert kael.zeros(2, 0).logsumexp(1).tolist() == [-INF, -INF]
    assert kael.zeros(0, 2).logsumexp(1).shape == (0,)
    assert kael.tensor([1, 2, 3]).logsumexp(0).item() == pytest.approx(3.4076059)
    assert kael.tensor(2.5).logsumexp(0).item() == 2.5
    with pytest.raises(ValueError, match="dim 1 appears twice"):
        kael.zeros(2, 3).logsumexp((1, -1))


@pytest.mark.parametrize("dim", [0, 1, (0, 1)])
def test_the_gradient_of_logsumexp_beside_an_infinity(dim):
    """It is 0 for the others: they add nothing. github: pytorch/pytorch#49724."""
    torch = pytest.importorskip("torch")
    array = np.random.default_rng(0).standard_normal((4, 40))
    array[0, 3], array[1, :2], array[2, 1], array[2, 2], array[3] = INF, INF, INF, NAN, -INF
    x = kael.tensor(array, requires_grad=True)
    x.logsumexp(dim).sum().backward()
    want = torch.tensor(array, requires_grad=True)
    torch.logsumexp(want, dim).sum().backward()
    assert np.allclose(x.grad, want.grad, rtol=1e-12, equal_nan=True)


def test_logsumexp_has_the_same_bits_everywhere():
    for shape in ((700, 65), (40, 1000), (3, 20_001)):
        array = table(*shape)
        want = np.asarray(kael.from_numpy(array).logsumexp(1))
        for isa in kael.usable_isas():
            for count in THREAD_COUNTS if isa == kael.get_isa() else (3,):
                with kael.isa(isa), kael.num_threads(count):
                    assert bits_equal(kael.from_numpy(array).logsumexp(1), want)
        assert bits_equal(kael.from_numpy(np.ascontiguousarray(array.T)).logsumexp(0), want)
        assert bits_equal(kael.from_numpy(array[:1]).logsumexp(1), want[:1])
        assert bits_equal(kael.from_numpy(array[0]).logsumexp(()), want[0])


# --- the causal triangle -------------------------------------------------------------------------


@pytest.mark.parametrize("offset", (-3, -1, 0, 1, 33, 2**40, -(2**40)))
def test_causal_softmax_has_the_bits_of_the_masked_one(offset, every_isa):
    for queries, keys in ((1, 1), (5, 70), (37, 37), (70, 5)):
        array = table(2 * queries, keys).reshape(2, queries, keys)
        hidden = np.arange(keys) > np.arange(queries)[:, None] + offset
        masked = np.where(hidden, np.float32(-INF), array)
        want = np.asarray(kael.from_numpy(masked).softmax(-1))
        want = np.where(hidden.all(1, keepdims=True), np.float32(0), want)
        array[:, hidden] = NAN  # never read
        assert bits_equal(kael.causal_softmax(kael.from_numpy(array), offset), want)
        turned = kael.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))
        assert bits_equal(kael.causal_softmax(turned.permute(1, 2, 0), offset), want)


def test_causal_softmax_of_a_batch_and_threads():
    array, g = table(6 * 200, 200).reshape(2, 3, 200, 200), table(1200, 200, seed=1)
    x = kael.from_numpy(array).requires_grad_()
    results = []
    for isa in kael.usable_isas():
        for count in THREAD_COUNTS:
            x.grad = None
            with kael.isa(isa), kael.num_threads(count):
                out = functional.causal_softmax(x)
                out.backward(kael.from_numpy(g.reshape(array.shape)))
            results.append((out.detach(), x.grad))
    assert all(bits_equal(a, b) for pair in results for a, b in zip(pair, results[0], strict=True))
    assert bits_equal(kael.causal_softmax(x[1, 2].detach()), results[0][0][1, 2])
    with pytest.raises(ValueError, match="needs at least 2 dims"):
        kael.causal_softmax(kael.zeros(3))


# --- RMS norm and the gradients of weight and bias -----------------------------------------------


def test_rms_norm_has_the_bits_of_its_rule(every_isa):
    for dtype, eps in (("float32", 2.0**-23), ("float64", 2.0**-52)):
        for size in (*range(1, 71), 1000, 16385):
            row, weight = table(1, size, dtype, size)[0], table(1, size, dtype)[0]
            wide = row.astype(np.float64)
            scale = 1 / np.sqrt(fold(wide * wide) / size + eps)
            want = (wide * scale).astype(dtype) * weight
            x = kael.from_numpy(row)
            assert bits_equal(kael.rms_norm(x, size, kael.from_numpy(weight)), want), size


def test_rms_norm_agrees_with_torch():
    torch = pytest.importorskip("torch")
    array, w, g = table(33, 40), table(1, 40, seed=1)[0], table(33, 40, seed=2)
    for sizes in ((40,), (5, 8)):
        for eps in (None, 1e-3):
            pair = []
            for make, rms in (
                (kael.tensor, functional.rms_norm),
                (torch.tensor, torch.nn.functional.rms_norm),
            ):
                x = make(array.reshape(33, *sizes)).requires_grad_()
                weight = make(w.reshape(sizes)).requires_grad_()
                out = rms(x, sizes, weight, eps)
                out.backward(make(g.reshape(33, *sizes)))
                pair.append([np.asarray(t.detach()) for t in (out, x.grad, weight.grad)])
            assert all(np.allclose(a, b, atol=3e-5, rtol=1e-5) for a, b in zip(*pair, strict=True))


def affine_gradients(array, g, w, b, sizes=None):
    x, weight, bias = (kael.from_numpy(np.array(a)).requires_grad_() for a in (array, w, b))
    ops.standardize(x, sizes or 1, 1e-5, weight, bias).backward(kael.from_numpy(g))
    return x.grad, weight.grad, bias.grad


def test_affine_gradients_have_the_bits_of_the_composed_form(every_isa):
    for rows, size in ((1, 3), (31, 70), (33, 600), (300, 17), (16384 + 70, 5)):
        array, g = table(rows, size), table(rows, size, seed=1)
        w, b = table(1, size, seed=2)[0], table(1, size, seed=3)[0]
        plain = np.asarray(ops.standardize(kael.from_numpy(array)))
        x = kael.from_numpy(np.array(array)).requires_grad_()
        ops.standardize(x).backward(kael.from_numpy(g * w))
        found = affine_gradients(array, g, w, b)
        assert bits_equal(found[0], x.grad)
        assert bits_equal(found[1], kael.from_numpy(g * plain).sum(0)), (rows, size)
        assert bits_equal(found[2], kael.from_numpy(g).sum(0))


def test_affine_gradients_do_not_depend_on_threads_or_layout():
    array, g = table(700, 520), table(700, 520, seed=1)
    w, b = table(1, 520, seed=2)[0], table(1, 520, seed=3)[0]
    want = affine_gradients(array, g, w, b)
    for count in THREAD_COUNTS:
        with kael.num_threads(count):
            assert all(map(bits_equal, affine_gradients(array, g, w, b), want))
    across = affine_gradients(np.asfortranarray(array), np.asfortranarray(g), w, b)
    assert all(map(bits_equal, across, want))
    cube = affine_gradients(
        array.reshape(7, 100, 26, 20), g.reshape(7, 100, 26, 20),
        w.reshape(26, 20), b.reshape(26, 20), (26, 20),
    )  # fmt: skip
    assert all(
        bits_equal(np.asarray(a).ravel(), np.asarray(c).ravel())
        for a, c in zip(cube, want, strict=True)
    )


def test_gradients_of_the_rest_agree_with_differences():
    generator = np.random.default_rng(3)
    x = kael.from_numpy(generator.standard_normal((3, 4, 5))).requires_grad_()
    g = kael.from_numpy(generator.standard_normal((3, 4, 5)))
    weight = kael.from_numpy(generator.standard_normal(5)).requires_grad_()
    for dim in (0, 1, 2):
        assert gradcheck(lambda x, dim=dim: x.cumsum(dim) * g, x)
    assert gradcheck(lambda x: x.cumsum(1, dtype=kael.float32).double() * 0 + x, x)
    for dim in (0, 1, 2, (0, 1), (0, 2), ()):
        assert gradcheck(lambda x, dim=dim: x.logsumexp(dim), x)
        assert gradcheck(lambda x, dim=dim: x.logsumexp(dim, keepdim=True), x)
    for offset in (-2, 0, 1, 3):
        assert gradcheck(lambda x, offset=offset: kael.causal_softmax(x, offset) * g, x)
    assert gradcheck(lambda x, w: kael.rms_norm(x, 5, w, 1e-3) * g, (x, weight))
    assert gradcheck(lambda x: kael.rms_norm(x, (4, 5)) * g, x)


@pytest.mark.parametrize("name", ("logsumexp", "rms_norm", "causal_softmax"))
def test_bad_values_stay_in_their_row_at_every_width_and_place(name, every_isa):
    run = {
        "logsumexp": lambda x: x.logsumexp(1),
        "rms_norm": lambda x: kael.rms_norm(x, x.shape[1]),
        "causal_softmax": lambda x: kael.causal_softmax(x, x.shape[1]),
    }[name]
    for size in range(1, 71):
        array = table(5, size)
        clean = np.asarray(run(kael.from_numpy(array)))
        for at in range(size):
            bad = array.copy()
            bad[1, at], bad[2, at], bad[3] = NAN, INF, -INF
            out = np.asarray(run(kael.from_numpy(bad)))
            assert bits_equal(out[::4], clean[::4])
            assert np.isnan(out[1]).all()
            if name == "logsumexp":
                assert out[2] == INF and out[3] == -INF
            elif name == "causal_softmax":
                assert np.isnan(out[2:4]).all()


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_rows_of_one_element_wherever_they_lie(dtype, every_isa):
    """Of them a dim's stride says nothing; 70 are enough to be read side by side."""
    array = table(5, 140).astype(dtype).reshape(5, 140, 1)
    targets = kael.zeros(5, 70, dtype=kael.int64)
    for order in permutations(range(3)):
        dim = order.index(2)
        packed = np.ascontiguousarray(array[:, ::2].transpose(order))
        x = kael.from_numpy(np.ascontiguousarray(array.transpose(order))).permute(
            [order.index(d) for d in range(3)]
        )[:, ::2]
        x = x.permute(order).requires_grad_()
        whole = kael.from_numpy(packed)
        for run in (
            lambda t, dim=dim: t.cumsum(dim),
            lambda t, dim=dim: t.logsumexp(dim, keepdim=True),
        ):
            assert bits_equal(run(x).detach(), whole)
        assert bits_equal(x.softmax(dim).detach(), np.ones_like(packed))
        losses = kael.cross_entropy_losses(x.movedim(dim, -1).reshape(350, 1), targets.flatten())
        assert bits_equal(losses.detach(), np.zeros(350, dtype))
        x.logsumexp(dim).backward(whole.squeeze(dim))
        assert bits_equal(x.grad, packed)
