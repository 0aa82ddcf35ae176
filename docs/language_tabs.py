# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx: shows the blocks of a recipe that are labelled with a language as tabs, side by side."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LABELLED = re.compile(
    r"^\*(Python|C\+\+|C|Fortran)\*\n((?:```.*?^```\n)+)", re.DOTALL | re.MULTILINE
)


def show_tabs(_app: Sphinx, page: str, source: list[str]) -> None:
    if page.startswith("recipes/"):
        source[0] = LABELLED.sub(r"````{tab} \1\n\2````\n", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx_inline_tabs")
    app.connect("source-read", show_tabs)
    return {"parallel_read_safe": True}
