"""Sphinx: `make docs` writes build/docs. The reference is generated, see reference.py."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import reference  # noqa: E402

import kael  # noqa: E402

project = "kael"
author = "The kael developers"
project_copyright = "The kael developers"
version = release = kael.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
add_module_names = False
# A reference that leads nowhere is a warning; the words of types are not all references.
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]
python_maximum_signature_line_length = 80

# Alabaster comes with Sphinx; nothing is loaded from elsewhere.
html_theme = "alabaster"
html_static_path = ["_static"]
html_theme_options = {
    "description": "the same bits, whatever runs them",
    "fixed_sidebar": True,
    "page_width": "1080px",
}

reference.write(HERE / "api")
