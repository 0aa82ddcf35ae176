# SPDX-License-Identifier: BSD-3-Clause
"""Draws speed.svg and writes the tables of docs/speed.md, from outputs in benchmarks/results.

Each part of an output begins with its command and, behind #, the machine. The first part of a
machine counts. Usage: python docs/images/speed.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from drawing import framed, text, with_tables

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "benchmarks" / "results"
PAGE = HERE.parent / "speed.md"
MACHINES = {
    "Xeon": "Xeon, cores 140 ns apart",
    "Zen 4": "Zen 4, cores 260 ns apart, slowed",
    "16 cores": "Xeon of 16 cores, 170 ns apart",
    "Zen 5": "Zen 5, cores 43 or 250 ns apart",
}


Times = tuple[tuple[str, str], tuple[str, str]] | None
Look = Callable[["Job", str], "Found | None"]


@dataclass(frozen=True)
class Job:
    """One line: what is moved, and the figure that says how many times faster it is.

    The figure is the other time over ours, and its note may have both times; or the other way
    round, if `ours_first`. `times` are the other time and ours, each a row and a column of a table,
    where the note has none.
    """

    name: str
    file: str
    figure: str
    ours_first: bool = False
    times: Times = None
    drawn: bool = True


def ghosts(vdim: int) -> Job:
    column = f"{vdim} used"
    name = f"ghost update, 6,144 rows of {vdim} double{'s' if vdim > 1 else ''}"
    return Job(
        name,
        "ghost",
        f"vdim {vdim}: best of MPI / auto",
        times=(("mpi-", column), ("auto", column)),
    )


def in_python(grid: str, what: str, drawn: bool = True) -> Iterator[Job]:
    for arrays, words in (("own", "own arrays"), ("shared", "transrank's arrays")):
        yield Job(f"{what}, {words}", "halo", f"{grid}: subarrays / {arrays} arrays", drawn=drawn)


def alltoall(size: str) -> Job:
    block = size.replace(" ", "")
    times = ((block, "mpi"), (block, "auto"))
    return Job(f"alltoall, blocks of {size}", "alltoall", f"{block}: auto / MPI", True, times)


def between(what: str, size: int, words: str, drawn: bool = True) -> Job:
    case = f"{what} {size} B"
    times = ((case, "mpi"), (case, "node-staged"))
    return Job(
        f"{what}, blocks of {words}",
        "between_nodes",
        f"{what}, {size} B: speed",
        False,
        times,
        drawn,
    )


def whole_node(what: str, drawn: bool = True) -> Job:
    case = re.sub(r"(\d) (\w*B)\b", r"\1\2", what)
    return Job(what, "whole_node", f"{case}: MPI / auto", drawn=drawn)


TOPICS: dict[str, list[Job]] = {
    "Two ranks on a node, compared with MPI alone": [
        *(ghosts(vdim) for vdim in (1, 6, 20, 120)),
        *(alltoall(size) for size in ("8 B", "4 KiB", "256 KiB")),
        Job(
            "redistribution, 8 fields of 512x1024x16",
            "redistribution",
            "mpi-alltoallw / auto",
            times=(("mpi-alltoallw", "time"), ("auto", "time")),
        ),
        Job("transfer of an FFT of 128³", "fft", "128^3, transfer: MPI_Alltoallw / own arrays"),
        Job("whole FFT of 128³", "fft", "128^3, transform: MPI_Alltoallw / own arrays"),
    ],
    "Sixteen ranks on a node of 16 cores, compared with MPI alone": [
        *(whole_node(f"{size} to each of 4 neighbors") for size in ("8 B", "4 KiB", "64 KiB")),
        whole_node("ghost update, 6 doubles a row, used"),
        whole_node("ghost update, 6 doubles a row, unmodified", drawn=False),
        *(
            whole_node(f"alltoall, shared arrays, {size}")
            for size in ("8 B", "4 KiB", "64 KiB", "1 MiB")
        ),
        *(
            whole_node(f"alltoall, private arrays, {size}", drawn=False)
            for size in ("8 B", "4 KiB", "64 KiB", "1 MiB")
        ),
    ],
    "A Python program, compared with mpi4py's persistent messages of subarrays": [
        *in_python("512x512, halo 1, 1 field", "halo of 512²"),
        *in_python("230x417, halo 2, 4 fields", "halo of 4 fields of 230x417", drawn=False),
        *in_python("32x32x64, halo 2, 5 fields", "halo of 5 fields of 32²x64"),
        *in_python("64x64x128, halo 2, 5 fields", "halo of 5 fields of 64²x128", drawn=False),
    ],
    "Two ranks on a node, compared with PetscSF on Vec memory, from C": [
        Job(
            f"{words}, 6,144 rows of {width} double{'s' if width > 1 else ''}",
            "petsc_sf",
            f"{way}, rows of {width}: basic / transrank",
        )
        for way, words in (
            ("bcast", "broadcast"),
            ("reduce", "sum"),
            ("scatter", "VecScatter"),
        )
        for width in (1, 6, 20)
    ],
    "Two nodes of four ranks, one message per pair of nodes, compared with MPI alone": [
        between("halo", 8, "8 B"),
        between("halo", 512, "512 B"),
        between("halo", 4096, "4 KiB", drawn=False),
        between("halo", 65536, "64 KiB"),
        between("alltoall", 8, "8 B"),
        between("alltoall", 4096, "4 KiB", drawn=False),
        between("alltoall", 65536, "64 KiB"),
    ],
}


def cost(name: str, file: str, figure: str, times: Times = None) -> Job:
    return Job(name, file, figure, ours_first=True, times=times)


# How many times as long as something that cannot be beaten, or by hand.
COSTS: dict[str, list[Job]] = {
    "Compared with a copy within one rank": [
        *(
            cost(
                f"ghost update, rows of {vdim} doubles that are not rewritten",
                "ghost",
                f"vdim {vdim} unmodified: auto / floor",
                times=(("floor", f"{vdim} unmodified"), ("auto", f"{vdim} unmodified")),
            )
            for vdim in (6, 20, 120)
        ),
        cost(
            "ghost update, rows of 120 doubles that are rewritten",
            "ghost",
            "vdim 120 rewritten: auto / floor",
            times=(("floor", "120 rewritten"), ("auto", "120 rewritten")),
        ),
        *(
            cost(
                f"redistribution, 8 fields of {grid}, rewritten",
                "redistribution",
                f"{grid}, rewritten: auto / memcpy of the same runs from peers",
            )
            for grid in ("32x64x4", "64x128x16")
        ),
    ],
    "Binding arrays, compared with messages set up by hand": [
        *(
            cost(f"{words}, mapped and bound", "binding", f"{figure} / by hand")
            for words, figure in (
                ("4,612 ghosts", "4,612 ghosts: mapping and bind"),
                ("4,612 ghosts, own arrays", "4,612 ghosts: mapping and bind, own arrays"),
                ("4,612 ghosts, in Python", "4,612 ghosts in Python: mapping and bind"),
                ("200,000 ghosts", "200,000 ghosts: mapping and bind"),
            )
        ),
        *(
            cost(
                f"a new list of {rows} rows, moved once",
                "binding",
                f"list of {rows}: new list / by hand",
            )
            for rows in ("20", "500", "10,000")
        ),
    ],
    "Arrays passed to each start, compared with one bound array": [
        *(
            cost(f"{what}, {words}", "given_arrays", f"{case}: {figure}")
            for what, case in (
                ("16 rows of 8 B", "16 rows of 8 B"),
                ("4,612 rows of 8 B", "4612 rows of 8 B"),
                ("halo of 32³", "halo of 32^3"),
            )
            for words, figure in (
                ("one of several bound arrays", "sets / bound shared"),
                ("an array in any memory", "any / bound private"),
            )
        )
    ],
    "C and Fortran, compared with C++": [
        cost(f"{what}, {language}", "c_interface", f"{what}: {language} / C++")
        for what in ("ghost update", "redistribution", "alltoall")
        for language in ("C", "Fortran")
    ],
}


@dataclass(frozen=True)
class Found:
    """A figure with the ends of its interval; the other time and ours."""

    value: float
    low: float
    high: float
    times: tuple[str, str] | None


@cache
def parts(file: str) -> dict[str, str]:
    """The first part of each machine."""
    found: dict[str, str] = {}
    for part in re.split(r"^\$ ", (RESULTS / f"{file}.txt").read_text("utf-8"), flags=re.MULTILINE):
        head, _, text = part.partition("\n")
        machine = head.partition("    # ")[2].partition(",")[0]
        found.setdefault(machine, text)
    return found


def find(job: Job, machine: str) -> Found | None:
    """What the machine's output says of a job; None where there is no such output."""
    text = parts(job.file).get(machine)
    if text is None:
        return None
    number = r"([\d.]+)"
    line = re.search(
        rf"^{re.escape(job.figure)}\s+{number}(?: \[{number} \.\. {number}\])? x.*$",
        text,
        re.MULTILINE,
    )
    assert line is not None, job.figure
    value, low, high = (float(each or line[1]) for each in line.groups())
    return Found(value, low, high, times_of(job, line[0], text))


def speedup(job: Job, machine: str) -> Found | None:
    """How many times faster than the other way."""
    found = find(job, machine)
    if found is None or not job.ours_first:
        return found
    return Found(1 / found.value, 1 / found.high, 1 / found.low, found.times)


def times_of(job: Job, line: str, text: str) -> tuple[str, str] | None:
    noted = re.search(r"([\d.]+ [nµm]?s) / ([\d.]+ [nµm]?s)", line)
    if noted:
        return (noted[2], noted[1]) if job.ours_first else (noted[1], noted[2])
    if job.times is None:
        return None
    cells = list(cells_of(text))
    other, ours = (
        min(
            (cell for (name, place), cell in cells if name.startswith(row) and place == column),
            key=seconds,
        )
        for row, column in job.times
    )
    return other, ours


def cells_of(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """The times of all tables, by row and column; where both occur again the first counts."""
    seen = set()
    columns: list[str] = []
    for line in text.splitlines():
        words = re.split(r" {2,}", line.strip())
        case = re.match(r"(\w[\w ]*?) +(\d+ B) +([\w-]+) +(\d+) us ", line)
        if case:
            yield (f"{case[1]} {case[2]}", case[3]), f"{case[4]} µs"
        elif words[0] in ("way", "block"):
            columns = words[1:]
        elif len(words) == len(columns) + 1 and words[0] != "figure":
            for column, cell in zip(columns, words[1:], strict=True):
                if (words[0], column) not in seen and re.fullmatch(r"[\d.]+ [nµm]?s", cell):
                    seen.add((words[0], column))
                    yield (words[0], column), cell


def seconds(text: str) -> float:
    number, unit = text.split(" ")
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


def table(jobs: list[Job], look: Look, other: str, times: str) -> str:
    """A table of Markdown: a job, both times on the first machine, how many times on each."""
    machines = [name for name in MACHINES if any(find(job, name) for job in jobs)]
    heads = ["", other, f"transrank, {machines[0]}", *(f"{times}, {name}" for name in machines)]
    lines = [f"| {' | '.join(heads)} |", f"|---|{'--:|' * (len(heads) - 1)}"]
    for job in jobs:
        found = [look(job, machine) for machine in machines]
        assert found[0] is not None
        cells = [job.name, *(found[0].times or ("", "")), *map(how_many, found)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def how_many(found: Found | None) -> str:
    if found is None:
        return "–"
    if found.low == found.high:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}–{found.high:.2f}]"


def page(text: str) -> str:
    """The page with the tables of today's outputs between its marks."""
    tables = {
        **{
            topic: table(jobs, speedup, "alternative", "times as fast")
            for topic, jobs in TOPICS.items()
        },
        **{topic: table(jobs, find, "baseline", "times as long") for topic, jobs in COSTS.items()},
    }
    return with_tables(text, tables)


STYLE = """
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
  .grid { stroke: #d8dde3 } .one { stroke: #c0392b } .whisker { stroke: #1f2328 }
  .m0 { fill: #2f6ea8 } .m1 { fill: #e0a050 } .m2 { fill: #4d9a6a }
  .m3 { fill: #9a5fb5 }
  text { font: 13px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  .topic { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #16191d } .ink { fill: #e6e9ec } .faint { fill: #9aa4ae }
    .grid { stroke: #343a41 } .one { stroke: #e57368 } .whisker { stroke: #e6e9ec }
    .m0 { fill: #5aa2e0 } .m1 { fill: #b87a2a } .m2 { fill: #4f9a6c }
    .m3 { fill: #a878c4 }
  }
"""
WIDTH, LEFT, RIGHT, TOP = 760, 310, 24, 104
BAR, GAP = 11, 7
# Times as fast; what reaches further is cut.
MOST = 8


def at(times: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(times, MOST) / MOST


def bar(y: float, place: int, found: Found) -> Iterator[str]:
    yield (
        f'<rect x="{LEFT}" y="{y:g}" width="{at(found.value) - LEFT:.1f}" height="{BAR - 1}" '
        f'class="m{place}"/>'
    )
    if found.low < found.high:
        middle = y + BAR / 2
        yield f'<path d="M{at(found.low):.1f} {middle:g} H{at(found.high):.1f}" class="whisker"/>'


def picture() -> str:
    y = float(TOP)
    bars: list[str] = []
    for topic, jobs in TOPICS.items():
        bars.append(text(16, y + 12, topic, "ink topic"))
        y += 22
        for job in (each for each in jobs if each.drawn):
            found = [(place, speedup(job, name)) for place, name in enumerate(MACHINES)]
            there = [(place, each) for place, each in found if each is not None]
            bars.append(text(LEFT - 10, y + len(there) * BAR / 2 + 4, job.name, "ink", "end"))
            for row, (place, each) in enumerate(there):
                bars += bar(y + row * BAR, place, each)
            y += max(len(there) * BAR, 15) + GAP
        y += 8
    body = [text(16, 28, "How many times as fast as the alternative", "title ink")]
    for place, name in enumerate(MACHINES.values()):
        x, down = 16 + place % 2 * LEFT, 44 + place // 2 * 20
        body.append(f'<rect x="{x}" y="{down}" width="12" height="12" class="m{place}"/>')
        body.append(text(x + 18, down + 11, name))
    for times in range(MOST + 1):
        kind = "one" if times == 1 else "grid"
        body.append(f'<path d="M{at(times):.1f} {TOP - 8} V{y:g}" class="{kind}"/>')
        body.append(text(at(times), y + 18, f"{times}", "faint", "middle"))
    height = y + 34
    label = "How many times faster transrank is than MPI alone, mpi4py and PetscSF"
    return framed((WIDTH, height), label, STYLE, [*body, *bars], fixed=True)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
