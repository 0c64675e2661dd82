"""The same jobs written for kael, NumPy and torch; compare.py times them, each in its own process.

A job is a function without arguments that does the work once. `jobs(name, threads)` makes those of
one contestant, by the names of JOBS; a contestant may lack some.
"""

import os

ROWS, BATCH = 4000, 64


def values(*shape):
    """Normal float32 values, the same for every contestant."""
    import numpy as np

    return np.random.default_rng(0).standard_normal(shape, np.float32)


def classes():
    return values(ROWS).argsort() % 10


def numpy_jobs():
    a, b, square = values(8, 8), values(8, 8), values(1024, 1024)
    return {"add": lambda: a + b, "matmul": lambda: square @ square}


def kael_jobs():
    import kael
    from kael import nn

    a, b = kael.from_numpy(values(8, 8)), kael.from_numpy(values(8, 8))
    tracked = kael.from_numpy(values(8, 8).copy())
    tracked.requires_grad = True
    square = kael.from_numpy(values(1024, 1024))
    images, labels = kael.from_numpy(values(ROWS, 784)), kael.from_numpy(classes())
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = kael.optim.Adam(model.parameters())
    return {
        "add": lambda: a + b,
        "add, requires_grad": lambda: tracked + b,
        "matmul": lambda: square @ square,
        "epoch": lambda: epoch(
            model, nn.CrossEntropyLoss(), optimizer, images, labels, kael.randperm
        ),
    }


def torch_jobs(threads, **adam):
    import torch
    from torch import nn

    torch.set_num_threads(threads)
    a, b, tracked = (torch.from_numpy(values(8, 8)) for _ in range(3))
    tracked.requires_grad = True
    square = torch.from_numpy(values(1024, 1024))
    images, labels = torch.from_numpy(values(ROWS, 784)), torch.from_numpy(classes())
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), **adam)
    return {
        "add": lambda: a + b,
        "add, requires_grad": lambda: tracked + b,
        "matmul": lambda: square @ square,
        "epoch": lambda: epoch(
            model, nn.CrossEntropyLoss(), optimizer, images, labels, torch.randperm
        ),
    }


def epoch(model, criterion, optimizer, images, labels, randperm):
    """The training loop of examples/mnist_mlp.py; kael and torch share every name in it."""
    order = randperm(ROWS)
    for start in range(0, ROWS, BATCH):
        rows = order[start : start + BATCH]
        optimizer.zero_grad()
        criterion(model(images[rows]), labels[rows]).backward()
        optimizer.step()


def jobs(name, threads):
    """The jobs of one contestant, in a process that is its own."""
    for variable in ("KAEL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = str(threads)
    makers = {
        "kael": kael_jobs,
        "numpy": numpy_jobs,
        "torch": lambda: torch_jobs(threads),
        "torch, fused Adam": lambda: torch_jobs(threads, fused=True),
    }
    return makers[name]()
