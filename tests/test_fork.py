"""Forks: child and grandchild compute, and the parent goes on, whatever ran at that moment.

Each test is a process of its own with a time limit, so that a hang is a failure.
"""

import pytest
from conftest import forks, run_script

# What every script begins with: a job whose result shows that each index ran once, and a way to
# run a function in a forked child and read its answer.
PRELUDE = """
import os, sys, threading, time
import kael
from kael._kernels import runtime
from kael._kernels.storage import allocate

def job(length=1000):
    out = [0] * length
    def body(first, last):
        for i in range(first, last):
            out[i] += i * i
    kael.parallel_for(0, length, 1, body)
    blocks = [allocate(n) for n in (1, 1000, 100000)]
    return sum(out) == sum(i * i for i in range(length)) and len(blocks) == 3

def in_child(function):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer = b"failed"
        try:
            answer = repr(function()).encode()
        finally:
            os.write(write, answer)
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read().decode()
    assert os.waitpid(pid, 0)[1] == 0
    return answer

"""

# Real operations, large enough to use the workers, and the digest of their bits.
OPERATIONS = """
import hashlib
import numpy as np

draw = np.random.default_rng(0)
x = kael.from_numpy(np.ldexp(draw.uniform(-2, 2, 1 << 21), draw.integers(-50, 51, 1 << 21))
                    .astype(np.float32))
square = x[: 300 * 300].reshape(300, 300)

def bits():
    results = [x + x, x.sum(), square @ square, (x[: 1 << 20].reshape(1024, 1024)).softmax(1)]
    return hashlib.sha256(b"".join(bytes(memoryview(r)) for r in results)).hexdigest()

"""

# qemu's user mode may lose its own locks when a process with threads forks.
pytestmark = [pytest.mark.native, forks]


def run(source):
    # Python 3.12 warns that a process with threads forks; that is what is tested here
    return run_script(PRELUDE + source, {"PYTHONWARNINGS": "ignore"})


def test_child_can_still_run_parallel_work():
    # pytorch/pytorch#17199: an op that used the pool in the parent hangs in a forked child
    out = run("""
kael.set_num_threads(4)
print(job(), in_child(job), job())
""")
    assert out == "True True True\n"


def test_parent_keeps_working_through_many_forks():
    # OpenMathLib/OpenBLAS#5520: after a fork the parent deadlocks
    out = run("""
kael.set_num_threads(4)
print(all(job() for _ in range(3)))
pid = os.fork()
if pid == 0:
    os._exit(0)
print(all(job() for _ in range(20)))
os.waitpid(pid, 0)
print(all(in_child(job) == "True" and job() for _ in range(50)))
""")
    assert out == "True\nTrue\nTrue\n"


def test_child_can_choose_any_thread_count():
    # pytorch/pytorch#1355: loaders survive only with one thread
    out = run("""
kael.set_num_threads(4)
job()
def child():
    answers = [kael.get_num_threads()]
    for count in (1, 3, 16, 2):
        kael.set_num_threads(count)
        answers.append(job())
    return answers
print(in_child(child), job())
""")
    assert out == "[4, True, True, True, True] True\n"


def test_grandchild_can_still_run_parallel_work():
    out = run("""
kael.set_num_threads(3)
job()
print(in_child(lambda: (job(), in_child(lambda: (job(), in_child(job))), job())), job())
""")
    assert out == "(True, \"(True, 'True')\", True) True\n"


def test_fork_before_the_first_job():
    out = run("""
print(in_child(job), job(), in_child(job))
""")
    assert out == "True True True\n"


@pytest.mark.parametrize("asleep", [False, True])
def test_fork_with_workers_spinning_or_asleep(asleep):
    out = run(f"""
kael.set_num_threads(4)
answers = set()
for _ in range(20):
    job()
    if {asleep}:
        time.sleep(0.002)
    answers.add(in_child(job))
print(answers)
""")
    assert out == "{'True'}\n"


def test_fork_from_a_second_thread_during_a_running_job():
    # pytorch/pytorch#19996
    out = run("""
kael.set_num_threads(4)
inside, stop = threading.Event(), threading.Event()
def body(first, last):
    inside.set()
    time.sleep(0.001)
def caller():
    while not stop.is_set():
        kael.parallel_for(0, 16, 1, body)
thread = threading.Thread(target=caller)
thread.start()
inside.wait()
def child():
    first = job()
    kael.set_num_threads(2)
    return first, job()
print({in_child(child) for _ in range(50)})
stop.set()
thread.join()
print(job())
""")
    assert out == "{'(True, True)'}\nTrue\n"


def test_fork_while_workers_enter_python():
    # CPython 3.11 waits in the child for the lock under which a thread of its parent was entered
    # among the threads that Python knows: one fork in 500.
    out = run("""
kael.set_num_threads(4)
sys.setswitchinterval(1e-5)
stop = threading.Event()
def caller():
    while not stop.is_set():
        kael.parallel_for(0, 64, 1, lambda first, last: None)
thread = threading.Thread(target=caller)
thread.start()
print({in_child(lambda: "alive") for _ in range(1000)})
stop.set()
thread.join()
""")
    assert out == "{\"'alive'\"}\n"


@pytest.mark.parametrize("where", ["caller", "worker"])
def test_fork_from_inside_a_body(where):
    # pytorch/pytorch#21956
    out = run(f"""
kael.set_num_threads(4)
main = threading.get_ident()
answers = []
def child():
    first = job()
    kael.set_num_threads(2)
    return first, job()
for _ in range(10):
    barrier = threading.Barrier(4)
    def body(first, last):
        barrier.wait()
        if (threading.get_ident() == main) == ({where!r} == "caller") and len(answers) < 100:
            answers.append(in_child(child))
    kael.parallel_for(0, 4, 1, body)
    assert job()
print(set(answers), len(answers) >= 10)
""")
    assert out == "{'(True, True)'} True\n"


def test_a_child_that_returns_into_the_region_is_told_what_it_lost():
    # The chunks that other threads were running have no thread in the child.
    out = run("""
kael.set_num_threads(4)
main = threading.get_ident()
barrier, forked = threading.Barrier(4), threading.Event()
pids = []
def body(first, last):
    barrier.wait()
    if threading.get_ident() == main:
        pids.append(os.fork())
        forked.set()
    else:
        forked.wait()  # in the middle of a chunk while main forks
try:
    kael.parallel_for(0, 4, 1, body)
    message = "finished"
except RuntimeError as error:
    message = str(error)
if pids[0] == 0:
    print("child:", "forked" in message, job(), flush=True)
    os._exit(0)
os.waitpid(pids[0], 0)
print("parent:", message, job())
""")
    assert out == "child: True True\nparent: finished True\n"


def test_a_child_that_returns_finishes_the_region_when_nothing_was_lost():
    out = run("""
kael.set_num_threads(2)
begun, seen, pids = [], [], []
main, entered = threading.get_ident(), threading.Event()
def others_end():
    # Asked outside of a region, the grain of two threads is the largest while the worker sleeps.
    while len(begun) < 8 or runtime.element_grain() < 524288:
        time.sleep(0.001)
def body(first, last):
    begun.append(first)
    if threading.get_ident() != main:
        entered.wait()  # main, too, has a chunk
        return
    entered.set()
    if not pids:
        waiting = threading.Thread(target=others_end)
        waiting.start()
        waiting.join()
        pids.append(os.fork())
    seen.append(first)
kael.parallel_for(0, 8, 1, body)
if pids[0] == 0:
    print("child:", len(seen), job(), flush=True)
    os._exit(0)
os.waitpid(pids[0], 0)
print("parent:", job())
""")
    assert out == "child: 1 True\nparent: True\n"


def test_a_worker_that_forks_and_returns_ends_the_child():
    out = run("""
kael.set_num_threads(2)
main = threading.get_ident()
pids = []
def body(first, last):
    if threading.get_ident() == main:
        while not pids:
            time.sleep(0.001)
    elif not pids:
        pid = os.fork()
        if pid:
            pids.append(pid)
kael.parallel_for(0, 8, 1, body)
print(os.waitpid(pids[0], 0)[1], job())
""")
    assert out == "0 True\n"


def test_multiprocessing_with_the_fork_method():
    out = run("""
import multiprocessing
kael.set_num_threads(4)
job()
with multiprocessing.get_context("fork").Pool(3) as pool:
    print(pool.map(job, [100] * 12) == [True] * 12)
print(job())
""")
    assert out == "True\nTrue\n"


def test_allocating_threads_do_not_lock_the_child_out():
    out = run("""
stop = threading.Event()
def allocator():
    while not stop.is_set():
        allocate(1000)
threads = [threading.Thread(target=allocator) for _ in range(3)]
for thread in threads:
    thread.start()
def child():
    blocks = [allocate(n) for n in range(1, 5000, 100)]
    stats = kael.allocator_stats()
    return stats.reserved_bytes == stats.in_use_bytes + stats.cached_bytes
print({in_child(child) for _ in range(20)})
stop.set()
for thread in threads:
    thread.join()
""")
    assert out == "{'True'}\n"


def test_kernels_that_take_scratch_memory_do_not_lock_the_child_out():
    # Kernels allocate without the GIL, so a fork may find the allocator's lock held by a thread
    # that the child does not have.
    out = run("""
kael.set_num_threads(2)
a, b = kael.ones(20_000, 8, 8), kael.ones(20_000, 8, 8).transpose(1, 2)
stop = threading.Event()
def multiply():
    while not stop.is_set():
        a @ b  # each of the 20000 products packs its b
thread = threading.Thread(target=multiply)
thread.start()
print({in_child(lambda: allocate(1000).nbytes) for _ in range(150)})
stop.set()
thread.join()
""")
    assert out == "{'1000'}\n"


# ---- Real operations ----


def test_operations_have_the_parents_bits_in_a_child_at_any_thread_count():
    # pytorch/pytorch#17199, #89693, #1355
    out = run(
        OPERATIONS
        + """
kael.set_num_threads(4)
expected = bits()
def child():
    answers = [bits() == expected]
    for count in (1, 3, 7):
        kael.set_num_threads(count)
        answers.append(bits() == expected)
    answers.append(in_child(lambda: bits() == expected))
    return answers
print(in_child(child), bits() == expected, in_child(child))
"""
    )
    right = "[True, True, True, True, 'True']"
    assert out == f"{right} True {right}\n"


def test_fork_from_a_second_thread_during_operations():
    # pytorch/pytorch#19996: the fork falls into a matmul that uses every worker
    out = run(
        OPERATIONS
        + """
kael.set_num_threads(4)
expected = bits()
big = x[: 1 << 20].reshape(1024, 1024)
running, stop = threading.Event(), threading.Event()
def caller():
    while not stop.is_set():
        big @ big
        running.set()
thread = threading.Thread(target=caller)
thread.start()
running.wait()
print({in_child(lambda: bits() == expected) for _ in range(5)})
stop.set()
thread.join()
print(bits() == expected)
"""
    )
    assert out == "{'True'}\nTrue\n"


def test_operations_inside_a_body_that_forks():
    # pytorch/pytorch#21956
    out = run(
        OPERATIONS
        + """
kael.set_num_threads(3)
expected = bits()
answers = []
def child():
    first = bits() == expected
    kael.set_num_threads(2)
    return first and bits() == expected
kael.parallel_for(0, 3, 1, lambda a, b: answers.append(in_child(child)))
print(answers, bits() == expected)
"""
    )
    assert out == "['True', 'True', 'True'] True\n"
