"""The thread pool: how ranges are cut, who runs them, and what survives an error."""

import ctypes
import ctypes.util
import itertools
import os
import platform
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import HANGS, bits_equal, run_script, spread

import kael
from kael._kernels import runtime

GRAIN = 524288  # kElementGrain
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def chunks_of(begin, end, grain):
    """The ranges that a body was called with, in order."""
    seen = []
    kael.parallel_for(begin, end, grain, lambda first, last: seen.append((first, last)))
    return sorted(seen)


def workers(expected):
    """Task folders of this process's workers; a joined thread's may linger for a moment."""
    for _ in range(3000):
        found = [task for task in Path("/proc/self/task").iterdir() if is_worker(task)]
        if len(found) == expected:
            break
        time.sleep(0.01)
    return found


def is_worker(task):
    try:
        return (task / "comm").read_text() == "kael-worker\n"
    except (FileNotFoundError, ProcessLookupError):
        return False


# For scripts: job() runs a parallel job; workers(n) is n, or what else it stays at.
COUNT_WORKERS = """
import os, threading, time
import kael

def job():
    calls = []
    kael.parallel_for(0, 100, 1, lambda a, b: calls.append((a, b)))
    return len(calls)

def is_worker(task):
    try:
        return open(f"/proc/self/task/{task}/comm").read() == "kael-worker\\n"
    except OSError:
        return False

def workers(expected):
    for _ in range(3000):
        found = sum(map(is_worker, os.listdir("/proc/self/task")))
        if found == expected:
            break
        time.sleep(0.01)
    return found

"""


def meet(count):
    """A body that returns once `count` threads are inside it, and the set of their idents."""
    barrier = threading.Barrier(count)
    idents = set()

    def body(first, last):
        idents.add(threading.get_ident())
        barrier.wait(HANGS)

    return body, idents


# ---- Ranges ----


def test_visits_every_index_once_in_chunks_of_at_least_the_grain(every_thread_count):
    for begin, length, grain in itertools.product(
        [0, 5, -17, 2**62], [1, 2, 7, 64, 1000], [1, 3, 64, 999, 1000]
    ):
        chunks = chunks_of(begin, begin + length, grain)
        visited = [i for first, last in chunks for i in range(first, last)]
        assert visited == list(range(begin, begin + length))
        sizes = {last - first for first, last in chunks[:-1]}
        assert len(sizes) <= 1
        assert all(size >= grain for size in sizes)


@pytest.mark.parametrize(
    ("threads", "length", "grain", "size", "count"),
    [
        (8, 100, GRAIN, 100, 1),
        (8, 1_000_000, GRAIN, 524288, 2),
        (8, 4_000_000, GRAIN, 524288, 8),
        (4, 3_000_000, GRAIN, 524288, 6),
        (4, 10, 1, 1, 10),
        (8, 100_000_000, GRAIN, 3_125_000, 32),
    ],
)
def test_chunks_follow_the_stated_traces(threads, length, grain, size, count):
    with kael.num_threads(threads):
        chunks = chunks_of(0, length, grain)
    starts = range(0, length, size)
    assert chunks == [(first, min(first + size, length)) for first in starts]
    assert len(chunks) == count


def test_last_chunk_of_the_trace_is_short():
    with kael.num_threads(4):
        assert chunks_of(0, 3_000_000, GRAIN)[-1] == (2_621_440, 3_000_000)


@pytest.mark.parametrize("end", [0, -1, -(2**62)])
def test_an_empty_range_calls_nothing(four_threads, end):
    assert chunks_of(0, end, 1) == []


def test_a_small_range_is_one_call_on_the_caller(four_threads):
    callers = []
    kael.parallel_for(3, 13, 10, lambda a, b: callers.append((a, b, threading.get_ident())))
    assert callers == [(3, 13, threading.get_ident())]


def test_one_thread_makes_one_call():
    with kael.num_threads(1):
        assert chunks_of(0, 10**9, 1) == [(0, 10**9)]


def test_the_longest_range_is_cut_without_overflow(four_threads):
    chunks = chunks_of(0, 2**63 - 1, 1)
    assert len(chunks) == 16
    assert chunks[0][0] == 0
    assert chunks[-1][1] == 2**63 - 1
    assert all(a[1] == b[0] for a, b in itertools.pairwise(chunks))
    with pytest.raises(OverflowError):
        chunks_of(-(2**63), 2**63 - 1, 1)


@pytest.mark.parametrize("grain", [0, -1, -(2**63)])
def test_a_grain_that_is_not_positive_is_refused(grain):
    with pytest.raises(ValueError, match=f"^parallel_for grain must be positive, got {grain}$"):
        chunks_of(0, 10, grain)


@pytest.mark.parametrize("bounds", [(0.5, 10, 1), (0, 10.0, 1), (0, 10, 1.5), ("0", 10, 1)])
def test_a_range_is_of_integers(bounds):
    with pytest.raises(TypeError, match="integer"):
        chunks_of(*bounds)


def test_the_body_of_a_refused_call_is_not_run():
    def body(first, last):
        raise AssertionError

    with pytest.raises(ValueError, match="grain"):
        kael.parallel_for(0, 10, 0, body)
    with pytest.raises(TypeError):
        kael.parallel_for(0, "10", 1, body)


def test_a_body_that_cannot_be_called_raises(every_thread_count):
    with pytest.raises(TypeError, match="body must be callable, got None"):
        kael.parallel_for(0, 10, 1, None)


# ---- Who works ----


@pytest.mark.parametrize("count", [2, 3, 7])
def test_the_configured_number_of_threads_works_the_caller_among_them(count):
    body, idents = meet(count)
    with kael.num_threads(count):
        kael.parallel_for(0, count, 1, body)
    assert len(idents) == count
    assert threading.get_ident() in idents


@linux
def test_workers_exist_only_after_a_parallel_job_and_follow_the_count():
    out = run_script(
        COUNT_WORKERS
        + """
counts = [workers(0)]
kael.set_num_threads(1)
counts += [job(), workers(0)]
kael.set_num_threads(5)
counts += [workers(0)]
kael.parallel_for(0, 100, 100, lambda a, b: None)
counts += [workers(0), job(), workers(4)]
kael.set_num_threads(2)
counts += [workers(0), job(), workers(1)]
kael.set_num_threads(1)
counts += [job(), workers(0)]
print(counts)
"""
    )
    assert out == "[0, 1, 0, 0, 0, 20, 4, 0, 8, 1, 1, 0]\n"


@linux
def test_workers_get_their_name_without_a_file():
    # A thread that names another opens a file in /proc. Children that have done so are reaped by
    # Linux 6.18 in seconds each when several processes fork at once, and their parents are busy.
    out = run_script(
        COUNT_WORKERS
        + """
import resource
kael.set_num_threads(4)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
calls = job()
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(calls, workers(3))
"""
    )
    assert out == "15 3\n"


@linux
def test_workers_leave_signals_to_the_callers_threads():
    with kael.num_threads(3):
        kael.parallel_for(0, 3, 1, meet(3)[0])
        masks = [
            int(line.split()[1], 16)
            for task in workers(2)
            for line in (task / "status").read_text().splitlines()
            if line.startswith("SigBlk")
        ]
    assert len(masks) == 2
    for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1):
        assert all(mask >> (caught - 1) & 1 for mask in masks)
    assert all(not mask >> (signal.SIGSEGV - 1) & 1 for mask in masks)


def test_a_nested_call_runs_inline_as_one_call(four_threads):
    nested = []

    def inner(first, last):
        nested.append((first, last, threading.get_ident()))

    def outer(first, last):
        me = threading.get_ident()
        kael.parallel_for(first * 100, first * 100 + 100, 1, inner)
        assert nested and nested.count((first * 100, first * 100 + 100, me)) == 1

    kael.parallel_for(0, 8, 1, outer)
    assert sorted(call[:2] for call in nested) == [(i * 100, i * 100 + 100) for i in range(8)]


def test_an_inline_outer_region_leaves_the_inner_one_the_threads(four_threads):
    inner = []

    def outer(first, last):
        kael.parallel_for(0, 64, 1, lambda a, b: inner.append((a, b)))

    kael.parallel_for(0, 2, 64, outer)
    assert len(inner) == 16


def test_a_second_caller_does_not_wait_for_the_active_job(four_threads):
    inside, leave = threading.Event(), threading.Event()

    def hold(first, last):
        inside.set()
        assert leave.wait(HANGS)

    with ThreadPoolExecutor(1) as first_caller:
        active = first_caller.submit(kael.parallel_for, 0, 4, 1, hold)
        assert inside.wait(HANGS)
        calls = []
        kael.parallel_for(0, 100, 1, lambda a, b: calls.append((a, b, threading.get_ident())))
        assert not active.done()
        leave.set()
        active.result(HANGS)
    assert calls == [(0, 100, threading.get_ident())]


def test_concurrent_callers_all_complete(four_threads):
    def caller(seed):
        total = [0] * 64

        def body(first, last):
            for i in range(first, last):
                total[i] += i * seed

        for _ in range(50):
            kael.parallel_for(0, 64, 1, body)
        return total

    with ThreadPoolExecutor(8) as callers:
        results = list(callers.map(caller, range(8)))
    assert results == [[50 * i * seed for i in range(64)] for seed in range(8)]


def test_never_more_threads_at_work_than_callers_and_workers(four_threads):
    # scikit-learn/scikit-learn#34070: outer threads times inner threads
    def caller(_):
        for _ in range(20):
            kael.parallel_for(0, 16, 1, lambda a, b: time.sleep(0.0005))

    with ThreadPoolExecutor(8) as callers:
        list(callers.map(caller, range(8)))
    assert sys.platform != "linux" or len(workers(3)) == 3


def test_results_are_right_when_many_threads_call_operations(four_threads):
    # scikit-learn/scikit-learn#34070: a second caller works inline, and its bits are the same
    x = kael.from_numpy(spread((300, 300)))
    expected = x @ x

    with ThreadPoolExecutor(8) as callers:
        for result in callers.map(lambda _: x @ x, range(40)):
            assert bits_equal(result, expected)
    assert sys.platform != "linux" or len(workers(3)) == 3


def test_workers_compute_in_the_default_floating_point_mode():
    # A thread inherits the rounding mode of the one that creates it.
    upward = {"x86_64": 0x800, "aarch64": 0x400000}.get(platform.machine())
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    if upward is None:
        return
    x = kael.from_numpy(spread(1000))
    nearest = x * (1 / 3)
    barrier, found = threading.Barrier(4), {}

    def body(first, last):
        barrier.wait(HANGS)  # every thread takes part
        found[threading.get_ident()] = x * (1 / 3)

    with kael.num_threads(4):
        libm.fesetround(upward)
        try:
            chunks_of(0, 100, 1)  # starts the workers
            rounded_up = x * (1 / 3)
        finally:
            libm.fesetround(0)
        assert not bits_equal(rounded_up, nearest)  # the caller keeps its own mode
        kael.parallel_for(0, 4, 1, body)
    assert len(found) == 4
    assert all(bits_equal(y, nearest) for y in found.values())


def test_grad_mode_is_copied_to_workers_and_restored(four_threads):
    for mode in (False, True):
        barrier = threading.Barrier(4)
        seen = []

        def body(first, last, barrier=barrier, seen=seen, mode=mode):
            barrier.wait(HANGS)
            seen.append(runtime.is_grad_enabled())
            runtime.set_grad_mode(not mode)  # must not reach the next chunk of this thread

        former = runtime.set_grad_mode(mode)
        try:
            kael.parallel_for(0, 4, 1, body)
            kael.parallel_for(0, 16, 1, lambda a, b, seen=seen: seen.append(grad_mode()))
            assert runtime.is_grad_enabled() is mode
        finally:
            runtime.set_grad_mode(former)
        assert seen == [mode] * 20


def grad_mode():
    return runtime.is_grad_enabled()


def test_grad_mode_belongs_to_the_thread():
    former = runtime.set_grad_mode(False)
    try:
        with ThreadPoolExecutor(1) as other:
            assert other.submit(runtime.is_grad_enabled).result() is True
    finally:
        runtime.set_grad_mode(former)


def test_sleeping_workers_want_the_large_grain():
    with kael.num_threads(1):
        assert runtime.element_grain() == GRAIN
    with kael.num_threads(2):
        chunks_of(0, 100, 1)
        for _ in range(3000):
            time.sleep(0.01)
            if runtime.element_grain() == GRAIN:
                break
        assert runtime.element_grain() == GRAIN
        grains = []
        kael.parallel_for(0, 2, 1, lambda a, b: grains.append(runtime.element_grain()))
        assert grains == [GRAIN, GRAIN]  # inside a body nothing is split further


# ---- Errors ----


class BodyError(Exception):
    pass


@pytest.mark.parametrize("where", ["caller", "worker"])
def test_an_exception_reaches_the_caller_and_the_pool_keeps_working(four_threads, where):
    caller = threading.get_ident()
    for _ in range(20):
        barrier = threading.Barrier(4)

        def body(first, last, barrier=barrier):
            barrier.wait(HANGS)
            if (threading.get_ident() == caller) == (where == "caller"):
                raise BodyError(first)

        with pytest.raises(BodyError):
            kael.parallel_for(0, 4, 1, body)
        assert len(chunks_of(0, 100, 1)) == 15


def test_the_first_exception_stops_the_claiming(four_threads):
    def calls_until_an_error():
        calls, raising = [], threading.Event()

        def body(first, last):
            calls.append(first)
            if first == 0:
                raising.set()
                raise BodyError
            assert raising.wait(HANGS)
            time.sleep(0.01)

        with pytest.raises(BodyError):
            kael.parallel_for(0, 16, 1, body)
        return len(calls)

    # Other threads may run all the chunks before the one that raises has left its body.
    assert any(calls_until_an_error() < 16 for _ in range(20))


def test_only_the_first_exception_is_raised(four_threads):
    barrier = threading.Barrier(4)
    raised = []

    def body(first, last):
        barrier.wait(HANGS)
        raised.append(first)
        raise BodyError(first)

    with pytest.raises(BodyError) as caught:
        kael.parallel_for(0, 4, 1, body)
    assert len(raised) == 4
    assert caught.value.args[0] in raised


def test_errors_leave_the_grad_mode_and_the_region_flag_alone(four_threads):
    def body(first, last):
        runtime.set_grad_mode(False)
        raise BodyError

    for count in (1, 4):
        kael.set_num_threads(count)
        with pytest.raises(BodyError):
            kael.parallel_for(0, 100, 1, body)
        assert runtime.is_grad_enabled()
        kael.set_num_threads(3)  # refused inside a region


def test_keyboard_interrupt_reaches_the_caller_and_the_pool_keeps_working(four_threads, interrupts):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        for _ in range(2000):
            kael.parallel_for(0, 16, 1, lambda a, b: time.sleep(0.002))
    timer.join()
    assert len(chunks_of(0, 100, 1)) == 15


# ---- The count ----


def test_the_count_can_be_read_but_not_changed_inside_a_body():
    for count in (1, 4):  # the answer does not depend on whether the body runs inline
        with kael.num_threads(count):
            seen = []
            kael.parallel_for(0, 10, 1, lambda a, b, s=seen: s.append(kael.get_num_threads()))
            assert set(seen) == {count}
            with pytest.raises(RuntimeError, match=r"set_num_threads .* inside"):
                kael.parallel_for(0, 10, 1, lambda a, b: kael.set_num_threads(2))
            assert kael.get_num_threads() == count


@pytest.mark.parametrize("count", [0, -1, 1025, 2**40, -(2**70)])
def test_counts_outside_the_range_are_refused(count):
    before = kael.get_num_threads()
    with pytest.raises(ValueError, match=f"1..1024, got {count}"):
        kael.set_num_threads(count)
    assert kael.get_num_threads() == before


@pytest.mark.parametrize("count", [2.0, "2", None, [2], True])
def test_counts_that_are_no_integers_are_refused(count):
    with pytest.raises(TypeError, match="integer"):
        kael.set_num_threads(count)


def test_num_threads_restores_the_former_count_also_after_an_error():
    before = kael.get_num_threads()
    with kael.num_threads(5):
        assert kael.get_num_threads() == 5
        with kael.num_threads(2):
            assert kael.get_num_threads() == 2
        assert kael.get_num_threads() == 5
    with pytest.raises(BodyError), kael.num_threads(6):
        raise BodyError
    assert kael.get_num_threads() == before
    with pytest.raises(ValueError, match="1024"), kael.num_threads(0):
        raise AssertionError
    assert kael.get_num_threads() == before


def test_changing_the_count_while_another_thread_runs_a_job():
    with kael.num_threads(3):
        stop = threading.Event()

        def caller():
            while not stop.is_set():
                assert len(chunks_of(0, 8, 1)) in (1, 8)

        with ThreadPoolExecutor(2) as callers:
            running = [callers.submit(caller) for _ in range(2)]
            for count in (1, 4, 2, 7, 3) * 10:
                kael.set_num_threads(count)
            stop.set()
            for future in running:
                future.result(HANGS)


@pytest.mark.parametrize("text", ["abc", "0", "-2", "4x", "100000", "", " 4", "+4", "1e1", "4,3"])
def test_a_bad_kael_num_threads_raises_at_first_use(text):
    # pydata/numexpr#318
    out = run_script(
        """
        import os, kael
        for _ in range(2):
            try:
                kael.get_num_threads()
            except ValueError as error:
                print(error)
        os.environ["KAEL_NUM_THREADS"] = "3"
        print(kael.get_num_threads())
        """,
        {"KAEL_NUM_THREADS": text},
    )
    refusal = f"KAEL_NUM_THREADS must be an integer between 1 and 1024, got '{text}'\n"
    assert out == refusal * 2 + "3\n"


def test_set_num_threads_wins_over_the_environment_over_the_hardware():
    script = """
        import os, kael
        print(kael.get_num_threads())
        kael.set_num_threads(3)
        os.environ["KAEL_NUM_THREADS"] = "7"
        print(kael.get_num_threads())
        """
    assert run_script(script, {"KAEL_NUM_THREADS": "1024"}) == "1024\n3\n"
    assert run_script(script, {"KAEL_NUM_THREADS": "005"}) == "5\n3\n"


# ---- Limits of the system ----


@linux
@pytest.mark.parametrize("allowed", [0, 20])
def test_a_worker_that_cannot_be_started_leaves_the_call_serial(allowed):
    # OpenMathLib/OpenBLAS#1668, numpy/numpy#21376: thread creation fails and the process dies
    out = run_script(
        COUNT_WORKERS
        + f"""
import resource
kael.set_num_threads(64)
soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
if os.getuid() == 0:
    os.setresuid(65533, 65533, 0)  # the limit does not bind root
resource.setrlimit(resource.RLIMIT_NPROC, ({allowed}, hard))
print([(job(), workers(0)) for _ in range(3)])
resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
print(job(), workers(63))
"""
    )
    assert out == "[(1, 0), (1, 0), (1, 0)]\n100 63\n"


@linux
@pytest.mark.native
@pytest.mark.skipif(
    runtime.build_report()[2] != "", reason="sanitizers reserve the address space for themselves"
)
def test_memory_for_some_stacks_only_leaves_the_call_serial():
    # numpy/numpy#21376: room for a few of the 63 workers; those that started are joined again
    out = run_script(
        COUNT_WORKERS
        + """
import resource
kael.set_num_threads(64)
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (60 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
print([(job(), workers(0)) for _ in range(3)])
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
print(job(), workers(63))
"""
    )
    assert out == "[(1, 0), (1, 0), (1, 0)]\n100 63\n"


@linux
def test_idle_workers_sleep():
    # OpenMathLib/OpenBLAS#5171: workers that spin for ever
    out = run_script(
        """
        import time, kael
        kael.set_num_threads(4)
        body = lambda a, b: None
        kael.parallel_for(0, 100, 1, body)
        def idle():
            time.sleep(1)
        def small_jobs():
            for _ in range(50):
                kael.parallel_for(0, 4, 1, body)
                time.sleep(0.02)
        def busy_seconds(run):
            start = time.process_time()
            run()
            return time.process_time() - start
        for run in (idle, small_jobs):
            # What other processes and the hypervisor take may be counted, too, but not each time.
            print(any(busy_seconds(run) < 0.05 for _ in range(5)))
        """
    )
    assert out == "True\nTrue\n"


def test_importing_starts_no_thread_and_reads_no_switch():
    out = run_script(
        """
        import threading, kael
        print(threading.active_count())
        """,
        {"KAEL_NUM_THREADS": "none", "KAEL_ISA": "none"},
    )
    assert out == "1\n"
