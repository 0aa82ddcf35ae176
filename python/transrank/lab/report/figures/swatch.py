# SPDX-License-Identifier: BSD-3-Clause
"""The little sample of a curve in a figure's key."""

from __future__ import annotations

from markupsafe import Markup, escape

from transrank.lab.report.palette import BLOCK, Style

_PATHS = {
    "circle": "M14 2a4 4 0 1 0 .01 0Z",
    "square": "M10.5 2.5h7v7h-7Z",
    "triangle-up": "M14 1.5l4.5 8h-9Z",
    "diamond": "M14 1l4 5l-4 5l-4 -5Z",
    "triangle-down": "M14 10.5l4.5 -8h-9Z",
    "cross": "M12.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
    "triangle-right": "M18.5 6l-8 4.5v-9Z",
    "triangle-left": "M9.5 6l8 4.5v-9Z",
}


def swatch(style: Style) -> Markup:
    """SVG of a short line in the curve's colour and dashes with its mark, or of a bar's colour."""
    if style.shape == BLOCK:
        return Markup(  # noqa: S704 as below
            '<svg width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">'
            f'<rect width="14" height="12" fill="{escape(style.color)}"/></svg>'
        )
    dash = f' stroke-dasharray="{" ".join(map(str, style.dash))}"' if style.dash else ""
    color = escape(style.color)
    mark = "" if style.dash else f'<path d="{_PATHS[style.shape]}" fill="{color}"/>'
    return Markup(  # noqa: S704 every part is ours or escaped
        f'<svg width="28" height="12" viewBox="0 0 28 12" aria-hidden="true">'
        f'<line x1="0" x2="28" y1="6" y2="6" stroke="{color}" stroke-width="2"{dash}/>{mark}</svg>'
    )
