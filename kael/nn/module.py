"""Module: the base class of layers and networks, with the behaviour of ``torch.nn.Module``."""

from collections import OrderedDict

from kael.dtypes import as_dtype, float32, float64
from kael.nn.calls import Calls, no_hooks
from kael.nn.loading import load
from kael.nn.parameter import Parameter
from kael.nn.tree import Tree
from kael.tensor import Tensor

__all__ = ["Module"]


class Module(Calls, Tree):
    """A layer or a network: parameters, buffers and submodules, found by assignment.

    A subclass calls ``super().__init__()`` before it assigns any of them, and defines
    ``forward``. They are ordinary attributes: reading one costs no more than any other.

    Attributes
    ----------
    training : bool
        Set by :meth:`train` and :meth:`eval`; Dropout reads it.

    Examples
    --------
    >>> class Net(kael.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = kael.nn.Linear(4, 8)
    ...
    ...     def forward(self, x):
    ...         return self.hidden(x).relu()
    >>> Net()(kael.ones(2, 4)).shape
    (2, 8)
    """

    def __init__(self):
        # Past __setattr__, which finds its registries here.
        vars(self).update(
            training=True,
            _parameters={},
            _buffers={},
            _modules={},
            _transient=set(),
            **no_hooks(),
        )

    # ---- parameters, buffers and submodules are attributes that are also in one of three dicts

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._enter("_parameters", name, value)
        elif isinstance(value, Module):
            self._enter("_modules", name, value)
        elif "_parameters" in vars(self):
            self._replace(name, value)
        else:
            vars(self)[name] = value

    def _enter(self, kind, name, value):
        if kind not in vars(self):
            what = {"_parameters": "parameters", "_modules": "module"}[kind]
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        for registry in (self._parameters, self._buffers, self._modules):
            if registry is not vars(self)[kind]:
                registry.pop(name, None)
        vars(self)[kind][name] = value
        vars(self)[name] = value

    def _replace(self, name, value):
        """Assignment of anything else: only None, or a tensor to a buffer, keeps a registration."""
        for registry, what in (
            (self._parameters, "parameter"),
            (self._modules, "child module"),
            (self._buffers, "buffer"),
        ):
            if name not in registry:
                continue
            if value is not None and not (registry is self._buffers and isinstance(value, Tensor)):
                expected = "Tensor" if registry is self._buffers else what.split()[-1].capitalize()
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as {what} '{name}' "
                    f"({expected} or None expected)"
                )
            registry[name] = value
        vars(self)[name] = value

    def __delattr__(self, name):
        for registry in (self._parameters, self._buffers, self._modules):
            registry.pop(name, None)
        self._transient.discard(name)
        object.__delattr__(self, name)

    def _check_name(self, name, what, registry):
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registry:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name, param):
        """Adds a parameter under a name.

        Parameters
        ----------
        name : str
            Without a dot, and not that of another attribute; KeyError otherwise.
        param : Parameter or None
            None where the module has the name but no parameter.

        Raises
        ------
        TypeError
            If it is something else, or the name is no str.
        """
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                "(kael.nn.Parameter or None required)"
            )
        self._enter("_parameters", name, param)

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that belongs to the module but is not trained.

        Parameters
        ----------
        name : str
            Without a dot, and not that of another attribute; KeyError otherwise.
        tensor : Tensor or None
        persistent : bool
            Save it with the module.

        Raises
        ------
        TypeError
            If it is something else, or the name is no str.
        """
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                "(kael.Tensor or None required)"
            )
        self._enter("_buffers", name, tensor)
        (self._transient.discard if persistent else self._transient.add)(name)

    def add_module(self, name, module):
        """Adds a submodule under a name.

        Parameters
        ----------
        name : str
            Without a dot, and not that of another attribute; KeyError otherwise.
        module : Module or None

        Raises
        ------
        TypeError
            If it is something else, or the name is no str.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._enter("_modules", name, module)

    register_module = add_module

    # ---- dtypes

    def to(self, dtype):
        """Converts parameters and buffers of floating point dtype.

        Where the dtype changes, the parameters are new objects: make the optimizer afterwards.

        Parameters
        ----------
        dtype : DType
            float32 or float64; TypeError otherwise.

        Returns
        -------
        Module
            Itself.
        """
        dtype = as_dtype(dtype)
        if not dtype.is_floating_point:
            raise TypeError(f"Module.to: dtype must be float32 or float64, got {dtype.name}")
        converted = {}
        for module in self.modules():
            for registry in (module._parameters, module._buffers):
                for name, old in list(registry.items()):
                    if old is None or old.dtype is dtype or not old.dtype.is_floating_point:
                        continue
                    if id(old) not in converted:
                        converted[id(old)] = _converted(old, dtype), old
                    registry[name] = vars(module)[name] = converted[id(old)][0]
        return self

    def float(self):
        """:meth:`to` float32.

        Returns
        -------
        Module
            Itself.
        """
        return self.to(float32)

    def double(self):
        """:meth:`to` float64.

        Returns
        -------
        Module
            Itself.
        """
        return self.to(float64)

    # ---- saving and loading

    def _persistent(self, prefix):
        """(key, tensor) of all that is saved."""
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            if value is not None and name not in self._transient:
                yield prefix + name, value
        for name, module in self._modules.items():
            if module is not None:
                yield from module._persistent(f"{prefix}{name}.")

    def state_dict(self, *, prefix="", keep_vars=False):
        """Parameters and persistent buffers by path.

        Parameters
        ----------
        prefix : str
            What the paths begin with.
        keep_vars : bool
            Leave the tensors attached to their gradients.

        Returns
        -------
        OrderedDict of str to Tensor
            On the module's own memory.
        """
        return OrderedDict(
            (key, value if keep_vars else value.detach()) for key, value in self._persistent(prefix)
        )

    def load_state_dict(self, state_dict, strict=True):
        """Copies tensors by path into the parameters and buffers.

        Parameters
        ----------
        state_dict : mapping of str to Tensor
        strict : bool
            Refuse missing and unexpected keys.

        Returns
        -------
        (missing_keys, unexpected_keys)

        Raises
        ------
        RuntimeError
            Names every key that is missing, unexpected, of another shape or cannot be written.
            Nothing is changed.
        TypeError
            If ``state_dict`` is no mapping.
        """
        return load(self, state_dict, strict)

    # ---- text

    def extra_repr(self):
        """What the repr says beside the submodules; subclasses override it.

        Returns
        -------
        str
        """
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        name = type(self).__name__
        if len(lines) <= 1 and not children:
            return f"{name}({extra})"
        return f"{name}(\n  " + "\n  ".join(lines + children) + "\n)"

    def __dir__(self):
        return sorted({*super().__dir__(), *vars(self)})


def _converted(old, dtype):
    new = old.detach().to(dtype)
    return Parameter(new, old.requires_grad) if isinstance(old, Parameter) else new
