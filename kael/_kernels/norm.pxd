from libc.stdint cimport int64_t


cdef extern from "kael/norm_part.h" nogil:
    enum:
        KL_STORAGE_plain

    struct kl_norm_part:
        const char *data
        int64_t size
        int dtype
        int ndim
        int storage
        bint contiguous
        const int64_t *shape
        const int64_t *strides


# Room for the description of that many tensors, to be filled in and given to `measure`.
cdef kl_norm_part *reserve(int64_t count) except NULL

# What their elements add up to (see `total` in norm.pyx); frees the parts.
cdef double measure(kl_norm_part *parts, int64_t count, double p) except? -1
