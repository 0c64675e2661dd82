"""Cases of reductions, rows and losses."""

from functools import partial

import kael
from kael.ops.extremes import all as every
from kael.ops.extremes import any as some
from kael.reproduce.cases import case, gradients, normal, odd, spread

DIMS = (None, 0, 1, (0, 2), (1, 2))


def _over_dims(function, dtype, dims=DIMS):
    """Over the dims of a cube, rows, columns and one long line, with gradients."""
    cube = spread(41, 5, 33, 70, dtype=dtype)
    for dim in dims:
        for label, tensor in gradients(lambda x, dim=dim: function(x, dim), cube):
            yield f"{dim} {label}", tensor
    table, long = spread(42, 300, 77, dtype=dtype), spread(43, 100_003, dtype=dtype)
    yield "long", function(long, 0)
    yield "rows", function(table, 1)
    yield "columns", function(table, 0)
    yield "columns, turned", function(table.T, 0)
    yield "one column", function(spread(44, 20_001, 1, dtype=dtype), 0)
    yield "shared by threads", function(spread(45, 1500, 400, dtype=dtype), 0)
    yield "shared by threads, rows", function(spread(45, 1500, 400, dtype=dtype), 1)


def _reduction(name, dims=DIMS):
    function = getattr(kael, name)

    @case(name)
    def one(dtype):
        yield from _over_dims(function, dtype, dims)


for _name in ("sum", "mean", "var", "std", "prod", "amax", "amin"):
    _reduction(_name)
for _name in ("argmax", "argmin"):
    _reduction(_name, (None, 0, 1, 2))


@case(name="sums of integers")
def integers(dtype):
    whole = kael.randint(-(2**62), 2**62, (301, 77), generator=kael.Generator(7))
    for kind in ("bool_", "uint8", "int32", "int64"):
        x = whole.to(getattr(kael, kind))
        for name in ("sum", "prod", "amax", "argmin"):
            yield f"{kind} {name}", getattr(kael, name)(x, 0)
            yield f"{kind} {name} of rows", getattr(kael, name)(x, 1)
        yield f"{kind} mean", x.to(getattr(kael, dtype)).mean()


@case("max", "min")
def extremes(dtype):
    x = spread(46, 40, 70, dtype=dtype)
    for function in (kael.max, kael.min):
        yield from gradients(lambda x, f=function: f(x), x)
        yield from gradients(lambda x, f=function: f(x, 1), x)
        yield from enumerate(function(x, 0, keepdim=True))
        yield from enumerate(function(odd(4, dtype).reshape(17, 89), 1))


@case("norm")
def norm(dtype):
    x = spread(47, 40, 70, dtype=dtype)
    for p in (0, 0.5, 1, 1.5, 2, 3, float("inf"), float("-inf")):
        for label, tensor in gradients(lambda x, p=p: x.norm(p, 1), x * 2.0**-40):
            yield f"{p} {label}", tensor
    yield from _over_dims(lambda x, dim: x.norm(2, dim), dtype)


@case("var_mean", "std_mean")
def both(dtype):
    x = spread(48, 40, 70, dtype=dtype)
    yield from gradients(lambda x: kael.var_mean(x, 0), x)
    yield from gradients(lambda x: kael.std_mean(x, 1, correction=0), x)


@case("all", "any")
def truth(dtype):
    x = odd(5, dtype)[:1500].reshape(30, 50)
    for dim in (None, 0, 1):
        yield f"all {dim}", every(x, dim)
        yield f"any {dim}", some(x == 0, dim)


# ---- rows ----


def _rows(function, dtype):
    """Along each dim, odd rows, and rows that threads share."""
    x = normal(51, 6, 37, 129, dtype=dtype) * 10
    for dim in (0, 1, 2):
        for label, tensor in gradients(lambda x, dim=dim: function(x, dim), x):
            yield f"{dim} {label}", tensor
    yield "odd", function(odd(6, dtype)[:1500].reshape(20, 75), 1)
    yield "long", function(normal(52, 2, 20_011, dtype=dtype) * 5, 1)
    shared = normal(53, 500, 300, dtype=dtype)
    yield from gradients(lambda x: function(x, 1), shared)
    yield "columns", function(shared, 0)


def _row_operation(name):
    @case(name)
    def one(dtype):
        return _rows(getattr(kael, name), dtype)


for _name in ("softmax", "log_softmax", "logsumexp", "cumsum"):
    _row_operation(_name)


@case(name="a dim of size 1")
def alone(dtype):
    """Its stride is any, and says nothing about where the others' elements lie."""
    whole = normal(59, 64, 6, 37, dtype=dtype) * 10
    for dim, x in enumerate((whole[:1].transpose(1, 2), whole[:, 2:3], whole[:, :, 5:6])):
        for name in ("sum", "var_mean", "amax", "argmin", "softmax", "logsumexp", "cumsum"):
            for label, tensor in gradients(partial(getattr(kael, name), dim=dim), x):
                yield f"{name} {dim} {label}", tensor


@case(name="cumsum of integers")
def running(dtype):
    whole = kael.randint(-(2**62), 2**62, (33, 77), generator=kael.Generator(8))
    for dim in (0, 1):
        yield f"int64 {dim}", whole.cumsum(dim)
        yield f"converted {dim}", whole.cumsum(dim, dtype=getattr(kael, dtype))


@case("causal_softmax", "functional.causal_softmax")
def causal_softmax(dtype):
    x = normal(54, 3, 4, 65, 90, dtype=dtype) * 4
    for offset in (-2, 0, 25):
        yield from gradients(lambda x, o=offset: kael.causal_softmax(x, o), x)


@case("standardize")
def standardize(dtype):
    yield from _norms(lambda x, n, w, b: kael.standardize(x, n, 1e-5, w, b), dtype)


@case("rms_norm", "functional.rms_norm")
def rms_norm(dtype):
    yield from _norms(lambda x, n, w, b: kael.rms_norm(x, n, w), dtype)


def _norms(function, dtype):
    x = spread(55, 33, 5, 26, dtype=dtype)
    for sizes in ((26,), (5, 26)):
        w, b = normal(56, *sizes, dtype=dtype), normal(57, *sizes, dtype=dtype)
        yield from gradients(lambda x, w, b, s=sizes: function(x, s, w, b), x, w, b)
    yield "across", function(x.permute(2, 0, 1), (5,), None, None)
    wide = normal(58, 400, 300, dtype=dtype)
    w, b = normal(56, 300, dtype=dtype), normal(57, 300, dtype=dtype)
    yield from gradients(lambda x, w, b: function(x, (300,), w, b), wide, w, b)


@case("cross_entropy_losses")
def cross_entropy_losses(dtype):
    x = normal(61, 37, 129, dtype=dtype) * 10
    classes = kael.randint(0, 129, (37,), generator=kael.Generator(6))
    weight = normal(62, 129, dtype=dtype).abs()
    for options in _loss_options(weight):
        for target in (classes, normal(63, 37, 129, dtype=dtype).softmax(1)):
            yield from gradients(
                lambda x, t=target, o=options: kael.cross_entropy_losses(x, t, **o), x
            )
    for shape in ((500, 300), (3, 20_011)):
        logits = normal(64, *shape, dtype=dtype)
        target = kael.arange(shape[0]) % shape[1]
        yield from gradients(lambda x, t=target: kael.cross_entropy_losses(x, t), logits)


def _loss_options(weight):
    for smoothing in (0.0, 0.1):
        yield {"label_smoothing": smoothing}
        yield {"label_smoothing": smoothing, "weight": weight, "ignore_index": 5}
