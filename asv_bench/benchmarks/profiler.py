"""What a profile costs: nothing while none runs, some clock readings while one does."""

import time

import kael

from .common import need, operand

ROUNDS, CALLS = 50, 2000


def fastest(x):
    """Seconds of an addition, the least over some bursts."""
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            x + x
        found.append(time.perf_counter() - start)
    return min(found) / CALLS


class Tiny:
    """8 x 8: an addition in a process that never ran a profile, that did, and that does."""

    params = (["never", "off again", "on"],)
    param_names = ("profile",)

    def setup(self, profile):
        kael.set_num_threads(1)
        self.x = operand(8, 8)
        if profile == "never":
            return
        self.profile = need("profile", need("profiler"))()
        self.profile.start()
        if profile == "off again":
            self.profile.stop()

    def teardown(self, profile):
        if profile == "on":
            self.profile.stop()

    def time_add(self, profile):
        self.x + self.x

    time_add.number = 2000


class Off:
    """The time of an addition after a profile, over that before any: 1, the noise aside."""

    def setup(self):
        kael.set_num_threads(1)
        need("profiler")
        self.x = operand(8, 8)

    def track_ratio(self):
        before = fastest(self.x)
        with kael.profiler.profile():
            self.x + self.x
        return fastest(self.x) / before

    track_ratio.unit = "ratio"
