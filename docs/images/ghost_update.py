# SPDX-License-Identifier: BSD-3-Clause
"""Draws ghost_update.svg, a picture of README and docs/index.md, from the table of docs/speed.md.

That table has what benchmarks/ghost.py and ghost_petsc.py printed in a good hour.
Usage: python docs/images/ghost_update.py
"""

from __future__ import annotations

import re
from pathlib import Path

TABLE = Path(__file__).parents[1] / "speed.md"
VDIMS = (1, 6, 20, 120)
WIDTH, LEFT, RIGHT, TOP = 600, 108, 40, 98
BAR, GAP = 18, 22
MOST = 6  # times as long as transrank

STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .grid { stroke: #d8dde3 }
  .own { fill: #2f6ea8 } .mpi { fill: #9aa4ae } .petsc { fill: #e0a050 }
  text { font: 14px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .grid { stroke: #343a41 }
    .own { fill: #5aa2e0 } .mpi { fill: #6a737d } .petsc { fill: #a8641a }
  }
"""


def by_mpi(table: str) -> dict[int, float]:
    """The best way by MPI alone, times as long as transrank, by the length of rows."""
    row = (
        r"^\| (?:ghosts, best of eight ways by MPI [^|]*)?vdim (\d+)[^|]*\|[^|]*\|[^|]*\| ([\d.]+)"
    )
    return {int(vdim): float(times) for vdim, times in re.findall(row, table, re.MULTILINE)}


def by_petsc(table: str) -> dict[int, float]:
    """The same for PetscSF's fastest type."""
    row = r"^\| PetscSF \S+ / auto, vdim ([\d, ]+) \|[^|]*\|[^|]*\| ([\d., ]+) \|"
    ((vdims, times),) = re.findall(row, table, re.MULTILINE)
    return dict(zip(map(int, vdims.split(",")), map(float, times.split(",")), strict=True))


def text(x: float, y: float, words: str, kind: str = "ink", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def at(times: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(times, MOST) / MOST


def bar(y: float, kind: str, times: float) -> list[str]:
    return [
        f'<rect x="{LEFT}" y="{y:g}" width="{at(times) - LEFT:.1f}" height="{BAR - 2}" '
        f'class="{kind}"/>',
        text(at(times) + 7, y + BAR - 5, f"{times:.2f}"),
    ]


def picture() -> str:
    table = TABLE.read_text("utf-8")
    series = {
        "own": dict.fromkeys(VDIMS, 1.0),
        "mpi": by_mpi(table),
        "petsc": by_petsc(table),
    }
    group = len(series) * BAR + GAP
    bottom = TOP + len(VDIMS) * group - GAP / 2
    body = [text(16, 28, "One update of 6144 ghost rows, two ranks on a node", "title ink")]
    x = 16.0
    names = {"own": "transrank", "mpi": "MPI alone, fastest of eight ways", "petsc": "PetscSF"}
    for kind, name in names.items():
        body.append(f'<rect x="{x:g}" y="44" width="12" height="12" class="{kind}"/>')
        body.append(text(x + 18, 55, name))
        x += 40 + 7.2 * len(name)
    body.append(text(LEFT - 10, TOP - 12, "rows of", "faint", "end"))
    for times in range(MOST + 1):
        body.append(f'<path d="M{at(times):.1f} {TOP - 8} V{bottom:g}" class="grid"/>')
        body.append(text(at(times), bottom + 18, f"{times}", "faint", "middle"))
    for place, vdim in enumerate(VDIMS):
        y = TOP + place * group
        words = f"{vdim} double" + "s" * (vdim > 1)
        body.append(text(LEFT - 10, y + len(series) * BAR / 2 + 4, words, "ink", "end"))
        for row, (kind, found) in enumerate(series.items()):
            body += bar(y + row * BAR, kind, found[vdim])
    scale = "times as long as transrank"
    body.append(text(at(MOST / 2), bottom + 40, scale, "faint", "middle"))
    height = bottom + 56
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
            f'viewBox="0 0 {WIDTH} {height:g}" role="img" '
            'aria-label="Time of a ghost update by MPI and by PetscSF, relative to transrank">',
            f"<style>{STYLE}</style>",
            f'<rect width="{WIDTH}" height="{height:g}" rx="8" class="paper"/>',
            *body,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
