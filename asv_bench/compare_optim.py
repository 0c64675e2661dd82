"""Times kael's optimizers against torch's and against a plain C loop with the same memory traffic.

    python asv_bench/compare_optim.py [--threads 1 2] [--rounds 15] [--cases "50 million" ...]
                                      [--optimizers Adam clip ...]

As in compare.py each contestant is a process of its own and they take turns. "traffic" reads and
writes what the step has to, on one array of the case's length: kael's time divided by its time is
how far the step is from the speed of the memory. torch is measured in its default form, with
foreach=True, and with fused=True where there is one.
"""

import argparse
import ctypes
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.parameters import PARAMETERS
from compare import Contestant, burst, calibrate, compile_c, measure, ratio

NAMES = ("kael", "traffic", "torch", "torch, foreach", "torch, fused")
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


def torch_job(sizes, optimizer, threads, **form):
    import torch

    torch.set_num_threads(threads)
    parameters = [torch.randn(size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = torch.randn(p.numel())
    if optimizer == "clip":
        return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1e9, **form)
    kind = getattr(torch.optim, optimizer)
    return kind(parameters, lr=1e-3, **OPTIONS.get(optimizer, {}), **form).step


class Block:
    """Memory of the C library, freed with the job; ctypes passes its address."""

    def __init__(self, address, free):
        self._as_parameter_, self.free = ctypes.c_void_p(address), free

    def __del__(self):
        self.free(self._as_parameter_)


def traffic_job(sizes, optimizer, threads):
    with tempfile.TemporaryDirectory() as folder:
        library = compile_c("traffic.c", folder, "-pthread")
    loop, count = library.traffic, sum(sizes)
    loop.restype = ctypes.c_float
    library.make.restype = ctypes.c_void_p
    arrays = [Block(library.make(ctypes.c_int64(count)), library.free) for _ in range(4)]
    states = STATES[optimizer]
    return lambda: loop(ctypes.c_int64(count), states, *arrays, threads)


def has(name, case, optimizer):
    """Whether a contestant takes part."""
    if name == "traffic":  # a loop over tiny arrays is about starting threads
        return case in ("50 million", "GPT-2 small")
    if name == "torch, fused":
        return optimizer in FUSED
    return name == "kael" or optimizer != "Lion"


def make(name, case, optimizer, threads):
    """The function that does the work once."""
    sizes = PARAMETERS[case]
    if name == "kael":
        return kael_job(sizes, optimizer, threads)
    if name == "traffic":
        return traffic_job(sizes, optimizer, threads)
    form = {"torch, foreach": {"foreach": True}, "torch, fused": {"fused": True}}
    return torch_job(sizes, optimizer, threads, **form.get(name, {}))


def serve(name, threads):
    """The other side of Contestant; holds the memory of one job at a time."""
    for variable in ("KAEL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = str(threads)
    jobs = [
        f"{case}; {optimizer}"
        for case in PARAMETERS
        for optimizer in STATES
        if has(name, case, optimizer)
    ]
    print("|".join(jobs), flush=True)
    current, run, repeats = None, None, 0
    for line in sys.stdin:
        job = line.strip()
        if job != current:
            run = None
            if job:
                run = make(name, *job.split("; "), threads)
                repeats = calibrate(run)
            current = job
        print(burst(run, repeats) if job else 0.0, flush=True)


def report(job, samples):
    """One line per contestant: its best, and the median ratio of kael's time to it."""
    kaels = {one.threads: seconds for one, seconds in samples.items() if one.name == "kael"}
    for one, seconds in samples.items():
        line = f"{job:24} {one!s:20} {min(seconds) * 1e3:10.4f} ms"
        if one.name != "kael":
            line += f"   kael / {one.name}: {ratio(kaels[one.threads], seconds):.3f}"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cases", nargs="+", default=list(PARAMETERS), choices=PARAMETERS)
    parser.add_argument("--optimizers", nargs="+", default=list(STATES), choices=STATES)
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        serve(options.contestant[0], int(options.contestant[1]))
        return
    script = Path(__file__)
    for threads in options.threads:  # one count at a time: large cases fill the memory
        contestants = [Contestant(name, threads, script) for name in NAMES]
        for case in options.cases:
            for optimizer in options.optimizers:
                samples, _ = measure(contestants, f"{case}; {optimizer}", options.rounds)
                report(f"{case}; {optimizer}", samples)
                for one in samples:
                    one.sample("")  # give the memory back
        for one in contestants:
            one.close()


if __name__ == "__main__":
    main()
