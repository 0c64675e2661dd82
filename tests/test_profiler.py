"""kael.profiler: exact counts on known operations, tables, traces, and nothing when off."""

import gc
import json
import os
import sys
import threading

import numpy as np
import pytest

import kael
from kael.profiler import Row, Table, profile


def rows(prof):
    return {row.key: row for row in prof.key_averages()}


def ones(*shape, **kwargs):
    return kael.ones(shape, **kwargs)


def test_counts_of_known_operations():
    a, b, bias = ones(3, 4), ones(4, 5), ones(5)
    batch, turned = ones(7, 3, 4), ones(4, 3).T
    with profile() as prof:
        a + 1.0
        a + turned
        kael.exp(a)
        a @ b
        batch @ b
        kael.nn.functional.linear(a, b.T.contiguous(), bias)
        kael.softmax(a, -1)
        a.sum(0)
    found = rows(prof)
    assert found["add"].calls == 2
    assert found["add"].bytes == (48 + 4 + 48) + 3 * 48
    assert found["add"].flops == 24
    assert (found["exp"].bytes, found["exp"].flops) == (96, 12)
    assert found["matmul"].flops == 2 * 3 * 4 * 5 + 2 * 7 * 3 * 4 * 5
    assert found["matmul"].bytes == 4 * (12 + 20 + 15) + 4 * (84 + 20 + 105)
    assert found["linear"].flops == 2 * 3 * 4 * 5 + 15
    assert found["linear"].bytes == 4 * (12 + 20 + 15 + 5)
    assert (found["softmax"].bytes, found["softmax"].flops) == (96, 60)
    assert (found["sum"].bytes, found["sum"].flops) == (48 + 16, 12)
    assert found["copy"].flops == 0
    assert all(row.threads == 1 for row in found.values())


def test_optimizer_step_is_an_operation():
    weight = ones(10, requires_grad=True)
    weight.sum().backward()
    optimizer = kael.optim.Adam([weight])
    optimizer.step()
    with profile() as prof:
        optimizer.step()
    assert rows(prof)["Adam"].bytes == 7 * 40


def test_backward_carries_the_forward_name():
    a, b = ones(3, 4, requires_grad=True), ones(4, 5)
    loss = (a @ b).sum()
    with profile() as prof:
        loss.backward()
    found = rows(prof)
    node, product = found["matmul backward"], found["matmul backward: matmul"]
    assert (node.calls, product.calls, product.flops) == (1, 1, 120)
    assert node.total_time >= node.self_time + product.total_time
    assert "matmul" not in found


def test_results_keep_their_bits():
    x = kael.from_numpy(np.random.default_rng(0).standard_normal((300, 200)).astype("f4"))
    plain = [x @ x.T, kael.softmax(x, 1), x.sum(), kael.exp(x)]
    with profile():
        profiled = [x @ x.T, kael.softmax(x, 1), x.sum(), kael.exp(x)]
    for one, other in zip(plain, profiled, strict=True):
        assert np.array_equal(one.numpy(), other.numpy())


def test_chunks_cover_a_shared_operation():
    with kael.num_threads(2), profile() as prof:
        ones(1 << 21) * 2.0
    (event,) = (event for event in prof.events() if event.name == "mul")
    assert event.chunk_count == len(event.chunks) >= 2
    assert 1 <= event.threads <= 2
    assert all(event.start <= start <= end <= event.end for _, start, end in event.chunks)


def test_allocations_belong_to_the_operation():
    kael.empty_cache()
    x = ones(1000)
    before = kael.allocator_stats()
    with profile() as prof:
        y = x + x
        del y
        x + x
    after = kael.allocator_stats()
    row = rows(prof)["add"]
    assert (row.hits, row.misses) == (after.hits - before.hits, after.misses - before.misses)
    assert row.hits + row.misses == 2


def test_nothing_is_recorded_when_off():
    x = ones(4)
    prof = profile()
    x + x
    assert prof.events() == []
    with prof:
        x + x
    x + x
    assert len(prof.events()) == 1
    with prof:
        x + x
    assert len(prof.events()) == 2


def test_profiles_nest():
    x = ones(4)
    with profile() as outer:
        x + x
        with profile() as inner:
            x * x
    assert [event.name for event in outer.events()] == ["add", "mul"]
    assert [event.name for event in inner.events()] == ["mul"]
    with pytest.raises(RuntimeError, match="already running"), outer:
        outer.start()


def test_errors_leave_the_profile_in_order():
    one, zero = kael.tensor([1]), kael.tensor([0])

    def refuse(first, last):
        raise KeyError(first)

    with profile() as prof:
        with pytest.raises(ZeroDivisionError):
            one // zero
        with pytest.raises(KeyError):
            kael.parallel_for(0, 4, 1, refuse)
        with pytest.raises(ValueError):
            ones(2) + ones(3)
        one + one
    found = rows(prof)
    assert found["parallel_for"].calls == found["add"].calls == 1
    assert all(event.scope is None for event in prof.events())
    assert found["add"].total_time == found["add"].self_time


def test_operations_inside_a_body_count_as_inner():
    x = ones(4)
    with kael.num_threads(1), profile() as prof:
        kael.parallel_for(0, 1, 1, lambda first, last: x + x)
    add, region = prof.events()
    assert (add.name, region.name) == ("add", "parallel_for")
    assert region.inner == add.end - add.start


def test_threads_have_their_own_lines():
    x = ones(64)

    def work():
        for _ in range(50):
            x + x

    with profile() as prof:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert rows(prof)["add"].calls == 150
    assert len({event.thread for event in prof.events()}) == 3


def test_a_dropped_profile_stops_itself():
    from kael._kernels import runtime

    prof = profile()
    prof.start()
    raw = prof._raw
    del prof
    gc.collect()
    ones(4) + ones(4)
    assert raw == []
    runtime.stop_profile(raw)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_goes_on():
    x = ones(4)
    with profile() as prof:
        x + x
        child = os.fork()
        if child == 0:
            x * x
            os._exit([event.name for event in prof.events()] != ["add", "mul"])
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(prof.events()) == 1


@pytest.fixture
def made():
    def roofs():
        return 1e18, 40e9 / 9  # flops, bytes per second

    fast = Row("fast", 2, 1000, 1500, 4000, 900, 1, 0, 1, 0, roofs)
    return Table([fast, Row("slow", 1, 9000, 9000, 4000, 0, 2, 8, 0, 1, roofs)])


@pytest.fixture(params=["rich", "plain"])
def drawn(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "rich.console", None)
    else:
        pytest.importorskip("rich")


def test_the_table_is_sorted_and_marks_what_is_slow(made, drawn):
    text = made.table()
    assert text.index("slow") < text.index("fast")
    assert "10% !" in text and "9 us" in text and "3.91 KiB" in text
    assert made.table(sort_by="count").index("fast") < made.table(sort_by="count").index("slow")
    assert "90%" in text and "90% !" not in text
    assert "slow" not in made.table(sort_by="key", row_limit=1)
    assert made.table(sort_by="roofline").index("fast") < text.index("fast")
    assert repr(made[0]).endswith("misses=0)")
    with pytest.raises(ValueError, match="sort_by must be one of key, calls"):
        made.table(sort_by="colour")


def test_roofline_marks_what_is_far_below():
    with profile(peak_flops=1e18, bandwidth=1e18) as prof:
        ones(4) + ones(4)
    (row,) = (row for row in prof.key_averages() if row.key == "add")
    assert 0 < row.roofline < 0.25
    assert "0% !" in prof.table()
    with pytest.raises(ValueError, match="peak_flops must be positive"):
        profile(peak_flops=0)


def test_the_machine_is_measured_once_and_leaves_the_books_alone(monkeypatch):
    from kael.lab import ceilings

    monkeypatch.setattr(ceilings, "array_bytes", lambda: 1 << 20)
    ceilings._roofs.cache_clear()
    with profile() as prof:
        y = ones(1 << 16) + 1.0
    before = kael.allocator_stats()
    (row,) = (row for row in prof.key_averages() if row.key == "add")
    assert ceilings._roofs.cache_info().misses == 0  # a profile that shows no table measures none
    assert row.roofline > 0 and "%" in prof.table()
    assert ceilings._roofs.cache_info().misses == 1
    after = kael.allocator_stats()
    assert (after.hits, after.misses) == (before.hits, before.misses)
    assert after.reserved_bytes == before.reserved_bytes
    assert y.shape == (1 << 16,)
    assert Row("view", 1, 5, 5, 0, 0, 1, 0, 0, 0, None).roofline is None
    with profile(bandwidth=1e18) as prof:
        ones(4) + 1.0
    (row,) = (row for row in prof.key_averages() if row.key == "add")
    assert row.roofline == row.flops / ceilings.roofs()[0] * 1e9 / row.self_time
    ceilings._roofs.cache_clear()  # those were the rates of a cache


# What Perfetto's importer asks of an event, by its phase.
FIELDS = {
    "X": {"name", "cat", "ph", "pid", "tid", "ts", "dur", "args"},
    "M": {"name", "ph", "pid", "tid", "args"},
}


def refuse_constant(text):
    raise AssertionError(f"{text} is not JSON")


def test_the_trace_follows_the_event_format(tmp_path):
    x = ones(64, 64, requires_grad=True)
    with kael.num_threads(2), profile() as prof:
        (x @ x).softmax(-1).sum().backward()
        ones(1 << 21) * 2.0
        kael.parallel_for(0, 4, 1, lambda first, last: x + x)
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    trace = json.loads(path.read_text(), parse_constant=refuse_constant)
    assert set(trace) == {"traceEvents", "displayTimeUnit"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    lines = {}
    for entry in trace["traceEvents"]:
        assert set(entry) == FIELDS[entry["ph"]]
        assert type(entry["pid"]) is int and type(entry["tid"]) is int
        assert type(entry["name"]) is str and entry["name"]
        assert type(entry["args"]) is dict
        if entry["ph"] == "M":
            assert entry["name"] in ("process_name", "thread_name")
            assert type(entry["args"]["name"]) is str
        else:
            assert type(entry["ts"]) is float and entry["ts"] > 0  # microseconds
            assert type(entry["dur"]) is float and entry["dur"] >= 0
            start = round(entry["ts"] * 1000)
            end = start + round(entry["dur"] * 1000)
            lines.setdefault(entry["tid"], []).append((start, -end))
    # Slices of one line lie inside each other or apart, else Perfetto drops them.
    for slices in lines.values():
        around = []
        for start, end in sorted(slices):
            while around and around[-1] <= start:
                around.pop()
            assert not around or -end <= around[-1]
            around.append(-end)
    # The same microseconds as the events', whatever the clock's origin.
    event = prof.events()[0]
    first = next(e for e in trace["traceEvents"] if e["name"] == event.label)
    assert (first["ts"], first["dur"]) == (event.start / 1e3, (event.end - event.start) / 1e3)


def test_the_chrome_trace_names_each_thread(tmp_path):
    a = ones(3, 4, requires_grad=True)
    with kael.num_threads(2), profile() as prof:
        (a @ ones(4, 5)).sum().backward()
        ones(1 << 21) * 2.0
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    entries = json.loads(path.read_text())["traceEvents"]
    slices = [entry for entry in entries if entry["ph"] == "X"]
    named = {entry["tid"] for entry in entries if entry["name"] == "thread_name"}
    assert {"op", "backward", "chunk"} == {entry["cat"] for entry in slices}
    assert {entry["tid"] for entry in slices} == named
    assert all(entry["dur"] >= 0 and entry["pid"] == os.getpid() for entry in slices)
    product = next(entry for entry in slices if entry["name"] == "matmul")
    assert product["args"]["flops"] == 120
