from kael._kernels.step cimport Step


# Makes a step that of rule `number`.
cdef int declare(Step step, int number) except -1
# The number of the rule that a name of torch.optim stands for.
cdef dict numbers
