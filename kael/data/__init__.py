"""Data sets and batches. Imported at first use, because reading files needs NumPy."""

from kael.data.digits import digits, idx_digits
from kael.data.idx import read_idx
from kael.data.loader import DataLoader, TensorDataset

__all__ = ["DataLoader", "TensorDataset", "digits", "idx_digits", "read_idx"]
