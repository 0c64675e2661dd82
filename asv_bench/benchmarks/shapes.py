"""The products that are measured, for asv and for compare.py: names, sizes and operands."""

from typing import NamedTuple

SQUARES = [32, 64, 100, 128, 256, 512, 1000, 1024, 2048]
SHAPES = [  # rows, inner, columns: layers, single rows, few rows, few columns, a vocabulary
    (64, 784, 128),
    (64, 128, 10),
    (1, 1024, 1024),
    (1, 4096, 4096),
    (8, 4096, 4096),
    (16, 4096, 16),
    (4096, 64, 4096),
    (128, 4096, 50257),
    (387, 513, 4100),
]
BATCHES = [(8, 512, 512, 512), (64, 32, 32, 32)]
DTYPES = {"f32": "float32", "f64": "float64"}


class Product(NamedTuple):
    """One product: ``sizes`` are rows, inner, columns, after a batch if there is one."""

    family: str
    dtype: str
    sizes: tuple
    transposed: bool  # b lies in memory as its transpose

    def __str__(self):
        return f"matmul {self.dtype} {self.label}"

    @property
    def label(self):
        """The sizes, and whether b is transposed."""
        return "x".join(map(str, self.sizes)) + " bT" * self.transposed

    @property
    def operations(self):
        """Floating-point operations: a multiplication and an addition per step."""
        count = 2
        for size in self.sizes:
            count *= size
        return count

    def operands(self):
        """NumPy arrays, the same in every process."""
        import numpy as np

        *batch, rows, inner, columns = self.sizes
        values = np.random.default_rng(0)
        dtype = DTYPES[self.dtype]
        a = values.random((*batch, rows, inner), dtype)
        if self.transposed:
            return a, values.random((*batch, columns, inner), dtype).swapaxes(-1, -2)
        return a, values.random((*batch, inner, columns), dtype)


PRODUCTS = [
    Product(family, dtype, sizes, transposed)
    for dtype in DTYPES
    for transposed in (False, True)
    for family, group in (
        ("squares", [(n, n, n) for n in SQUARES]),
        ("shapes", SHAPES),
        ("batches", BATCHES),
    )
    for sizes in group
]
