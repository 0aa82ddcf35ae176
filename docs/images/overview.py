# SPDX-License-Identifier: BSD-3-Clause
"""Draws overview.svg: some jobs of speed.svg, from the same outputs, with their factors.

Usage: python docs/images/overview.py
"""

from __future__ import annotations

from pathlib import Path

from drawing import framed, text
from speed import TOPICS, speedup

# Names of jobs in speed.py, what they are called here, and the machine.
SHOWN = {
    "halo of 5 fields of 32²x64, transrank's arrays": ("halo in Python, vs mpi4py", "Xeon"),
    "ghost update, 6,144 rows of 6 doubles": ("ghost update of a mesh, vs MPI alone", "Xeon"),
    "alltoall, blocks of 4 KiB": ("alltoall, blocks of 4 KiB, vs MPI alone", "Xeon"),
    "redistribution, 8 fields of 512x1024x16": ("redistribution, vs MPI alone", "Xeon"),
    "broadcast, 6,144 rows of 6 doubles": ("broadcast to ghosts, vs PetscSF", "Zen 5"),
    "whole FFT of 128³": ("whole FFT, vs mpi4py-fft", "Xeon"),
    "halo, blocks of 64 KiB": ("halo of 64 KiB between nodes, vs MPI alone", "Xeon"),
}
STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .bar { fill: #2f6ea8 }
  .one { stroke: #c0392b; stroke-width: 2 }
  text { font: 15px system-ui, sans-serif } .factor { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .bar { fill: #5aa2e0 } .one { stroke: #e57368 }
  }
"""
WIDTH, LEFT, TOP, EACH, BAR, ONE = 480, 16, 14, 40, 14, 104


def picture() -> str:
    jobs = [job for topic in TOPICS.values() for job in topic]
    parts = []
    for row, (name, (words, machine)) in enumerate(SHOWN.items()):
        found = speedup(next(job for job in jobs if job.name == name), machine)
        assert found is not None
        y, width = TOP + EACH * row, ONE * found.value
        parts.append(text(LEFT, y + 13, words))
        parts.append(
            f'<rect x="{LEFT}" y="{y + 19}" width="{width:.0f}" height="{BAR}" class="bar"/>'
        )
        parts.append(text(LEFT + round(width) + 8, y + 31, f"{found.value:.1f}", "ink factor"))
    height = TOP + EACH * len(SHOWN) + 6
    for row in range(len(SHOWN)):
        y = TOP + EACH * row + 17
        parts.append(f'<path d="M{LEFT + ONE} {y} v{BAR + 4}" class="one"/>')
    label = "Bars: how many times as fast as MPI, mpi4py and PetscSF; 1 is equally fast"
    return framed((WIDTH, height), label, STYLE, parts, fixed=True)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
