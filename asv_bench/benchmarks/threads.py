"""The pool: the price of a parallel region, and how kernels scale. Pairs that differ only in the
thread count show what the second thread brings."""

import threading

import kael

from .common import THREADS, operand


class Region:
    """A parallel region that does nothing, after a job and after a rest."""

    params = (THREADS,)
    param_names = ("threads",)

    def setup(self, threads):
        kael.set_num_threads(threads)
        self.body = lambda first, last: None

    def time_empty_region(self, threads):
        kael.parallel_for(0, 64, 1, self.body)


class Scaling:
    """Memory-bound against compute-bound: the roofline of the machine, in two lines."""

    params = ([2**13, 2**16, 2**19, 2**21, 2**23], THREADS)
    param_names = ("elements", "threads")

    def setup(self, elements, threads):
        kael.set_num_threads(threads)
        self.x = operand(elements)
        self.square = operand(512, 512)

    def time_add(self, elements, threads):
        self.x + self.x

    def time_matmul_512(self, elements, threads):
        self.square @ self.square


class FreeOfTheGil:
    """Two Python threads computing at once take as long as one of them alone."""

    params = ([1, 2],)
    param_names = ("python_threads",)

    def setup(self, python_threads):
        kael.set_num_threads(1)
        self.operands = [operand(384, 384) for _ in range(python_threads)]

    def time_matmuls(self, python_threads):
        threads = [threading.Thread(target=lambda a=a: a @ a) for a in self.operands]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
