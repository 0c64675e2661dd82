"""The pool: the price of a parallel region, and how kernels scale. Pairs that differ only in the
thread count show what the second thread brings."""

import threading

import kael

from .common import MANY_THREADS, THREADS, need, operand


class Region:
    """A parallel region that does nothing, after a job and after a rest."""

    params = (MANY_THREADS,)
    param_names = ("threads",)

    def setup(self, threads):
        need("parallel_for")
        kael.set_num_threads(threads)
        self.body = lambda first, last: None

    def time_empty_region(self, threads):
        kael.parallel_for(0, 64, 1, self.body)


class Scaling:
    """Memory-bound against compute-bound: the roofline of the machine, in two lines."""

    params = ([2**k for k in range(13, 24)], sorted({1, 4, 15, *THREADS}))
    param_names = ("elements", "threads")

    def setup(self, elements, threads):
        kael.set_num_threads(threads)
        self.x = operand(elements)

    def time_add(self, elements, threads):
        self.x + self.x


class FreeOfTheGil:
    """The same work by N Python threads at once and by a loop: the ratio is what the GIL leaves."""

    params = (["loop", "threads"], ["matmul", "exp", "softmax", "sum"], [2, 4])
    param_names = ("by", "operation", "count")

    def setup(self, by, operation, count):
        kael.set_num_threads(1)
        self.run = {
            "matmul": lambda x: x @ x,
            "exp": lambda x: x.exp(),
            "softmax": lambda x: x.softmax(-1),
            "sum": lambda x: x.sum(),
        }[operation]
        self.operands = [operand(512, 512) for _ in range(count)]

    def time_operation(self, by, operation, count):
        if by == "loop":
            for x in self.operands:
                self.run(x)
            return
        threads = [threading.Thread(target=self.run, args=(x,)) for x in self.operands]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
