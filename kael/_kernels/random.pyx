"""Boundary of the random numbers: fills tensors from a stream's position."""

from libc.stdint cimport int64_t, uint64_t

from kael._kernels.elementwise cimport copy_into
from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport (
    KL_DTYPE_i64, TensorBase, begin_write, bytes_of, kl_aligned, kl_is_float, kl_itemsize, new_like,
)
from kael._kernels.tensor import empty


cdef extern from "kael/random.h":
    struct kl_draw:
        uint64_t seed
        uint64_t position
        int64_t count
        double a
        double b
    int kl_random_uniform(const kl_runtime *rt, const kl_draw *draw, int dtype,
                          void *out) noexcept nogil
    int kl_random_normal(const kl_runtime *rt, const kl_draw *draw, int dtype,
                         void *out) noexcept nogil
    int kl_random_bernoulli(const kl_runtime *rt, const kl_draw *draw, int dtype,
                            void *out) noexcept nogil
    int kl_random_integers(const kl_runtime *rt, const kl_draw *draw, int64_t low,
                           uint64_t range, int64_t *out) nogil
    void kl_random_permutation(const kl_runtime *rt, const kl_draw *draw, int64_t *out) nogil
    void kl_philox(unsigned int *x, unsigned int key0, unsigned int key1) nogil


ctypedef int (*kl_filler)(const kl_runtime *rt, const kl_draw *draw, int dtype,
                          void *out) noexcept nogil


cdef class Stream:
    """A seed and a position, which counts the values drawn so far (modulo 2**64).

    Every draw reserves its values under the GIL: two threads never get the same ones.
    """
    cdef uint64_t seed_
    cdef uint64_t position_

    @property
    def stream_state(self):
        """The pair (seed, position)."""
        return self.seed_, self.position_

    @stream_state.setter
    def stream_state(self, pair):
        cdef uint64_t seed, position
        seed, position = pair
        self.seed_ = seed
        self.position_ = position

    cdef kl_draw reserve(self, int64_t count, double a, double b):
        cdef kl_draw draw
        draw.seed = self.seed_
        draw.position = self.position_
        draw.count = count
        draw.a = a
        draw.b = b
        self.position_ += <uint64_t> count
        return draw


cdef TensorBase fill(str op, kl_filler filler, TensorBase out, Stream stream, double a, double b):
    """Draws into out itself where the kernel may write there, else into a copy."""
    cdef int status
    if not kl_is_float(out.dtype):
        raise TypeError(f"{op}: fills float32 and float64 tensors, got {out.dtype_object.name}")
    begin_write(out, op)
    cdef const kl_runtime *rt = runtime()
    cdef TensorBase drawn = out
    if not (out.contiguous and kl_aligned(out.data, kl_itemsize(out.dtype))):
        drawn = new_like(out, out.dtype)
    cdef kl_draw draw = stream.reserve(out.size, a, b)
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = filler(rt, &draw, drawn.dtype, drawn.data)
    if rt.begin is not NULL:
        end_op(&profiled, op, bytes_of(drawn), 0)
    check(status, op)
    if drawn is not out:
        copy_into(out, drawn)
    return out


def uniform(TensorBase out not None, Stream stream not None, double low, double width,
            str op="uniform_"):
    """Fills ``out`` with ``low + width * u``, u uniform in [0, 1)."""
    return fill(op, kl_random_uniform, out, stream, low, width)


def normal(TensorBase out not None, Stream stream not None, double mean, double std,
           str op="normal_"):
    """Fills ``out`` with ``mean + std * z``, z standard normal."""
    return fill(op, kl_random_normal, out, stream, mean, std)


def bernoulli(TensorBase out not None, Stream stream not None, double p, str op="bernoulli_"):
    """Fills ``out`` with ones, each with probability p (a multiple of 2**-32), and zeros."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{op}: p must be in [0, 1], got {p}")
    return fill(op, kl_random_bernoulli, out, stream, p, 0.0)


def integers(tuple shape, Stream stream not None, int64_t low, uint64_t extent, str op):
    """A new int64 tensor of integers in [low, low + extent); extent 0 stands for 2**64."""
    cdef int status
    cdef TensorBase out = empty(shape, KL_DTYPE_i64, op)
    cdef const kl_runtime *rt = runtime()
    cdef kl_draw draw = stream.reserve(out.size, 0.0, 0.0)
    cdef kl_op profiled
    if rt.begin is not NULL:
        rt.begin(&profiled)
    with nogil:
        status = kl_random_integers(rt, &draw, low, extent, <int64_t *> out.data)
    if rt.begin is not NULL:
        end_op(&profiled, op, bytes_of(out), 0)
    check(status, op)
    return out


def permutation(int64_t count, Stream stream not None):
    """A new int64 tensor of 0 .. count - 1 in random order."""
    cdef TensorBase out = empty((count,), KL_DTYPE_i64, "randperm")
    cdef const kl_runtime *rt = runtime()
    cdef kl_draw draw = stream.reserve(count, 0.0, 0.0)
    with nogil:
        kl_random_permutation(rt, &draw, <int64_t *> out.data)
    return out


def philox(counter, key):
    """The block of four words for a counter of four and a key of two: the published function."""
    cdef unsigned int x[4]
    cdef unsigned int key0, key1
    x[0], x[1], x[2], x[3] = counter
    key0, key1 = key
    kl_philox(x, key0, key1)
    return x[0], x[1], x[2], x[3]
