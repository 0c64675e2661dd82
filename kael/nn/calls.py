"""What a module does when it is called: its forward, with hooks around it and around its gradients.

The graph knows operations, not modules. So the tensors at an end of a module with backward hooks go
through a gate: each becomes a view whose gradient only notes what arrives, and one node that the
views depend on comes after all of them in a backward walk; it hands the notes to the hooks at once.
A note is what that node gets for a gradient: a list, which the walk adds to the others as it adds
tensors. So notes belong to the walk, and go with one that fails.
"""

from collections import OrderedDict

from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase, alias
from kael.autograd import needs_grad, record
from kael.dtypes import float32
from kael.hooks import register

__all__ = ["Calls", "no_hooks"]

_KINDS = "_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks"


def no_hooks():
    """The attributes that :class:`Calls` reads, with no hook in them."""
    return {kind: OrderedDict() for kind in _KINDS}


class Calls:
    """The part of :class:`kael.nn.Module` that is called."""

    def forward(self, *args):
        """Computes the module's output; every subclass defines it.

        Parameters
        ----------
        *args
            What the module is called with.

        Raises
        ------
        NotImplementedError
            Where a subclass does not.
        """
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        if (
            self._forward_hooks or self._forward_pre_hooks
            or self._backward_hooks or self._backward_pre_hooks
        ):  # fmt: skip
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    def _call_with_hooks(self, args, kwargs):
        for hook in tuple(self._forward_pre_hooks.values()):  # one may remove itself
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        if self._backward_hooks or self._backward_pre_hooks:
            return _with_backward_hooks(self, args, lambda args: self._hooked_forward(args, kwargs))
        return self._hooked_forward(args, kwargs)

    def _hooked_forward(self, args, kwargs):
        out = self.forward(*args, **kwargs)
        for hook in tuple(self._forward_hooks.values()):
            changed = hook(self, args, out)
            out = out if changed is None else changed
        return out

    def register_forward_pre_hook(self, hook, *, prepend=False):
        """Calls ``hook(module, args)`` before each forward.

        Parameters
        ----------
        hook : callable
            What it returns, unless None, takes the place of the arguments.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._forward_pre_hooks, hook, prepend)

    def register_forward_hook(self, hook, *, prepend=False):
        """Calls ``hook(module, args, output)`` after each forward.

        Parameters
        ----------
        hook : callable
            What it returns, unless None, takes the place of the output.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.
        """
        return register(self._forward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Calls ``hook(module, grad_output)`` when the gradients of the outputs are computed.

        Parameters
        ----------
        hook : callable
            Its second argument is a tuple with a Tensor for each output that takes part in the
            loss, and None for the others. What it returns, unless None, takes their place.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.

        Notes
        -----
        Those of :meth:`register_full_backward_hook` hold here too.
        """
        return register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Calls ``hook(module, grad_input, grad_output)`` when those of the inputs are computed.

        Parameters
        ----------
        hook : callable
            Its second and third argument are tuples with a Tensor or None for each positional
            argument and each output. What it returns, unless None, takes the place of the
            gradients of the arguments.
        prepend : bool
            Call it before the hooks there are.

        Returns
        -------
        RemovableHandle
            ``remove()`` undoes it.

        Notes
        -----
        Hooks must not change their arguments in place. They are not called for an output that is
        neither a Tensor nor a tuple or list of them (a dict, say). As in PyTorch, what the module
        takes and gives may not be changed in place (an inplace Dropout, ``out.mul_``): that is
        refused where the memory is seen elsewhere too.

        Examples
        --------
        >>> layer = kael.nn.Linear(3, 2)
        >>> seen = []
        >>> handle = layer.register_full_backward_hook(
        ...     lambda module, grad_input, grad_output: seen.append(grad_output[0].shape)
        ... )
        >>> layer(kael.ones(4, 3)).sum().backward()
        >>> seen
        [(4, 2)]
        """
        return register(self._backward_hooks, hook, prepend)


def _with_backward_hooks(module, args, forward):
    """``forward(args)`` of a module with the hooks of its two dicts on the gradients."""
    grad_outputs, count = None, len(args)  # the graph keeps the functions below: no tensor in them

    def after_inputs(grads):
        nonlocal grad_outputs
        outputs, grad_outputs = grad_outputs, None
        for hook in tuple(module._backward_hooks.values()) if outputs else ():
            grads = _replaced(hook(module, grads, outputs), grads)
        return grads

    def after_outputs(grads):
        nonlocal grad_outputs
        for hook in tuple(module._backward_pre_hooks.values()):
            grads = _replaced(hook(module, grads), grads)
        grad_outputs = grads
        if not entered:  # of inputs outside of every graph there are no gradients to wait for
            after_inputs((None,) * count)
        return grads

    gated, entered = _gate(args, after_inputs)
    out = forward(gated)
    if isinstance(out, TensorBase):
        return _gate((out,), after_outputs)[0][0]
    if isinstance(out, (tuple, list)):
        outs, made = _gate(out, after_outputs)
        return _like(out, outs) if made else out
    return out


def _like(out, outs):
    """``outs`` as what ``out`` is; what constructor another subclass has is its own affair."""
    if hasattr(out, "_make"):  # a namedtuple
        return type(out)._make(outs)
    return list(outs) if isinstance(out, list) else outs


def _replaced(changed, grads):
    """What a hook made of the gradients: None for no change, one, or as many as there are."""
    if changed is None:
        return grads
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != len(grads):
        raise RuntimeError(f"a hook made {len(changed)} gradients of {len(grads)}")
    for g in changed:
        if g is not None and not isinstance(g, TensorBase):
            raise TypeError(f"a hook must return Tensors or None, got {type(g).__name__}")
    return changed


def _gate(things, function):
    """Views of the tensors among ``things`` whose gradients ``function`` may replace, and whether
    there is one that requires grad. ``function`` gets a tuple as long, None for what has none."""
    tensors = tuple(x if isinstance(x, TensorBase) and needs_grad(x) else None for x in things)
    if not any(x is not None for x in tensors):
        return tuple(things), False
    count = len(tensors)

    def gradient(arrived):
        grads = [None] * count
        for at, g in arrived:
            grads[at] = g
        return function(tuple(grads))

    last = record("module hooks", number(0.0, float32.code), tensors, gradient)

    def passed(at, x):
        def note(g):
            return ([(at, g)],)

        return x if tensors[at] is None else record("module hooks", alias(x), (last,), note)

    return tuple(passed(at, x) for at, x in enumerate(things)), True
