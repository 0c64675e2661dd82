"""The micro-kernels as they were compiled: no loop that multiplies writes to the stack, which is
where a sum goes that finds no register."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import needs_objdump, objdump

import kael

# Rows of the tallest kernels of each set of a machine, or groups of rows.
TALLEST = {
    "x86_64": {
        "avx512": {"f32": 14, "f64": 8, "turned": 24, "stream": 4, "few": {"f32": 5}},
        "half_avx512": {"f32": 14, "f64": 8, "turned": {"f32": 12, "f64": 4}},
        "avx2": {"f32": 6, "f64": 6, "turned": 4, "stream": 3},
    },
    "aarch64": {"neon": {"f32": 8, "f64": 6, "stream": 4}},
}.get(platform.machine(), {})
# Of integers: 4 rows, or 2 where a product is put together from products of halves.
HALVES = {
    "x86_64": [("exact32_tile", "generic"), ("exact64_tile", "generic"), ("exact64_tile", "avx2")]
}.get(platform.machine(), [])
# kl_tile_14x2_f32_avx512, kl_turned_8_f64_avx2, kl_exact32_edge_4x2_any_generic, perhaps .part.0
KERNEL = re.compile(
    r"<kl_((?:exact\d+_)?(?:tile|edge|turned|stream|few))_(\d+)(?:x\d+)?_(f\d\d|any)_(\w+)"
    r"[\w.]*>:\n((?:.+\n)+)"
)
# Where two sets' kernels are the same, as of integers on AArch64, gcc keeps one.
SAME = re.compile(r".*\t(?:b|jmp)\s+[0-9a-f]+ <kl_")
MULTIPLIES = re.compile(r"\b(?:v?fn?madd|fml[as]|v?p?mul|u?ml[as]|umul)")
SPILLS = re.compile(r"%[xyz]mm\d+,\S*\(%(?:rsp|frame)|\bcall|\bst[rp]\s+[qd]\d+.*\[sp|\tbl\s")


def innermost_loops(body):
    """The instructions between a backward jump and its target, where no other such pair lies, nor
    the function's end."""
    lines = [line.split(":", 1) for line in body.splitlines() if ":" in line]
    at = {int(address, 16): number for number, (address, _) in enumerate(lines)}
    loops = []
    for last, (_, code) in enumerate(lines):
        jump = re.match(r"\s*(?:j\w+|b\.\w+|cbn?z\s+\w+,)\s+([0-9a-f]+)", code)
        first = at.get(int(jump[1], 16), last) if jump else last
        through = any("ret" in code for _, code in lines[first:last])
        if first < last and not through and not any(first <= inner for inner, _ in loops):
            loops.append((first, last))
            yield "\n".join(code for _, code in lines[first : last + 1])


def kernels(module):
    """The loops that multiply, of each kernel: {(kind, type, set): {rows: [loops]}}."""
    found = {}
    for kind, rows, dtype, isa, body in KERNEL.findall(objdump("-d", "--no-show-raw-insn", module)):
        if "%rsp,%rbp" in body:
            body = body.replace("%rbp", "%frame")
        loops = [loop for loop in innermost_loops(body) if MULTIPLIES.search(loop)]
        if SAME.match(body):
            loops = ["that of the other kernel"]
        found.setdefault((kind, dtype, isa), {}).setdefault(int(rows), []).append(loops)
    return found


def expected():
    """Every kind of kernel of this machine, and the rows of its tallest."""
    tallest = {}
    for isa, rows in TALLEST.items():
        for dtype in ("f32", "f64"):
            tallest["tile", dtype, isa] = tallest["edge", dtype, isa] = rows[dtype]
            for kind in rows.keys() & {"turned", "stream", "few"}:
                each = rows[kind]
                each = each if isinstance(each, dict) else {"f32": each, "f64": each}
                if dtype in each:
                    tallest[kind, dtype, isa] = each[dtype]
    for isa in (*TALLEST, "generic"):
        if not isa.startswith("half"):
            for kind in (f"exact{w}_{tile}" for w in (8, 32, 64) for tile in ("tile", "edge")):
                tallest[kind, "any", isa] = (
                    2 if (kind.replace("edge", "tile"), isa) in HALVES else 4
                )
    return tallest


@needs_objdump
@pytest.mark.skipif(
    kael.show_config("dict")["build"]["sanitizer"] != "none",
    reason="sanitizers watch the stack by using it",
)
def test_no_sum_leaves_the_registers():
    """In every kernel of every set, type and height, whether this machine can run it or not. Sums
    of portable C leave them for every fma, a function where the baseline has none."""
    found = kernels(next(Path(kael.__file__).parent.glob("_kernels/matmul.*.so")))
    for kind, tallest in expected().items():
        assert sorted(found[kind]) == list(range(1, tallest + 1)), kind
        for rows, shapes in found[kind].items():
            for loops in shapes:
                assert loops, (kind, rows)
                assert not [loop for loop in loops if SPILLS.search(loop)], (kind, rows)


@needs_objdump
@pytest.mark.skipif(
    shutil.which(os.environ.get("CC", "cc").split()[0]) is None, reason="no C compiler"
)
@pytest.mark.parametrize("rows, spills", [(4, False), (40, True)])
def test_a_sum_that_finds_no_register_is_seen(rows, spills, tmp_path):
    """That the test above can fail: no machine has registers for 40 rows."""
    source, target = tmp_path / "tile.c", tmp_path / "tile.o"
    source.write_text(
        "typedef float vec __attribute__((vector_size(16), aligned(4)));\n"
        f"void kl_tile_{rows}x1_f32_any(const float *a, const vec *b, vec *out, long inner) {{\n"
        + "".join(f"vec s{i} = out[{i}];\n" for i in range(rows))
        + "for (; inner > 0; --inner, ++b) {\n"
        + "".join(f"s{i} += *a++ * *b;\n" for i in range(rows))
        + "}\n"
        + "".join(f"out[{i}] = s{i};\n" for i in range(rows))
        + "}\n"
    )
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-O3", "-c", source, "-o", target], check=True)
    [(loops,)] = kernels(target)["tile", "f32", "any"].values()
    assert loops
    assert any(SPILLS.search(loop) for loop in loops) == spills
