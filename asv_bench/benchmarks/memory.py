"""What the allocator keeps, and what an import and a training run weigh."""

import os
import subprocess
import sys
from pathlib import Path

import kael

from .common import need, operand
from .train import Epoch


class FreshOutput:
    """A large result with and without cached blocks: the difference is page faults."""

    params = ([False, True], [10**5, 10**7])
    param_names = ("cached", "elements")

    def setup(self, cached, elements):
        kael.set_num_threads(1)
        kael.set_caching_allocator_enabled(cached)
        self.x = operand(elements)

    def teardown(self, cached, elements):
        kael.set_caching_allocator_enabled(True)

    def time_add(self, cached, elements):
        self.x + self.x


class Training:
    """Bytes that a training run holds; after the first epoch nothing is added."""

    def track_reserved_after_one_epoch(self):
        return self.reserved_after(1)

    def track_reserved_after_four_epochs(self):
        return self.reserved_after(4)

    def peakmem_epoch(self):
        self.reserved_after(1)

    def reserved_after(self, epochs):
        run = Epoch()
        run.setup(1)
        for _ in range(epochs):
            run.time_epoch(1)
        return kael.allocator_stats().reserved_bytes

    track_reserved_after_one_epoch.unit = "bytes"
    track_reserved_after_four_epochs.unit = "bytes"


class Cache:
    """A training run with the caching allocator and without it."""

    params = ([False, True],)
    param_names = ("cached",)

    def setup(self, cached):
        need("set_caching_allocator_enabled")(cached)
        self.run = Epoch()
        self.run.setup(1)
        self.run.time_epoch(1)

    def teardown(self, cached):
        kael.set_caching_allocator_enabled(True)

    def time_epoch(self, cached):
        self.run.time_epoch(1)

    def track_miss_rate(self, cached):
        """Blocks asked of the system, as a share of all; 0 is best. The hit rate is 1 - this."""
        before = need("allocator_stats")()
        self.run.time_epoch(1)
        after = kael.allocator_stats()
        hits, misses = after.hits - before.hits, after.misses - before.misses
        return misses / max(1, hits + misses)

    track_miss_rate.unit = "share"


def run_python(code, *arguments):
    """What a fresh interpreter prints that finds this kael."""
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(kael.__file__).parents[1])}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return done.stdout


# The peak is the process's, so that it is measured in one of its own: what a product adds to the
# two operands and the result.
PRODUCT = """
import resource, sys, kael
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
kael.set_num_threads(int(sys.argv[1]))
small = kael.ones(8, 8)
small @ small
a, b, c = (kael.ones(4096, 4096) for _ in range(3))
c.fill_(2.0)
del c
kael.empty_cache()
before = peak()
a @ b
print(peak() - before)
"""


class Product:
    """Bytes of a 4096 x 4096 product beyond its operands and its result: 16 MB at most."""

    params = ([1, 2],)
    param_names = ("threads",)

    def track_scratch(self, threads):
        return int(run_python(PRODUCT, str(threads)))

    track_scratch.unit = "bytes"


class Installed:
    """What an installation takes on disk."""

    def track_size(self):
        folder = Path(kael.__file__).parent
        files = (one for one in folder.rglob("*") if "__pycache__" not in one.parts)
        kinds = {".py", ".so", ".pyi", ".json", ".typed", ".pyd"}
        return sum(one.stat().st_size for one in files if one.suffix in kinds)

    track_size.unit = "bytes"


class Import:
    """`import kael` in a fresh interpreter."""

    def time_import(self):
        run_python("import kael")

    def time_python_alone(self):
        run_python("pass")
