"""Boundary of the optimizers: a plan for each rule of include/kael/optim.h, and gradient clipping.

What a step reads and keeps is in step.pyx, how kael's tensors become its rows in plan.pyx.
"""

from libc.stdint cimport int64_t

from kael._kernels.plan cimport Plan
from kael._kernels.runtime cimport kl_runtime
from kael._kernels.step cimport Group, Step, kl_optim_row, kl_optim_rule
from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/optim.h" nogil:
    enum:
        KL_RULE_clamp
        KL_RULE_scale
        KL_RULE_COUNT
    const kl_optim_rule *kl_optim_rules[]
    int kl_optim_step(const kl_runtime *rt, int rule, kl_optim_row *rows, int64_t count,
                      bint backward) noexcept


cdef int declare(Step step, int number) except -1:
    return step.declare(number, kl_optim_rules[number], kl_optim_step)


cdef dict numbers = {kl_optim_rules[i].name.decode(): i for i in range(KL_RULE_COUNT)}


cdef class Rule(Plan):
    """The plan of the rule that a name of torch.optim stands for."""

    def __init__(self, str name):
        declare(self, numbers[name])


cdef class Listed(Plan):
    """The plan of torch's functional forms: everything comes in lists."""

    def __init__(self, str name):
        declare(self, numbers[name])

    def update(self, list params, list grads, list states, dict group, double factor=1.0):
        """One step; states are dicts, one for each parameter, which may lack what is absent."""
        self.step([params, grads, states, group], None, factor)

    cdef int collect(self, list groups, object state) except -1:
        cdef Group group
        cdef TensorBase p, g
        cdef int64_t i
        self.read(groups[3], &group)
        for i in range(len(groups[0])):
            p = groups[0][i]
            g = groups[1][i]
            self.add(p, g, groups[2][i], &group)
        return 0


cdef class Clip(Plan):
    """Changes gradients in place: each is the parameter of its row."""
    cdef Group group

    cdef int collect(self, list groups, object state) except -1:
        cdef TensorBase g
        for g in groups:
            self.add(g, g, None, &self.group)
        return 0


cdef int clip(list tensors, int number, double a, double b) except -1:
    cdef Clip plan = Clip.__new__(Clip)
    declare(plan, number)
    plan.group.option[0] = a
    plan.group.option[1] = b
    plan.step(tensors, None)
    return 0


def scale(list tensors, double factor):
    """Multiplies the tensors by a number, in one region."""
    clip(tensors, KL_RULE_scale, factor, 0.0)


def clamp(list tensors, double low, double high):
    """Limits the tensors' elements to [low, high], NaN kept, in one region."""
    clip(tensors, KL_RULE_clamp, low, high)
