"""Modules that hold entries by names or numbers of the caller's: ModuleDict, parameters."""

from kael._kernels.tensor import require_tensor
from kael.nn.container import Numbered, modules_of
from kael.nn.module import Module
from kael.nn.parameter import Parameter

__all__ = ["ModuleDict", "ParameterDict", "ParameterList"]


class Named(Module):
    """Submodules, or parameters, by names."""

    @property
    def _entries(self):
        return self._modules

    def __getitem__(self, key):
        return self._entries[key]

    def __setitem__(self, key, entry):
        self._add(key, *self._checked([entry]))

    def __delitem__(self, key):
        self[key]  # KeyError for another attribute, and for none
        delattr(self, key)

    def __contains__(self, key):
        return key in self._entries

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries)

    def keys(self):
        """The names.

        Returns
        -------
        view of str
        """
        return self._entries.keys()

    def values(self):
        """The modules, or parameters.

        Returns
        -------
        view of Module or Parameter
        """
        return self._entries.values()

    def items(self):
        """Pairs of name and module, or parameter.

        Returns
        -------
        view of pairs
        """
        return self._entries.items()

    def update(self, entries):
        """Adds entries; those of the same names go.

        Parameters
        ----------
        entries : mapping of str to Module, or pairs
            In a ParameterDict to Tensor.

        Raises
        ------
        TypeError
            If something is no such entry, or a name no str; nothing is added.
        KeyError
            If a name has a dot or is that of another attribute; nothing is added.
        """
        entries = dict(entries.items() if hasattr(entries, "items") else entries)
        values = self._checked(entries.values())
        for key in entries:
            self._check_name(key, self._what, self._entries)
        for key, value in zip(entries, values, strict=True):
            self._add(key, value)

    def pop(self, key):
        """Takes an entry out.

        Parameters
        ----------
        key : str
            KeyError where there is none of that name.

        Returns
        -------
        Module or Parameter
            The one that had the name.
        """
        entry = self[key]
        del self[key]
        return entry

    def clear(self):
        """Takes all entries out."""
        for key in list(self):
            del self[key]


class ModuleDict(Named):
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

    _what = "module"
    _checked = staticmethod(modules_of)
    _add = Module.add_module

    def __init__(self, modules=None):
        super().__init__()
        self.update(() if modules is None else modules)


class Parameters(Module):
    """What holds parameters and no modules: tensors become parameters, which share their memory."""

    _what = "parameter"
    _add = Module.register_parameter

    @property
    def _entries(self):
        return self._parameters

    def _checked(self, entries):
        entries = list(entries)
        for entry in entries:
            require_tensor(type(self).__name__, entry)
        return [x if isinstance(x, Parameter) else Parameter(x) for x in entries]

    def extra_repr(self):
        return "\n".join(
            f"({name}): Parameter of {parameter.dtype}, shape {parameter.shape}"
            for name, parameter in self._entries.items()
        )


class ParameterList(Parameters, Numbered):
    """A list whose tensors are parameters.

    Parameters
    ----------
    values : iterable of Tensor, optional
        One that is no Parameter becomes one, which shares its memory.

    Raises
    ------
    TypeError
        If something is no Tensor.

    Examples
    --------
    >>> scales = kael.nn.ParameterList(kael.ones(n) for n in (2, 3))
    >>> [name for name, _ in scales.named_parameters()], scales[1].shape
    (['0', '1'], (3,))
    """

    def __init__(self, values=None):
        super().__init__()
        self.extend(() if values is None else values)

    def _like(self, pairs):
        return type(self)(parameter for _, parameter in pairs)

    def __iadd__(self, other):
        return self.extend(other)


class ParameterDict(Parameters, Named):
    """A dict whose tensors are parameters.

    Parameters
    ----------
    parameters : mapping of str to Tensor, or pairs, optional
        One that is no Parameter becomes one, which shares its memory.

    Raises
    ------
    TypeError
        If something is no Tensor.

    Examples
    --------
    >>> gains = kael.nn.ParameterDict({"left": kael.ones(2), "right": kael.ones(2)})
    >>> [name for name, _ in gains.named_parameters()], gains["left"].requires_grad
    (['left', 'right'], True)
    """

    def __init__(self, parameters=None):
        super().__init__()
        self.update(() if parameters is None else parameters)
