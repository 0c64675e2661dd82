"""Modules made of modules: Sequential, ModuleList, ModuleDict, Flatten."""

import operator
from itertools import count, islice

from kael.checks import integer
from kael.nn.module import Module
from kael.ops.shape import flatten

__all__ = ["Flatten", "ModuleDict", "ModuleList", "Sequential"]


def modules_of(modules):
    """A list of modules, looked through before any is added."""
    modules = list(modules)
    for module in modules:
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
    return modules


class _Numbered(Module):
    """Submodules named by their numbers."""

    def _at(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return next(islice(self._modules, index % len(self), None))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._like(list(self._modules.items())[index])
        return self._modules[self._at(index)]

    def __setitem__(self, index, module):
        setattr(self, self._at(index), module)

    def __delitem__(self, index):
        kept = list(self._modules.values())
        del kept[index]
        self._renumber(kept)

    def _renumber(self, modules):
        for name in list(self._modules):
            delattr(self, name)
        self.extend(modules)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module):
        """Adds a module at the end, named by the first free number from the length on.

        Parameters
        ----------
        module : Module

        Returns
        -------
        Module
            Itself.
        """
        number = next(n for n in count(len(self)) if str(n) not in self._modules)
        self.add_module(str(number), module)
        return self

    def extend(self, modules):
        """Adds modules at the end.

        Parameters
        ----------
        modules : iterable of Module
            It may be the container itself.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        TypeError
            If something is no Module; nothing is added.
        """
        modules = modules_of(modules)
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        """Adds a module before an index; all are numbered anew.

        Parameters
        ----------
        index : int
        module : Module

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        IndexError
            If there is no such index, nor is it the length.
        TypeError
            If it is no Module.
        """
        index = operator.index(index)
        if not -len(self) <= index <= len(self):
            raise IndexError(f"index {index} is out of range")
        modules = list(self)
        modules.insert(index, *modules_of([module]))
        self._renumber(modules)
        return self

    def pop(self, key):
        """Takes a module out; the others are numbered anew.

        Parameters
        ----------
        key : int or slice

        Returns
        -------
        Module
            What stood there.

        Raises
        ------
        IndexError
            If there is no such index.
        """
        taken = self[key]
        del self[key]
        return taken


class Sequential(_Numbered):
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


class ModuleList(_Numbered):
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


class ModuleDict(Module):
    """A dict whose modules are registered.

    Parameters
    ----------
    modules : mapping of str to Module, or pairs, optional

    Examples
    --------
    >>> heads = kael.nn.ModuleDict({"digit": kael.nn.Linear(8, 10)})
    >>> heads["digit"](kael.ones(1, 8)).shape
    (1, 10)
    """

    def __init__(self, modules=None):
        super().__init__()
        self.update(() if modules is None else modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        self[key]  # KeyError for another attribute, and for none
        delattr(self, key)

    def __contains__(self, key):
        return key in self._modules

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        """The names.

        Returns
        -------
        view of str
        """
        return self._modules.keys()

    def values(self):
        """The modules.

        Returns
        -------
        view of Module
        """
        return self._modules.values()

    def items(self):
        """Pairs of name and module.

        Returns
        -------
        view of (str, Module)
        """
        return self._modules.items()

    def update(self, modules):
        """Adds modules; those of the same names go.

        Parameters
        ----------
        modules : mapping of str to Module, or pairs

        Raises
        ------
        TypeError
            If something is no Module, or a name no str; nothing is added.
        KeyError
            If a name has a dot or is that of another attribute; nothing is added.
        """
        modules = dict(modules.items() if hasattr(modules, "items") else modules)
        modules_of(modules.values())
        for key in modules:
            self._check_name(key, "module", self._modules)
        for key, module in modules.items():
            self[key] = module

    def pop(self, key):
        """Takes a module out.

        Parameters
        ----------
        key : str
            KeyError where there is none of that name.

        Returns
        -------
        Module
            The one that had the name.
        """
        module = self[key]
        del self[key]
        return module

    def clear(self):
        """Takes all modules out."""
        for key in list(self):
            del self[key]


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
