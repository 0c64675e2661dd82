"""What the documents say is run: their examples, those of docstrings, the switches."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
from test_api import NAMES

import kael

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.name for path in ROOT.glob("docs/*.md"))
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


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    """In order, in one namespace: a page is read from its top. Files that it writes go away."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.S | re.M)
    if any("torch" in block.split() for block in blocks):
        pytest.importorskip("torch")
    namespace = {}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)


@pytest.mark.parametrize("page", ["../README.md", "../CONTRIBUTING.md", *PAGES])
def test_commands_of_a_page_are_there(page):
    text = (ROOT / "docs" / page).read_text()
    commands = re.findall(r"^ {4}(?:\w+=\w+ )?make ([a-z0-9-]+)", text, re.M)
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M)
    assert [name for name in commands if name not in targets] == []
    for module in re.findall(r"python -m (kael[\w.]*)", text):
        assert importlib.util.find_spec(module), module


def test_links_between_pages_lead_somewhere():
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", path.read_text()):
            generated = target.startswith("api/")
            assert generated or (path.parent / target).exists(), (path.name, target)


def test_the_reference_shows_every_public_name(monkeypatch):
    """By the generator of docs/, which `make docs` runs; modules are pages of their own."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    reference = importlib.import_module("reference")
    shown = {}
    for page in filter(reference.buildable, reference.PAGES):
        for module, names in reference.groups(page):
            shown.setdefault(module.__name__, set()).update(names)
    # Modules that share their names with a namespace above them.
    for namespace in set(NAMES) - {"kael.optim.clip"}:
        module = importlib.import_module(namespace)
        public = {n for n in NAMES[namespace].split() if not inspect.ismodule(getattr(module, n))}
        assert public - shown[namespace] == set(), namespace


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
    """What its layout names is there; tests/test_house.py asks the same of the headers' map."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    layout = text.split("## Where things are")[1].split("\n\n")[1]
    named = {
        name.rstrip("/") for line in layout.splitlines()
        for name in re.split(r"   ", line.strip())[0].replace(",", "").split()
        if re.search(r"[./]", name) and "<" not in name and name not in (".inc.h", ".py")
    }  # fmt: skip
    places = (ROOT, ROOT / "include/kael")
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    known = {"kael": kael, "nn": kael.nn, "np": np}
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs=known, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
