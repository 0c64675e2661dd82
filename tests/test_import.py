"""What `import kael` does to the process, and what it needs of the machine."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import kael

PACKAGE = Path(kael.__file__).parent


def run(code, *flags, **environment):
    """Runs code in a fresh interpreter and returns what it printed, as JSON."""
    result = subprocess.run(
        [sys.executable, *flags, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=PACKAGE.parent,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


WATCHED = """
import json, os, sys, sysconfig
opened, started = [], []
def threads():
    folder = "/proc/self/task"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 1
before = threads()
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.append(os.path.realpath(arguments[0]))
    elif event.split(".")[0] in ("subprocess", "socket") or event in ("os.system", "os.fork"):
        started.append(event)
sys.addaudithook(watch)
import kael
home = os.path.realpath(os.path.dirname(kael.__file__))
own = [home] + [os.path.realpath(sysconfig.get_path(k)) for k in ("stdlib", "platstdlib")]
print(json.dumps({
    "modules": sorted({name.split(".")[0] for name in sys.modules}),
    "foreign": [p for p in opened if not p.startswith(tuple(own))],
    "started": started,
    "threads": threads() - before,
}))
"""


def test_import_is_quiet():
    """No thread, no subprocess, no foreign file, no heavy module, no warning."""
    seen = run(WATCHED, "-W", "error")
    assert seen["started"] == []
    assert seen["foreign"] == []
    assert seen["threads"] == 0
    heavy = {"torch", "matplotlib", "scipy", "tqdm", "numpy", "subprocess", "tempfile", "zipfile"}
    assert not heavy & set(seen["modules"])


def test_a_bad_environment_does_not_break_the_import():
    # pydata/numexpr#318: OMP_NUM_THREADS='' crashed at import.
    assert run("import kael; print(1)", KAEL_NUM_THREADS="four", KAEL_ISA="mmx") == 1


def test_computes_without_numpy():
    # numpy/numpy#18492: no NumPy ABI, and none needed.
    code = """
    import sys
    sys.modules["numpy"] = None
    import kael
    a = kael.ones(3, 4)
    print((a @ a.T).sum().item())
    """
    assert run(code) == 36.0


def test_first_step_needs_no_compiler_and_no_home(tmp_path):
    # deepspeedai/DeepSpeed#889: an optimizer compiled at first use fails without a compiler.
    code = """
    import kael
    weight = kael.ones(4, requires_grad=True)
    optimizer = kael.optim.Adam([weight])
    weight.sum().backward()
    optimizer.step()
    print(int(weight.tolist()[0] < 1))
    """
    assert run(code, PATH=str(tmp_path), HOME="/nonexistent") == 1


def test_import_in_a_subinterpreter_works_or_says_no():
    # cython/cython#6445: an ImportError at worst, never a crash.
    pytest.importorskip("_testcapi")
    code = '''
    import json, os, _testcapi
    import kael
    _testcapi.run_in_subinterp("""
    try:
        import kael
    except ImportError:
        pass
    """)
    print(kael.ones(3).sum().item())
    '''
    assert run(code) == 3.0


def test_py_typed_is_shipped():
    assert (PACKAGE / "py.typed").exists()
