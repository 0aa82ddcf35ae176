# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures of this folder have in common: text, and the frame of an SVG file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

ARROWHEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" class="ink"/></marker></defs>'
)


def text(x: float, y: float, words: str, kind: str = "ink", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """A page of Markdown with these tables directly below the headings that they are named by."""
    for heading, lines in tables.items():
        page, found = re.subn(
            rf"^### {re.escape(heading)}\n(?:\|.*\n)*",
            lambda _, heading=heading, lines=lines: f"### {heading}\n{lines}\n",
            page,
            flags=re.MULTILINE,
        )
        assert found == 1, heading
    return page


def framed(
    size: tuple[float, float],
    label: str,
    style: str,
    parts: Iterable[str],
    *,
    arrows: bool = False,
    fixed: bool = False,
) -> str:
    """An SVG file that says `label` to those who cannot see it; `fixed` gives it a size."""
    width, height = size
    extent = f'width="{width}" height="{height:g}" ' if fixed else ""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {extent}viewBox="0 0 {width} {height:g}" '
            f'role="img" aria-label="{label}">',
            f"<style>{style}</style>",
            *([ARROWHEAD] if arrows else []),
            f'<rect width="{width}" height="{height:g}" rx="8" class="paper"/>',
            *parts,
            "</svg>\n",
        ]
    )
