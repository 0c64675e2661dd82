"""requirements.py EXTRA...: prints what kael and these extras need, one requirement per line.

pip cannot install an extra's requirements without building the project; the Makefile builds in
place instead, so that an edit costs one module and not a wheel.
"""

import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def main(extras):
    wanted = list(PROJECT["dependencies"])
    for extra in extras:
        wanted += PROJECT["optional-dependencies"][extra]
    # No spaces: the caller's shell splits on them.
    print("\n".join(requirement.replace(" ", "") for requirement in wanted))


if __name__ == "__main__":
    main(sys.argv[1:])
