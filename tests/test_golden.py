"""Digests of a fixed list of results: every machine, instruction set and thread count reproduces
them. Inputs come from kael's generator (numerics R7) and are scaled by exact powers of two.

A change of an order of arithmetic changes digests; then CHANGELOG.md says so under "Bits", and

    python tests/test_golden.py

writes them anew.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import kael
from kael import nn
from kael.ops.rules import BINARY, UNARY

DIGESTS = Path(__file__).parent / "golden" / "digests.json"
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e-40, 1e38, -88.7, 709.8, 0.5]


def spread(seed, *shape, dtype="float32"):
    """Normal values, each times a power of two between 2**-50 and 2**50."""
    generator = kael.Generator(seed)
    values = kael.randn(*shape, dtype=dtype, generator=generator).numpy()
    exponents = kael.randint(-50, 51, shape, generator=generator).numpy()
    return kael.from_numpy(np.ldexp(values, exponents).astype(dtype))


def odd(seed, dtype):
    """Values of moderate size, tiny and huge ones, and those that C99 lists."""
    special = np.array(SPECIAL).astype(dtype)
    wide = spread(seed, 500, dtype=dtype).numpy()
    near = kael.randn(1000, dtype=dtype, generator=kael.Generator(seed)).numpy() * 8
    return kael.from_numpy(np.concatenate([special, wide, near.astype(dtype)]))


def elementwise(dtype):
    a, b = odd(1, dtype), odd(2, dtype).flip(0)
    with np.errstate(all="ignore"):
        for name in sorted(UNARY):
            if name != "bitwise_not":
                yield name, getattr(a, name)()
        for name in sorted(BINARY):
            if not name.startswith("bitwise"):
                yield name, getattr(kael, name)(a, b)
    for target in ("uint8", "int32", "int64", "float32", "float64"):
        yield f"to {target}", a.to(target)


def draws(dtype):
    generator = kael.Generator(11)
    yield "rand", kael.rand(1001, dtype=dtype, generator=generator)
    yield "randn", kael.randn(1001, dtype=dtype, generator=generator)
    yield "randint", kael.randint(-7, 1 << 40, (501,), generator=generator)
    yield "randperm", kael.randperm(501, generator=generator)


def sums(dtype):
    long, table = spread(3, 100_003, dtype=dtype), spread(4, 300, 77, dtype=dtype)
    for name in ("sum", "mean", "var", "std", "norm"):
        yield name, getattr(long, name)()
        yield f"{name} of columns", getattr(table, name)(dim=0)
        yield f"{name} of rows", getattr(table.T, name)(dim=0)
    yield "dot", kael.dot(long, long.flip(0))


def rows(dtype):
    x = kael.randn(37, 129, dtype=dtype, generator=kael.Generator(5)) * 10
    targets = kael.randint(0, 129, (37,), generator=kael.Generator(6))
    yield "softmax", x.softmax(1)
    yield "log_softmax", x.log_softmax(0)
    yield "standardize", kael.standardize(x)
    yield "cross_entropy_losses", kael.cross_entropy_losses(x, targets)


def products(dtype):
    a, b = spread(7, 65, 1030, dtype=dtype), spread(8, 1030, 70, dtype=dtype)
    yield "matmul", a @ b
    yield "row", a[3] @ b
    yield "column", a @ b[:, 2]
    yield "batch", spread(9, 5, 4, 33, dtype=dtype) @ b[:33, :9]
    yield "linear", kael.linear(a, b.T.contiguous(), spread(10, 70, dtype=dtype))


def training(dtype):
    """The weights after 100 steps of an MLP with Adam and gradient clipping."""
    kael.manual_seed(12)
    model = nn.Sequential(nn.Linear(20, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 5))
    model.to(dtype)
    optimizer = kael.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-3)
    x, y = kael.randn(96, 20, dtype=dtype), kael.randint(0, 5, (96,))
    for _ in range(100):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        kael.optim.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    yield from model.state_dict().items()


OPTIMIZERS = {
    "ASGD": {"t0": 2, "weight_decay": 0.1},
    "Adadelta": {"weight_decay": 0.1},
    "Adafactor": {"weight_decay": 0.1},
    "Adagrad": {"lr_decay": 0.1},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "Adamax": {"weight_decay": 0.1},
    "Lion": {"weight_decay": 0.1},
    "Muon": {},
    "NAdam": {"weight_decay": 0.1},
    "RAdam": {"betas": (0.9, 0.95)},
    "RMSprop": {"centered": True, "momentum": 0.9},
    "Rprop": {},
    "SGD": {"momentum": 0.9, "nesterov": True},
}


def optimizers(dtype):
    """A matrix and its state after ten steps of each optimizer."""
    for name, options in OPTIMIZERS.items():
        generator = kael.Generator(13)
        p = kael.randn(33, 17, dtype=dtype, generator=generator).requires_grad_()
        optimizer = getattr(kael.optim, name)([p], **options)
        for _ in range(10):
            p.grad = kael.randn(33, 17, dtype=dtype, generator=generator)
            optimizer.step()
        yield name, p.detach()
        yield from optimizer.state[p].items()


def digest(tensors):
    """SHA-256 over names and bytes; all NaNs are one."""
    total = hashlib.sha256()
    for name, tensor in tensors:
        array = tensor.numpy().copy()
        if array.dtype.kind == "f":
            array[np.isnan(array)] = np.nan
        total.update(name.encode() + array.tobytes())
    return total.hexdigest()


GROUPS = (elementwise, draws, sums, rows, products, training, optimizers)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_the_digests_are_reproduced(group, dtype, threads, every_isa):
    expected = json.loads(DIGESTS.read_text())[f"{group.__name__} {dtype}"]
    with kael.num_threads(threads):
        assert digest(group(dtype)) == expected


if __name__ == "__main__":
    found = {f"{g.__name__} {t}": digest(g(t)) for g in GROUPS for t in ("float32", "float64")}
    DIGESTS.write_text(json.dumps(found, indent=1) + "\n")
