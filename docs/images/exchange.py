# SPDX-License-Identifier: BSD-3-Clause
"""Draws exchange.svg, the picture of docs/exchange.md: python docs/images/exchange.py."""

from __future__ import annotations

from pathlib import Path

from drawing import framed, text

WIDTH, HEIGHT = 760, 480
CELL = 30
LEFT = 40
# Rows of twelve: four per rank. Ghosts of each rank, by global index.
GHOSTS = {0: [4, 8], 1: [3, 8], 2: [7, 0]}
NODE_OF = {0: "A", 1: "A", 2: "B"}
BOX_LEFT = {0: LEFT, 1: 292, 2: 544}
OWNED_Y, GHOST_Y = 190, 290

STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .line { stroke: #1f2328; fill: none } .frame { stroke: #8c959f; fill: none }
  .rank0 { fill: #9ec9f5 } .rank1 { fill: #f8c28b } .rank2 { fill: #a8dcb0 }
  .on-cell { fill: #1f2328 }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600 } .small { font-size: 11.5px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .line { stroke: #e6e9ec } .frame { stroke: #6a737d }
    .rank0 { fill: #2f6ea8 } .rank1 { fill: #a8641a } .rank2 { fill: #2d7d44 }
    .on-cell { fill: #ffffff }
  }
"""


def cell(x: float, y: float, row: int, *, ghost: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if ghost else ""
    return (
        f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="3" '
        f'class="rank{row // 4}"/>'
        f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="3" class="line"{dash}/>'
        + text(x + CELL / 2, y + 20, str(row), "on-cell", "middle")
    )


def owned_at(row: int) -> float:
    return BOX_LEFT[row // 4] + 26 + (row % 4) * CELL


def ghost_at(rank: int, place: int) -> float:
    return BOX_LEFT[rank] + 56 + place * CELL


def layout() -> list[str]:
    parts = [text(LEFT, 34, "layout: who owns what", "ink title")]
    parts += [cell(LEFT + row * (CELL + 2), 46, row) for row in range(12)]
    parts.append(text(LEFT + 12 * (CELL + 2) + 14, 66, "rows 0 to 11 on ranks 0, 1, 2", "faint"))
    return parts


def ranks() -> list[str]:
    parts = [text(LEFT, 122, "route: what moves between whom", "ink title")]
    for node, x, width in (("A", 28, 448), ("B", 532, 200)):
        parts.append(
            f'<rect x="{x}" y="140" width="{width}" height="206" rx="8" class="frame"/>'
            + text(x + width - 10, 158, f"node {node}", "faint small", "end")
        )
    for rank, ghosts in GHOSTS.items():
        parts.append(text(BOX_LEFT[rank], OWNED_Y - 14, f"rank {rank}: owned", "faint small"))
        parts += [cell(owned_at(row), OWNED_Y, row) for row in range(4 * rank, 4 * rank + 4)]
        parts.append(text(BOX_LEFT[rank], GHOST_Y + 20, "ghosts", "faint small"))
        parts += [cell(ghost_at(rank, i), GHOST_Y, row, ghost=True) for i, row in enumerate(ghosts)]
    return parts


def arrows() -> list[str]:
    parts = []
    for rank, ghosts in GHOSTS.items():
        for place, row in enumerate(ghosts):
            same_node = NODE_OF[row // 4] == NODE_OF[rank]
            x, to = owned_at(row) + CELL / 2, ghost_at(rank, place) + CELL / 2
            y, end = OWNED_Y + CELL + 1, GHOST_Y - 3
            dash = "" if same_node else ' stroke-dasharray="7 4"'
            parts.append(
                f'<path d="M{x} {y} C{x} {y + 40} {to} {end - 40} {to} {end}" class="line" '
                f'stroke-width="1.6" marker-end="url(#head)"{dash}/>'
            )
    return parts


def transports() -> list[str]:
    y = 374
    return [
        text(LEFT, y, "transport: how, chosen for each peer", "ink title"),
        f'<path d="M{LEFT + 296} {y - 4} h36" class="line" stroke-width="1.6"/>',
        text(LEFT + 340, y, "shared memory, one copy", "faint"),
        f'<path d="M{LEFT + 536} {y - 4} h36" class="line" stroke-width="1.6" '
        'stroke-dasharray="7 4"/>',
        text(LEFT + 580, y, "message", "faint"),
    ]


def timeline() -> list[str]:
    y = 440
    return [
        text(LEFT, y - 24, "exchange: bound to arrays once, moved again and again", "ink title"),
        f'<path d="M{LEFT} {y} h680" class="line" stroke-width="1.6" marker-end="url(#head)"/>',
        *(
            f'<path d="M{x} {y - 7} v14" class="line" stroke-width="1.6"/>'
            + text(x, y + 24, name, "ink", "middle")
            for x, name in ((120, "start"), (420, "wait"))
        ),
        text(270, y + 23, "sources constant, ghosts undefined", "faint small", "middle"),
        text(580, y + 23, "ghosts there, sources free again", "faint small", "middle"),
    ]


def picture() -> str:
    body = [*layout(), *ranks(), *arrows(), *transports(), *timeline()]
    label = "From layout to route to exchange to transport"
    return framed((WIDTH, HEIGHT), label, STYLE, [*body], arrows=True)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())
