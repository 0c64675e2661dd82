"""A million values of each distribution."""

import kael

from .common import THREADS

COUNT = 1_000_000
DRAWS = {
    "rand": lambda: kael.rand(COUNT),
    "randn": lambda: kael.randn(COUNT),
    "randn float64": lambda: kael.randn(COUNT, dtype=kael.float64),
    "randint": lambda: kael.randint(0, 1000, (COUNT,)),
    "randperm": lambda: kael.randperm(COUNT),
}


class Draw:
    params = (list(DRAWS), THREADS)
    param_names = ("distribution", "threads")

    def setup(self, distribution, threads):
        kael.set_num_threads(threads)

    def time_draw(self, distribution, threads):
        DRAWS[distribution]()
