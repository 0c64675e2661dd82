"""Reverse-mode differentiation: what a user calls, and what an operation calls to be recorded.

An operation that can be differentiated ends in :func:`record`. Its gradient function takes the
gradient of the output and returns one gradient per input, ``None`` where there is none. Gradients
of a tensor are added in reverse order of creation (numerics R8), so they have the same bits on
every run. Nodes and the walk over them are compiled: ``_kernels/graph.pyx``.
"""

import functools

from kael._kernels import graph
from kael._kernels.graph import GradMode, Node, needs_grad, record
from kael._kernels.numbers import number
from kael._kernels.runtime import is_grad_enabled, set_grad_mode
from kael._kernels.tensor import TensorBase, require_tensor
from kael.checks import flag

__all__ = [
    "Node", "backward", "enable_grad", "grad", "is_grad_enabled", "needs_grad", "no_grad",
    "record", "set_grad_enabled",
]  # fmt: skip

_CO_GENERATOR = 0x20  # inspect.CO_GENERATOR; importing inspect takes longer than all of kael


class _GradMode(GradMode):
    """Context manager and decorator that sets the calling thread's grad mode."""

    def __call__(self, function):
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & _CO_GENERATOR:
            return self._generator(function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with GradMode(self.enabled):
                return function(*args, **kwargs)

        return wrapped

    def _generator(self, function):
        """The mode holds while the generator runs, not while its consumer does."""

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            generator = function(*args, **kwargs)
            resume = functools.partial(next, generator)
            while True:
                try:
                    with GradMode(self.enabled):
                        value = resume()
                except StopIteration as end:
                    return end.value
                try:
                    sent = yield value
                except BaseException as error:
                    resume = functools.partial(generator.throw, error)
                else:
                    resume = functools.partial(generator.send, sent)

        return wrapped


class no_grad(_GradMode):  # noqa: N801 - torch's spelling
    """Operations inside are not recorded; a context manager and a decorator.

    Parameters
    ----------
    function : callable, optional
        What a decorator without parentheses is given.

    Examples
    --------
    >>> x = kael.ones(3, requires_grad=True)
    >>> with kael.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self):
        super().__init__(False)


class enable_grad(_GradMode):  # noqa: N801
    """Operations inside are recorded, also within :class:`no_grad`.

    A context manager and a decorator.

    Parameters
    ----------
    function : callable, optional
        What a decorator without parentheses is given.
    """

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self):
        super().__init__(True)


class set_grad_enabled(_GradMode):  # noqa: N801
    """Sets the thread's grad mode at once; as a context manager restores it at the end.

    Parameters
    ----------
    mode : bool

    Examples
    --------
    >>> with kael.set_grad_enabled(False):
    ...     kael.is_grad_enabled()
    False
    """

    def __init__(self, mode):
        super().__init__(flag("set_grad_enabled", "mode", mode))
        super().__enter__()

    def __enter__(self):
        set_grad_mode(self.enabled)

    def __call__(self, function):
        super().__exit__(None, None, None)
        return super().__call__(function)


def _seeds(roots, gradients, op):
    """One checked gradient per root; 1 for a root of one element."""
    if len(gradients) != len(roots):
        raise RuntimeError(f"{op}: {len(roots)} outputs but {len(gradients)} gradients")
    return [_seed(root, g, op) for root, g in zip(roots, gradients, strict=True)]


def _seed(root, g, op):
    if not root.requires_grad:
        raise RuntimeError(f"{op}: the tensor does not require grad and nothing recorded it")
    if g is None:
        if root.numel() != 1:
            raise RuntimeError(
                f"{op}: only one element needs no gradient, the shape is {root.shape}"
            )
        return number(1.0, root.dtype_code).reshape(root.shape)
    if not isinstance(g, TensorBase):
        raise TypeError(f"{op}: the gradient must be a Tensor, got {type(g).__name__}")
    if g.shape != root.shape:
        raise RuntimeError(
            f"{op}: the gradient has shape {g.shape}, the tensor has shape {root.shape}"
        )
    g = g.detach()
    return g if g.dtype is root.dtype else g.to(root.dtype)


def _listed(op, tensors):
    if isinstance(tensors, TensorBase):
        return [tensors]
    tensors = list(tensors)
    require_tensor(op, *tensors)
    return tensors


def _gradients(given, roots):
    if given is None:
        return [None] * len(roots)
    return [given] if isinstance(given, TensorBase) else list(given)


def _retained(retain_graph, create_graph, op):
    """Whether to retain the graph; create_graph is refused. PyTorch's None means what
    ``create_graph`` says, which is False here."""
    if create_graph is not False and flag(op, "create_graph", create_graph):
        raise NotImplementedError(f"{op}: create_graph=True (gradients of gradients)")
    if retain_graph is None or retain_graph is False:
        return False
    return flag(op, "retain_graph", retain_graph)


def backward(tensors, grad_tensors=None, retain_graph=False, create_graph=False, inputs=None):
    """Adds the gradients of ``tensors`` to ``grad`` of the leaves they were computed from.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
    grad_tensors : Tensor, None or a sequence of them
        Weights, of the shapes of ``tensors``; may be None for a tensor of one element.
    retain_graph : bool
        Keep the graph for another call.
    create_graph : bool
        True is refused with NotImplementedError.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate into these only.

    Raises
    ------
    RuntimeError
        A tensor that does not require grad, a graph already freed, a missing or misshapen gradient,
        or a tensor changed in place since it was recorded.

    Notes
    -----
    Gradients of a tensor are added in reverse order of creation: R8 of docs/promise.md.
    """
    retained = _retained(retain_graph, create_graph, "backward")
    tensors = _listed("backward", tensors)
    inputs = None if inputs is None else _listed("backward", inputs)
    seeds = _seeds(tensors, _gradients(grad_tensors, tensors), "backward")
    graph.backward(tensors, seeds, retained, inputs)


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=False, create_graph=False, allow_unused=False
):
    """The gradients of ``outputs`` with respect to ``inputs``; no ``grad`` is changed.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
    grad_outputs, retain_graph, create_graph
        As ``grad_tensors`` and the like of :func:`backward`.
    allow_unused : bool
        Give None for an input that no output depends on.

    Returns
    -------
    tuple of Tensor or None
        One for each input.

    Raises
    ------
    RuntimeError
        As :func:`backward`; and for an unused input without ``allow_unused``.

    Examples
    --------
    >>> x = kael.tensor([3.0], requires_grad=True)
    >>> kael.autograd.grad(x * x, x)
    (tensor([6.]),)
    """
    retained = _retained(retain_graph, create_graph, "grad")
    allow_unused = flag("grad", "allow_unused", allow_unused)
    outputs, inputs = _listed("grad", outputs), _listed("grad", inputs)
    for at, x in enumerate(inputs):
        if not x.requires_grad:
            raise RuntimeError(f"grad: input {at} does not require grad")
    seeds = _seeds(outputs, _gradients(grad_outputs, outputs), "grad")
    found = graph.grad(outputs, seeds, retained, inputs)
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError(
            f"grad: input {found.index(None)} is not used; pass allow_unused=True for None"
        )
    return tuple(found)


class RemovableHandle:
    """What :meth:`Tensor.register_hook` returns; ``remove()`` undoes it."""

    __slots__ = ("_hooks", "_key")

    def __init__(self, hooks, key):
        self._hooks = hooks
        self._key = key

    def remove(self):
        self._hooks.pop(self._key, None)


def register_hook(tensor, hook):
    """Calls ``hook(gradient)`` whenever the gradient of the tensor is computed.

    Parameters
    ----------
    tensor : Tensor
        RuntimeError unless it requires grad.
    hook : callable
        What it returns, unless None, takes the gradient's place.

    Returns
    -------
    RemovableHandle
        ``remove()`` undoes it.
    """
    require_tensor("register_hook", tensor)
    if not tensor.requires_grad:
        raise RuntimeError("register_hook: the tensor does not require grad")
    return RemovableHandle(*graph.add_hook(tensor, hook))
