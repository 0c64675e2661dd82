"""requirements.py GROUP...: prints the requirements of these groups, one per line.

A group is an extra of pyproject.toml, `run` for what kael itself needs, or `build` for what its
build needs. pip would build the project to install an extra; the tools build in place instead, so
that an edit costs one module and not a wheel.
"""

import sys
import tomllib
from pathlib import Path

PYPROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
GROUPS = {
    "build": PYPROJECT["build-system"]["requires"],
    "run": PYPROJECT["project"]["dependencies"],
    **PYPROJECT["project"]["optional-dependencies"],
}

if __name__ == "__main__":
    print("\n".join(requirement for group in sys.argv[1:] for requirement in GROUPS[group]))
