"""Results too large for the caches, which are stored past them: the same bits as in pieces."""

import numpy as np
import pytest
from conftest import bits_equal

import kael

SIZE = (32 << 20) // 4 + 67  # of float32, just beyond what is streamed
PIECE = 100_000

pytestmark = pytest.mark.parametrize("threads", [1, 2])


def numbers(size=SIZE):
    return kael.from_numpy(np.random.default_rng(4).standard_normal(size, np.float32))


def in_pieces(function, *operands):
    """The same from pieces that fit the caches."""
    size = operands[0].shape[0]
    found = [
        function(*(x[at : at + PIECE] for x in operands)).numpy() for at in range(0, size, PIECE)
    ]
    return np.concatenate(found)


@pytest.mark.parametrize("name", ["relu", "exp", "clone", "add", "mul"])
def test_results_do_not_depend_on_streaming(name, threads):
    function = getattr(kael.Tensor, name)
    operands = [numbers()] * (2 if name in ("add", "mul") else 1)
    for isa in kael.usable_isas():
        with kael.isa(isa), kael.num_threads(threads):
            assert bits_equal(function(*operands).numpy(), in_pieces(function, *operands)), isa


def test_an_output_that_begins_inside_a_line(threads):
    x = numbers()
    with kael.num_threads(threads):
        for offset in (1, 7, 15):
            room = kael.zeros(SIZE + 32)
            out = room[offset : offset + SIZE]
            out.copy_(x)
            assert bits_equal(out.numpy(), x.numpy())
            assert not room[:offset].any() and not room[offset + SIZE :].any()


def test_in_place_operations_are_not_streamed_wrongly(threads):
    x = numbers()
    y = x.clone()
    with kael.num_threads(threads):
        y += x
        assert bits_equal(y.numpy(), x.numpy() + x.numpy())


@pytest.mark.parametrize("shape", [(2900, 2912), (2912, 2901), (3, 1700, 1664)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_transpose_copies(shape, dtype, threads):
    x = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    wanted = np.ascontiguousarray(x.swapaxes(-1, -2))
    for isa in kael.usable_isas():
        with kael.isa(isa), kael.num_threads(threads):
            assert bits_equal(kael.from_numpy(x).mT.contiguous().numpy(), wanted), isa


def test_rows_and_columns_are_broadcast(threads):
    x = numbers(2900 * 2912).reshape(2900, 2912)
    row, column = numbers(2912), numbers(2900).reshape(2900, 1)
    with kael.num_threads(threads):
        assert bits_equal((x + row).numpy(), x.numpy() + row.numpy())
        assert bits_equal((x + column).numpy(), x.numpy() + column.numpy())
