"""Steps of optimizers for compare.py: kael's, torch's in its three forms, those of DeepSpeed and
RoundPipe, and a loop with the same traffic.

"traffic" reads and writes what the step has to, on one array of the case's length: 1 there is the
speed of the memory. It takes part in large cases only.
"""

import importlib
from functools import partial

from benchmarks.parameters import PARAMETERS

LARGE = ("50 million", "GPT-2 small")
# name -> arrays of state that a step reads and writes; -1: only the gradient is read
STATES = {"Adam": 2, "AdamW": 2, "SGD": 1, "Adagrad": 1, "RMSprop": 1, "Lion": 1, "clip": -1}
OPTIONS = {"SGD": {"momentum": 0.9}}
# who -> module of the classes, arguments, optimizers (others: all that torch.optim has)
FORMS = {
    "torch": ("torch.optim", {}, None),
    "torch, foreach": ("torch.optim", {"foreach": True}, None),
    "torch, fused": ("torch.optim", {"fused": True}, {"Adam", "AdamW", "SGD", "Adagrad"}),
    "kael.torch": ("kael.torch.optim", {}, set(STATES) - {"clip"}),
    "DeepSpeed": ("deepspeed.ops.adam", {}, {"Adam"}),
    "RoundPipe": ("roundpipe.optim", {}, {"Adam"}),
}
CLASSES = {"DeepSpeed": "DeepSpeedCPUAdam"}
NAMES = [f"optim {optimizer} {case}" for case in PARAMETERS for optimizer in STATES]


def kael_job(sizes, optimizer):
    import kael

    parameters = [kael.randn(size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = kael.randn(p.numel())
    if optimizer == "clip":
        return lambda: kael.optim.clip_grad_norm_(parameters, 1e9)
    return getattr(kael.optim, optimizer)(parameters, lr=1e-3, **OPTIONS.get(optimizer, {})).step


def torch_job(sizes, optimizer, kind, form):
    import torch

    parameters = [torch.randn(size).requires_grad_() for size in sizes]
    for p in parameters:
        p.grad = torch.randn(p.numel())
    if optimizer == "clip":
        return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1e9, **form)
    return kind(parameters, lr=1e-3, **OPTIONS.get(optimizer, {}), **form).step


def traffic_job(sizes, optimizer):
    """The same traffic with hardly any arithmetic, by kael's own threads and vectors."""
    import kael
    from kael._kernels.machine import stream

    arrays = [kael.full((sum(sizes),), 1e-3) for _ in range(2 + STATES[optimizer])]
    return lambda: stream(*arrays)


def every(prepare, cases=PARAMETERS, optimizers=STATES):
    """``{name: function that prepares it}``; prepare takes sizes and an optimizer's name."""
    return {
        f"optim {optimizer} {case}": partial(prepare, PARAMETERS[case], optimizer)
        for case in cases
        for optimizer in optimizers
    }


def torch_jobs(name):
    module, form, chosen = FORMS[name]
    module = importlib.import_module(module)  # ImportError: not installed
    kinds = {each: getattr(module, CLASSES.get(name, each), None) for each in STATES}
    able = {each for each, kind in kinds.items() if kind or each == "clip"}
    able &= set(STATES) if chosen is None else chosen
    return every(
        lambda sizes, optimizer: torch_job(sizes, optimizer, kinds[optimizer], form),
        optimizers=[each for each in STATES if each in able],
    )


def jobs(name):
    """What one contestant can do."""
    if name == "kael":
        return every(kael_job)
    if name == "traffic":
        return every(traffic_job, LARGE)
    return torch_jobs(name) if name in FORMS else {}
