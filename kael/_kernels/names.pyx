# cython: binding=False
"""Functions that take NumPy's names for arguments, as PyTorch's do: axis for dim, keepdims for
keepdim. A call without these names costs a look at the ones that it has.

NumPy itself calls the methods of other arrays with its names: ``np.mean(t, axis=0)`` is
``t.mean(axis=0, dtype=None, out=None)``.
"""

from functools import update_wrapper
from types import MethodType

from cpython.object cimport PyObject, PyTypeObject

cdef extern from "Python.h":
    ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject **, size_t, PyObject *) except NULL
    ctypedef PyObject *(*ternaryfunc)(PyObject *, PyObject *, PyObject *) except NULL
    ctypedef struct CallableType "PyTypeObject":
        unsigned long tp_flags
        Py_ssize_t tp_vectorcall_offset
        ternaryfunc tp_call
    const unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    const unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    PyObject *vectorcall "PyObject_Vectorcall"(PyObject *, PyObject **, size_t, PyObject *) \
        except NULL
    Py_ssize_t PyTuple_GET_SIZE(PyObject *)
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t)
    PyObject *PyVectorcall_Call(PyObject *, PyObject *, PyObject *) except NULL
    Py_ssize_t PyVectorcall_NARGS(size_t)
    void PyType_Modified(PyTypeObject *)

# Another name, and the parameter that it stands for where the function has that.
cdef dict ALIASES = {"axis": "dim", "keepdims": "keepdim", "ddof": "correction", "input": "x"}
# What NumPy passes to every method beside axis, whether its caller gave it or not.
cdef tuple UNLESS_GIVEN = ("out", "dtype")


cdef class Named:
    """A function of the same name; see the top of this file."""
    cdef vectorcallfunc call
    cdef object function, numpy_function
    cdef tuple names  # of the parameters
    cdef dict __dict__
    cdef object __weakref__

    def __cinit__(self):
        self.call = <vectorcallfunc> call_named
        self.names = ()

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        """Calls by name, ``f.__call__(x)``, come here; all others go the way that is set below."""
        return self(*args, **kwargs)

    def __set_name__(self, owner, name):
        """Compiled methods, which name no module, belong to the class that lists them."""
        if not hasattr(self, "__module__"):
            self.__module__, self.__qualname__ = owner.__module__, f"{owner.__qualname__}.{name}"

    def __reduce__(self):
        return self.__qualname__  # it stands in its module or class, as a function does

    def __repr__(self):
        return f"<function {self.__qualname__}>"


cdef PyObject *call_named(PyObject *called, PyObject **args, size_t nargs, PyObject *names) \
        except NULL:
    cdef Named self = <Named> called
    cdef Py_ssize_t i
    if names is not NULL:
        for i in range(PyTuple_GET_SIZE(names)):
            if not knows(<PyObject *> self.names, PyTuple_GET_ITEM(names, i)):
                return translated(self, args, nargs, <tuple> names)
    return vectorcall(<PyObject *> self.function, args, nargs, names)


cdef inline bint knows(PyObject *names, PyObject *name) noexcept:
    """By identity: the names of parameters and of arguments in a program's text are interned."""
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(names)):
        if PyTuple_GET_ITEM(names, i) == name:
            return True
    return False


cdef PyObject *translated(Named self, PyObject **args, size_t nargs, tuple names) except NULL:
    cdef Py_ssize_t count = PyVectorcall_NARGS(nargs)
    cdef object function = self.function
    cdef dict given = {}
    for i, name in enumerate(names):
        value = <object> args[count + i]
        if name == "out" and value is None and "axis" in names:
            function = self.numpy_function
        if name in UNLESS_GIVEN and name not in self.names and value is None:
            continue
        known = ALIASES.get(name)
        if name in self.names or known not in self.names:
            known = name
        if known in given:
            raise TypeError(f"{self.__name__}: {known} is given twice")
        given[known] = value
    positional = tuple([<object> args[i] for i in range(count)])
    return PyVectorcall_Call(<PyObject *> function, <PyObject *> positional, <PyObject *> given)


def named(function, numpy_function=None, names=None):
    """A function that takes NumPy's names too, and is what the function is otherwise.

    Parameters
    ----------
    function : function
    numpy_function : function, optional
        What NumPy means by its name, where that is another one.
    names : tuple of str, optional
        Of the parameters of a compiled function, which does not tell them.
    """
    cdef Named self = Named.__new__(Named)
    if names is None:
        code = function.__code__
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    self.function = function
    self.numpy_function = function if numpy_function is None else numpy_function
    self.names = tuple(names)
    return update_wrapper(self, function)


cdef Named probe = Named.__new__(Named)
cdef CallableType *kind = <CallableType *> <PyObject *> Named
kind.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR
kind.tp_vectorcall_offset = <char *> &probe.call - <char *> <PyObject *> probe
kind.tp_call = PyVectorcall_Call
PyType_Modified(<PyTypeObject *> kind)
