"""Indexing with arrays, for the other modules."""
from kael._kernels.tensor cimport TensorBase

# table[index] for an index of int64; None where either is not packed, or the rows need more than
# reading. IndexError for an index outside of the table.
cdef TensorBase rows_at(TensorBase table, TensorBase index)
