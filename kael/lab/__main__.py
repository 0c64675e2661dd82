"""The command; see ``--help`` and docs/lab.md."""

import argparse
import contextlib
import importlib
import json
import os
import sys
from pathlib import Path

import kael
from kael.config import facts
from kael.lab import picture

EXPERIMENTS = {
    "roofline": "multiply-adds and memory of this machine, and operations below them",
    "ladder": "GF/s of each rung of matmul by size",
    "threads": "how add and matmul scale with the number of threads",
    "allocator": "bytes reserved, in use and cached over a training run",
}


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def parse(arguments):
    """The options, checked against this machine."""
    parser = Parser(
        prog="python -m kael.lab",
        description="Measures kael on this machine and prints a table and a chart.",
        epilog="\n".join(f"{name:10} {what}" for name, what in EXPERIMENTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiment", choices=EXPERIMENTS, metavar="EXPERIMENT")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="also write PNG and SVG here (needs matplotlib)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="default: kael's own choice")
    parser.add_argument("--isa", help="instruction set; default: kael's own choice")
    parser.add_argument("--quick", action="store_true", help="small sizes, short times")
    parser.add_argument("--json", action="store_true", help="print the values instead")
    options = parser.parse_args(arguments)
    problem = problem_of(options)
    if problem:
        parser.error(problem)
    return options


def problem_of(options):
    """What is wrong with the options, or None."""
    try:
        cpus = facts()["threads"]["usable CPUs"]
        if options.out is not None:
            picture.figure_class()
            options.out.mkdir(parents=True, exist_ok=True)
    except (ValueError, picture.NoMatplotlibError) as error:  # KAEL_ISA, KAEL_NUM_THREADS
        return str(error)
    except OSError as error:
        return f"--out {options.out}: {error.strerror}"
    if options.isa is not None and options.isa not in kael.usable_isas():
        usable = ", ".join(kael.usable_isas())
        return f"--isa {options.isa}: this machine runs {usable}"
    if options.threads is not None and not 1 <= options.threads <= cpus:
        return f"--threads {options.threads}: this process may use 1 to {cpus}"
    return None


def main(arguments=None):
    options = parse(arguments)
    experiment = importlib.import_module(f"kael.lab.{options.experiment}")
    with contextlib.ExitStack() as stack:
        if options.isa:
            stack.enter_context(kael.isa(options.isa))
        if options.threads:
            stack.enter_context(kael.num_threads(options.threads))
        result = experiment.measure(options.quick)
    print(json.dumps(result, indent=2) if options.json else experiment.text(result))
    if options.out is not None:
        for path in picture.save(options.experiment, result, experiment.draw, options.out):
            print(path, file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `| head` has read enough; the interpreter flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
