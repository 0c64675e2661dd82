"""Every public callable says what it takes, gives and raises, in the sections of numpydoc."""

import ast
import importlib
import importlib.util
import inspect
import re
import textwrap

import pytest
from test_api import NAMES

import kael

TORCH = ["kael.torch.optim", "kael.torch.optim.functional", "kael.torch.nn.utils"]
SIGNATURE = re.compile(r"^[\w.]+\(.*\)\n\n")  # which Cython puts before a docstring
# A text that is only this shows another thing's sections.
ELSEWHERE = re.compile(r"See :(?:func|meth|class):`~?([\w.]+)`\.")


def namespaces():
    return [*NAMES, *(TORCH if importlib.util.find_spec("torch") else [])]


def members(kind):
    """The public methods that a class of kael's defines or takes from a base that is not public."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("kael")]
    own = [base for base in bases if base is kind or not is_public(base)]
    for name in sorted({name for base in own for name in vars(base) if name[0] != "_"}):
        thing = inspect.getattr_static(kind, name)
        if callable(getattr(thing, "__func__", thing)):
            yield name, thing


def is_public(kind):
    return any(getattr(importlib.import_module(m), kind.__name__, None) is kind for m in NAMES)


def callables(namespace):
    """Pairs of full name and callable: functions, classes and their methods."""
    module = importlib.import_module(namespace)
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.ismodule(thing) or not callable(thing):
            continue
        if not getattr(thing, "__module__", "kael").startswith("kael"):
            continue  # PyTorch's own, shown again
        yield f"{namespace}.{name}", thing
        if inspect.isclass(thing):
            for method, function in members(thing):
                yield f"{namespace}.{name}.{method}", function


def sections(doc):
    """The text of each section by its title; "" is the summary and what follows it."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(doc), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def resolved(doc):
    """The sections of a docstring, or of the one that it refers to."""
    if reference := ELSEWHERE.fullmatch(doc.strip()):
        thing = kael
        for name in reference[1].removeprefix("kael.").split("."):
            thing = getattr(thing, name)
        return sections(thing.__doc__)
    return sections(doc)


def described(text):
    """The names before the colons of a section's entries."""
    entries = re.findall(r"^(\S.*?)(?: :.*)?$", text, re.M)
    return {name.strip(" *\\") for entry in entries for name in entry.split(",")}


def parameters(thing, is_method):
    try:
        found = list(inspect.signature(thing).parameters)
    except ValueError:  # Tensor, which nobody calls
        return []
    return found[1:] if is_method else found


def body_of(function):
    """The syntax tree of a Python function without those inside it; None for a compiled one."""
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    except (OSError, TypeError):
        return None
    root = ast.parse(source).body[0]
    return root if isinstance(root, ast.FunctionDef) else None


def statements(node):
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield child
            yield from statements(child)


def gives_something(function):
    """Whether a call has a result: what a compiled function returns is taken for one."""
    root = body_of(function)
    if root is None:
        return True
    values = [n.value for n in statements(root) if isinstance(n, (ast.Return, ast.Yield))]
    return any(
        v is not None and not (isinstance(v, ast.Constant) and v.value is None) for v in values
    )


def raised(function):
    """The names of the exceptions that stand behind ``raise`` in a Python function."""
    root = body_of(function)
    found = [n.exc for n in statements(root) if isinstance(n, ast.Raise)] if root else []
    return {e.func.id for e in found if isinstance(e, ast.Call) and isinstance(e.func, ast.Name)}


# Compiled, and without a result.
SILENT = {"kael.matmul_versions.blas"}


def missing(name, thing):
    """What the docstring lacks."""
    doc = inspect.getdoc(thing) if inspect.isclass(thing) else thing.__doc__
    doc = SIGNATURE.sub("", doc or "")
    is_method = name.rpartition(".")[0] not in NAMES and not inspect.isclass(thing)
    is_method = is_method and name.rpartition(".")[0] not in TORCH
    if not doc:  # an override is described by what it overrides
        return [] if is_method and inspect.getdoc(thing) else ["a docstring"]
    found = resolved(doc)
    given = described(found.get("Parameters", "")) | described(found.get("Other Parameters", ""))
    lacks = [f"parameter {p}" for p in parameters(thing, is_method) if p not in given]
    if inspect.isclass(thing):
        return lacks
    documented = {"Returns", "Yields"} & set(found) or found[""].startswith("Whether ")
    if name not in SILENT and not documented and gives_something(thing):
        lacks.append("Returns")
    return lacks + [f"error {error}" for error in raised(thing) if error not in doc]


@pytest.mark.parametrize("namespace", namespaces())
def test_every_public_callable_describes_parameters_result_and_errors(namespace):
    found = {name: missing(name, thing) for name, thing in callables(namespace)}
    assert found
    assert {name: lacks for name, lacks in found.items() if lacks} == {}


def test_the_test_would_notice():
    def function(x, y):
        """Adds.

        Parameters
        ----------
        x : float
        """
        if x < 0:
            raise ValueError("negative")
        return x + y

    assert missing("kael.function", function) == ["parameter y", "Returns", "error ValueError"]
