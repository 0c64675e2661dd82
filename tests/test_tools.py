"""The tools that explain: they tell a lost loop, Python inside nogil, and where time goes."""

import os
import subprocess
import sys

import pytest
from conftest import HANGS
from test_house import ROOT, load

DUMP = """
;; Function kl_{kernel}_avx2 (kl_{kernel}_avx2, funcdef_no=1)
include/kael/x.h:7:5: missed:   not vectorized: control flow in loop.
include/kael/x.h:7:5: missed: couldn't vectorize loop
include/kael/x.h:9:5: optimized: loop vectorized using {size} byte vectors
/usr/include/avxintrin.h:5:1: missed:   not vectorized: no vectype for stmt: (__m256_u)
include/kael/x.h:11:5: missed: couldn't vectorize loop
;; Function __pyx_pw (__pyx_pw, funcdef_no=2)
x.c:1:5: optimized: loop vectorized using 16 byte vectors
"""


@pytest.fixture
def vec_report(monkeypatch):
    tool = load(ROOT / "tools" / "vec_report.py")
    monkeypatch.setattr(tool, "HOT", {"rows": ["hot_f32"]})
    return tool


def dumped(folder, **parts):
    (folder / "vec").mkdir()
    (folder / "vec" / "rows.vect").write_text(DUMP.format(**parts))
    return folder


def test_the_report_lists_loops_by_kernel_and_instruction_set(vec_report, tmp_path, capsys):
    assert vec_report.main(dumped(tmp_path, kernel="cold_f32", size=32), []) != 0
    assert capsys.readouterr().out.splitlines() == [
        "== rows", "cold_f32",
        "  x.h:7", "    avx2     missed: control flow in loop. (x1)",
        "  x.h:9", "    avx2     32 bytes (x1)",
        "  x.h:11", "    avx2     written in vectors (x1)",
    ]  # fmt: skip


@pytest.mark.parametrize("size, kernel, told", [(32, "hot_f32", 0), (32, "other", "not compiled")])
def test_a_listed_loop_must_be_there(size, kernel, told, vec_report, tmp_path, capsys):
    found = vec_report.main(dumped(tmp_path, kernel=kernel, size=size), ["rows"])
    assert found == told or told in found


def test_a_loop_of_half_vectors_is_lost(vec_report, tmp_path):
    folder = dumped(tmp_path, kernel="hot_f32", size=16)
    dump = folder / "vec" / "rows.vect"
    dump.write_text(dump.read_text().replace("__m256_u", "scalar"))
    assert "hot_f32 lost its vectors on avx2" in vec_report.main(folder, [])


def test_the_report_refuses_what_it_has_not_got(vec_report, tmp_path):
    assert "no reports" in vec_report.main(tmp_path, [])
    assert "no report of tensors" in vec_report.main(
        dumped(tmp_path, kernel="hot_f32", size=32), ["tensors"]
    )


def run_line_times(*arguments):
    command = [sys.executable, str(ROOT / "tools" / "line_times.py"), *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=HANGS)


def test_line_times_count_every_line_of_a_script(tmp_path):
    script = tmp_path / "work.py"
    script.write_text("import sys\nfor i in range(100):\n    i += 1\nprint(sys.argv[1])\n")
    done = run_line_times(script, "argument")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("argument\n")
    [line] = [line for line in done.stdout.splitlines() if line.endswith("i += 1")]
    assert line.split()[2] == "100" and "work.py:3" in line


@pytest.mark.parametrize("arguments", [(), ("no_such_script.py",)])
def test_line_times_refuse_in_one_line(arguments):
    done = run_line_times(*arguments)
    assert done.returncode != 0 and done.stderr.count("\n") == 1
