"""The API reference: which page shows which public name. No name is listed twice by hand.

The groups are the ``__all__`` lists of the modules that define the names, so that a new function
is on its page. `tests/test_docs.py` holds that no public name is missing.
"""

import importlib
import importlib.util
import inspect
import types

import kael

# Page: its title and what it shows, a pair of namespace and the module whose __all__ is taken, or
# the names themselves.
PAGES = {
    "tensor": ("Tensors", [("kael", "kael.tensor"), ("kael", "kael.creation"),
        ("kael", "from_dlpack from_numpy load save"),
        ("kael", "bool bool_ uint8 int32 int64 float32 float64")]),
    "elementwise": ("Elementwise functions and comparisons",
        [("kael", "kael.ops.elementwise"), ("kael", "kael.ops.clamp"),
            ("kael", "kael.ops.comparison")]),
    "reductions": ("Reductions and rows", [("kael", "kael.ops.reduce"),
        ("kael", "kael.ops.extremes"), ("kael", "kael.ops.rows"), ("kael", "kael.ops.losses")]),
    "products": ("Products", [("kael", "kael.ops.matmul"), ("kael", "kael.ops.vectors"),
        ("kael", "kael.ops.einsum"), ("kael.matmul_versions", "kael.matmul_versions")]),
    "shape": ("Shapes and indices", [("kael", "kael.ops.shape"), ("kael", "kael.ops.dims"),
        ("kael", "kael.ops.pieces"), ("kael", "kael.ops.selection")]),
    "random": ("Random numbers", [("kael", "kael.random")]),
    "autograd": ("Gradients", [("kael", "enable_grad is_grad_enabled no_grad set_grad_enabled"),
        ("kael.autograd", "backward grad")]),
    "runtime": ("Threads, memory, instruction sets", [("kael", "kael.threads"),
        ("kael", "kael.memory"), ("kael", "kael.config")]),
    "nn": ("kael.nn", [("kael.nn", "kael.nn")]),
    "nn.functional": ("kael.nn.functional", [("kael.nn.functional", "kael.nn.functional")]),
    "nn.init": ("kael.nn.init", [("kael.nn.init", "kael.nn.init")]),
    "nn.utils": ("kael.nn.utils", [("kael.nn.utils", "kael.nn.utils")]),
    "optim": ("kael.optim", [("kael.optim", "kael.optim")]),
    "optim.functional": ("kael.optim.functional",
        [("kael.optim.functional", "kael.optim.functional")]),
    "optim.lr_scheduler": ("kael.optim.lr_scheduler",
        [("kael.optim.lr_scheduler", "kael.optim.lr_scheduler")]),
    "optim.swa_utils": ("kael.optim.swa_utils",
        [("kael.optim.swa_utils", "kael.optim.swa_utils")]),
    "torch.optim": ("kael.torch.optim", [("kael.torch.optim", "kael.torch.optim"),
        ("kael.torch.optim.functional", "kael.torch.optim.functional")]),
    "torch.nn.utils": ("kael.torch.nn.utils", [("kael.torch.nn.utils", "kael.torch.nn.utils")]),
    "data": ("kael.data", [("kael.data", "kael.data")]),
    "profiler": ("kael.profiler", [("kael.profiler", "kael.profiler")]),
    "lab.ceilings": ("kael.lab.ceilings", [("kael.lab.ceilings", "kael.lab.ceilings")]),
    "testing": ("kael.testing", [("kael.testing", "kael.testing")]),
}  # fmt: skip


def names_of(source):
    """The names of a module's ``__all__``, or those written out."""
    if source.startswith("kael"):
        source = " ".join(importlib.import_module(source).__all__)
    return source.split()


def groups(page):
    """Pairs of a namespace and the names that ``page`` shows of it, without modules."""
    for namespace, source in PAGES[page][1]:
        module = importlib.import_module(namespace)
        names = [name for name in names_of(source) if hasattr(module, name)]
        yield module, [n for n in names if not isinstance(getattr(module, n), types.ModuleType)]


def buildable(page):
    """Whether what the page shows can be imported: kael.torch needs PyTorch."""
    return not page.startswith("torch") or importlib.util.find_spec("torch") is not None


def entry(module, name):
    """The directive for one name."""
    thing, where = getattr(module, name), f"{module.__name__}.{name}"
    if not callable(thing) or isinstance(thing, kael.float32.__class__):
        return f".. py:data:: {where}\n\n   {inspect.getdoc(type(thing)).splitlines()[0]}\n"
    if name in ("Module", "Optimizer", "Tensor"):
        return f".. autoclass:: {where}\n   :members:\n   :inherited-members: object\n"
    if inspect.isclass(thing):
        return f".. autoclass:: {where}\n   :members:\n"
    return f".. autofunction:: {where}\n"


def text_of(page, shown):
    """One page in reStructuredText. ``shown`` maps id to the full name of what has its entry."""
    title = PAGES[page][0]
    lines = [title, "=" * len(title), ""]
    if not buildable(page):
        return "\n".join([*lines, "PyTorch was not there when these pages were built.", ""])
    for module, names in groups(page):
        if module.__name__ == title:
            lines += [f".. automodule:: {title}", "   :no-members:", ""]
        lines += [f".. currentmodule:: {module.__name__}", ""]
        for name in names:
            thing = getattr(module, name)
            if not getattr(thing, "__module__", "kael").startswith("kael"):
                lines.append(f"``{name}``\n   is ``{thing.__module__}.{name}``.\n")
                continue
            first = shown.setdefault(id(thing), f"{module.__name__}.{name}")
            if first == f"{module.__name__}.{name}":
                lines.append(entry(module, name))
            else:
                lines.append(f"``{name}``\n   is :obj:`{first}`.\n")
    return "\n".join(lines)


def write(folder):
    """Writes the pages and their index; a page that stays as it was is not touched."""
    folder.mkdir(exist_ok=True)
    shown = {}
    texts = {page: text_of(page, shown) for page in PAGES}
    title = "API reference\n=============\n"
    texts["index"] = "\n   ".join([title, *PAGES]).replace(
        title, title + "\n.. toctree::\n   :maxdepth: 1\n", 1
    ) + "\n"  # fmt: skip
    for name, text in texts.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
