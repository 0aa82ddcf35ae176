# SPDX-License-Identifier: BSD-3-Clause
"""Draws block_size.svg: the time of a halo update over the size of a block, as it was measured.

Usage: python docs/images/block_size.py
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from drawing import framed, text

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "plates.txt"
UNITS = {"ns": 1e-3, "µs": 1.0, "ms": 1e3}
WIDTH, HEIGHT = 500, 400
LEFT, RIGHT, TOP, BOTTOM = 66, 470, 52, 340
WAYS = {
    "packed": "by hand: packed, Sendrecv",
    "subarrays": "by hand: subarray types",
    "own arrays": "transrank, your arrays",
    "shared arrays": "transrank, its arrays",
}
STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .line { stroke: #1f2328; fill: none } .grid { stroke: #d8dee4 }
  .packed, .subarrays { stroke: #8c4a2f; fill: #8c4a2f }
  .own-arrays, .shared-arrays { stroke: #0b6bcb; fill: #0b6bcb }
  .subarrays, .own-arrays { stroke-dasharray: 6 4 }
  text { font: 15px system-ui, sans-serif } .title { font-weight: 600 } .small { font-size: 14px }
  path[class] { fill: none; stroke-width: 2 } circle[class], text[class] { stroke: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .line { stroke: #e6e9ec } .grid { stroke: #39424b }
    .packed, .subarrays { stroke: #ef9a76; fill: #ef9a76 }
    .own-arrays, .shared-arrays { stroke: #6cb4ff; fill: #6cb4ff }
    path[class] { fill: none } circle[class], text[class] { stroke: none }
  }
"""
ROW = re.compile(r"\d+x(\d+), .*: (.+) / (.+?) {2,}.* ([\d.]+) (..) / ([\d.]+) (..)$")


def measured() -> dict[str, dict[int, float]]:
    """Microseconds of each way, over the cells along a side of a block."""
    found: dict[str, dict[int, float]] = {way: {} for way in WAYS}
    for line in RESULTS.read_text("utf-8").splitlines():
        row = ROW.match(line)
        if row is not None:
            side, usual, ours, *times = row.groups()
            found[usual][int(side)] = float(times[0]) * UNITS[times[1]]
            found[ours][int(side)] = float(times[2]) * UNITS[times[3]]
    return found


def curves(found: dict[str, dict[int, float]]) -> list[str]:
    sides = sorted(found["packed"])
    every = [time for times in found.values() for time in times.values()]
    low, high = 10 ** math.floor(math.log10(min(every))), 1.2 * max(every)

    def across(side: float) -> float:
        return LEFT + (RIGHT - LEFT) * math.log(side / sides[0]) / math.log(sides[-1] / sides[0])

    def down(time: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * math.log(time / low) / math.log(high / low)

    parts = []
    for power in range(round(math.log10(low)), math.floor(math.log10(high)) + 1):
        y = down(10**power)
        label = f"{10**power:g} µs" if power < 3 else f"{10 ** (power - 3):g} ms"
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        parts.append(text(LEFT - 8, round(y + 4, 1), label, "faint small", "end"))
    for side in sides:
        x = round(across(side), 1)
        parts.append(text(x, BOTTOM + 18, f"{side}²", "faint small", "middle"))
    begins = sorted((found[way][sides[0]], way) for way in WAYS)
    labels: dict[str, float] = {}
    below = math.inf
    for time, way in begins:  # a name stands above the beginning of its curve
        labels[way] = below = min(down(time) - 15, below - 18)
    for way, words in WAYS.items():
        places = [(across(side), down(found[way][side])) for side in sides]
        kind = way.replace(" ", "-")
        path = " ".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" class="{kind}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="{kind}"/>' for x, y in places]
        parts.append(text(LEFT, round(labels[way], 1), words, kind))
    return parts


def picture() -> str:
    label = "Time of a halo update over the size of a block, by hand and by transrank"
    parts = [
        text(16, 28, "Halo of one cell, from Python, two ranks on a node", "ink title"),
        *curves(measured()),
        text((LEFT + RIGHT) / 2, BOTTOM + 40, "cells of a rank's block", "faint", "middle"),
    ]
    return framed((WIDTH, HEIGHT), label, STYLE, parts)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
