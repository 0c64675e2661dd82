"""dtype objects and promotion.

The six dtypes are ordered ``bool < uint8 < int32 < int64 < float32 < float64``; two tensors promote
to the greater one, as in PyTorch. A Python scalar is weak: it only changes the category (bool,
integer, float), and then to that category's default (int64, float32).
"""

__all__ = ["DType", "bool_", "by_code", "float32", "float64", "int32", "int64", "promote", "uint8"]


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


def by_code(code):
    """The DType of a row number."""
    return ALL[code]


def promote(a, b):
    """The dtype that holds values of both."""
    return a if a.code >= b.code else b
