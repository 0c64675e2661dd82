"""The sections of docstrings that alike functions and classes share, made from their signatures."""

__all__ = ["borrowed", "described"]

_PLAIN = {
    "params": "list of Tensor or array\n    Changed in place.",
    "grads": "list of Tensor or array\n    Their gradients.",
    "d_p_list": "list of Tensor or array\n    Their gradients.",
    "state_steps": "list of Tensor or array of one number\n    Counters, raised by one in place.",
    "differentiable": "bool\n    True is refused with NotImplementedError.",
    "grad_scale": "number or Tensor of one element, optional\n    Gradients are divided by it.",
    "found_inf": "number or Tensor of one element, optional\n    Unless 0, nothing is changed.",
}
_IGNORED = ("foreach", "fused", "capturable", "has_complex", "has_sparse_grad")
_ERRORS = """Raises
------
TypeError, ValueError, RuntimeError
    A dtype, a shape or a memory that the update cannot take. Nothing is changed then.
"""


def described(doc, names, required):
    """A docstring, with a section on each argument of a functional form of an optimizer.

    ``names`` are all arguments in order, the first ``required`` of them lists without a default.
    None, which python -OO leaves of a docstring, stays.
    """
    if doc is None:
        return None
    known = (*_PLAIN, *_IGNORED)
    lists = [name for name in names[:required] if name not in known]
    options = [name for name in names[required:] if name not in known]
    entries = [f"{name} : {_PLAIN[name]}" for name in names if name in _PLAIN]
    if lists:
        entries.insert(2, f"{', '.join(lists)} : list of Tensor, array or None\n    State, changed "
                       "in place; where the class has none, not read.")  # fmt: skip
    if options:
        entries.append(f"{', '.join(options)}\n    As of the class.")
    ignored = [name for name in names if name in _IGNORED]
    if ignored:
        entries.append(f"{', '.join(ignored)}\n    Accepted and ignored.")
    return "\n".join([doc, "", "Parameters", "----------", *entries, "", _ERRORS])


def borrowed(doc, source, more):
    """A docstring, with the sections on arguments and errors of another class's, and ``more``
    arguments: an entry as it stands in a file."""
    import re  # only kael.torch comes here

    if doc is None or source is None:
        return doc
    sections = re.findall(r"^    (?:Parameters|Raises)\n    -+\n(?:    .+\n)+", source, re.M)
    text = re.sub(
        r"^    params : iterable\n(?:        .+\n)+",
        "    params : iterable\n        Tensors, (name, tensor) pairs or dicts of groups.\n",
        "\n".join(sections),
        flags=re.M,
    )
    first, _, rest = text.partition("\n\n")
    return f"{doc}\n\n{first.rstrip()}\n{more}\n{rest}"
