# SPDX-License-Identifier: BSD-3-Clause
"""Draws redistribution.svg, a picture of docs/recipes.md: python docs/images/redistribution.py."""

from __future__ import annotations

from pathlib import Path

from drawing import framed, text

WIDTH, HEIGHT = 760, 350
RANKS = 4
# 64 x 48 cells, four units each.
SIDES = 48 * 4, 64 * 4
LEFT, RIGHT, TOP = 40, 460, 78
SENDER = 1

STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .line { stroke: #1f2328; fill: none } .edge { stroke: #8c959f }
  .rank0 { fill: #9ec9f5 } .rank1 { fill: #f8c28b } .rank2 { fill: #a8dcb0 }
  .rank3 { fill: #d9b8e8 } .on-cell { fill: #1f2328 }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600 }
  .code { font-family: ui-monospace, monospace; font-size: 12px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .line { stroke: #e6e9ec } .edge { stroke: #6a737d }
    .rank0 { fill: #2f6ea8 } .rank1 { fill: #a8641a } .rank2 { fill: #2d7d44 }
    .rank3 { fill: #7d4a94 } .on-cell { fill: #ffffff }
  }
"""


def box(x: float, y: float, width: float, height: float, kind: str, stroke: float = 1) -> str:
    size = f'width="{width:g}" height="{height:g}"'
    return f'<rect x="{x:g}" y="{y:g}" {size} class="{kind}" stroke-width="{stroke:g}"/>'


def before() -> list[str]:
    width, height = SIDES[0], SIDES[1] / RANKS
    parts = [
        text(LEFT, 30, "before: blocks of rows", "ink title"),
        text(LEFT, 48, "rows.layout, parts (4, 1)", "faint code"),
    ]
    for rank in range(RANKS):
        y = TOP + rank * height
        parts.append(box(LEFT, y, width, height, f"rank{rank} edge"))
        parts.append(text(LEFT + 8, y + 20, f"rank {rank}", "on-cell title"))
    return [*parts, box(LEFT, TOP + SENDER * height, width, height, "line", 3)]


def after() -> list[str]:
    width, height = SIDES[0] / RANKS, SIDES[1] / RANKS
    parts = [
        text(RIGHT, 30, "after: blocks of columns", "ink title"),
        text(RIGHT, 48, "columns.layout, parts (1, 4)", "faint code"),
    ]
    for rank in range(RANKS):
        x = RIGHT + rank * (width + 10)
        parts += [
            box(x, TOP + source * height, width, height, f"rank{source} edge")
            for source in range(RANKS)
        ]
        parts.append(box(x, TOP + SENDER * height, width, height, "line", 3))
        parts.append(text(x + width / 2, TOP - 8, f"rank {rank}", "ink", "middle"))
    return parts


def between() -> list[str]:
    height = SIDES[1] / RANKS
    x, y = LEFT + SIDES[0] + 16, TOP + (SENDER + 0.5) * height
    return [
        f'<path d="M{x} {y} H{RIGHT - 14}" class="line" stroke-width="1.6" '
        'marker-end="url(#head)"/>',
        text(x, y - 28, f"rank {SENDER} sends one block to", "faint"),
        text(x, y - 10, "each other rank, of all fields", "faint"),
        text(x, y + 24, "together", "faint"),
    ]


def picture() -> str:
    label = "A grid in four blocks of rows, and the same in four blocks of columns"
    return framed((WIDTH, HEIGHT), label, STYLE, [*before(), *between(), *after()], arrows=True)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
