"""Tensors of one length, and their walk in batches."""

import kael
from kael._kernels.tensor import require_tensor
from kael.checks import flag, integer
from kael.generator import stream_of

__all__ = ["DataLoader", "TensorDataset"]


class TensorDataset:
    """Tensors whose first dims agree; item i is the tuple of their i-th rows.

    Parameters
    ----------
    *tensors : Tensor
        At least one, each with at least one dim.

    Raises
    ------
    TypeError
        If something is no Tensor.
    ValueError
        If there is none, one is 0-D, or the first dims differ.

    Examples
    --------
    >>> data = kael.data.TensorDataset(kael.arange(5), kael.arange(5) * 10)
    >>> [row.item() for row in data[2]]
    [2, 20]
    """

    def __init__(self, *tensors):
        require_tensor("TensorDataset", *tensors)
        if not tensors:
            raise ValueError("TensorDataset: at least one tensor is needed")
        if any(tensor.ndim == 0 for tensor in tensors):
            raise ValueError("TensorDataset: a 0-d tensor has no rows")
        sizes = [tensor.shape[0] for tensor in tensors]
        if any(size != sizes[0] for size in sizes):
            raise ValueError(f"TensorDataset: first dims differ: {sizes}")
        self.tensors = tensors

    def __len__(self):
        return self.tensors[0].shape[0]

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)


class DataLoader:
    """Walks a data set in batches, in order or shuffled anew at each walk.

    The order of a shuffled walk depends on the generator's state only, never on threads.

    Parameters
    ----------
    dataset : TensorDataset
    batch_size : int
        ValueError unless positive.
    shuffle : bool
    drop_last : bool
        Whether to leave out a last batch that is not full.
    generator : Generator, optional
        Where shuffling draws from; kael's default generator unless given. TypeError for anything
        else.

    Examples
    --------
    >>> import kael
    >>> from kael.data import DataLoader, TensorDataset
    >>> data = TensorDataset(kael.arange(5))
    >>> [batch.tolist() for (batch,) in DataLoader(data, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, drop_last=False, generator=None):
        batch_size = integer("DataLoader", "batch_size", batch_size)
        if batch_size < 1:
            raise ValueError(f"DataLoader: batch_size must be positive, got {batch_size}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = flag("DataLoader", "shuffle", shuffle)
        self.drop_last = flag("DataLoader", "drop_last", drop_last)
        stream_of(generator, "DataLoader")  # refuses what is none before the first walk
        self.generator = generator

    def __len__(self):
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def __iter__(self):
        order = kael.randperm(len(self.dataset), generator=self.generator) if self.shuffle else None
        for k in range(len(self)):
            rows = slice(k * self.batch_size, (k + 1) * self.batch_size)
            yield self.dataset[rows if order is None else order[rows]]
