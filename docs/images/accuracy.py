# SPDX-License-Identifier: BSD-3-Clause
"""Draws accuracy.svg and writes the tables of docs/accuracy.md, from outputs in benchmarks/results.

Usage: python docs/images/accuracy.py
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from drawing import framed, text, with_tables
from speed import parts

PAGE = Path(__file__).parents[1] / "accuracy.md"
MACHINES = ("Zen 4", "Zen 5")
OPERATIONS = ("pingpong", "sendrecv", "allreduce", "alltoall", "bcast", "barrier")
# How a series of measurements is labelled, and the line of spread.py's output that it is from.
SERIES = {
    "transrank, cores in the same state": r"median size",
    "transrank, all surveys": r"of all surveys",
    "OSU": r"OSU, \d+ launches",
    "IMB": r"IMB, \d+ launches",
}
# Lines of aa.py's output, and what the page calls them.
PAIRS = {
    "gates that exit with 1": "pairs for which `compare` exits with 1",
    "pairs without a verdict": "pairs without a verdict",
    "wrong verdicts": "verdicts *slower* or *faster*, which are wrong",
    "intervals that hold another survey's value": "intervals that include the other's value",
    "intervals that hold the median of all": "intervals that include the median of all ten",
}
HOURS = {"Zen 4": "Zen 4, calm", "Zen 5": "Zen 5, cores moved", "Xeon": "Xeon, disturbed"}


def spread(machine: str, operation: str, line: str) -> tuple[str, bool] | None:
    """The spread at the median size, as printed, and whether it misses its target."""
    lines = parts("spread")[machine].splitlines()
    begin = next(i for i, it in enumerate(lines) if it.startswith(f"{operation}, median size"))
    for i, it in enumerate(lines[begin:]):
        if i and not it.startswith("  "):
            break
        found = re.match(rf"(?:{operation}, |  ){line} +([\d.]+) %(?: +<= \S+ % +(\w+))?", it)
        if found:
            return found[1], found[2] == "short"
    return None


def cell(found: tuple[str, bool] | None) -> str:
    """What misses its target is bold."""
    if found is None:
        return ""
    number, is_short = found
    return f"**{number} %**" if is_short else f"{number} %"


def rows_of_spread() -> Iterator[list[str]]:
    for machine in MACHINES:
        for operation in OPERATIONS:
            found = [spread(machine, operation, line) for line in SERIES.values()]
            assert all(found[:2]), operation  # transrank's own
            yield [f"{operation}, {machine}", *map(cell, found)]


def rows_of_pairs() -> Iterator[list[str]]:
    for line, words in PAIRS.items():
        cells, target = [], ""
        for machine in HOURS:
            found = re.search(
                rf"^{line} +([\d.]+ %) +([<>]=) (\d+ %) +(\w+)", parts("aa")[machine], re.MULTILINE
            )
            assert found is not None, line
            cells.append(f"**{found[1]}**" if found[4] == "short" else found[1])
            target = f"{'≤' if found[2] == '<=' else '≥'} {found[3]}"
        yield [words, target, *cells]


def table(heads: list[str], rows: Iterator[list[str]]) -> str:
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(words: str) -> str:
    """The page with the tables of today's outputs below their headings."""
    tables = {
        "How far repeated surveys differ": table(["operation", *SERIES], rows_of_spread()),
        "Ten surveys of an unchanged machine": table(
            ["of all pairs of surveys", "target", *HOURS.values()], rows_of_pairs()
        ),
    }
    return with_tables(words, tables)


STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .grid { stroke: #d8dde3 }
  .s0 { fill: #2f6ea8 } .s1 { fill: #9cc3e4 } .s2 { fill: #e0a050 } .s3 { fill: #4d9a6a }
  text { font: 14px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .grid { stroke: #343a41 }
    .s0 { fill: #5aa2e0 } .s1 { fill: #2d5478 } .s2 { fill: #b87a2a } .s3 { fill: #4f9a6c }
  }
"""
WIDTH, LEFT, RIGHT, TOP, BAR = 600, 130, 60, 130, 14
LEAST, MOST = 0.5, 500.0


def at(percent: float) -> float:
    share = math.log(percent / LEAST) / math.log(MOST / LEAST)
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def picture() -> str:
    y = float(TOP)
    bars: list[str] = []
    for machine in MACHINES:
        for operation in ("pingpong", "allreduce"):
            found = [spread(machine, operation, line) for line in SERIES.values()]
            there = [(place, it[0]) for place, it in enumerate(found) if it]
            bars.append(text(LEFT - 10, y + 12, operation, "ink", "end"))
            bars.append(text(LEFT - 10, y + 28, machine, "faint", "end"))
            for place, number in there:
                end = at(float(number))
                bars.append(
                    f'<rect x="{LEFT}" y="{y:g}" width="{end - LEFT:.1f}" height="{BAR - 1}" '
                    f'class="s{place}"/>'
                )
                bars.append(text(round(end) + 5, y + 11, f"{number} %", "faint"))
                y += BAR
            y += 16
    body = [text(16, 28, "How far measurements of one machine differ", "title ink")]
    body.append(
        text(16, 48, "(largest − smallest) / median, for the median of the message sizes", "faint")
    )
    for place, name in enumerate(SERIES):
        x, down = 16 + place % 2 * 290, 62 + place // 2 * 22
        body.append(f'<rect x="{x}" y="{down}" width="12" height="12" class="s{place}"/>')
        body.append(text(x + 18, down + 11, name))
    for percent in (1, 10, 100):
        body.append(f'<path d="M{at(percent):.1f} {TOP - 8} V{y:g}" class="grid"/>')
        body.append(text(at(percent), y + 18, f"{percent} %", "faint", "middle"))
    label = "Bars: how far repeated measurements by transrank, OSU and IMB differ, in percent"
    return framed((WIDTH, y + 30), label, STYLE, [*body, *bars], fixed=True)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
