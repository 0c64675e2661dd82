"""The house rules of CONTRIBUTING.md, held by tests: layout, state, instruction sets, flags."""

import importlib.util
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import needs_objdump, objdump

from kael import show_config

ROOT = Path(__file__).parents[1]
INCLUDE = ROOT / "include" / "kael"
KERNELS = ROOT / "kael" / "_kernels"
C_FILES = sorted(path for path in INCLUDE.rglob("*") if path.suffix in (".h", ".def"))
PYX_FILES = sorted(KERNELS.glob("*.pyx"))
PACKAGE_FILES = sorted(
    path for path in (ROOT / "kael").rglob("*") if path.suffix in (".py", ".pyx", ".pxd", ".pyi")
)
SOURCES = C_FILES + PACKAGE_FILES
FAMILIES = ["elementwise", "losses", "matmul", "optim", "random", "reduce", "rows"]
ISA_NAME = re.compile(r"avx|neon|_mm\d*_|__m(128|256|512)|\bv(ld|st)1q?_|float(32x4|64x2)", re.I)
MAY_NAME_AN_ISA = {
    *("foreach_isa.h", "isas.h", "cpu.h", "half.h", "turned_avx512.inc.h", "exact_x86.inc.h"),
    "few_avx512.inc.h",
}
MAX_LINES, MAX_COLUMNS = 400, 100
# A writable variable in objdump's symbol table, and the names that Cython and the linker give.
VARIABLE = r"^\S+ .{7} \.(?:data|bss|tdata|tbss)\s+\S+\s+(?:\.hidden )?(\S+)$"
NOT_OURS = re.compile(
    r"_*pyx|_*cython|main_interpreter_id|completed|_*(dso|edata|end|TMC|bss)|\.", re.I
)


def load(path):
    """A Python file outside any package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build_script(monkeypatch):
    """setup.py as a module; it reads the tree from the current folder."""
    monkeypatch.chdir(ROOT)
    return load(ROOT / "setup.py")


def relative(path):
    return str(path.relative_to(ROOT))


def code_of(path):
    """The text of a source file without comments and docstrings."""
    text = path.read_text()
    if path.suffix in (".h", ".def"):
        return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r'"""(?!\n    #include).*?"""|#[^\n]*', "", text, flags=re.S)


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_a_file_has_one_subject_and_fits(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= MAX_LINES
    assert [i for i, line in enumerate(lines, 1) if len(line) > MAX_COLUMNS] == []
    assert path.stem not in ("util", "utils", "misc", "helpers", "common")


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_only_its_own_files_name_an_instruction_set(path):
    isas = {name.stem for name in (INCLUDE / "vec").glob("*.h")}
    own = path.name in MAY_NAME_AN_ISA or path.stem.removeprefix("ukr_") in isas
    assert own or not (found := ISA_NAME.search(code_of(path))), found


@pytest.mark.parametrize("path", [*SOURCES, ROOT / "setup.py"], ids=relative)
def test_no_openmp_and_no_fast_math(path):
    banned = r"\bomp\b|\bomp_|openmp|\bprange\b|fast-math|Ofast|unsafe-math|FP_CONTRACT"
    assert not re.search(banned, code_of(path), re.I)


def test_flags_are_portable_and_never_fuse(build_script, monkeypatch):
    for native in (False, True):
        monkeypatch.setattr(build_script, "NATIVE", native)
        flags = build_script.compile_args()
        assert "-ffp-contract=off" in flags
        assert not [flag for flag in flags if re.match(r"-march|-mcpu|-mavx|-mfma|-ffast", flag)]


def test_every_header_is_a_dependency(build_script):
    assert sorted(path.resolve() for path in build_script.MODULES) == PYX_FILES
    compiled = set()
    for pyx in build_script.MODULES:
        compiled |= {path.resolve() for path in build_script.headers(pyx, set())}
    assert [relative(path) for path in C_FILES if path not in compiled] == []


def test_the_map_of_the_headers_shows_each():
    """And nothing that is not there; `fold.h .inc.h` names two."""
    text = (INCLUDE / "kael.h").read_text().partition("Words, as")[0]
    named = set(re.findall(r"(?<![\w/.])\w+(?:\.inc\.h|\.h|\.def|/)(?!\w)", text))
    named |= {f"{stem}.inc.h" for stem in re.findall(r"(\w+)\.h \.inc\.h", text)}
    there = {path.name + "/" * path.is_dir() for path in INCLUDE.iterdir()} - {"kael.h"}
    assert named - {"generic.h", "row.h", "tools/"} == there


@pytest.mark.parametrize("name", ["config.h", "isas.h", "kael.h", "runtime.h", "status.h"])
def test_what_families_share_stands_alone(name, build_script):
    compiler = os.environ.get("CC", "cc").split()
    if shutil.which(compiler[0]) is None:
        pytest.skip("no C compiler")
    flags = [*build_script.compile_args(), "-Werror", "-Iinclude", "-fsyntax-only", "-x", "c"]
    source = f'#include "kael/{name}"\n'
    subprocess.run([*compiler, *flags, "-"], input=source, text=True, check=True)


def test_ci_names_tests_that_exist():
    named = re.findall(r"tests/test_\w+\.py", (ROOT / ".ci" / "run").read_text())
    assert named and [name for name in named if not (ROOT / name).exists()] == []


def test_every_package_is_shipped():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent.relative_to(ROOT) for path in ROOT.glob("kael/**/__init__.py")}
    assert sorted(settings["packages"]) == sorted(".".join(folder.parts) for folder in folders)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_stem_names_header_binder_and_test(family):
    assert (INCLUDE / f"{family}.h").exists()
    assert (KERNELS / f"{family}.pyx").exists()
    assert (ROOT / "tests" / f"test_{family}.py").exists()


@pytest.mark.parametrize("family", ["elementwise", "matmul", "reduce", "rows"])
def test_one_stem_names_op_and_benchmark(family):
    assert (ROOT / "kael" / "ops" / f"{family}.py").exists()
    assert (ROOT / "asv_bench" / "benchmarks" / f"{family}.py").exists()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_compiled_by_one_module(family):
    including = [pyx.stem for pyx in PYX_FILES if f"kael/{family}.h" in pyx.read_text()]
    assert including == [family]


@pytest.mark.parametrize("pyx", PYX_FILES, ids=relative)
def test_no_python_without_the_gil(pyx, build_script, tmp_path):
    compiler = pytest.importorskip("Cython.Compiler.Main")
    annotate = load(ROOT / "tools" / "annotate.py")
    options = compiler.CompilationOptions(
        compiler.default_options,
        annotate=True,
        language_level=3,
        compiler_directives=build_script.directives(),
        output_file=str(tmp_path / pyx.with_suffix(".c").name),
    )
    compiler.compile(relative(pyx), options, full_module_name=f"kael._kernels.{pyx.stem}")
    html = (tmp_path / pyx.with_suffix(".html").name).read_text()
    assert annotate.offences(pyx.read_text(), html) == []
    listed = [name for name, *_ in annotate.functions(pyx.read_text(), html)]
    assert listed or not re.search(r"^ *(def|cdef .*\):$)", pyx.read_text(), re.M)


def built_modules():
    return [
        path for path in sorted(KERNELS.glob("*.so")) if path.with_name(stem_pyx(path)).exists()
    ]


def stem_pyx(module):
    return module.name.split(".")[0] + ".pyx"


@needs_objdump
@pytest.mark.parametrize("module", built_modules(), ids=relative)
def test_only_the_owner_of_the_process_has_mutable_state(module):
    """A variable of a header would exist once per module; pool, ISA and allocator exist once."""
    entries = re.findall(VARIABLE, objdump("-t", module), re.M)
    ours = [name for name in entries if not NOT_OURS.match(name)]
    assert module.name.startswith("runtime.") or ours == []


@needs_objdump
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="about x86-64's baseline")
@pytest.mark.parametrize("module", built_modules(), ids=relative)
def test_wide_instructions_stay_in_functions_of_their_set(module):
    wide = re.compile(r"\tv\w+ .*%[xyz]mm|%[yz]mm|%k[0-7]\b")
    function, offenders = "", set()
    for line in objdump("-d", "--no-show-raw-insn", module).splitlines():
        if head := re.match(r"[0-9a-f]+ <(\S+)>:", line):
            function = head[1]
        elif wide.search(line) and not re.search(r"_(avx2|avx512)(\.|$)", function):
            offenders.add(function)
    assert offenders == set()


# A move, an arithmetic instruction or a conversion of whole vectors of portable C.
PACKED = re.compile(r"\t(?:p\w+|mov[au]p[sd]|movdq[au]|\w+p[sd]|cvt\w+2(?:dq|p[sd])) .*%xmm")
WHOLE = {"generic": PACKED, "avx2": re.compile(r"%ymm"), "avx512": re.compile(r"%zmm")}
VEC_REPORT = load(ROOT / "tools" / "vec_report.py")


def without_vectors(module, kernels):
    """Pairs of kernel and instruction set whose function has no instruction of whole vectors."""
    waiting = {(kernel, isa) for kernel in kernels for isa in WHOLE}
    at = None
    for line in objdump("-d", "--no-show-raw-insn", module).splitlines():
        if head := re.match(r"[0-9a-f]+ <(\S+)>:", line):
            at = VEC_REPORT.kernel_of(head[1])
        elif at in waiting and WHOLE[at[1]].search(line):
            waiting.remove(at)
    return sorted(waiting)


@needs_objdump
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="about x86-64's registers")
@pytest.mark.skipif("-O1" in show_config("dict")["build"]["flags"], reason="not optimised")
@pytest.mark.parametrize("stem", VEC_REPORT.HOT)
def test_hot_loops_are_vectorised(stem):
    """The list is tools/vec_report.py's, which also says what gcc made of every other loop."""
    [module] = [path for path in built_modules() if path.name.startswith(f"{stem}.")]
    assert without_vectors(module, VEC_REPORT.HOT[stem]) == []


@needs_objdump
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the snippet is for x86-64")
@pytest.mark.parametrize("contract, fuses", [("off", False), ("fast", True)])
def test_the_compiler_does_not_fuse_behind_the_source(contract, fuses, build_script, tmp_path):
    """numerics R1, on a function of a target that has FMA; `fast` shows that the test can fail."""
    compiler = os.environ.get("CC", "cc").split()
    if shutil.which(compiler[0]) is None:
        pytest.skip("no C compiler")
    source, target = tmp_path / "fuse.c", tmp_path / "fuse.o"
    source.write_text(
        '__attribute__((target("avx2,fma"))) double f(double a, double b, double c)'
        "{ return a * b + c; }\n"
    )
    flags = [*build_script.compile_args(), f"-ffp-contract={contract}"]
    subprocess.run([*compiler, *flags, "-c", source, "-o", target], check=True)
    assert ("vfmadd" in objdump("-d", target)) == fuses
