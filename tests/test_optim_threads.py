"""Every combination of flags, long enough for many slices: on each instruction set and with 1, 2, 3
and 7 threads every element is that of the formula, bit for bit (numerics R6)."""

import functools
import itertools

import numpy as np
import pytest
from conftest import bits_equal, spread
from optim_cases import CASES, IDS, LR, expected, steps_of

import kael
from kael import optim

SIZE = 360_007  # three slices where workers sleep, more where they are awake


@functools.cache
def values(seed):
    return spread(SIZE, "float32", seed)


@pytest.mark.parametrize(("kind", "flags"), CASES, ids=IDS)
def test_every_thread_and_instruction_set_follows_the_formula(kind, flags):
    steps = [values(k) for k in range(1, 1 + (steps_of(kind) if kind is optim.RAdam else 2))]
    right, _ = expected(kind, values(0), steps, {"lr": LR, **flags})
    gradients = [kael.tensor(g) for g in steps]
    start = kael.tensor(values(0))
    cuts = (0, 100_001, 100_002, SIZE)
    for isa, threads in itertools.product(kael.usable_isas(), (1, 2, 3, 7)):
        with kael.isa(isa), kael.num_threads(threads):
            whole = start.clone()
            params = [whole[a:b].requires_grad_() for a, b in itertools.pairwise(cuts)]
            optimizer = kind(params, lr=LR, **flags)
            for g in gradients:
                for p, (a, b) in zip(params, itertools.pairwise(cuts), strict=True):
                    p.grad = g[a:b]
                optimizer.step()
            found = np.concatenate([np.asarray(p.detach()) for p in params])
            assert bits_equal(found, right), (isa, threads)
