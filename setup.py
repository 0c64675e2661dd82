"""Builds one extension module per ``kael/_kernels/*.pyx``; metadata is in pyproject.toml.

Switches (environment variables, read at build time) are listed in README.md.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path(__file__).parent
HEADERS = sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "include").rglob("*") if path.is_file()
)

# Fusing is written in the source (numerics R1), never left to the compiler. The two -fno- flags
# change no value: they only say that errno and the exception flags are not read.
COMPILE = [
    "-std=gnu11", "-O3", "-Wall", "-Wextra",
    "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden",
]  # fmt: skip
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
}


def extension(pyx):
    """One module; edits of any header rebuild it."""
    name = ".".join(pyx.relative_to(ROOT).with_suffix("").parts)
    return Extension(
        name,
        [str(pyx.relative_to(ROOT))],
        include_dirs=["include"],
        depends=HEADERS,
        extra_compile_args=COMPILE,
        extra_link_args=["-pthread", "-lm"],
    )


setup(
    ext_modules=cythonize(
        [extension(pyx) for pyx in sorted((ROOT / "kael" / "_kernels").glob("*.pyx"))],
        compiler_directives=DIRECTIVES,
        annotate=os.environ.get("KAEL_ANNOTATE") == "1",
        nthreads=int(os.environ.get("KAEL_BUILD_JOBS", "0")),
    )
)
