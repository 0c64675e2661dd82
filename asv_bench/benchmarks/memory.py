"""What the allocator keeps, and what an import and a training run weigh."""

import subprocess
import sys

import kael

from .common import operand
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


class Import:
    """`import kael` in a fresh interpreter."""

    def time_import(self):
        subprocess.run([sys.executable, "-c", "import kael"], check=True)

    def time_python_alone(self):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
