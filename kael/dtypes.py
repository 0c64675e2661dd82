"""dtype objects and promotion.

The six dtypes are ordered ``bool < uint8 < int32 < int64 < float32 < float64``; two tensors promote
to the greater one, as in PyTorch. A Python scalar is weak: it only changes the category (bool,
integer, float), and then to that category's default (int64, float32).
"""

from kael._kernels.tensor import register_dtypes

__all__ = [
    "DType", "as_dtype", "bool_", "by_code", "default_of", "float32", "float64", "int32", "int64",
    "integer_range", "promote", "resolution", "uint8",
]  # fmt: skip


class DType:
    """An element type; the six instances are singletons.

    Attributes
    ----------
    name : str
        The NumPy and PyTorch name, such as ``"float32"``.
    code : int
        Row number of the kernel tables (``enum kl_dtype``).
    itemsize : int
        Bytes per element.
    is_floating_point : bool
    """

    __slots__ = ("code", "is_floating_point", "itemsize", "name")

    def __init__(self, name, code, itemsize, is_floating_point):
        self.name = name
        self.code = code
        self.itemsize = itemsize
        self.is_floating_point = is_floating_point

    def __repr__(self):
        return f"kael.{self.name}"

    def __reduce__(self):
        return by_code, (self.code,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


bool_ = DType("bool", 0, 1, False)
uint8 = DType("uint8", 1, 1, False)
int32 = DType("int32", 2, 4, False)
int64 = DType("int64", 3, 8, False)
float32 = DType("float32", 4, 4, True)
float64 = DType("float64", 5, 8, True)
ALL = (bool_, uint8, int32, int64, float32, float64)
register_dtypes(ALL)

_BY_NAME = {dtype.name: dtype for dtype in ALL}
_OF_PYTHON = {bool: bool_, int: int64, float: float32}
_INTEGER_RANGES = {
    bool_: (0, 1), uint8: (0, 255), int32: (-(2**31), 2**31 - 1), int64: (-(2**63), 2**63 - 1),
    float32: (-(2**24), 2**24), float64: (-(2**53), 2**53),
}  # fmt: skip


def by_code(code):
    """The DType of a row number."""
    return ALL[code]


def promote(a, b):
    """The dtype of an operation on both: the greater one."""
    return a if a.code >= b.code else b


def default_of(kind):
    """The dtype of a Python scalar's type: bool, int64 for int, float32 for float."""
    return _OF_PYTHON[kind]


def integer_range(dtype):
    """The least and the greatest integer that a dtype holds, with all between them."""
    return _INTEGER_RANGES[dtype]


def resolution(dtype):
    """The distance from 1 to the next number of a float dtype."""
    return 2.0**-52 if dtype is float64 else 2.0**-23


def as_dtype(spec):
    """The DType that ``spec`` means.

    Parameters
    ----------
    spec : DType, str, type or NumPy dtype
        ``kael.float32``, ``"float32"``, ``np.float32``, ``np.dtype("f4")``; or one of Python's
        types ``bool``, ``int`` (int64) and ``float`` (float32).

    Raises
    ------
    TypeError
        Names a dtype that kael does not have.
    """
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, type) and spec in _OF_PYTHON:
        return _OF_PYTHON[spec]
    name = getattr(spec, "name", None) or getattr(spec, "__name__", None) or str(spec)
    name = name.removeprefix("torch.").removesuffix("_")
    order = getattr(spec, "byteorder", "=")
    if name not in _BY_NAME or order == ">":
        raise TypeError(
            f"dtype {name}{' in foreign byte order' if order == '>' else ''} is not supported; "
            f"kael has {', '.join(_BY_NAME)}"
        )
    return _BY_NAME[name]
