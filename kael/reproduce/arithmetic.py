"""Cases of elementwise operations: one for each of the registry, and their drivers."""

import kael
from kael.ops.rules import BINARY, METHODS, UNARY
from kael.reproduce.cases import case, gradients, normal, odd, spread

INTEGERS = ("bool_", "uint8", "int32", "int64")


def _tried(make):
    """What ``make`` gives, or nothing for a dtype that the operation refuses."""
    try:
        return make()
    except TypeError:
        return None


def _integers(function, count):
    """The operation on each integer dtype, without zeros in the second operand."""
    base = kael.randint(-1000, 1000, (count, 333), generator=kael.Generator(21))
    for name in INTEGERS:
        a, *rest = base.unbind(0)
        rest = [kael.where(b.to(getattr(kael, name)) == 0, kael.ones_like(b), b) for b in rest]
        operands = [x.to(getattr(kael, name)) for x in (a, *rest)]
        result = _tried(lambda operands=operands: function(*operands))
        if result is not None:
            yield name, result


def _special(name, rule, function, operands):
    """Results on odd values; the gradients; the in-place form; integers."""
    if _tried(lambda: function(*operands)) is not None:
        yield from gradients(function, *operands)
        if f"{name}_" in METHODS:
            yield "in place", getattr(operands[0].clone(), f"{name}_")(*operands[1:])
    yield from _integers(function, len(operands))


def _unary(name, rule, function):
    @case(name)
    def one(dtype):
        return _special(name, rule, function, [odd(1, dtype)])


def _binary(name, rule, function):
    @case(name)
    def two(dtype):
        a, b = odd(1, dtype), odd(2, dtype).flip(0)
        if name in ("floor_divide", "remainder"):
            b = kael.where(b == 0, kael.ones_like(b), b)
        return _special(name, rule, function, [a, b])


for _name, _rule in UNARY.items():
    _unary(_name, _rule, getattr(kael, _name))
for _name, _rule in BINARY.items():
    _binary(_name, _rule, getattr(kael, _name))


@case("clamp")
def clamp(dtype):
    a, b = odd(1, dtype), odd(2, dtype).flip(0)
    yield from gradients(lambda a: a.clamp(-1.5, 2), a)
    yield from gradients(lambda a, b: a.clamp(b, 3.0), a, b)
    yield "in place", a.clone().clamp_(max=0.25)


@case("where")
def where(dtype):
    a, b = odd(1, dtype), odd(2, dtype).flip(0)
    yield from gradients(lambda a, b: kael.where(a < b, a, b), a, b)
    yield "scalar", kael.where(a < 0, a, 7.0)


@case("gelu", name="gelu, both forms")
def gelu(dtype):
    x = odd(1, dtype)
    yield from gradients(lambda x: x.gelu(), x)
    yield from gradients(lambda x: x.gelu("tanh"), x)


@case("allclose", "equal", "isclose")
def comparison(dtype):
    a = odd(1, dtype)
    b = a * (1 + 2.0**-20)
    yield "isclose", kael.isclose(a, b, rtol=1e-6)
    yield "answers", kael.tensor([kael.allclose(a, b), kael.equal(a, b), kael.equal(a, a.clone())])


@case(name="conversions")
def conversions(dtype):
    a = odd(1, dtype)
    for target in ("bool_", "uint8", "int32", "int64", "float32", "float64"):
        yield target, a.to(getattr(kael, target))
    for source in INTEGERS:
        whole = kael.randint(-(2**60), 2**60, (333,), generator=kael.Generator(3))
        yield f"from {source}", whole.to(getattr(kael, source)).to(getattr(kael, dtype))


@case(name="promotion and numbers")
def promotion(dtype):
    a = odd(1, dtype)
    whole = kael.arange(a.numel())
    yield from gradients(lambda a: (a + whole) * 2 - 1 / (a * 0.3), a)
    yield "power", (a.abs() ** 0.5) + 3 ** a.clamp(-9, 9)


@case(name="broadcasts and layouts")
def layouts(dtype):
    """Every walk of elementwise/walk.h, in pieces that threads share."""
    x, row, column = (spread(31, *s, dtype=dtype) for s in ((600, 700), (700,), (600, 1)))
    yield from gradients(lambda x, row, column: x * row + column, x, row, column)
    yield "transposed", x.T + x.T.contiguous()
    yield "transpose copy", x.T.contiguous()
    yield "sliced", x[::2, 1::3] * x[1::2, ::3][:, :233]
    yield "reversed", x.flip((0, 1)) - x
    yield "narrow", x[:, :7] + x[:, 7:14]
    yield "cube", spread(32, 30, 40, 50, dtype=dtype).permute(2, 0, 1) * column[:30, 0, None]


@case(name="long arrays")
def long_arrays(dtype):
    """Contiguous loops that threads share."""
    x, y = spread(33, 600_000, dtype=dtype), spread(34, 600_000, dtype=dtype)
    yield "add", x + y
    yield "exp", normal(35, 150_000, dtype=dtype).exp()
    yield "gelu", normal(35, 150_000, dtype=dtype).gelu()
    yield "sin", x[:150_000].sin()
