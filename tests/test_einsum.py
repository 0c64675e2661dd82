"""einsum: against NumPy and torch, by bits against v1_ijk, and what it copies."""

import re
from itertools import pairwise

import numpy as np
import pytest
from conftest import bits_equal, spread

import kael
from kael.testing import gradcheck

EQUATIONS = [
    # one operand: traces, diagonals, transposes, sums
    "ii->", "ii->i", "ij->ji", "ij->", "ij->j", "ij", "ba", "iijj->ij", "iij->ji", "i...->...",
    "...->...", "...ij->...ji", "...i",
    # two: products of matrices, batches, elements
    "ij,jk->ik", "ij,kj->ik", "ji,jk->ki", "ij,jk", "ba,ac", "ij,ij->", "ij,ij->ij", "i,j->ij",
    "i,i->", "ij,j->i", "bi,bi->b", "bij,bjk->bik", "bij,jk->bik", "bhqd,bhkd->bhqk",
    "bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", "ijkl,jl->ik", "ijkl,kl->ij", "ijkl,lk->ij",
    "...ij,...jk->...ik", "...i,...i->...", "iij,jk->ik", "ij,kl->", "ab,cd->acbd",
    "abc,dec->adbe", "abc,bad->cd", "Ab,bA->A", "abcd,bdef->aecf", "ij,i->ij",
    # more
    "ij,jk,kl->il", "ij,jk,kl", "a,b,c->abc", "bn,anm,bm->ba", "ijk,ilm,njm->nlk", "i,i,i->i",
]  # fmt: skip
SIZES = dict(zip("abcdefhijklmnqA", (2, 3, 2, 4, 2, 3, 2, 3, 3, 4, 2, 3, 2, 3, 2), strict=True))


def operands(equation, dtype="float64"):
    """Arrays that fit an equation; an ellipsis stands for sizes 2 and 3."""
    terms = equation.split("->")[0].split(",")
    shapes = []
    for term in terms:
        head, dots, tail = term.partition("...")
        shape = [SIZES[name] for name in head] + [2, 3] * bool(dots) + [SIZES[n] for n in tail]
        shapes.append(tuple(shape))
    generator = np.random.default_rng(0)
    return [generator.integers(-4, 5, shape).astype(dtype) for shape in shapes]


def tensors(arrays):
    return [kael.from_numpy(x) for x in arrays]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_is_numpys(equation):
    """On small integers every order of summation is exact."""
    arrays = operands(equation)
    expected = np.einsum(equation, *arrays)
    for order in (
        np.ascontiguousarray,
        np.asfortranarray,
        lambda x: x[..., ::-1].copy()[..., ::-1],
    ):
        found = kael.einsum(equation, *tensors(map(order, arrays)))
        assert found.shape == expected.shape
        assert (np.asarray(found) == expected).all()
    assert kael.einsum(equation, tensors(arrays)).tolist() == expected.tolist()


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_is_torchs(equation):
    torch = pytest.importorskip("torch")
    arrays = operands(equation, "int64")
    expected = torch.einsum(equation, *map(torch.from_numpy, arrays))
    assert kael.einsum(equation, *tensors(arrays)).tolist() == expected.tolist()


@pytest.mark.parametrize("equation", EQUATIONS)
def test_gradient_of_einsum(equation):
    leaves = [kael.tensor(x / 4, requires_grad=True) for x in operands(equation)]
    assert gradcheck(lambda *x: kael.einsum(equation, *x), tuple(leaves))


def test_dims_of_size_1_are_broadcast():
    for equation, *shapes in [
        ("ij,jk->ik", (2, 1), (3, 4)),
        ("bij,bjk->bik", (1, 2, 3), (5, 3, 4)),
        ("...j,...j->...", (2, 1, 3), (5, 3)),
        ("i,i->i", (1,), (4,)),
        ("i,i,i->", (1,), (4,), (1,)),
    ]:
        arrays = [np.arange(1.0, 1 + np.prod(shape)).reshape(shape) for shape in shapes]
        assert (
            np.asarray(kael.einsum(equation, *tensors(arrays))) == np.einsum(equation, *arrays)
        ).all()


@pytest.mark.parametrize(
    ("equation", "shapes", "result"),
    [
        ("ij,jk", [(2, 0), (0, 3)], (2, 3)),
        ("ij,jk", [(0, 2), (2, 3)], (0, 3)),
        ("ij->", [(0, 2)], ()),
    ],
)
def test_empty_sums_are_zero(equation, shapes, result):
    found = kael.einsum(equation, *(kael.ones(shape) for shape in shapes))
    assert found.shape == result
    assert not np.asarray(found).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("equation", "a_order", "b_order"),
    [
        ("bhqd,bhkd->bhqk", (0, 1, 2, 3), (0, 1, 2, 3)),
        ("bqhd,bkhd->bhqk", (0, 2, 1, 3), (0, 2, 1, 3)),
        ("dqbh,hkbd->bhqk", (2, 3, 1, 0), (2, 0, 1, 3)),
    ],
)
def test_einsum_has_the_bits_of_matmul(equation, a_order, b_order, dtype, every_isa):
    names = equation.split("->")[0].split(",")
    sizes = {"b": 2, "h": 3, "q": 9, "k": 20, "d": 70}
    a, b = (spread([sizes[n] for n in term], dtype, seed) for seed, term in enumerate(names))
    found = kael.einsum(equation, *tensors((a, b)))
    plain_a = np.ascontiguousarray(a.transpose(a_order))
    plain_b = np.ascontiguousarray(b.transpose(b_order).swapaxes(-1, -2))
    for index in np.ndindex(2, 3):
        out = kael.zeros(9, 20, dtype=found.dtype)
        kael.matmul_versions.v1_ijk(*tensors((plain_a[index], plain_b[index])), out)
        assert bits_equal(found[index], out)


def test_summed_dims_are_numbered_as_the_first_operand_names_them(every_isa):
    """Whatever lies beside what in memory."""
    a, b = spread((7, 6, 90), "float32"), spread((90, 6, 5), "float32", 1)
    expected = kael.zeros(7, 5)
    flat_b = np.ascontiguousarray(b.transpose(1, 0, 2)).reshape(540, 5)
    kael.matmul_versions.v1_ijk(*tensors((a.reshape(7, 540), flat_b)), expected)
    for order in (np.ascontiguousarray, np.asfortranarray):
        found = kael.einsum("ijk,kjl->il", *tensors((order(a), order(b))))
        assert bits_equal(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_where_every_dim_is_summed_it_is_dot(dtype, every_isa):
    """R3, in the order in which the first operand names the dims."""
    a, b = spread((40, 1, 27), dtype), spread((27, 40, 3), dtype, 1)
    flat_a = np.ascontiguousarray(np.broadcast_to(a, (40, 3, 27))).reshape(-1)
    flat_b = np.ascontiguousarray(b.transpose(1, 2, 0)).reshape(-1)
    expected = kael.dot(*tensors((flat_a, flat_b)))
    for order in (np.ascontiguousarray, np.asfortranarray):
        assert bits_equal(kael.einsum("ijk,kij->", *tensors((order(a), order(b)))), expected)
    found = kael.einsum("i,i->", *tensors((flat_a, flat_b)))
    assert bits_equal(found, expected)


def test_views_of_one_operand():
    x = kael.arange(12.0).reshape(3, 4)
    assert kael.einsum("ij->ji", x).data_ptr() == x.data_ptr()
    assert kael.einsum("ij->ij", x) is not x
    square = x[:, :3]
    assert kael.einsum("ii->i", square).stride() == (5,)
    assert kael.einsum("ii->i", square).data_ptr() == x.data_ptr()


@pytest.mark.skipif(
    not kael.show_config("dict")["allocator"]["cache built"]
    or not kael.caching_allocator_enabled(),
    reason="counts what the cache holds",
)
@pytest.mark.parametrize(
    "equation", ["bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", "bqhd,de->bqhe", "qbhd,bdh->bhq"]
)
def test_no_operand_is_copied(equation):
    """Each operand takes at least 1 MiB, the scratch of these small products much less."""
    sizes = {"b": 8, "h": 8, "q": 64, "k": 64, "d": 64, "e": 64}
    names = equation.split("->")[0].split(",")
    x = [kael.ones([sizes[n] for n in term]) for term in names]
    with kael.num_threads(1):
        kael.einsum(equation, *x)
        kael.empty_cache()
        before = kael.allocator_stats().reserved_bytes
        out = kael.einsum(equation, *x)
        used = kael.allocator_stats().reserved_bytes - before - 4 * out.numel()
    assert used <= 256 << 10


# ---- Bad input ----


@pytest.mark.parametrize(
    ("equation", "shapes", "text"),
    [
        ("ij,jk->ik", [(2, 3)], "'ij,jk->ik' is for 2 operands, got 1"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "'j' has sizes 3 and 4"),
        ("ij->ik", [(2, 3)], "'k' of the result must occur in an operand"),
        ("ij->ii", [(2, 2)], "'i' of the result must occur in an operand, and once"),
        ("i->i", [(2, 3)], "'i' in 'i->i' does not name 2 dims"),
        ("i...k->i", [(2,)], "'i...k' in 'i...k->i' does not name 1 dims"),
        ("ii->", [(2, 3)], "'i' has sizes 2 and 3"),
        ("ii->", [(1, 2)], "'i' has sizes 1 and 2"),
        ("i1->i", [(2, 3)], "'i1' in 'i1->i' must be letters"),
        ("i.j->i", [(2, 3)], "'i.j' in 'i.j->i' must be letters"),
        ("i->j->k", [(2,)], "'j->k' in 'i->j->k' must be letters"),
    ],
)
def test_equations_that_do_not_fit(equation, shapes, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        kael.einsum(equation, *(kael.ones(shape) for shape in shapes))


def test_types_that_do_not_fit():
    x = kael.ones(2, 2)
    with pytest.raises(TypeError, match="einsum: dtypes differ: float32, int64"):
        kael.einsum("ij,jk", x, x.long())
    with pytest.raises(TypeError, match="einsum: not defined for bool"):
        kael.einsum("ij,jk", x.bool(), x.bool())
    with pytest.raises(TypeError, match="einsum: not defined for bool"):
        kael.einsum("ij->", x.bool())
    assert kael.einsum("ij->ji", x.bool()).dtype is kael.bool_
    with pytest.raises(TypeError, match="einsum: the equation must be a str, got Tensor"):
        kael.einsum(x, x)
    with pytest.raises(TypeError, match="einsum: operand 2 must be a Tensor, got list"):
        kael.einsum("ij,jk", x, [[1.0]])
    with pytest.raises(ValueError, match="for 1 operands, got 0"):
        kael.einsum("ij")


def test_integers_keep_their_dtype():
    x = kael.tensor([[2**31 - 1, 2]], dtype=kael.int32)
    assert kael.einsum("ij->i", x).dtype is kael.int32
    assert kael.einsum("ij->i", x).tolist() == [1 - 2**31]
    assert kael.einsum("ij,kj->ik", x, x).tolist() == [[5]]


def test_chains_are_contracted_from_left_to_right():
    """The bits are those of the products one after the other."""
    arrays = [spread(shape, "float32", at) for at, shape in enumerate(pairwise((5, 40, 30, 20)))]
    a, b, c = tensors(arrays)
    assert bits_equal(kael.einsum("ij,jk,kl->il", a, b, c), (a @ b) @ c)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("i,i", [(3,), (1,)]),
        ("i,i->", [(1,), (2,)]),
        ("ij,j->i", [(2, 1), (3,)]),
        ("ij,ij->", [(2, 1), (2, 3)]),
        ("ij,jk,k->i", [(2, 1), (3, 4), (1,)]),
        ("bi,bi->i", [(1, 3), (4, 3)]),
    ],
)
def test_gradients_where_a_summed_dim_is_broadcast(equation, shapes):
    """Issues of the kind: mlx#4124, robertknight/rten#1369, numpy#10930."""
    operands = [
        kael.randn(shape, dtype="float64", generator=kael.Generator(i)).requires_grad_()
        for i, shape in enumerate(shapes)
    ]
    assert gradcheck(lambda *x: kael.einsum(equation, *x), operands)


def test_a_size_of_1_gives_way_to_0():
    """robertknight/rten#1369."""
    a, b = kael.ones(1, requires_grad=True), kael.ones(0, requires_grad=True)
    kael.einsum("i,i->", a, b).backward()
    assert a.grad.tolist() == [0.0] and b.grad.shape == (0,)
