"""What is found out about the CPU and its limits, and the choice of an instruction set."""

import os
import platform
import sys
from pathlib import Path

import pytest
from conftest import run_script

import kael
from kael._kernels import runtime
from kael._kernels.blas import blas_available

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's interfaces")


def tree(root, groups, **files):
    """A fake root: /proc/self/cgroup with these lines, and files by path below /sys/fs/cgroup."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text("".join(f"{line}\n" for line in groups))
    for path, text in files.items():
        file = root / "sys/fs/cgroup" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        # ollama/ollama#17916, uxlfoundation/oneTBB#190
        ("400000 100000\n", 4),
        ("max 100000\n", None),
        ("150000 100000\n", 1),
        ("199999 100000\n", 1),
        ("200000 100000\n", 2),
        ("50000 100000\n", 1),
        ("1000 1000000\n", 1),
        ("9223372036854775807 100000\n", 92233720368547),
        ("400000 0\n", None),
        ("400000\n", None),
        ("-1 100000\n", None),
        ("0 100000\n", None),
        ("four 100000\n", None),
        ("400000 x\n", None),
        ("400000 100000 7\n", None),
        ("", None),
        ("\n", None),
    ],
)
def test_quota_of_cgroup_version_2(tmp_path, text, cpus):
    assert runtime.cgroup_cpus(tree(tmp_path, ["0::/"], **{"cpu.max": text})) == cpus


@pytest.mark.parametrize(
    ("quota", "period", "cpus"),
    [
        ("400000\n", "100000\n", 4),
        ("250000\n", "100000\n", 2),
        ("50000\n", "100000\n", 1),
        ("-1\n", "100000\n", None),
        ("400000\n", "0\n", None),
        ("x\n", "100000\n", None),
        ("400000\n", "\n", None),
        ("400000\n", None, None),
    ],
)
@pytest.mark.parametrize("mount", ["cpu", "cpu,cpuacct"])
def test_quota_of_cgroup_version_1(tmp_path, quota, period, cpus, mount):
    files = {f"{mount}/cpu.cfs_quota_us": quota}
    if period is not None:
        files[f"{mount}/cpu.cfs_period_us"] = period
    groups = ["12:pids:/", "3:cpuset:/", f"4:{mount}:/", "1:name=systemd:/", "0::/"]
    assert runtime.cgroup_cpus(tree(tmp_path, groups, **files)) == cpus


def test_the_tightest_level_of_nested_groups_counts(tmp_path):
    root = tree(
        tmp_path,
        ["0::/kubepods/pod:7/box"],
        **{
            "cpu.max": "max 100000\n",
            "kubepods/cpu.max": "800000 100000\n",
            "kubepods/pod:7/cpu.max": "300000 100000\n",
            "kubepods/pod:7/box/cpu.max": "max 100000\n",
            "kubepods/other/cpu.max": "100000 100000\n",
        },
    )
    assert runtime.cgroup_cpus(root) == 3


def test_a_path_of_the_host_that_does_not_exist_here_falls_back_to_the_mount(tmp_path):
    root = tree(tmp_path, ["0::/docker/0123abcd"], **{"cpu.max": "200000 100000\n"})
    assert runtime.cgroup_cpus(root) == 2


def test_both_versions_at_once(tmp_path):
    files = {
        "unified/a/cpu.max": "500000 100000\n",
        "cpu/b/cpu.cfs_quota_us": "600000\n",
        "cpu/b/cpu.cfs_period_us": "100000\n",
    }
    assert runtime.cgroup_cpus(tree(tmp_path, ["1:cpu:/b", "0::/a"], **files)) == 5


@pytest.mark.parametrize(
    "groups",
    [[], ["nonsense"], ["1"], ["1:cpu"], [":"], ["::"], ["0::" + "/x" * 5000], ["1:cpuset:/"]],
)
def test_groups_that_cannot_be_understood_are_no_limit(tmp_path, groups):
    files = {"cpu/cpu.cfs_quota_us": "100000\n", "cpu/cpu.cfs_period_us": "100000\n"}
    assert runtime.cgroup_cpus(tree(tmp_path, groups, **files)) is None


def test_missing_files_are_no_limit(tmp_path):
    assert runtime.cgroup_cpus(str(tmp_path)) is None
    assert runtime.cgroup_cpus(tree(tmp_path, ["0::/a/b"])) is None


def test_the_mounts_limit_counts_without_proc(tmp_path):
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/cpu.max").write_text("300000 100000\n")
    assert runtime.cgroup_cpus(str(tmp_path)) == 3


@linux
def test_the_default_count_is_the_affinity_within_the_quota():
    out = run_script(
        """
        import os
        os.environ.pop("KAEL_NUM_THREADS", None)
        import kael
        from kael._kernels import runtime
        expected = len(os.sched_getaffinity(0))
        quota = runtime.cgroup_cpus()
        print(kael.get_num_threads() == min(expected, quota or expected))
        print(runtime.threads_report()[1])
        """
    )
    assert out == "True\nhardware\n"


@linux
def test_the_default_count_follows_the_affinity_mask():
    out = run_script(
        """
        import os
        os.environ.pop("KAEL_NUM_THREADS", None)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        import kael
        print(kael.get_num_threads())
        """
    )
    assert out == "1\n"


# ---- Instruction sets ----


def test_generic_is_always_usable_and_last():
    assert kael.usable_isas()[-1] == "generic"
    assert set(kael.usable_isas()) <= set(runtime.compiled_isas())


@pytest.mark.native  # an emulator shows its host's /proc/cpuinfo
@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="reads /proc/cpuinfo"
)
def test_the_kernel_agrees_on_the_instruction_sets():
    # The kernel lists a feature only if it also saves the registers.
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = set(next(line for line in lines if line.startswith("flags")).split())
    wanted = {
        "avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx2", "fma"},
        "avx2": {"avx2", "fma"},
        "generic": set(),
    }
    assert kael.usable_isas() == tuple(name for name, needs in wanted.items() if needs <= flags)


def test_isa_switches_and_restores():
    before = kael.get_isa()
    for name in kael.usable_isas():
        with kael.isa(name):
            assert kael.get_isa() == name
            with kael.isa("generic"):
                assert kael.get_isa() == "generic"
            assert kael.get_isa() == name
    with pytest.raises(ZeroDivisionError), kael.isa("generic"):
        raise ZeroDivisionError
    assert kael.get_isa() == before


@pytest.mark.parametrize("name", ["", "AVX2", "avx1024", "generic ", "neon" * 100])
def test_an_unknown_name_lists_the_usable_ones(name):
    before = kael.get_isa()
    with pytest.raises(ValueError, match=", ".join(kael.usable_isas())), kael.isa(name):
        raise AssertionError
    assert kael.get_isa() == before
    with pytest.raises(TypeError), kael.isa(2):
        raise AssertionError


@pytest.mark.parametrize("name", ["", "avx", "AVX2", "none"])
def test_a_bad_kael_isa_raises_at_first_use(name):
    out = run_script(
        """
        import os, kael
        for _ in range(2):
            try:
                kael.get_isa()
            except ValueError as error:
                print(error)
        os.environ["KAEL_ISA"] = "generic"
        print(kael.get_isa(), kael.get_num_threads() > 0)
        """,
        {"KAEL_ISA": name},
    )
    usable = ", ".join(kael.usable_isas())
    refusal = f"KAEL_ISA must be one of {usable} on this machine, got '{name}'\n"
    assert out == refusal * 2 + "generic True\n"


def test_kael_isa_picks_a_level():
    for name in kael.usable_isas():
        out = run_script("import kael; print(kael.get_isa())", {"KAEL_ISA": name})
        assert out == f"{name}\n"
    env = {key: value for key, value in os.environ.items() if key != "KAEL_ISA"}
    if env == dict(os.environ):
        assert kael.get_isa() == kael.usable_isas()[0]


# ---- What is shown ----


def test_show_config_in_three_forms(capsys):
    import json

    facts = kael.show_config("dict")
    assert facts["instruction sets"]["chosen"] == kael.get_isa()
    assert facts["instruction sets"]["usable"] == list(kael.usable_isas())
    assert facts["threads"]["count"] == kael.get_num_threads()
    assert facts["BLAS"] == {"used": blas_available(), "bits promised": False}
    assert json.loads(kael.show_config("json")).keys() == facts.keys()
    assert kael.show_config() is None
    shown = capsys.readouterr().out
    assert all(section in shown for section in facts)
    with pytest.raises(ValueError, match="'html'"):
        kael.show_config("html")


def test_show_config_says_where_the_choices_came_from():
    script = """
        import os, kael
        def origins():
            facts = kael.show_config("dict")
            return facts["threads"]["from"], facts["instruction sets"]["from"]
        print(*origins())
        kael.set_num_threads(2)
        with kael.isa("generic"):
            print(*origins())
        pid = os.fork()
        if pid == 0:
            os._exit(kael.show_config("dict")["threads"]["forks"])
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
    out = run_script(script, {"KAEL_NUM_THREADS": "3", "KAEL_ISA": "generic"})
    assert out == "KAEL_NUM_THREADS KAEL_ISA\nset_num_threads isa\n1\n"


def test_a_sub_interpreter_imports_or_refuses_cleanly():
    # python/cpython#117649
    out = run_script(
        """
        import kael
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        other = interpreters.create()
        code = "try:\\n    import kael\\nexcept ImportError:\\n    pass\\n"
        interpreters.run_string(other, code)
        interpreters.destroy(other)
        print(kael.get_num_threads() > 0)
        """
    )
    assert out == "True\n"
