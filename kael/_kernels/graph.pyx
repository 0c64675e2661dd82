"""The recorded operations of reverse-mode differentiation, and the walk that differentiates them.

A node keeps, per input, the node that made it (or the leaf itself), not the input tensor: memory
that no gradient reads is free to go while the graph lives.
"""

from weakref import ref

cimport cython

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t

from kael._kernels.runtime cimport end_op, grad_enabled, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport TensorBase, kl_is_float, kl_itemsize, same_shape

from kael._kernels.runtime import set_grad_mode

cdef extern from "Python.h":
    # Of a pointer: an object argument would be counted itself.
    Py_ssize_t Py_REFCNT(PyObject *o)

cdef int64_t nodes_made = 0


cdef class GradMode:
    """Sets the calling thread's grad mode for a block.

    Not Python code, at whose first instruction an interrupt would leave the mode as it was set.
    """
    cdef readonly bint enabled
    cdef list former

    def __init__(self, bint enabled):
        self.enabled = enabled
        self.former = []

    def __enter__(self):
        self.former.append(set_grad_mode(self.enabled))

    def __exit__(self, kind, error, trace):
        set_grad_mode(self.former.pop())


@cython.freelist(64)
cdef class Node:
    def __repr__(self):
        return f"<{self.name} gradient>"

    @property
    def freed(self):
        """Whether a backward walk has released what the gradient needs."""
        return self.gradient is None


cdef int free_node(Node node) except -1:
    # Clearing the inputs as well lets a long chain fall apart node by node, without recursion.
    node.gradient = None
    node.saved = ()
    node.inputs = ()
    return 0


cdef tuple gradients_of(Node node, object g):
    """The gradients of the node's inputs, one per input."""
    if versions_of(node.saved) != node.versions:
        raise RuntimeError(
            f"{node.name}: a tensor that its gradient needs was modified by an in-place operation "
            "after it was recorded")
    cdef const kl_runtime *rt = runtime()
    result = node.gradient(g) if rt.begin is NULL else profiled_gradient(rt, node, g)
    if not isinstance(result, tuple) or len(<tuple> result) != len(node.inputs):
        raise RuntimeError(f"{node.name}: its gradient must return a tuple of "
                           f"{len(node.inputs)}, got {result!r}")
    return <tuple> result


cdef object profiled_gradient(const kl_runtime *rt, Node node, object g):
    """Operations inside carry the name of the node's."""
    cdef kl_op op
    cdef str name = f"{node.name} backward"
    rt.begin(&op)
    op.scope = <void *> name
    try:
        return node.gradient(g)
    finally:
        end_op(&op, name, 0, 0)


cdef int raise_freed(Node node) except -1:
    raise RuntimeError(f"{node.name}: backward through a graph that was already freed; "
                       "pass retain_graph=True to the first backward")


cdef TensorBase record_op(str name, TensorBase out, tuple inputs, object gradient, tuple saved):
    global nodes_made
    cdef Node node
    cdef tuple edges
    if not grad_enabled() or not kl_is_float(out.dtype):
        return out
    edges = edges_of(inputs)
    if edges is None:
        return out
    node = Node.__new__(Node)
    node.name = name
    node.inputs = edges
    node.gradient = gradient
    node.saved = saved
    node.versions = versions_of(saved)
    nodes_made += 1
    node.order = nodes_made
    out.grad_fn = node
    out.requires_grad_flag = True
    return out


cdef tuple edges_of(tuple inputs):
    """Per input the node that made it, the leaf itself, or None; None when all of them are."""
    cdef Py_ssize_t i, count = len(inputs)
    cdef tuple edges = PyTuple_New(count)
    cdef TensorBase tensor
    cdef bint wanted = False
    for i in range(count):
        edge = None
        if inputs[i] is not None:
            tensor = <TensorBase?> inputs[i]
            if tensor.requires_grad_flag:
                edge = tensor if tensor.grad_fn is None else tensor.grad_fn
                wanted = True
        Py_INCREF(edge)
        PyTuple_SET_ITEM(edges, i, edge)
    return edges if wanted else None


cdef int64_t versions_of(tuple saved) except -1:
    cdef int64_t total = 0
    for tensor in saved:
        total += (<TensorBase?> tensor).storage.version
    return total


def record(str name, TensorBase out not None, tuple inputs, gradient, tuple saved=()):
    """Makes ``out`` the result of an operation that ``gradient`` differentiates; returns ``out``.

    Does nothing when no input requires grad, when grad mode is off, or when ``out`` is of an
    integer dtype.

    Parameters
    ----------
    name : str
        The operation, for messages and ``repr``.
    out : Tensor
        The result.
    inputs : tuple of Tensor or None
        What the operation differentiates to.
    gradient : callable
        ``gradient(g)`` takes the gradient of ``out`` and returns a tuple with one Tensor or None
        per input, each of its input's shape and dtype. It runs with grad mode off.
    saved : tuple of Tensor
        The tensors that ``gradient`` reads. If one is changed in place before the backward walk,
        that raises RuntimeError.
    """
    return record_op(name, out, inputs, gradient, saved)


def needs_grad(*tensors):
    """Whether an operation on these tensors (None is skipped) must be recorded."""
    if not grad_enabled():
        return False
    for x in tensors:
        if x is not None and (<TensorBase?> x).requires_grad_flag:
            return True
    return False


cdef list collect(list roots):
    """The nodes reachable from roots, latest first; raises if one was freed."""
    cdef set seen = set()
    cdef list stack = list(roots), found = []
    cdef Node node
    while stack:
        node = <Node> stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.gradient is None:
            raise_freed(node)
        found.append((node.order, node))
        for edge in node.inputs:
            if isinstance(edge, Node) and edge not in seen:
                stack.append(edge)
    found.sort(reverse=True)
    return [pair[1] for pair in found]


cdef class Sums:
    """The gradients on their way to nodes and leaves, added in the order in which they arrive.

    The first gradient of a target is kept as it came, and may be shared; the sum of two is a fresh
    tensor, which later ones are added to in place.
    """
    cdef dict pending
    cdef set owned

    def __cinit__(self):
        self.pending = {}
        self.owned = set()

    cdef int add(self, object target, object g) except -1:
        key = id(target)
        found = self.pending.get(key)
        if found is None:
            self.pending[key] = (target, g)
            return 0
        former = found[1]
        if key in self.owned:
            former += g
        else:
            self.pending[key] = (target, former + g)
            self.owned.add(key)
        return 0

    cdef int add_each(self, tuple targets, tuple parts) except -1:
        cdef Py_ssize_t i
        for i in range(len(targets)):
            if targets[i] is not None and parts[i] is not None:
                self.add(targets[i], parts[i])
        return 0

    cdef object take(self, object target):
        found = self.pending.pop(id(target), None)
        return None if found is None else found[1]


cdef object hooked(dict hooks, object g):
    for hook in tuple(hooks.values()):
        replaced = hook(g)
        if replaced is None:
            continue
        if not isinstance(replaced, TensorBase):
            raise TypeError(f"a hook must return a Tensor or None, got {type(replaced).__name__}")
        if not same_shape(<TensorBase> replaced, <TensorBase> g):
            raise RuntimeError(f"a hook made a gradient of shape {replaced.shape} of one of shape "
                               f"{g.shape}")
        g = replaced
    return g


cdef dict walk(list roots, list gradients, bint retain_graph, set wanted):
    """Differentiates from roots to leaves: ``id(target) -> (target, gradient)`` for each leaf, for
    each node in ``wanted`` (a set of ids) and for each tensor of retain_grad."""
    cdef Sums sums = Sums()
    cdef list nodes = []
    cdef dict result = {}
    cdef TensorBase root
    cdef Node node
    cdef Py_ssize_t i
    for i in range(len(roots)):
        root = <TensorBase> roots[i]
        if root.grad_fn is not None:
            nodes.append(root.grad_fn)
        sums.add(root if root.grad_fn is None else root.grad_fn, gradients[i])
    for node in collect(nodes):
        g = sums.take(node)
        if g is not None:
            if node.hooks:
                g = hooked(node.hooks, g)
            note(node, g, wanted, result)
            sums.add_each(node.inputs, gradients_of(node, g))
        if not retain_graph:
            free_node(node)
    for target, g in sums.pending.values():
        if (<TensorBase> target).hooks:
            g = hooked((<TensorBase> target).hooks, g)
        result[id(target)] = (target, g)
    return result


cdef int note(Node node, object g, set wanted, dict result) except -1:
    """Keeps g for whoever asked for the gradient of a computed tensor."""
    tensor = node.retained() if node.retained is not None else None
    if tensor is not None:
        result[id(tensor)] = (tensor, g)
    if id(node) in wanted:
        result[id(node)] = (node, g)
    return 0


cpdef bint can_be_written(TensorBase x) noexcept:
    """Whether a tensor is neither read-only nor shows one element at several places."""
    cdef int d
    for d in range(x.ndim):
        if x.strides_[d] == 0 and x.shape_[d] > 1:
            return False
    return x.storage.writable


cdef int accumulate(TensorBase target, TensorBase g, bint sole) except -1:
    """Adds g to the gradient of target; ``sole`` says that nobody else holds g."""
    if not same_shape(target, g):
        raise RuntimeError(f"backward: a gradient of shape {g.shape} reached a tensor of shape "
                           f"{target.shape}")
    if g.dtype != target.dtype:
        g = g.to(target.dtype_object)
    if target.grad_ is not None and can_be_written(target.grad_):
        target.grad_ += g
    elif target.grad_ is not None:
        target.grad_ = target.grad_ + g
    elif sole and g.contiguous and Py_REFCNT(<PyObject *> g.storage) == 1 \
            and g.storage.nbytes == g.size * kl_itemsize(g.dtype):
        target.grad_ = g
    else:
        target.grad_ = g.clone()
    return 0


def backward(list roots, list gradients, bint retain_graph=False, inputs=None):
    """Adds the gradients of roots to ``grad`` of the leaves, or only of the tensors ``inputs``.

    No ``grad`` changes when a gradient function raises.
    """
    cdef dict result = differentiate(roots, gradients, retain_graph, inputs)
    only = None if inputs is None else {id(x): x for x in inputs}
    former = set_grad_mode(False)
    try:
        for target, g in result.values():
            if isinstance(target, TensorBase) and (only is None or id(target) in only):
                accumulate(target, g, Py_REFCNT(<PyObject *> g) <= 2)
        for x in inputs or ():
            if x.grad_fn is not None and id(x.grad_fn) in result:
                accumulate(x, result[id(x.grad_fn)][1], False)
    finally:
        set_grad_mode(former)


def grad(list roots, list gradients, bint retain_graph, inputs):
    """The gradients of roots by each of ``inputs``: a list, None for one that is not reached."""
    cdef dict result = differentiate(roots, gradients, retain_graph, inputs)
    found = [result.get(id(x if x.grad_fn is None else x.grad_fn)) for x in inputs]
    return [None if pair is None else pair[1] for pair in found]


cdef dict differentiate(list roots, list gradients, bint retain_graph, inputs):
    """walk() with grad mode off: gradients of gradients are not recorded."""
    cdef set wanted = {id(x.grad_fn) for x in inputs or () if x.grad_fn is not None}
    former = set_grad_mode(False)
    try:
        return walk(roots, gradients, retain_graph, wanted)
    finally:
        set_grad_mode(former)


def retain_grad(TensorBase tensor not None):
    """Makes backward set ``grad`` of a computed tensor too."""
    if not tensor.requires_grad_flag:
        raise RuntimeError("retain_grad: the tensor does not require grad")
    if tensor.grad_fn is not None:
        (<Node> tensor.grad_fn).retained = ref(tensor)


def add_hook(TensorBase tensor not None, hook):
    """Calls ``hook(gradient)`` in every walk; returns the dict and the key that remove it again."""
    cdef dict hooks = tensor.hooks if tensor.grad_fn is None else (<Node> tensor.grad_fn).hooks
    if hooks is None:
        hooks = {}
        if tensor.grad_fn is None:
            tensor.hooks = hooks
        else:
            (<Node> tensor.grad_fn).hooks = hooks
    key = max(hooks, default=0) + 1
    hooks[key] = hook
    return hooks, key


def begin_in_place(TensorBase x not None, str op):
    """Refuses an in-place ``op`` that is to be recorded but that the graph could not follow.

    RuntimeError for a leaf that requires grad (its value would no longer be the leaf's), and for
    memory that other tensors see too: their place in the graph would be wrong without notice.
    """
    if x.grad_fn is None and x.requires_grad_flag:
        raise RuntimeError(
            f"{op}: a leaf tensor that requires grad cannot be changed in place; "
            "use no_grad() or detach()")
    if Py_REFCNT(<PyObject *> x.storage) > 1:
        raise RuntimeError(
            f"{op}: the tensor shares its memory with another tensor (it is a view, or has one), "
            "so the change cannot be recorded; use the operation that returns a new tensor")


def adopt(TensorBase x not None, TensorBase out not None):
    """x takes the place of out in the graph; a gradient that x retains is that of its new value."""
    cdef Node former = x.grad_fn, node = out.grad_fn
    if former is not None and former.retained is not None and former.retained() is x:
        node.retained, former.retained = former.retained, None
    x.grad_fn = node
    x.requires_grad_flag = out.requires_grad_flag
