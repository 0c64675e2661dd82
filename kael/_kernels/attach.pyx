"""Python on threads that Python did not start: workers that call a body.

Such a thread gets its state without the GIL, but under a lock of the interpreter's. A fork at that
moment leaves CPython 3.11 a child without the lock's owner, which waits for it for ever, inside
``os.fork`` (one fork in 500 beside a thread that runs empty bodies). So states are made under a
lock that a fork waits for, without the GIL, which the making itself may want: tracemalloc takes it
to count the state's memory.
"""

import os

from cpython.pythread cimport (
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_release_lock,
    PyThread_type_lock,
)

cdef extern from "Python.h" nogil:
    ctypedef struct PyInterpreterState:
        pass
    PyInterpreterState *PyInterpreterState_Main()
    PyThreadState *PyGILState_GetThisThreadState()
    PyThreadState *PyThreadState_New(PyInterpreterState *interpreter)
    void PyThreadState_Clear(PyThreadState *state)
    void PyThreadState_DeleteCurrent()
    int PyGILState_Ensure()


cdef PyThread_type_lock making = PyThread_allocate_lock()
if making is NULL:
    raise MemoryError("kael: the system refused memory for a lock")


cdef bint attach(PyThreadState **made) noexcept nogil:
    made[0] = NULL
    if PyGILState_GetThisThreadState() is not NULL:
        return True
    PyThread_acquire_lock(making, WAIT_LOCK)
    made[0] = PyThreadState_New(PyInterpreterState_Main())
    PyThread_release_lock(making)
    if made[0] is not NULL:
        PyGILState_Ensure()
    return made[0] is not NULL


cdef void detach(PyThreadState *made) noexcept nogil:
    if made is not NULL:
        PyThreadState_Clear(made)
        PyThreadState_DeleteCurrent()


def hold():
    """Before a fork: no state is half made from here on."""
    with nogil:
        PyThread_acquire_lock(making, WAIT_LOCK)


def let_go():
    """After it, in the parent and in the child."""
    PyThread_release_lock(making)


os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=let_go)
