"""Whether this machine reproduces kael's bits: ``python -m kael.reproduce``.

A case is a fixed computation on inputs from kael's own generator (numerics R7). Its digest is the
SHA-256 of every result and gradient; ``digests.json`` holds what every machine, instruction set and
thread count must find. The tests use the same list.
"""

import json
from pathlib import Path

from kael.reproduce import arithmetic, networks, sums, tensors
from kael.reproduce.cases import CASES, digest

__all__ = ["CASES", "DIGESTS", "DTYPES", "digest", "expected", "found", "write"]

DIGESTS = Path(__file__).with_name("digests.json")
DTYPES = ("float32", "float64")
_ = arithmetic, networks, sums, tensors  # imported for the cases that they register


def expected():
    """``{case: {dtype: digest}}`` of the version at hand."""
    return json.loads(DIGESTS.read_text())


def found():
    """The same as this machine makes it now, with the instruction set and threads in use."""
    return {name: {t: digest(case(t)) for t in DTYPES} for name, case in CASES.items()}


def write():
    """Makes the digests anew: for a change of arithmetic, which CHANGELOG.md lists under "Bits"."""
    DIGESTS.write_text(json.dumps(found(), indent=1) + "\n")
