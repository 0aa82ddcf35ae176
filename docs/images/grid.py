# SPDX-License-Identifier: BSD-3-Clause
"""Draws grid.svg, the picture of docs/first-halo.md: python docs/images/grid.py."""

from __future__ import annotations

from pathlib import Path

from drawing import framed, text

WIDTH, HEIGHT = 760, 336
CELL = 26
# Grid(comm, (8, 10), halo=1, periodic=(False, True)) on four ranks; the array of rank 1.
ROWS, COLUMNS = 8, 10
PARTS = 2, 2
RANK = 1
WHOLE_LEFT, WHOLE_TOP = 40, 76
LOCAL_LEFT, LOCAL_TOP = 400, 76

STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .line { stroke: #1f2328; fill: none } .cell { stroke: #8c959f }
  .rank0 { fill: #9ec9f5 } .rank1 { fill: #f8c28b } .rank2 { fill: #a8dcb0 }
  .rank3 { fill: #d9b8e8 } .room { fill: #eceff2 }
  .on-cell { fill: #1f2328 }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600 } .small { font-size: 11.5px }
  .code { font-family: ui-monospace, monospace; font-size: 12px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .line { stroke: #e6e9ec } .cell { stroke: #6a737d }
    .rank0 { fill: #2f6ea8 } .rank1 { fill: #a8641a } .rank2 { fill: #2d7d44 }
    .rank3 { fill: #7d4a94 } .room { fill: #2a3037 }
    .on-cell { fill: #ffffff }
  }
"""


def cell(x: float, y: float, kind: str, *, halo: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if halo else ""
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" class="{kind} cell"{dash}/>'


def frame(x: float, y: float, rows: int, columns: int, width: float) -> str:
    size = f'width="{columns * CELL}" height="{rows * CELL}"'
    return f'<rect x="{x}" y="{y}" {size} class="line" stroke-width="{width}"/>'


def owner(row: int, column: int) -> int:
    return row * PARTS[0] // ROWS * PARTS[1] + column * PARTS[1] // COLUMNS


def whole() -> list[str]:
    rows, columns = ROWS // PARTS[0], COLUMNS // PARTS[1]
    parts = [
        text(WHOLE_LEFT, 34, "the whole grid: grid.shape is (8, 10)", "ink title"),
        text(WHOLE_LEFT, 54, "four ranks, parts (2, 2), periodic from left to right", "faint"),
    ]
    for row in range(ROWS):
        for column in range(COLUMNS):
            x, y = WHOLE_LEFT + column * CELL, WHOLE_TOP + row * CELL
            parts.append(cell(x, y, f"rank{owner(row, column)}"))
    for rank in range(PARTS[0] * PARTS[1]):
        x = WHOLE_LEFT + (rank % PARTS[1] + 0.5) * columns * CELL
        y = WHOLE_TOP + (rank // PARTS[1] + 0.5) * rows * CELL
        parts.append(text(x, y + 5, f"rank {rank}", "on-cell title", "middle"))
    x = WHOLE_LEFT + columns * CELL
    parts.append(frame(x, WHOLE_TOP, rows, columns, 3))
    y = WHOLE_TOP + ROWS * CELL + 24
    parts.append(text(WHOLE_LEFT, y, "grid.box on rank 1 is [0:4, 5:10]", "faint code"))
    return parts


def local() -> list[str]:
    rows, columns = ROWS // PARTS[0], COLUMNS // PARTS[1]
    parts = [
        text(LOCAL_LEFT, 34, "an array of rank 1: grid.local_shape is (6, 7)", "ink title"),
        text(LOCAL_LEFT, 54, "halo=1: one more cell on all sides", "faint"),
    ]
    for row in range(-1, rows + 1):
        for column in range(-1, columns + 1):
            owned = 0 <= row < rows and 0 <= column < columns
            there = (row, (column + columns * (RANK % PARTS[1])) % COLUMNS)
            kind = f"rank{owner(*there)}" if row >= 0 else "room"
            x, y = LOCAL_LEFT + (column + 1) * CELL, LOCAL_TOP + (row + 1) * CELL
            parts.append(cell(x, y, kind, halo=not owned))
    parts.append(frame(LOCAL_LEFT + CELL, LOCAL_TOP + CELL, rows, columns, 3))
    inner = frame(LOCAL_LEFT + 2 * CELL, LOCAL_TOP + 2 * CELL, rows - 2, columns - 2, 1.5)
    parts.append(inner.replace("/>", ' stroke-dasharray="2 3"/>'))
    x = LOCAL_LEFT + (columns + 2) * CELL + 16
    for row, words in (
        (0, "no neighbor: room for"),
        (0.6, "boundary values"),
        (1.6, "u[grid.owned]:"),
        (2.2, "inside the bold frame"),
        (3.2, "u[grid.interior]: inside"),
        (3.8, "the dots, needs no halo"),
        (4.8, "halo: copies of cells of"),
        (5.4, "ranks 0, 2 and 3"),
    ):
        parts.append(text(x, LOCAL_TOP + row * CELL + 14, words, "faint small"))
    y = LOCAL_TOP + (rows + 2) * CELL + 24
    return [
        *parts,
        text(LOCAL_LEFT, y, "u = grid.zeros(); halo = grid.halo(u)", "ink code"),
        text(LOCAL_LEFT, y + 20, "halo.update() copies owned cells of the", "faint"),
        text(LOCAL_LEFT, y + 38, "neighbors into the halo, corners included", "faint"),
    ]


def picture() -> str:
    label = "Cells of a grid on four ranks; the array of one: owned cells and halo"
    return framed((WIDTH, HEIGHT), label, STYLE, [*whole(), *local()])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
