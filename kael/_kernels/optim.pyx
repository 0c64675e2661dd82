"""Boundary of the optimizers: what each rule reads from a group, keeps as state and computes once.

How the tensors of a step are collected, checked and updated is in plan.pyx.
"""

from libc.stdint cimport int64_t

from kael._kernels.plan cimport Hyper, Plan, kl_optim_driver, kl_optim_tensor, state_of
from kael._kernels.runtime cimport kl_runtime
from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/optim.h" nogil:
    enum:
        KL_ADAM_AMSGRAD
        KL_ADAM_MAXIMIZE
        KL_ADAM_DECAY
        KL_ADAM_DECOUPLED
        KL_SGD_MOMENTUM
        KL_SGD_FIRST
        KL_SGD_NESTEROV
        KL_SGD_MAXIMIZE
        KL_SGD_DECAY

    void kl_adam_scalars(kl_optim_tensor *t, int64_t step, double lr, double beta1, double beta2,
                         double eps, double decay) noexcept
    void kl_sgd_scalars(kl_optim_tensor *t, double lr, double decay, double momentum,
                        double dampening) noexcept
    int64_t kl_optim_advance(void *step, int dtype) noexcept
    int kl_adam(const kl_runtime *rt, kl_optim_tensor *tensors, int64_t count) noexcept
    int kl_sgd(const kl_runtime *rt, kl_optim_tensor *tensors, int64_t count) noexcept
    int kl_scale(const kl_runtime *rt, kl_optim_tensor *tensors, int64_t count) noexcept
    int kl_clamp(const kl_runtime *rt, kl_optim_tensor *tensors, int64_t count) noexcept


cdef class Adam(Plan):
    """Adam and AdamW; the formulas are in include/kael/optim.inc.h."""

    def __cinit__(self):
        self.op = "Adam"
        self.driver = kl_adam

    cdef int collect(self, list groups, object state) except -1:
        cdef dict group, s
        cdef Hyper hyper
        cdef TensorBase p, g
        cdef kl_optim_tensor *row
        for group in groups:
            read_adam(group, &hyper)
            for p in <list?> group["params"]:
                if p.grad_ is None:
                    continue
                g = p.grad_
                s = state_of(state, p)
                row = self.add(p, g, &hyper)
                self.add_counter(s)
                self.add_state(row, 0, s, "exp_avg")
                self.add_state(row, 1, s, "exp_avg_sq")
                if hyper.variant & KL_ADAM_AMSGRAD:
                    self.add_state(row, 2, s, "max_exp_avg_sq")
        return 0

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        cdef int64_t step = kl_optim_advance(counter.data, counter.dtype)
        kl_adam_scalars(row, step, hyper.lr, hyper.a, hyper.b, hyper.eps, hyper.decay)
        return 0


cdef int read_adam(dict group, Hyper *hyper) except -1:
    try:
        first, second = group["betas"]
    except (TypeError, ValueError):
        raise ValueError(
            f"Adam: betas must be a pair of numbers, got {group['betas']!r}") from None
    hyper.lr = float(group["lr"])
    hyper.a = float(first)
    hyper.b = float(second)
    hyper.eps = float(group["eps"])
    hyper.decay = float(group["weight_decay"])
    hyper.variant = (
        (KL_ADAM_AMSGRAD if group["amsgrad"] else 0)
        | (KL_ADAM_MAXIMIZE if group["maximize"] else 0)
        | (KL_ADAM_DECAY if hyper.decay != 0 else 0)
        | (KL_ADAM_DECOUPLED if group["decoupled_weight_decay"] else 0)
    )
    return 0


cdef class SGD(Plan):
    """SGD; the formulas are in include/kael/optim.inc.h."""

    def __cinit__(self):
        self.op = "SGD"
        self.driver = kl_sgd

    cdef int collect(self, list groups, object state) except -1:
        cdef dict group
        cdef Hyper hyper
        cdef TensorBase p, g
        cdef kl_optim_tensor *row
        for group in groups:
            read_sgd(group, &hyper)
            for p in <list?> group["params"]:
                if p.grad_ is None:
                    continue
                g = p.grad_
                row = self.add(p, g, &hyper)
                if not hyper.variant & KL_SGD_MOMENTUM:
                    continue
                self.add_state(row, 0, state_of(state, p), "momentum_buffer")
                if self.created is not None and id(p) in self.created:
                    row.variant |= KL_SGD_FIRST
        return 0

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        kl_sgd_scalars(row, hyper.lr, hyper.decay, hyper.a, hyper.b)
        return 0


cdef int read_sgd(dict group, Hyper *hyper) except -1:
    hyper.lr = float(group["lr"])
    hyper.decay = float(group["weight_decay"])
    hyper.a = float(group["momentum"])
    hyper.b = float(group["dampening"])
    hyper.eps = 0.0
    hyper.variant = (
        (KL_SGD_MOMENTUM if hyper.a != 0 else 0)
        | (KL_SGD_NESTEROV if hyper.a != 0 and group["nesterov"] else 0)
        | (KL_SGD_MAXIMIZE if group["maximize"] else 0)
        | (KL_SGD_DECAY if hyper.decay != 0 else 0)
    )
    return 0


cdef class Clip(Plan):
    """Changes gradients in place: each is the parameter of its row."""
    cdef Hyper hyper

    cdef int collect(self, list groups, object state) except -1:
        cdef TensorBase g
        for g in groups:
            self.add(g, g, &self.hyper)
        return 0

    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1:
        row.frozen = False
        row.scalar[0] = hyper.a
        row.scalar[1] = hyper.b
        return 0


cdef int apply(list tensors, str op, kl_optim_driver driver, double a, double b) except -1:
    cdef Clip plan = Clip.__new__(Clip)
    plan.op = op
    plan.driver = driver
    plan.hyper.a = a
    plan.hyper.b = b
    plan.step(tensors, None)
    return 0


def scale(list tensors, double factor):
    """Multiplies the tensors by a number, in one region."""
    apply(tensors, "clip_grad_norm_", kl_scale, factor, 0.0)


def clamp(list tensors, double low, double high):
    """Limits the tensors' elements to [low, high], NaN kept, in one region."""
    apply(tensors, "clip_grad_value_", kl_clamp, low, high)
