"""The docstrings of the elementwise operations: sections that alike functions share, and those of
the in-place forms."""

__all__ = ["described", "of_in_place"]

SECTIONS = """

Parameters
----------
{operands}

Returns
-------
Tensor, {shape}
    {dtype}

Raises
------
TypeError
    If no operand is a Tensor, or the operation does not exist for the dtype.
{errors}"""
OPERANDS = {
    1: "x : Tensor",
    2: "a, b : Tensor or number",
}
SHAPES = {1: "of the shape of ``x``", 2: "of the shape that the operands broadcast to"}
_PROMOTED = """Of the dtype that the operands promote to: a number is weak, it only raises the
    category (bool, integer, float)."""
# By what a rule works in (rules.py) and its number of operands.
DTYPES = {
    ("same", 1): "Of the dtype of ``x``.",
    ("float", 1): "Of the dtype of ``x``; float32 for integers and bool.",
    ("test", 1): "Of dtype bool.",
    ("float test", 1): "Of dtype bool.",
    ("same", 2): _PROMOTED,
    ("float", 2): _PROMOTED + " Integers and bool give float32.",
    ("test", 2): "Of dtype bool.",
}
ERRORS = {
    1: "",
    2: """ValueError
    If the shapes do not broadcast.
""",
}
IN_PLACE = """In-place form of :func:`~kael.{name}`: writes the result into the first operand.

Parameters
{parameters}

Returns
-------
Tensor
    The first operand.

Raises
------
RuntimeError
    If the result's shape is another, its category (bool, integer, float) is higher, or the tensor
    is read-only, expanded, or a leaf that requires grad.
TypeError, ValueError
    As the function.
"""


def described(doc, count, works_in):
    """A summary with the sections of an operation on so many operands."""
    return doc + SECTIONS.format(
        operands=OPERANDS[count], shape=SHAPES[count], dtype=DTYPES[works_in, count],
        errors=ERRORS[count],
    )  # fmt: skip


def of_in_place(function):
    """The docstring of the in-place form of a function."""
    return IN_PLACE.format(name=function.__name__, parameters=_parameters(function))


def _parameters(function):
    """The section of that name of a docstring; python -OO leaves none."""
    doc = function.__doc__ or ""
    if "\n    Parameters\n" in doc:  # as it stands in a file
        doc = doc.replace("\n    ", "\n")
    return doc.partition("\n\nParameters\n")[2].partition("\n\n")[0]
