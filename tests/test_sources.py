# SPDX-License-Identifier: BSD-3-Clause
"""docs/sources.md has a row for all that the sources measure and ask, and its commands run.

They are made smaller as the page says. What a row needs besides stands in comments behind its
commands: `<!-- small: OPTIONS -->` in place of those of `transrank measure`, `<!-- status: N -->`
where that is not 0.
"""

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import Mpiexec
from transrank.lab.cli.__main__ import main
from transrank.lab.reference.tables import machine
from transrank.lab.report.machine_run import run_of
from transrank.lab.report.page import render_report

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "sources.md"
SMALL = shlex.split("--launches 1 --count 1 --memory 4MiB")

# What the sources show, as the first cells of the rows name it, one or several in a cell.
COLLECTIVES = (
    *("Allreduce", "Reduce", "Allgather", "Allgatherv", "Gather", "Gatherv"),
    *("Scatter", "Scatterv", "Alltoall", "Alltoallv", "Bcast", "Barrier"),
)
SHOWN = {
    "Every figure with printed numbers": (
        *("Fugaku: time of PingPong", "Fugaku: throughput", "Fugaku: time of eleven collectives"),
        *("Fugaku: process generation", "HECToR: figures 2 and 3", "ESMF: figure 8"),
        *("ArrayTransformer: no figure",),
    ),
    "ArrayTransformer bench (2025)": (
        *("program", "table: machines", "table: bandwidth", "pitfall", "open: the total"),
    ),
    "CS-E4690 sheet 1 (2024)": (
        *("figure 1: time", "figure 1: one node and two", "table: bandwidth", "figure 2"),
        *("section 2.1", "open: the jump of MPI_Bsend", "open: MPI_Bsend is slower"),
        *("open: MPI_Sendrecv is fastest", "open: an error of 3e-2", "text: concurrency"),
        *("text: wrong without communication", "text: other initial conditions"),
    ),
    "HECToR phase IIb, appendix": (
        *("text: which core is on which die", "figure 2", "figure 3", "figures 4 and 5"),
        *("open: neighbor and counterpart", "open: dies 0 and 4", "text: off-node"),
    ),
    "RIKEN R-CCS, Fugaku (2021, 2022)": (
        *("PingPong", "PingPing", "Sendrecv", "Exchange", *COLLECTIVES),
        *("alltoall: algorithms", "alltoall: an algorithm of Fujitsu MPI"),
        *("job start: first and last rank", "job start: by shape"),
        *("job start: by number of nodes", "open: Exchange", "open: Allreduce", "open: Scatterv"),
        *("open: jumps of Bcast", "open: Bruck", "open: cubic shapes"),
        *("open: job start in proportion", "open: job start almost"),
    ),
    "ESMF bundle redistribution (2007)": (
        *("table 1", "table 2", *(f"figure {number}" for number in (1, 2, 3))),
        *("figures 4 to 7", "figure 8", "text: PACK_VECTOR", "text: out of memory", "open: O(n)"),
        *("open: why unset PACK_BUFFER", "open: the jump of the Altix"),
    ),
}


@dataclass(frozen=True)
class Row:
    """A row of a table: what the source shows, how it is repeated, and what that says."""

    shown: str
    commands: tuple[str, ...]
    says: str
    small: tuple[str, ...]
    statuses: tuple[int, ...]


def sections() -> dict[str, list[Row]]:
    """The rows below each heading."""
    found: dict[str, list[Row]] = {}
    for text in PAGE.read_text("utf-8").split("\n## ")[1:]:
        heading, *lines = text.splitlines()
        cells = [
            re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines if line.startswith("| ")
        ]
        found[heading] = [_row(*each) for each in cells[1:]]
    return found


def _row(shown: str, cell: str, says: str) -> Row:
    noted = dict(re.findall(r"<!-- (\w+): (.+?) -->", cell))
    return Row(
        shown,
        tuple(re.findall(r"`([^`]+)`", cell)),
        says,
        tuple(shlex.split(noted.get("small", ""))),
        tuple(map(int, re.findall(r"\d+", noted.get("status", "0")))),
    )


SECTIONS = sections()


def test_every_experiment_of_the_sources_has_a_row():
    assert list(SECTIONS) == list(SHOWN)
    lacking = [
        (heading, shown)
        for heading, every in SHOWN.items()
        for shown in every
        if not any(
            re.search(rf"(^|, | and ){re.escape(shown)}(?!\w)", it.shown)
            for it in SECTIONS[heading]
        )
    ]
    assert lacking == []


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_row_has_a_command_and_what_it_says(heading):
    for row in SECTIONS[heading]:
        assert row.commands, row.shown
        assert row.says.strip(), row.shown
        assert all(command.split()[0] in ("transrank", "mpiexec") for command in row.commands)


def test_a_figure_is_where_the_page_says():
    for row in SECTIONS["Every figure with printed numbers"]:
        drawn = re.fullmatch(r'"(.+?)"(?:: (.+))?', row.says)
        assert drawn is not None, row.shown
        heading, panels = drawn.groups()
        for command in row.commands:
            page = render_report([run_of(machine(command.split()[2]))])
            _, found, rest = page.partition(f">{heading}</h2>")
            assert found, f"{row.shown}: no {heading}"
            section = rest.split("</section>")[0]
            assert "<figure>" in section, row.shown
            for panel in re.split(", (?!24 threads)", panels or ""):
                assert not panel or f"<h4>{panel}</h4>" in section, f"{row.shown}: no {panel}"


@pytest.mark.parametrize("heading", SECTIONS)
def test_the_commands_of_a_source_run(heading, mpiexec, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TRANSRANK_STORE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    commands = dict.fromkeys(
        (command, row.small, row.statuses) for row in SECTIONS[heading] for command in row.commands
    )
    for command, small, statuses in commands:
        program, *words = shlex.split(command)
        if program == "mpiexec":
            _run_program(mpiexec, words)
            continue
        if words[0] == "measure":
            words = [*_without(small[::2], words), *SMALL, *small]
        status = main(words)
        said = capsys.readouterr()
        assert status in statuses, f"{command}: {status}\n{said.err}"


def _without(options: Sequence[str], words: list[str]) -> list[str]:
    """The words without these options and their values."""
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if word not in options and before not in options
    ]


def _run_program(mpiexec: Mpiexec, words: list[str]) -> None:
    """Run `mpiexec -n N python ...` from where the page's reader is."""
    assert words[0] == "-n"
    assert words[2] == "python"
    mpiexec.run(int(words[1]), sys.executable, *words[3:], cwd=ROOT).check()
