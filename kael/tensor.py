"""class Tensor: the names a user types, each delegating to kael.ops."""

from kael import autograd, interop, ops, printing, random_fill
from kael._kernels import tensor as base
from kael._kernels import views
from kael._kernels.names import named
from kael._kernels.operators import Operators, register_ops
from kael._kernels.tensor import TensorBase, register_tensor_class, require_tensor
from kael.dtypes import bool_, float32, float64, int32, int64
from kael.ops import (
    comparison,
    conversion,
    dims,
    elementwise,
    extremes,
    pieces,
    reduce,
    rows,
    selection,
    vectors,
)
from kael.ops import matmul as matrices
from kael.ops import shape as shape_ops

__all__ = ["Tensor"]


class Tensor(Operators):
    """An n-dimensional array of one dtype that can record what is computed from it.

    It is made by :func:`kael.tensor`, :func:`kael.zeros` and the like. Methods with the name of a
    function take the tensor as its first argument.

    Raises
    ------
    TypeError
        If it is called with arguments.

    Examples
    --------
    >>> x = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> (x.T @ x + 1).tolist()
    [[11.0, 15.0], [15.0, 21.0]]
    """

    __slots__ = ()

    ndim = TensorBase.dims
    dtype = TensorBase.dtype_object

    dim = views.dim
    size = views.size

    def detach(self):
        """The same elements outside of any graph.

        Returns
        -------
        Tensor
            On the same memory.
        """
        return base.alias(self)

    def requires_grad_(self, requires_grad=True):
        """Sets ``requires_grad``.

        Parameters
        ----------
        requires_grad : bool

        Returns
        -------
        Tensor
            Itself.

        Raises
        ------
        RuntimeError
            If the dtype is not of floats, or a computed tensor would lose its graph.
        """
        require_tensor("requires_grad_", self)
        self.requires_grad = requires_grad
        return self

    def backward(self, gradient=None, retain_graph=False, create_graph=False, inputs=None):
        """Adds the gradients of this tensor to ``grad`` of the leaves it was computed from.

        Parameters
        ----------
        gradient : Tensor, optional
            A weight of the tensor's shape; may be left out for a tensor of one element.
        retain_graph : bool
            Keep the graph for another call.
        create_graph : bool
            True is refused with NotImplementedError.
        inputs : Tensor or sequence of Tensor, optional
            Accumulate into these only.

        Raises
        ------
        RuntimeError
            As :func:`kael.autograd.backward`.
        """
        autograd.backward((self,), (gradient,), retain_graph, create_graph, inputs)

    def retain_grad(self):
        """Makes :meth:`backward` set ``grad`` of this computed tensor too.

        Raises
        ------
        RuntimeError
            If the tensor does not require grad.
        """
        autograd.graph.retain_grad(self)

    register_hook = autograd.register_hook

    numpy = interop.to_numpy
    __array__ = interop.array
    __dlpack__ = interop.to_dlpack
    __deepcopy__ = interop.deepcopy
    __reduce_ex__ = interop.reduce
    __repr__ = printing.text

    def __dlpack_device__(self):
        return (1, 0)  # the CPU

    def __copy__(self):
        out = base.as_class(type(self), self)
        out.requires_grad = self.requires_grad
        return out

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, value):
        found = self == value
        return bool(found.any()) if isinstance(found, TensorBase) else found

    def __format__(self, spec):
        return format(self.item(), spec) if self.ndim == 0 and spec else format(repr(self), spec)

    to = conversion.to
    clone = conversion.clone
    contiguous = conversion.contiguous
    copy_ = conversion.copy_
    fill_ = conversion.fill_
    zero_ = conversion.zero_

    def double(self):
        """As float64.

        Returns
        -------
        Tensor
            Itself, where it is so already.
        """
        return conversion.to(self, float64)

    def float(self):
        """As float32.

        Returns
        -------
        Tensor
            Itself, where it is so already.
        """
        return conversion.to(self, float32)

    def long(self):
        """As int64.

        Returns
        -------
        Tensor
            Itself, where it is so already.
        """
        return conversion.to(self, int64)

    def int(self):
        """As int32.

        Returns
        -------
        Tensor
            Itself, where it is so already.
        """
        return conversion.to(self, int32)

    def bool(self):
        """Whether each element differs from zero, as bool.

        Returns
        -------
        Tensor
            Itself, where it is so already.
        """
        return conversion.to(self, bool_)

    def type_as(self, other):
        """In the dtype of another tensor.

        Parameters
        ----------
        other : Tensor

        Returns
        -------
        Tensor
            Itself, where it has the dtype.
        """
        require_tensor("type_as", self, other)
        return self.to(other.dtype)

    gather = selection.gather
    index_select = selection.index_select
    masked_fill = selection.masked_fill
    masked_select = selection.masked_select
    nonzero = selection.nonzero
    take_along_dim = selection.take_along_dim

    view = shape_ops.view
    flatten = shape_ops.flatten
    permute = shape_ops.permute
    t = shape_ops.t
    movedim = dims.movedim
    expand = shape_ops.expand
    broadcast_to = shape_ops.broadcast_to
    squeeze = dims.squeeze
    unsqueeze = dims.unsqueeze
    narrow = pieces.narrow
    select = pieces.select
    unbind = pieces.unbind
    split = pieces.split
    chunk = pieces.chunk
    diagonal = dims.diagonal
    flip = dims.flip

    all = extremes.all
    amax = extremes.amax
    amin = extremes.amin
    any = extremes.any
    argmax = extremes.argmax
    argmin = extremes.argmin
    max = extremes.max
    mean = reduce.mean
    min = extremes.min
    norm = reduce.norm
    prod = reduce.prod
    std = reduce.std
    sum = named(Operators.sum, names=("dim", "keepdim", "dtype"))
    var = reduce.var

    cumsum = rows.cumsum
    log_softmax = rows.log_softmax
    logsumexp = rows.logsumexp
    softmax = named(Operators.softmax, names=("dim", "dtype"))

    addmm = matrices.addmm
    baddbmm = matrices.baddbmm
    bmm = matrices.bmm
    dot = vectors.dot
    inner = vectors.inner
    matmul = matrices.matmul
    mm = matrices.mm
    mv = matrices.mv
    outer = vectors.outer
    vdot = vectors.vdot

    allclose = comparison.allclose
    equal = comparison.equal
    isclose = comparison.isclose


# One method per rule of the registry, and its in-place form; relu's plain case is compiled.
for _name, _function in elementwise.METHODS.items():
    if not hasattr(Operators, _name):
        setattr(Tensor, _name, _function)

for _name in ("bernoulli_", "normal_", "uniform_"):
    setattr(Tensor, _name, getattr(random_fill, _name))

register_ops(ops)
register_tensor_class(Tensor)
