"""asv_bench/compare.py: refusals of one line, and a small run that writes every form of output."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HANGS

import kael

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "asv_bench" / "compare.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs a checkout of the sources")


def run(*arguments):
    """The process of compare.py with this kael."""
    environment = {**os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        timeout=HANGS,
    )


@pytest.fixture
def compare(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return importlib.import_module("compare")


def refused(compare, capsys, *arguments, build=None):
    """The one line that compare.py leaves before its non-zero exit."""
    with pytest.raises(SystemExit) as exit_of:
        compare.main([*arguments])
    assert exit_of.value.code == 2
    text = capsys.readouterr().err
    assert text.startswith("compare.py: ") and text.endswith("\n") and text.count("\n") == 1
    return text


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nosuch"], "unknown suite 'nosuch'"),
        (["--filter", "no such job"], "no job matches"),
        (["rows", "--filter", "optim"], "no job matches"),
        (["--filter", "("], "no regular expression"),
        (["--peers", "nobody"], "unknown peer 'nobody'"),
        (["--threads", "100000"], "100000 threads asked for"),
        (["--threads", "0"], "must be a positive number"),
        (["--rounds", "-1"], "must be a positive number"),
        (["--json", "/no/such/folder/x.json"], "no folder"),
        (["--nosuch"], "unrecognized arguments"),
    ],
)
def test_bad_input_is_one_line(compare, capsys, monkeypatch, arguments, words):
    monkeypatch.setattr(compare, "unfit", lambda build: None)
    assert words in refused(compare, capsys, *arguments)


def test_wrong_data_folder_is_one_line(compare, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(compare, "unfit", lambda build: None)
    for folder in (tmp_path / "absent", tmp_path):
        assert "--data: " in refused(compare, capsys, "--threads", "1", "--data", str(folder))


def test_a_peer_that_was_asked_for_has_to_be_there(compare, capsys, monkeypatch):
    monkeypatch.setattr(compare, "unfit", lambda build: None)

    class Absent:
        def __init__(self, name, threads, digits):
            self.name, self.threads = name, threads
            self.jobs = set(compare.NAMES) if name == "kael" else set()

        def close(self):
            pass

    monkeypatch.setattr(compare, "Contestant", Absent)
    text = refused(compare, capsys, "calls", "--threads", "1", "--peers", "RoundPipe")
    assert text == "compare.py: not installed: RoundPipe\n"


def test_slow_builds_are_refused(compare):
    build = {"sanitizer": "none", "flags": "-O3 -g0"}
    assert compare.unfit(build) is None
    assert "address" in compare.unfit({**build, "sanitizer": "address"})
    assert "debug" in compare.unfit({**build, "flags": "-O1 -g -UNDEBUG"})


def test_every_family_has_jobs_and_a_default(compare):
    for family in compare.FAMILIES:
        names = [name for name in compare.NAMES if name.split()[0] == family]
        assert any(compare.DEFAULT.fullmatch(name) for name in names), family
    assert len(set(compare.NAMES)) == len(compare.NAMES)


def test_command_line_ends_without_a_traceback():
    done = run("nosuch")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "unknown suite" in done.stderr
    assert "--threads" in run("--help").stdout


def test_a_small_run_writes_tables_json_and_a_picture(compare, tmp_path):
    if compare.unfit(kael.show_config("dict")["build"]):
        assert run("calls").returncode == 2
        return
    files = [f"--markdown={tmp_path / 'x.md'}", f"--json={tmp_path / 'x.json'}"]
    try:
        import matplotlib  # noqa: F401

        files.append(f"--png={tmp_path / 'x.png'}")
    except ImportError:
        pass
    done = run("calls", "--peers", "NumPy", "--threads", "1", "--rounds", "2", *files)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "x.md").read_text() == done.stdout
    assert "| matmul 8x8 |" in done.stdout and "**geometric mean**" in done.stdout
    jobs = json.loads((tmp_path / "x.json").read_text())["jobs"]
    assert {one["family"] for one in jobs} == {"calls"}
    assert all(one["seconds"]["kael"] > 0 for one in jobs)
    if len(files) == 3:
        assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


def test_what_a_library_prints_is_no_answer(tmp_path):
    """DeepSpeed tells its accelerator on stdout, which is where a contestant answers."""
    pytest.importorskip("torch")
    folder = tmp_path / "deepspeed" / "ops"
    folder.mkdir(parents=True)
    (folder / "adam.py").write_text("print('greetings')\nclass DeepSpeedCPUAdam: pass\n")
    path = os.pathsep.join([str(tmp_path), str(Path(kael.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, SCRIPT, "--contestant", "DeepSpeed", "1", ""],
        input="",
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=HANGS,
    )
    assert done.stdout.startswith("optim Adam ") and "greetings" in done.stderr
