"""Times kael's optimizers against torch's and against a loop with the same memory traffic.

    python asv_bench/compare_optim.py [--threads 1 2] [--rounds 15] [--cases "50 million" ...]
                                      [--optimizers Adam clip ...]

As in compare.py each contestant is a process of its own, they take turns, and the columns say how
many times as fast as they kael is. "traffic" reads and writes what the step has to, on one array of
the case's length: 1 there is the speed of the memory. torch is measured in its default form, with
foreach=True, and with fused=True where there is one.
"""

import argparse
import importlib
import os
from functools import partial
from pathlib import Path

from benchmarks.parameters import PARAMETERS
from compare import Contestant, header, measure, ratios, row, serve, shown

NAMES = ("kael", "kael.torch", "traffic", "torch", "torch, foreach", "torch, fused")
LARGE = ("50 million", "GPT-2 small")
FUSED = ("Adam", "AdamW", "SGD", "Adagrad")  # of torch
OPTIONS = {"SGD": {"momentum": 0.9}}
# name -> arrays of state that a step reads and writes; -1: only the gradient is read
STATES = {"Adam": 2, "AdamW": 2, "SGD": 1, "Adagrad": 1, "RMSprop": 1, "Lion": 1, "clip": -1}


def kael_job(sizes, optimizer, threads):
    import kael

    kael.set_num_threads(threads)
    parameters = [kael.randn(size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = kael.randn(p.numel())
    if optimizer == "clip":
        return lambda: kael.optim.clip_grad_norm_(parameters, 1e9)
    return getattr(kael.optim, optimizer)(parameters, lr=1e-3, **OPTIONS.get(optimizer, {})).step


def torch_job(sizes, optimizer, threads, module="torch.optim", **form):
    import torch

    torch.set_num_threads(threads)
    parameters = [torch.randn(size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = torch.randn(p.numel())
    if optimizer == "clip":
        return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1e9, **form)
    kind = getattr(importlib.import_module(module), optimizer)
    return kind(parameters, lr=1e-3, **OPTIONS.get(optimizer, {}), **form).step


def traffic_job(sizes, optimizer, threads):
    """The same traffic with hardly any arithmetic, by kael's own threads and vectors."""
    import kael
    from kael._kernels.machine import stream

    kael.set_num_threads(threads)
    arrays = [kael.full((sum(sizes),), 1e-3) for _ in range(2 + STATES[optimizer])]
    return lambda: stream(*arrays)


def takes_part(name, case, optimizer):
    if name == "traffic":  # a loop over tiny arrays is about starting threads
        return case in LARGE
    if name == "torch, fused":
        return optimizer in FUSED
    if name == "kael.torch":
        return optimizer != "clip"
    return name == "kael" or optimizer != "Lion"


def prepare(name, case, optimizer, threads):
    """The function that does the work once."""
    sizes = PARAMETERS[case]
    if name == "kael":
        return kael_job(sizes, optimizer, threads)
    if name == "traffic":
        return traffic_job(sizes, optimizer, threads)
    form = {
        "torch, foreach": {"foreach": True},
        "torch, fused": {"fused": True},
        "kael.torch": {"module": "kael.torch.optim"},
    }
    return torch_job(sizes, optimizer, threads, **form.get(name, {}))


def jobs(name, threads):
    """What one contestant can do: by name, a function that prepares it."""
    for variable in ("KAEL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = str(threads)
    if "torch" in name:
        importlib.import_module("torch")  # compare.serve leaves out who cannot be imported
    return {
        f"{case}; {optimizer}": partial(prepare, name, case, optimizer, threads)
        for case in PARAMETERS
        for optimizer in STATES
        if takes_part(name, case, optimizer)
    }


def compare(threads, cases, optimizers, rounds):
    """One table for each case."""
    contestants = [Contestant(name, threads, Path(__file__)) for name in NAMES]
    for case in cases:
        header(f"{case}, {threads} thread{'s' * (threads > 1)}", "optimizer", *NAMES)
        for optimizer in optimizers:
            samples, _ = measure(contestants, f"{case}; {optimizer}", rounds)
            times = ratios(samples)
            cells = [f"{times[name]:.3f}" if name in times else "" for name in NAMES[1:]]
            row(optimizer, shown(samples["kael"]), *cells)
    for one in contestants:
        one.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cases", nargs="+", default=list(PARAMETERS), choices=PARAMETERS)
    parser.add_argument("--optimizers", nargs="+", default=list(STATES), choices=STATES)
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        serve(options.contestant[0], int(options.contestant[1]), jobs)
        return
    for threads in options.threads:
        compare(threads, options.cases, options.optimizers, options.rounds)


if __name__ == "__main__":
    main()
