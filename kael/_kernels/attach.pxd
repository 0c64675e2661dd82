cdef extern from "Python.h" nogil:
    ctypedef struct PyThreadState:
        pass


# Makes the calling thread one that may take the GIL: what was made for it, or NULL where Python
# knows the thread. False where memory is short. One with something made holds the GIL.
cdef bint attach(PyThreadState **made) noexcept nogil

# Undoes attach, on the same thread.
cdef void detach(PyThreadState *made) noexcept nogil
