"""Modules made of modules: Sequential, ModuleList, ModuleDict, Flatten."""

import operator
from itertools import islice

from kael.nn.module import Module
from kael.ops.shape import flatten

__all__ = ["Flatten", "ModuleDict", "ModuleList", "Sequential"]


class _Numbered(Module):
    """Submodules named by their numbers."""

    def _at(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return next(islice(self._modules, index % len(self), None))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._like(list(self._modules.values())[index])
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
        for number, module in enumerate(modules):
            self.add_module(str(number), module)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def append(self, module):
        """Adds a module at the end.

        Parameters
        ----------
        module : Module

        Returns
        -------
        Module
            Itself.
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Adds modules at the end.

        Parameters
        ----------
        modules : iterable of Module

        Returns
        -------
        Module
            Itself.
        """
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        """Adds a module before an index.

        Parameters
        ----------
        index : int
        module : Module

        Returns
        -------
        Module
            Itself.
        """
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self


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

    def _like(self, modules):
        return Sequential(*modules)

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


class ModuleList(_Numbered):
    """A list whose modules are registered.

    Parameters
    ----------
    modules : iterable of Module

    Examples
    --------
    >>> layers = kael.nn.ModuleList(kael.nn.Linear(2, 2) for _ in range(3))
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules)

    def _like(self, modules):
        return ModuleList(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __iadd__(self, other):
        return self.extend(other)


class ModuleDict(Module):
    """A dict whose modules are registered.

    Parameters
    ----------
    modules : mapping of str to Module, or pairs

    Examples
    --------
    >>> heads = kael.nn.ModuleDict({"digit": kael.nn.Linear(8, 10)})
    >>> heads["digit"](kael.ones(1, 8)).shape
    (1, 10)
    """

    def __init__(self, modules=()):
        super().__init__()
        self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
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
        """
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module


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
