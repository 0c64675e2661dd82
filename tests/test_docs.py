"""What the documents say is run: the README's example, the docstrings' examples, the switches."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import kael

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
# kael.torch needs torch; the rest needs nothing but kael and NumPy.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(kael.__path__, "kael.")
    if not module.name.startswith("kael.torch")
)


def test_readme_example_runs(capsys):
    code = re.search(r"```python\n(.*?)```", README, re.S)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 14
    exec(compile(code, "README.md", "exec"), {})
    assert float(capsys.readouterr().out.split()[-1]) < 1.0


def test_profiler_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/profiler.md").read_text()
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(code, "profiler.md", "exec"), {})
    assert "matmul backward: matmul" in capsys.readouterr().out
    assert (tmp_path / "trace.json").exists()


def test_readme_names_every_switch():
    """Each KAEL_ variable that is read somewhere stands in the table, and no other."""
    table = set(re.findall(r"^\| `(KAEL_\w+)", README, re.M))
    read = set()
    for path in [ROOT / "setup.py", *(ROOT / "kael").rglob("*.py*"), *ROOT.glob("include/**/*.h")]:
        if path.suffix != ".pyc":
            pattern = r"""(?:environ(?:\.get)?\W+|getenv\(|switch\()b?["'](KAEL_\w+)"""
            read |= set(re.findall(pattern, path.read_text()))
    assert table == read


def test_readme_names_every_make_command():
    commands = re.findall(r"^([a-z0-9-]+):.*##", (ROOT / "Makefile").read_text(), re.M)
    documents = README + (ROOT / "CONTRIBUTING.md").read_text()
    assert [name for name in commands if f"make {name}" not in documents] == []


def test_contributing_shows_the_tree_as_it_is():
    """What its layout names is there, and no header is left out."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    layout = text.split("## Where things are")[1].split("\n\n")[1]
    named = {
        name.rstrip("/") for line in layout.splitlines()
        for name in re.split(r"   ", line.strip())[0].replace(",", "").split()
        if re.search(r"[./]", name) and "<" not in name and name not in (".inc.h", ".py")
    }  # fmt: skip
    places = (ROOT, ROOT / "include/kael")
    assert [name for name in named if not any((place / name).exists() for place in places)] == []
    families = {pyx.stem for pyx in ROOT.glob("kael/_kernels/*.pyx")}
    headers = {path.name for path in ROOT.glob("include/kael/*.*")}
    left = {name for name in headers if re.split(r"[_.]", name)[0] not in families} - named
    assert {name for name in left if f"{name.split('.')[0]}.h" not in named} == set()


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    known = {"kael": kael, "nn": kael.nn, "np": np}
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs=known, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
