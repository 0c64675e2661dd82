"""kael.lab on tiny sizes: that it measures, prints, draws and refuses; never how fast."""

import builtins
import json

import pytest
from conftest import in_use_bytes

import kael
from kael._kernels import machine
from kael.lab import __main__ as lab
from kael.lab import allocator, ceilings, ladder, roofline, terminal, threads

TINY = {
    "roofline": (roofline, {"size": 8, "bytes": 8192, "seconds": 0.0}),
    "ladder": (ladder, {"sizes": (4, 8), "seconds": 0.0, "longest": 1.0}),
    "threads": (
        threads,
        {"bytes": 1 << 20, "in cache": 1024, "sizes": (8, 16), "rounds": 1, "seconds": 0.0},
    ),
    "allocator": (allocator, {"steps": 2, "batch": 4, "width": 8}),
}


@pytest.fixture(params=TINY)
def experiment(request, monkeypatch):
    """The name of an experiment whose --quick takes no time."""
    module, sizes = TINY[request.param]
    monkeypatch.setattr(module, "QUICK", sizes)
    monkeypatch.setattr(roofline, "QUICK", TINY["roofline"][1])
    return request.param


def refusal(arguments, capsys):
    """The one line that a refused command says."""
    with pytest.raises(SystemExit) as stopped:
        lab.main(arguments)
    said = capsys.readouterr()
    assert stopped.value.code != 0 and said.out == ""
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    return said.err


def test_prints_a_chart_and_a_table(experiment, capsys):
    assert lab.main([experiment, "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(experiment.capitalize()) and kael.get_isa() in lines[0]
    assert any(set(line) == {"-"} for line in lines) and any("+--" in line for line in lines)


def test_json_has_the_machine_and_positive_values(experiment, capsys):
    lab.main([experiment, "--quick", "--json", "--threads", "1", "--isa", "generic"])
    result = json.loads(capsys.readouterr().out)
    assert result["machine"]["isa"] == "generic" and result["machine"]["threads"] == 1
    if experiment == "roofline":
        assert {p["operation"] for p in result["points"]} >= {"add", "sum", "softmax", "Adam"}
        assert all(p["flops"] > 0 and p["bytes"] > 0 for p in result["points"])
        assert len(result["points"]) == 2 * (4 + len(roofline.RUNGS))


def test_the_choice_of_threads_and_isa_ends_with_the_command(experiment, capsys):
    before = kael.get_isa(), kael.get_num_threads()
    lab.main([experiment, "--quick", "--threads", "1", "--isa", "generic"])
    assert (kael.get_isa(), kael.get_num_threads()) == before


def test_pictures_name_axes_units_and_machine(experiment, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    lab.main([experiment, "--quick", "--out", str(tmp_path / "new")])
    png, svg = (tmp_path / "new" / f"{experiment}.{kind}" for kind in ("png", "svg"))
    assert png.read_bytes().startswith(b"\x89PNG") and "<svg" in svg.read_text()


def test_axes_have_titles_with_units(experiment):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    module = TINY[experiment][0]
    module.draw(module.measure(quick=True), figure)
    for axes in figure.axes:
        assert axes.get_xlabel()
    assert any("[" in axes.get_ylabel() for axes in figure.axes)


def test_without_matplotlib_text_works_and_pictures_are_refused(monkeypatch, capsys, tmp_path):
    real = builtins.__import__

    def missing(name, *arguments, **named):
        if name.startswith("matplotlib"):
            raise ImportError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.setattr(allocator, "QUICK", TINY["allocator"][1])
    assert lab.main(["allocator", "--quick"]) == 0
    capsys.readouterr()
    assert "pip install" in refusal(["allocator", "--quick", "--out", str(tmp_path)], capsys)


@pytest.mark.parametrize(
    "arguments, told",
    [
        ([], "EXPERIMENT"),
        (["rooflines"], "rooflines"),
        (["ladder", "--threads", "100000"], "--threads 100000"),
        (["ladder", "--threads", "0"], "--threads 0"),
        (["ladder", "--threads", "two"], "two"),
        (["ladder", "--isa", "sse9"], "generic"),
        (["ladder", "--fast"], "--fast"),
    ],
)
def test_bad_options_are_refused_in_one_line(arguments, told, capsys):
    assert told in refusal(arguments, capsys)


def test_a_file_where_the_folder_should_be_is_refused(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    (tmp_path / "taken").touch()
    assert "taken" in refusal(["allocator", "--out", str(tmp_path / "taken")], capsys)


def test_the_trace_balances_and_ends_empty():
    kael.empty_cache()
    before = in_use_bytes()
    trace = allocator.measure(quick=True)["trace"]
    assert all(one["reserved"] == one["in use"] + one["cached"] for one in trace)
    assert trace[-1]["in use"] == before and trace[-1]["cached"] == 0


def test_thread_counts_end_with_the_greatest():
    assert threads.thread_counts(1) == [1]
    assert threads.thread_counts(5) == [1, 2, 3, 4, 5]
    assert threads.thread_counts(64) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]


def test_ceilings_are_positive(every_isa):
    for dtype in (kael.float32, kael.float64):
        assert ceilings.fma_rate(dtype, seconds=0.0) > 0
    assert all(rate > 0 for rate in ceilings.bandwidth(4096, seconds=0.0).values())


@pytest.mark.parametrize("dtype", [kael.float32, kael.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("count", [1, 7, 16, 133, 100_003])
def test_walks_reach_each_element_once(dtype, count, every_isa, every_thread_count):
    g, p, a, b = (kael.full((count,), float(value), dtype=dtype) for value in (1, 2, 4, 8))
    assert machine.stream(g) == count * dtype.itemsize
    assert machine.stream(g, p) == 3 * count * dtype.itemsize
    assert p.tolist() == [3.0] * count
    machine.stream(g, p, a)  # a - 1 = 3; p + 1 + 3
    assert (a.tolist(), p.tolist()) == ([3.0] * count, [7.0] * count)
    machine.stream(g, p, a, b)  # b - 1 = 7; step 8; a - 8 = -5; step 3
    assert b.tolist() == [7.0] * count
    assert (a.tolist(), p.tolist()) == ([-5.0] * count, [10.0] * count)
    assert g.tolist() == [1.0] * count


def test_walks_refuse_what_does_not_match():
    g = kael.ones(8)
    for other in (kael.ones(7), kael.ones(8, dtype=kael.float64), kael.ones(8, 2)[:, 0]):
        with pytest.raises(ValueError, match="stream"):
            machine.stream(g, other)
    with pytest.raises(ValueError, match="p comes before a"):
        machine.stream(g, None, g)
    with pytest.raises(ValueError, match="steps"):
        machine.fma(False, 0, False)


def test_a_chart_shows_points_at_their_place():
    x, y = terminal.Axis(1, 8, 4, base=2), terminal.Axis(0, 2, 3)
    lines = terminal.chart([(1, 0, "a"), (8, 2, "b"), (9999, 1, "c")], x, y, "x", "y").splitlines()
    assert lines[1].endswith("+   b") and lines[3].endswith("+a") and "c" not in "".join(lines)


def test_a_table_aligns_its_columns():
    assert terminal.table(("a", "bb"), [("ccc", 1)]).splitlines() == [
        "a    bb",
        "-------",
        "ccc   1",
    ]
