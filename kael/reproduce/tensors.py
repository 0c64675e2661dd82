"""Cases of creation, random draws, shapes, indexing and matrix products."""

from functools import partial

import kael
from kael import matmul_versions
from kael.reproduce.cases import case, gradients, normal, odd, spread


@case("arange", "eye", "full", "full_like", "linspace", "ones", "ones_like", "zeros", "zeros_like",
      "tensor", "as_tensor", name="creation")  # fmt: skip
def creation(dtype):
    kind = getattr(kael, dtype)
    yield "arange", kael.arange(-3.7, 91.3, 0.1, dtype=kind)
    yield "whole", kael.arange(3, 1000, 7)
    yield "linspace", kael.linspace(-1.1, 7.3, 1001, dtype=kind)
    yield "eye", kael.eye(5, 7, dtype=kind)
    x = kael.full((3, 5), 0.1, dtype=kind)
    yield "full", x
    for like in (kael.ones_like(x), kael.zeros_like(x), kael.full_like(x, 0.3)):
        yield "like", like
    yield "numbers", kael.tensor([0.1, 1e-45, 3e38, 1], dtype=kind)
    yield "same", kael.as_tensor([[1, 2], [3, 4]])
    yield "filled", kael.ones(3, dtype=kind) + kael.zeros(3, dtype=kind)


@case("rand", "randn", "randint", "randperm", "bernoulli", "rand_like", "randn_like",
      "randint_like", "manual_seed", "Generator", name="random draws")  # fmt: skip
def draws(dtype):
    kind, generator = getattr(kael, dtype), kael.Generator(11)
    yield "rand", kael.rand(1001, dtype=kind, generator=generator)
    yield "randn", kael.randn(1001, dtype=kind, generator=generator)
    yield "randint", kael.randint(-7, 1 << 40, (501,), generator=generator)
    yield "randperm", kael.randperm(501, generator=generator)
    yield "long", kael.randn(200_003, dtype=kind, generator=generator)
    yield "long, permuted", kael.randperm(60_001, generator=generator)
    chances = kael.rand(999, dtype=kind, generator=generator)
    yield "bernoulli", kael.bernoulli(chances, generator=generator)
    kael.manual_seed(13)
    for like in (kael.rand_like, kael.randn_like):
        yield "like", like(chances)
    yield "like", kael.randint_like(chances, 3, 1000)
    x = kael.empty(333, dtype=kind)
    yield "normal", x.normal_(0.3, 2.5, generator=generator)
    yield "uniform", x.uniform_(-0.3, 2.5, generator=generator)
    yield "bernoulli", x.bernoulli_(0.3, generator=generator)


@case("broadcast_to", "cat", "chunk", "diagonal", "flatten", "flip", "movedim", "narrow",
      "permute", "reshape", "select", "split", "squeeze", "stack", "t", "transpose", "unbind",
      "unsqueeze",
      "functional.flatten", name="shapes")  # fmt: skip
def shapes(dtype):
    x = spread(71, 4, 6, 10, dtype=dtype)
    for make in (
        lambda x: x[0, 0].broadcast_to((3, 2, 10)) * 2,
        lambda x: kael.cat([x, x.flip(1), x[:, :, ::2].expand(2, 4, 6, 5)[0]], 2),
        lambda x: [part * 1 for part in (*x.chunk(3, 2), *x.split([1, 3], 0), *x.unbind(1))],
        lambda x: kael.stack([x.flatten(1), x.movedim(2, 0).reshape(4, 60)], 1),
        lambda x: x.permute(2, 0, 1).narrow(0, 2, 5).select(1, 3).t() + 1,
        lambda x: x.unsqueeze(1).transpose(0, 3).squeeze(1) * 1,
        lambda x: x.diagonal(1, 0, 2) * 2,
    ):
        yield from gradients(make, x)


@case("gather", "index_select", "masked_fill", "masked_select", "nonzero", "take_along_dim",
      name="indexing")  # fmt: skip
def indexing(dtype):
    x = spread(72, 20, 30, dtype=dtype)
    at = kael.randint(0, 20, (20, 30), generator=kael.Generator(4))
    for make in (
        lambda x: x.gather(0, at),
        lambda x: x.take_along_dim(at, 1),
        lambda x: x.index_select(1, at[0]),
        lambda x: x[at[:, 0], 1:7],
        lambda x: x.masked_fill(at > 9, 0.5),
        lambda x: x.masked_select(at > 9),
        lambda x: x[at > 9] * 2,
    ):
        yield from gradients(make, x)
    yield "nonzero", (at > 9).nonzero()
    changed = x.clone()
    changed[::2, at[0, :5]] = odd(3, dtype)[:5]
    yield "set", changed


# ---- matrix products ----


@case("matmul", "mm", "mv", "bmm", "addmm", "outer", name="matmul")
def matmul(dtype):
    a, b = spread(7, 65, 1030, dtype=dtype), spread(8, 1030, 70, dtype=dtype)
    yield from gradients(kael.matmul, a[:, :600], b[:600])
    yield from gradients(kael.matmul, spread(9, 5, 4, 33, dtype=dtype), b[:33, :9])
    yield from gradients(kael.mv, a, b[:, 2])
    yield from gradients(lambda v, b: v @ b, a[3], b)
    yield from gradients(kael.addmm, b[0], a[:5, :90], b[:90])
    yield from gradients(kael.outer, a[0, :50], b[:60, 0])
    yield "mm", kael.mm(a, b)
    yield "bmm", kael.bmm(spread(9, 5, 4, 33, dtype=dtype), spread(10, 5, 33, 8, dtype=dtype))
    yield "turned", a.T[:200] @ b[:65].flip((0,))
    yield "strided", a[::2, ::3] @ b[::3, 1::2]
    square = normal(12, 300, 300, dtype=dtype)
    yield "shared by threads", square @ square.T
    yield "row by many", square[0] @ normal(13, 300, 3000, dtype=dtype)


@case("linear", "functional.linear")
def linear(dtype):
    x, w = spread(14, 6, 9, 90, dtype=dtype), spread(15, 70, 90, dtype=dtype)
    b = spread(16, 70, dtype=dtype)
    yield from gradients(kael.linear, x, w, b)
    yield from gradients(lambda x, w: kael.linear(x, w), x[0], w)


@case(name="linear and an activation")
def activated(dtype):
    x, w = normal(14, 6, 9, 90, dtype=dtype), normal(15, 70, 90, dtype=dtype) / 16
    b = normal(16, 70, dtype=dtype)
    for name in ("relu", "gelu", "gelu_tanh", "sigmoid", "tanh"):
        yield from gradients(partial(kael.linear, activation=name), x, w, b)


@case("einsum", "baddbmm", "inner")
def einsum(dtype):
    a, b = spread(22, 5, 6, 33, dtype=dtype), spread(23, 5, 33, 8, dtype=dtype)
    yield from gradients(lambda a, b: kael.einsum("bij,bjk->bik", a, b), a, b)
    yield from gradients(lambda a, b: kael.einsum("bij,bjk->ki", a, b), a, b)
    yield from gradients(lambda a: kael.einsum("iij->j", a[:, :5]), a)
    yield from gradients(kael.inner, a[0], b[1].T)
    yield from gradients(kael.baddbmm, a[:, :, :8], a, b)


@case("dot", "vdot")
def dot(dtype):
    x, y = spread(17, 100_003, dtype=dtype), spread(18, 100_003, dtype=dtype)
    yield from gradients(kael.dot, x, y)
    yield "vdot", kael.vdot(y, x)
    yield "reversed", kael.dot(x, y.flip(0))
    yield "strided", kael.dot(x[::3], y[::3])


OTHER = ("blas", "blas_available", "multiply_exact", "way")
RUNGS = [name for name in matmul_versions.__all__ if name not in OTHER]


@case(*(f"matmul_versions.{name}" for name in RUNGS), name="the matmul ladder")
def ladder(dtype):
    a, b = spread(19, 40, 530, dtype=dtype), spread(20, 530, 33, dtype=dtype)
    out = kael.zeros(40, 33, dtype=getattr(kael, dtype))
    for name in RUNGS:
        getattr(matmul_versions, name)(a, b, out)
        yield name, out


@case("matmul_versions.multiply_exact", name="matmul of integers")
def exact(dtype):
    whole = kael.randint(-(2**62), 2**62, (70, 70), generator=kael.Generator(9))
    for kind in ("uint8", "int32", "int64"):
        x = whole.to(getattr(kael, kind))
        yield kind, x @ x.T
        out = x.clone()
        matmul_versions.multiply_exact(x, x, out)
        yield f"{kind} added", out
