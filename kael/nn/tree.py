"""The tree that modules make of each other: its walks, and what is said to all of it at once."""

from kael.checks import flag

__all__ = ["Tree"]


class Tree:
    """The part of :class:`kael.nn.Module` that only reads its dicts of submodules and tensors."""

    def get_submodule(self, target):
        """The submodule at a path.

        Parameters
        ----------
        target : str
            Names joined by dots, such as ``"encoder.0"``; an empty one is the module itself.

        Returns
        -------
        Module

        Raises
        ------
        AttributeError
            If there is none.
        """
        module = self
        for name in target.split(".") if target else ():
            module = module._modules.get(name)
            if module is None:
                raise AttributeError(f"{type(self).__name__} has no submodule '{target}'")
        return module

    def get_parameter(self, target):
        """The parameter at a path.

        Parameters
        ----------
        target : str
            Names joined by dots, such as ``"encoder.0.weight"``.

        Returns
        -------
        Parameter

        Raises
        ------
        AttributeError
            If there is none.
        """
        path, _, name = target.rpartition(".")
        param = self.get_submodule(path)._parameters.get(name)
        if param is None:
            raise AttributeError(f"{type(self).__name__} has no parameter '{target}'")
        return param

    def get_buffer(self, target):
        """The buffer at a path.

        Parameters
        ----------
        target : str
            Names joined by dots.

        Returns
        -------
        Tensor

        Raises
        ------
        AttributeError
            If there is none.
        """
        path, _, name = target.rpartition(".")
        buffer = self.get_submodule(path)._buffers.get(name)
        if buffer is None:
            raise AttributeError(f"{type(self).__name__} has no buffer '{target}'")
        return buffer

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all below it, with their paths.

        Parameters
        ----------
        memo : set, optional
            Modules that are left out; those found are added.
        prefix : str
            What the paths begin with.
        remove_duplicate : bool
            Give a module that stands at several places once.

        Yields
        ------
        path : str
        module : Module
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    def modules(self):
        """This module and all below it, each once.

        Returns
        -------
        iterator of Module
        """
        return (module for _, module in self.named_modules())

    def named_children(self):
        """The direct submodules with their names, each once.

        Yields
        ------
        name : str
        module : Module
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """The direct submodules, each once.

        Returns
        -------
        iterator of Module
        """
        return (module for _, module in self.named_children())

    def _named(self, kind, prefix, recurse, remove_duplicate):
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, value in vars(module)[kind].items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """The parameters with their paths, in order of registration.

        Parameters
        ----------
        prefix : str
            What the paths begin with.
        recurse : bool
            Also those of all modules below.
        remove_duplicate : bool
            Give a parameter that stands at several places once.

        Returns
        -------
        iterator of (str, Parameter)
        """
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """The parameters, as optimizers take them.

        Parameters
        ----------
        recurse : bool
            Also those of all modules below.

        Returns
        -------
        iterator of Parameter
        """
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """The buffers with their paths, in order of registration.

        Parameters
        ----------
        prefix, recurse, remove_duplicate
            As for :meth:`named_parameters`.

        Returns
        -------
        iterator of (str, Tensor)
        """
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers.

        Parameters
        ----------
        recurse : bool
            Also those of all modules below.

        Returns
        -------
        iterator of Tensor
        """
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def apply(self, fn):
        """Calls a function on every module below this one, then on itself.

        Parameters
        ----------
        fn : callable
            Takes a module.

        Returns
        -------
        Module
            Itself.
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Sets ``training`` on this module and all below it.

        Parameters
        ----------
        mode : bool
            ValueError for anything but a bool.

        Returns
        -------
        Module
            Itself.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Ends the training mode.

        Returns
        -------
        Module
            Itself.
        """
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Sets ``requires_grad`` of all parameters.

        Parameters
        ----------
        requires_grad : bool

        Returns
        -------
        Module
            Itself.
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters.

        Parameters
        ----------
        set_to_none : bool
            Set ``grad`` to None, or fill it with zeros in place.
        """
        set_to_none = flag("zero_grad", "set_to_none", set_to_none)
        for param in self.parameters():
            if set_to_none:
                param.grad = None
            elif param.grad is not None:
                param.grad = param.grad.detach()
                param.grad.zero_()
