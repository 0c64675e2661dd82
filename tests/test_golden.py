"""The digests of kael.reproduce: every machine, instruction set and thread count finds them.

A change of an order of arithmetic changes digests; then CHANGELOG.md says so under "Bits", and

    python -m kael.reproduce --write

makes them anew.
"""

import itertools
import os
import subprocess
import sys

import pytest
from conftest import THREAD_COUNTS, scattered

import kael
from kael import reproduce
from kael.reproduce import __main__ as command
from kael.reproduce import cases
from kael.reproduce.cases import COVERED

# Public names that compute nothing whose bits could differ.
SILENT = [
    "broadcast_shapes", "default_generator", "empty", "empty_like", "get_rng_state",
    "initial_seed", "matmul_versions.blas", "matmul_versions.blas_available",
    "matmul_versions.way", "nn.Module",
    "nn.ModuleDict", "nn.ModuleList", "nn.Parameter", "nn.ParameterDict", "nn.ParameterList",
    "nn.functional", "nn.init", "nn.utils",
    "optim.Optimizer", "optim.SparseAdam", "optim.functional", "optim.lr_scheduler",
    "optim.swa_utils", "seed", "set_rng_state",
]  # fmt: skip
SPACES = {
    "": (*kael.ops.__all__, *kael.creation.__all__, *kael.random.__all__),
    "functional.": kael.nn.functional.__all__,
    "init.": kael.nn.init.__all__,
    "matmul_versions.": kael.matmul_versions.__all__,
    "nn.": kael.nn.__all__,
    "optim.": kael.optim.__all__,
}
EXPECTED = reproduce.expected()
CONTIGUOUS = {"the matmul ladder"}  # its rungs take nothing else
MODULES = (cases, reproduce.arithmetic, reproduce.networks, reproduce.sums, reproduce.tensors)


def test_every_public_operation_has_a_case():
    """The way to mend it: a case in kael/reproduce, then ``python -m kael.reproduce --write``."""
    public = {space + name for space, names in SPACES.items() for name in names}
    assert public - COVERED - set(SILENT) == set()


def test_no_case_covers_what_is_gone():
    public = {space + name for space, names in SPACES.items() for name in names}
    assert (COVERED | set(SILENT)) - public == set()


def test_every_case_has_digests():
    assert list(EXPECTED) == list(reproduce.CASES)
    assert all(set(digests) == set(reproduce.DTYPES) for digests in EXPECTED.values())


@pytest.mark.parametrize("threads", THREAD_COUNTS)
@pytest.mark.parametrize("dtype", reproduce.DTYPES)
@pytest.mark.parametrize("name", reproduce.CASES)
def test_the_digests_are_reproduced(name, dtype, threads):
    for isa in kael.usable_isas():
        with kael.isa(isa), kael.num_threads(threads):
            assert reproduce.digest(reproduce.CASES[name](dtype)) == EXPECTED[name][dtype], isa


@pytest.mark.parametrize("misaligned", [False, True], ids=["aligned", "misaligned"])
@pytest.mark.parametrize("name", sorted(set(reproduce.CASES) - CONTIGUOUS))
def test_the_digests_do_not_depend_on_the_layout_of_operands(name, misaligned, monkeypatch):
    seeds = itertools.count()

    def in_any_layout(make):
        def values(*args, **kwargs):
            array = make(*args, **kwargs).numpy()
            return kael.from_numpy(scattered(array, next(seeds), misaligned))

        return values

    for maker in ("normal", "spread", "odd"):
        changed = in_any_layout(getattr(cases, maker))
        for module in MODULES:
            if hasattr(module, maker):
                monkeypatch.setattr(module, maker, changed)
    for dtype in reproduce.DTYPES:
        for isa in kael.usable_isas():
            with kael.isa(isa), kael.num_threads(3):
                found = reproduce.digest(reproduce.CASES[name](dtype))
            assert found == EXPECTED[name][dtype], (dtype, isa)


def test_the_command_prints_a_table_and_finds_a_difference(monkeypatch, capsys):
    few = ["soft*", "--threads", "1", "2", "--dtype", "float32"]
    assert command.main(few) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == [
        "softmax", "float32", *[EXPECTED["softmax"]["float32"][:16]] * 2,
        ",".join(kael.usable_isas()), "1,2", "ok",
    ]  # fmt: skip
    wrong = {**EXPECTED, "softmax": {"float32": "0" * 64}}
    monkeypatch.setattr(reproduce, "expected", lambda: wrong)
    assert command.main(few) == 1
    assert "DIFFERS" in capsys.readouterr().out
    for wrong in (["no such case"], ["softmax", "sotfmax"], ["--threads", "0"]):
        with pytest.raises(SystemExit):
            command.main(wrong)


def test_a_reader_that_has_read_enough_sees_no_traceback():
    """As `python -m kael.reproduce | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "kael.reproduce", "add", "--isa", "generic", "--threads", "1"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
