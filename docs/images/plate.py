# SPDX-License-Identifier: BSD-3-Clause
"""Draws plate.svg, the plate of docs/first-halo.md on two ranks: python docs/images/plate.py."""

from __future__ import annotations

import math
from pathlib import Path

from drawing import framed, text

WIDTH, HEIGHT = 760, 340
SIDE, TOP = 220, 66
WHOLE, LOCAL = 60, 364
HALO, GAP = 12, 36
LEVELS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)

STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .line { stroke: #1f2328; fill: none } .heat { fill: #d1542a; fill-opacity: 0.17 }
  .cold { fill: #eef2f6 } .halo { fill: #9ec9f5 } .held { fill: #d1542a }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600 } .small { font-size: 11.5px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .line { stroke: #e6e9ec } .heat { fill: #ef7a45 }
    .cold { fill: #232a31 } .halo { fill: #2f6ea8 } .held { fill: #ef7a45 }
  }
"""


def temperature(x: float, y: float) -> float:
    """Of the unit square, 1 along y = 0 and 0 along the other edges: Fourier's series."""
    return sum(
        4
        / (n * math.pi)
        * math.sin(n * math.pi * x)
        * math.exp(-n * math.pi * y)
        * (1 - math.exp(-2 * n * math.pi * (1 - y)))
        / (1 - math.exp(-2 * n * math.pi))
        for n in range(1, 400, 2)
    )


def depth(level: float, x: float) -> float:
    """Where the temperature falls below a level, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if temperature(x, middle) > level else (low, middle)
    return low


DEPTHS = [[(x / 48, depth(level, x / 48)) for x in range(1, 48)] for level in LEVELS]


def heat(left: float, top: float, begin: float, end: float) -> list[str]:
    """The part of the plate between two depths, the first of which is at `top`."""
    size = f'width="{SIDE}" height="{(end - begin) * SIDE:g}"'
    parts = [f'<rect x="{left}" y="{top}" {size} class="cold"/>']
    for depths in DEPTHS:
        inner = [(x, min(max(y, begin), end) - begin) for x, y in depths]
        path = [(0.0, 0.0), *inner, (1.0, 0.0)]
        if any(y > 0 for _, y in inner):
            places = " ".join(f"{left + x * SIDE:.1f} {top + y * SIDE:.1f}" for x, y in path)
            parts.append(f'<path d="M{places}z" class="heat"/>')
    return [*parts, f'<rect x="{left}" y="{top}" {size} class="line"/>']


def strip(y: float, kind: str) -> str:
    size = f'width="{SIDE}" height="{HALO}"'
    return f'<rect x="{LOCAL}" y="{y:g}" {size} class="{kind}"/><rect x="{LOCAL}" y="{y:g}" ' + (
        f'{size} class="line" stroke-dasharray="4 3"/>'
    )


def arrow(x: float, begin: float, end: float) -> str:
    return (
        f'<path d="M{x:g} {begin:g} V{end:g}" class="line" stroke-width="1.6" '
        'marker-end="url(#head)"/>'
    )


def whole() -> list[str]:
    middle, bottom = WHOLE + SIDE / 2, TOP + SIDE
    return [
        text(WHOLE, 30, "the plate", "ink title"),
        *heat(WHOLE, TOP, 0, 1),
        f'<rect x="{WHOLE}" y="{TOP - 4}" width="{SIDE}" height="5" class="held"/>',
        text(middle, TOP - 10, "held at 1", "faint", "middle"),
        text(WHOLE - 10, TOP + SIDE / 2, "0", "faint", "end"),
        text(WHOLE + SIDE + 8, TOP + SIDE / 2, "0", "faint"),
        text(middle, bottom + 18, "0", "faint", "middle"),
        text(middle, bottom + 40, "512 x 512 cells", "faint", "middle"),
    ]


def local() -> list[str]:
    half = SIDE / 2
    first, second = TOP, TOP + half + GAP
    x = LOCAL + SIDE + 14
    return [
        text(LOCAL, 30, "the arrays of two ranks", "ink title"),
        strip(first - HALO, "held"),
        *heat(LOCAL, first, 0, 0.5),
        strip(first + half, "halo"),
        strip(second - HALO, "halo"),
        *heat(LOCAL, second, 0.5, 1),
        strip(second + half, "cold"),
        arrow(LOCAL + SIDE * 0.35, first + half - 8, second - HALO / 2 - 2),
        arrow(LOCAL + SIDE * 0.65, second + 8, first + half + HALO / 2 + 2),
        text(x, first - 2, "halo: boundary values", "faint small"),
        text(x, first + half / 2, "rank 0 owns 256 rows"),
        text(x, first + half + 14, "halo: copies of one", "faint small"),
        text(x, first + half + 28, "row of the neighbor", "faint small"),
        text(x, second + half / 2 + 4, "rank 1 owns 256 rows"),
        text(x, second + half + 10, "halo: boundary values", "faint small"),
    ]


def picture() -> str:
    label = "A plate that is hot along its upper edge; its two halves with halos"
    return framed((WIDTH, HEIGHT), label, STYLE, [*whole(), *local()], arrows=True)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
