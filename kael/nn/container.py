"""Modules in a row: Sequential, ModuleList; and Flatten, which stands between them."""

import operator
from itertools import count, islice

from kael.checks import integer
from kael.nn.module import Module
from kael.ops.shape import flatten

__all__ = ["Flatten", "ModuleList", "Sequential"]


def modules_of(modules):
    """A list of modules, looked through before any is added."""
    modules = list(modules)
    for module in modules:
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
    return modules


class Numbered(Module):
    """Submodules, or parameters, named by their numbers."""

    _checked = staticmethod(modules_of)
    _add = Module.add_module

    @property
    def _entries(self):
        return self._modules

    def _at(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return next(islice(self._entries, index % len(self), None))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._like(list(self._entries.items())[index])
        return self._entries[self._at(index)]

    def __setitem__(self, index, entry):
        self._add(self._at(index), *self._checked([entry]))

    def __delitem__(self, index):
        kept = list(self)
        del kept[index]
        self._renumber(kept)

    def _renumber(self, entries):
        for name in list(self._entries):
            delattr(self, name)
        self.extend(entries)

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, entry):
        """Adds an entry at the end, named by the first free number from the length on.

        Parameters
        ----------
        entry : Module
            In a ParameterList a Tensor.

        Returns
        -------
        Module
            Itself.
        """
        number = next(n for n in count(len(self)) if str(n) not in self._entries)
        self._add(str(number), *self._checked([entry]))
        return self

    def extend(self, entries):
        """Adds entries at the end.

        Parameters
        ----------
        entries : iterable of Module
            In a ParameterList of Tensor. It may be the container itself.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        TypeError
            If something is no such entry; nothing is added.
        """
        for entry in self._checked(entries):
            self.append(entry)
        return self

    def insert(self, index, entry):
        """Adds an entry before an index; all are numbered anew.

        Parameters
        ----------
        index : int
        entry : Module
            In a ParameterList a Tensor.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        IndexError
            If there is no such index, nor is it the length.
        TypeError
            If it is no such entry.
        """
        index = operator.index(index)
        if not -len(self) <= index <= len(self):
            raise IndexError(f"index {index} is out of range")
        entries = list(self)
        entries.insert(index, *self._checked([entry]))
        self._renumber(entries)
        return self

    def pop(self, key):
        """Takes an entry out; the others are numbered anew.

        Parameters
        ----------
        key : int or slice

        Returns
        -------
        Module
            What stood there; in a ParameterList a Parameter.

        Raises
        ------
        IndexError
            If there is no such index.
        """
        taken = self[key]
        del self[key]
        return taken


class Sequential(Numbered):
    """Passes its input through modules, one after the other.

    Parameters
    ----------
    *modules : Module
        Or one dict of names and modules.

    Raises
    ------
    TypeError
        If something is no Module.

    Examples
    --------
    >>> net = kael.nn.Sequential(kael.nn.Linear(4, 8), kael.nn.ReLU(), kael.nn.Linear(8, 2))
    >>> net(kael.ones(1, 4)).shape
    (1, 2)
    """

    def __init__(self, *modules):
        super().__init__()
        named = len(modules) == 1 and isinstance(modules[0], dict)
        for name, module in modules[0].items() if named else enumerate(modules):
            self.add_module(str(name), module)

    def _like(self, pairs):
        return type(self)(dict(pairs))

    def __add__(self, other):
        return Sequential(*self, *other) if isinstance(other, Sequential) else NotImplemented

    def __iadd__(self, other):
        return self.extend(other) if isinstance(other, Sequential) else NotImplemented

    def __mul__(self, times):
        return Sequential(*list(self) * _repeats(times))

    __rmul__ = __mul__

    def __imul__(self, times):
        return self.extend(list(self) * (_repeats(times) - 1))

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


def _repeats(times):
    """How often a network stands in a row; the copies are the same modules."""
    times = integer("Sequential", "the number of repeats", times)
    if times < 1:
        raise ValueError(f"Sequential: the number of repeats must be positive, got {times}")
    return times


class ModuleList(Numbered):
    """A list whose modules are registered.

    Parameters
    ----------
    modules : iterable of Module, optional

    Examples
    --------
    >>> layers = kael.nn.ModuleList(kael.nn.Linear(2, 2) for _ in range(3))
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules=None):
        super().__init__()
        self.extend(() if modules is None else modules)

    def _like(self, pairs):
        return type(self)(module for _, module in pairs)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __iadd__(self, other):
        return self.extend(other)


class Flatten(Module):
    """Makes one dim of the dims ``start_dim`` to ``end_dim``.

    Parameters
    ----------
    start_dim, end_dim : int
        Both included; all but the first dim unless given.

    Examples
    --------
    >>> kael.nn.Flatten()(kael.zeros(5, 2, 3)).shape
    (5, 6)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, x):
        return flatten(x, self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
