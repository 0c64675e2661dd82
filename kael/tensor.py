"""class Tensor: the names a user types, each delegating to kael.ops."""

from kael import autograd, interop, ops, printing, random
from kael._kernels import tensor as base
from kael._kernels import views
from kael._kernels.operators import Operators, register_ops
from kael._kernels.tensor import TensorBase, register_tensor_class, require_tensor
from kael.dtypes import bool_, float32, float64, int32, int64
from kael.ops import comparison, conversion, elementwise, indexing, reduce, rows
from kael.ops import matmul as matrices
from kael.ops import shape as shape_ops

__all__ = ["Tensor"]


class Tensor(Operators):
    """An n-dimensional array of one dtype that can record what is computed from it.

    Made by :func:`kael.tensor`, :func:`kael.zeros` and the like.
    """

    __slots__ = ()

    ndim = TensorBase.dims
    dtype = TensorBase.dtype_object

    def dim(self):
        """Number of dims."""
        return self.ndim

    def size(self, dim=None):
        """The shape, or the size of one dim."""
        shape = self.shape
        return shape if dim is None else shape[views.normalize_dim(dim, self.ndim, "size")]

    def detach(self):
        """The same elements outside of any graph."""
        return base.alias(self)

    def requires_grad_(self, requires_grad=True):
        """Sets ``requires_grad``; returns self."""
        self.requires_grad = requires_grad
        return self

    def backward(self, gradient=None, retain_graph=False, create_graph=False, inputs=None):
        """See :func:`kael.autograd.backward`."""
        autograd.backward((self,), (gradient,), retain_graph, create_graph, inputs)

    def retain_grad(self):
        """Makes :meth:`backward` set ``grad`` of this computed tensor too."""
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
        return bool((self == value).any())

    def __format__(self, spec):
        return format(self.item(), spec) if self.ndim == 0 and spec else format(repr(self), spec)

    to = conversion.to
    clone = conversion.clone
    contiguous = conversion.contiguous
    copy_ = conversion.copy_
    fill_ = conversion.fill_
    zero_ = conversion.zero_

    def double(self):
        """As float64."""
        return self.to(float64)

    def float(self):
        """As float32."""
        return self.to(float32)

    def long(self):
        """As int64."""
        return self.to(int64)

    def int(self):
        """As int32."""
        return self.to(int32)

    def bool(self):
        """As bool: whether each element differs from zero."""
        return self.to(bool_)

    def type_as(self, other):
        """As the dtype of another tensor."""
        require_tensor("type_as", self, other)
        return self.to(other.dtype)

    gather = indexing.gather
    index_select = indexing.index_select
    masked_fill = indexing.masked_fill
    masked_select = indexing.masked_select
    nonzero = indexing.nonzero
    take_along_dim = indexing.take_along_dim

    view = shape_ops.view
    flatten = shape_ops.flatten
    permute = shape_ops.permute
    t = shape_ops.t
    movedim = shape_ops.movedim
    expand = shape_ops.expand
    broadcast_to = shape_ops.broadcast_to
    squeeze = shape_ops.squeeze
    unsqueeze = shape_ops.unsqueeze
    narrow = shape_ops.narrow
    select = shape_ops.select
    unbind = shape_ops.unbind
    split = shape_ops.split
    chunk = shape_ops.chunk
    diagonal = shape_ops.diagonal
    flip = shape_ops.flip

    all = reduce.all
    amax = reduce.amax
    amin = reduce.amin
    any = reduce.any
    argmax = reduce.argmax
    argmin = reduce.argmin
    max = reduce.max
    mean = reduce.mean
    min = reduce.min
    norm = reduce.norm
    prod = reduce.prod
    std = reduce.std
    var = reduce.var

    log_softmax = rows.log_softmax

    addmm = matrices.addmm
    baddbmm = matrices.baddbmm
    bmm = matrices.bmm
    dot = matrices.dot
    inner = matrices.inner
    matmul = matrices.matmul
    mm = matrices.mm
    mv = matrices.mv
    outer = matrices.outer
    vdot = matrices.vdot

    allclose = comparison.allclose
    equal = comparison.equal
    isclose = comparison.isclose


# One method per rule of the registry, and its in-place form; relu's plain case is compiled.
for _name, _function in elementwise.METHODS.items():
    if not hasattr(Operators, _name):
        setattr(Tensor, _name, _function)

for _name in ("bernoulli_", "normal_", "uniform_"):
    setattr(Tensor, _name, getattr(random, _name))

register_ops(ops)
register_tensor_class(Tensor)
