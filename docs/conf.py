# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx: pages in Markdown, the Python reference from docstrings. `make docs` runs it."""

import sys as _sys
from importlib.metadata import version as _version
from pathlib import Path as _Path

_HERE = _Path(__file__).parent
_sys.path += [str(_HERE), str(_HERE.parent / "tools")]

project = "transrank"
author = "The transrank authors"
copyright = f"2026, {author}"  # noqa: A001
release = _version(project)
version = release

extensions = [
    "language_tabs",
    "myst_parser",
    "name_tables",
    "sphinx.ext.apidoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "stub_docstrings",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

apidoc_modules = [
    {
        "path": "../python/transrank",
        "destination": "reference",
        "module_first": True,
        "separate_modules": True,
    }
]
autodoc_member_order = "bysource"
# A module documents what it defines: what it only passes on has a page of its own.
autodoc_default_options = {"ignore-module-all": True}
# Annotations say `Shape` or `bytes`, which several modules have.
suppress_warnings = ["ref.python"]
autodoc_typehints = "description"
autodoc_mock_imports = ["mpi4py_fft"]  # which few have
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"transrank {release}"
html_static_path: list[str] = []
exclude_patterns = ["_build"]
