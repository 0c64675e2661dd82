"""Builds one extension module per ``kael/_kernels/*.pyx``; metadata is in pyproject.toml.

The switches are environment variables read here and listed in README.md. Whatever they are, the
objects are portable: every wide instruction lives in a function of its instruction set
(include/kael/foreach_isa.h), chosen at run time.
"""

import os
import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("kael/_kernels")
MODULES = sorted(KERNELS.glob("*.pyx"))
JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
BUILD = Path("build")
VEC_REPORTS = BUILD / "vec"
BLAS_STAMP = BUILD / "blas.settings"
VARIABLES = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS")
SANITIZERS = ("", "address,undefined", "thread")


def switch(name):
    """Whether an on/off switch is set; anything but 0, 1 and nothing is refused."""
    value = os.environ.get(name, "")
    if value not in ("", "0", "1"):
        sys.exit(f"{name} must be 0 or 1, got {value!r}")
    return value == "1"


def sanitizer():
    """The value of KAEL_SANITIZE."""
    value = os.environ.get("KAEL_SANITIZE", "")
    if value not in SANITIZERS:
        sys.exit(f"KAEL_SANITIZE must be one of {', '.join(SANITIZERS[1:])}, got {value!r}")
    return value


ANNOTATE = switch("KAEL_ANNOTATE")
LINETRACE = switch("KAEL_LINETRACE")
VEC_REPORT = switch("KAEL_VEC_REPORT")
USE_BLAS = switch("KAEL_USE_BLAS")
DEBUG = switch("KAEL_DEBUG")
NATIVE = switch("KAEL_NATIVE")
SANITIZE = sanitizer()


def compile_args():
    """Flags of every module.

    Fusing is written in the source (numerics R1), never left to the compiler. The two ``-fno-``
    flags on errno and traps change no value: they only say that nobody reads either. Symbols stay
    in the modules, for perf and for the test that looks for wide instructions; debug information
    is kept only where it is asked for, because it would be nine tenths of the wheel.
    """
    args = ["-std=gnu11", "-Wall", "-Wextra", "-fvisibility=hidden"]
    args += ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
    if SANITIZE:
        # Python's own -fwrapv would silence signed overflow.
        args += [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all", "-fno-wrapv"]
        args += ["-fno-omit-frame-pointer"]
    args += ["-O1", "-g"] if DEBUG or SANITIZE else ["-O3", "-g0"]
    if DEBUG:
        args.append("-UNDEBUG")  # CPython's flags carry -DNDEBUG
    if NATIVE:
        args.append("-mtune=native")  # order of instructions only: never their set
    return args


def macros():
    """Preprocessor definitions of every module."""
    return [("CYTHON_TRACE", "1"), ("CYTHON_TRACE_NOGIL", "1")] if LINETRACE else []


def blas_settings():
    """Definitions and link arguments of the optional CBLAS path: Accelerate, else KAEL_BLAS."""
    if not USE_BLAS:
        return [], []
    if sys.platform == "darwin":
        defined, link = "KAEL_USE_ACCELERATE", ["-framework", "Accelerate"]
    else:
        defined, link = "KAEL_USE_CBLAS", ["-l" + os.environ.get("KAEL_BLAS", "openblas")]
    return [("KAEL_USE_BLAS", "1"), (defined, "1")], link


def headers(path, found):
    """Adds to found every file that path's module compiles because path names it.

    Names stand in #include lines, in KL_BODY, in Cython's externs and cimports. An #include whose
    name is pasted together means each file of its folder.
    """
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    named = [Path("include", name) for name in re.findall(r'"(kael/[^"]+)"', text)]
    cimported = re.findall(r"kael\._kernels\.(\w+) cimport", text)
    named += [KERNELS / f"{name}.pxd" for name in cimported]
    for folder in re.findall(r"#include KL_STRING\((kael/.*)/", text):
        named += Path("include", folder).glob("*.h")
    for other in [*named, path.with_suffix(".pxd")]:
        if other not in found and other.exists():
            found.add(other)
            headers(other, found)
    return found


def extension(pyx):
    """One module; an edit of any header it compiles rebuilds it."""
    args, link, defined = compile_args(), ["-pthread", "-lm"], macros()
    depends = sorted(map(str, headers(pyx, set())))
    if SANITIZE:
        link.append(f"-fsanitize={SANITIZE}")
    if VEC_REPORT:
        args.append(f"-fdump-tree-vect-optimized-missed={VEC_REPORTS / pyx.stem}.vect")
    if pyx.stem == "blas":  # the only module that a change of BLAS builds anew
        blas_macros, blas_link = blas_settings()
        defined, link = defined + blas_macros, link + blas_link
        depends.append(str(BLAS_STAMP))
    if pyx.stem == "runtime":  # show_config() tells what was built
        defined = [*defined, ("KAEL_FLAGS", f'"{" ".join(compile_args())}"')]
    return Extension(
        ".".join(pyx.with_suffix("").parts),
        [str(pyx)],
        include_dirs=["include"],
        depends=depends,
        define_macros=defined,
        extra_compile_args=args,
        extra_link_args=link,
    )


def directives():
    """Cython's settings; a line-traced or debugging build keeps its checks."""
    return {
        "language_level": 3,
        "allow_none_for_extension_args": False,
        "boundscheck": DEBUG,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": DEBUG,
        "embedsignature": True,
        "linetrace": LINETRACE,
    }


def settings():
    """All that changes what is built besides the sources; other settings start from scratch."""
    flags = {name: os.environ.get(name, "") for name in VARIABLES}
    ours = [compile_args(), macros(), directives(), ANNOTATE, VEC_REPORT, flags]
    return "\n".join([sys.version, *map(str, ours), Path("setup.py").read_text()])


def differs(stamp):
    """Whether what lies beside this stamp was made with other settings than ours."""
    return not stamp.exists() or stamp.read_text() != settings()


class BuildExtensions(build_ext):
    """build_ext on every core, and from scratch when the settings changed."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or JOBS

    def run(self):
        stamp = BUILD / ("inplace.settings" if self.inplace else "lib.settings")
        self.force = self.force or differs(stamp)
        if VEC_REPORT:
            VEC_REPORTS.mkdir(parents=True, exist_ok=True)
        super().run()
        stamp.write_text(settings())


def modules():
    """The extensions, their C files made in build/cython (annotate's HTML beside them)."""
    BUILD.mkdir(exist_ok=True)
    if not BLAS_STAMP.exists() or BLAS_STAMP.read_text() != str(blas_settings()):
        BLAS_STAMP.write_text(str(blas_settings()))
    stamp = BUILD / "cython.settings"
    extensions = cythonize(
        [extension(pyx) for pyx in MODULES],
        compiler_directives=directives(),
        build_dir=str(BUILD / "cython"),
        annotate=ANNOTATE,
        nthreads=JOBS,
        force=differs(stamp),
    )
    stamp.write_text(settings())
    return extensions


# cythonize starts processes, which may import this file again.
if __name__ == "__main__":
    setup(ext_modules=modules(), cmdclass={"build_ext": BuildExtensions})
