from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

# The layout of these structs, and the numbers below, are DLPack's ABI.
cdef enum:
    CPU = 1

cdef struct Device:
    int32_t kind
    int32_t number

cdef struct ElementType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

cdef struct Described:
    void *data
    Device device
    int32_t ndim
    ElementType dtype
    int64_t *shape
    int64_t *strides      # in elements; NULL when packed
    uint64_t byte_offset
