"""asv_bench/benchmarks: each takes the parameters that it declares, and its first case runs."""

import importlib
import inspect
import itertools
import math
from pathlib import Path

import pytest

import kael

FOLDER = Path(__file__).parents[1] / "asv_bench"
KINDS = ("time_", "track_", "peakmem_")
pytestmark = [
    pytest.mark.skipif(not FOLDER.exists(), reason="needs a checkout of the sources"),
    pytest.mark.native,  # for the minutes: sizes are those of a real processor
]


@pytest.fixture
def suites(monkeypatch):
    """(name, class, names of its benchmarks) of every suite."""
    monkeypatch.syspath_prepend(str(FOLDER))
    found = []
    for path in sorted((FOLDER / "benchmarks").glob("[a-z]*.py")):
        module = importlib.import_module(f"benchmarks.{path.stem}")
        for name, suite in inspect.getmembers(module, inspect.isclass):
            methods = [each for each in dir(suite) if each.startswith(KINDS)]
            if suite.__module__ == module.__name__ and methods and not name.startswith("_"):
                found.append((f"{path.stem}.{name}", suite, methods))
    return found


def axes(suite):
    """The parameters as asv reads them: one axis may be given without a list around it."""
    params = getattr(suite, "params", ())
    return params if params and isinstance(params[0], (list, tuple)) else [params] * bool(params)


def test_there_is_one_for_every_claim(suites):
    names = {name for name, _, _ in suites}
    assert names >= {
        *("matmul.Product", "matmul.Version", "matmul.Threads", "matmul.Layer"),
        *("elementwise.Naive", "elementwise.ContiguousFromTransposed", "threads.Scaling"),
        *("rows.Fusion", "train.Linear", "train.Epoch", "threads.Region", "threads.FreeOfTheGil"),
        *("memory.Cache", "memory.Import", "memory.Installed", "memory.Training", "profiler.Off"),
        *("calls.Tiny", "reduce.Every", "rows.Rows", "optim.Step", "elementwise.Function"),
    }
    suite = {name: each for name, each, _ in suites}
    assert list(suite["threads.Scaling"].params[0]) == [2**k for k in range(13, 24)]
    assert {1, 4, 15} <= set(suite["threads.Scaling"].params[1])
    assert list(suite["matmul.Threads"].params[0]) == [1, 2, 4, 5, 8, 15]
    assert list(suite["matmul.Version"].params[1]) == [256, 512, 1024, 2048]
    assert {"(64, 10)", "(4096, 65)", "(1024, 50257)"} <= set(suite["rows.Fusion"].params[1])
    products = set(suite["matmul.Product"].params[0])
    assert {(n, n, n) for n in (128, 256, 512)} <= products


def test_signatures_match_the_parameters(suites):
    for name, suite, methods in suites:
        count = len(axes(suite))
        assert count == len(getattr(suite, "param_names", ())), name
        for each in (*methods, "setup", "teardown"):
            if function := getattr(suite, each, None):
                assert len(inspect.signature(function).parameters) == count + 1, f"{name}.{each}"
        for each in methods:
            if each.startswith("track_"):
                assert getattr(suite, each).unit, f"{name}.{each}"


def test_few_enough_for_a_quick_run(suites):
    """A case costs asv a process of its own: a third of a second with what it measures."""
    cases = sum(
        len(methods) * math.prod(len(axis) for axis in axes(suite)) for _, suite, methods in suites
    )
    assert cases < 1300


def test_the_first_case_of_each_runs(suites, monkeypatch):
    monkeypatch.setattr(importlib.import_module("benchmarks.common"), "RATE_SECONDS", 0.0)
    monkeypatch.setattr(importlib.import_module("benchmarks.profiler"), "ROUNDS", 1)
    threads = kael.get_num_threads()
    for name, suite, methods in suites:
        if name == "memory.Product":  # 137 Gflop
            continue
        case = next(itertools.product(*axes(suite)))
        run = suite()
        try:
            if hasattr(run, "setup"):
                run.setup(*case)
            for each in methods:
                getattr(run, each)(*case)
        finally:
            if hasattr(run, "teardown"):
                run.teardown(*case)
            if context := getattr(run, "isa", None):
                context.__exit__(None, None, None)
            kael.set_num_threads(threads)
