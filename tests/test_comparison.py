"""isclose and allclose of integers, which double does not hold."""

import numpy as np
import pytest

import kael

LEAST, GREATEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("a", "b", "rtol", "atol", "close"),
    [
        (2**53 + 1, 2**53, 0, 0, False),
        (2**53 + 1, 2**53, 0, 1, True),
        (GREATEST, GREATEST - 1, 0, 0, False),
        (LEAST, LEAST + 1, 0, 0.5, False),
        (LEAST, LEAST, 0, 0, True),
        (GREATEST, LEAST, 0, 1e19, False),  # their difference wraps to -1
        (GREATEST, LEAST, 0, 2.0**64, True),
        (GREATEST, LEAST, 1.0, 0, False),
        (LEAST, 0, 0, 2.0**63, True),
        (LEAST, 0, 0, 9e18, False),
        (3, 3, -1.0, 0, True),
    ],
)
def test_differences_of_integers_are_exact(a, b, rtol, atol, close):
    a, b = kael.tensor([a] * 5), kael.tensor([[b]])
    assert kael.isclose(a, b, rtol, atol).tolist() == [[close] * 5]
    assert kael.allclose(a, b, rtol, atol) is close


def test_isclose_of_small_integers_is_numpys():
    a, b = np.arange(-4, 4), np.arange(-4, 4)[:, None]
    for dtypes in (("int32", "int64"), ("bool", "uint8"), ("int64", "float32")):
        x, y = (array.astype(dtype) for array, dtype in zip((a, b), dtypes, strict=True))
        for rtol, atol in ((0, 0), (0.5, 0), (0, 2), (0.25, 1)):
            expected = np.isclose(x.astype("f8"), y, rtol, atol)
            found = kael.isclose(kael.tensor(x), kael.tensor(y), rtol, atol)
            assert found.tolist() == expected.tolist()
