# SPDX-License-Identifier: BSD-3-Clause
"""The pages under docs/ name what there is: a new verb, status or benchmark needs a row."""

import re
import shlex
from pathlib import Path

import pytest

from transrank import errors
from transrank.lab.cli import __main__ as frame
from transrank.lab.cli import options
from transrank.lab.cli.__main__ import main
from transrank.lab.launch import launchers, scripts, template
from transrank.lab.store import lines

DOCS = Path(__file__).parents[2] / "docs"


def first_cells(page: str) -> set[str]:
    """What stands in the first column of the tables of a page, without its marks."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return {
        cell.strip().strip("`") for cell in re.findall(r"^\| *([^|]+?) *\|", text, re.MULTILINE)
    }


def statuses() -> set[str]:
    failures = [errors.Failure, *errors.Failure.__subclasses__()]
    known = {failure.status for failure in failures} | {1}
    known |= {frame.SUCCESS, frame.INTERRUPTED, frame.INTERNAL_ERROR, frame.BROKEN_PIPE}
    return {str(status) for status in known}


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("commands", set(frame.VERBS)),
        ("commands", statuses()),
        ("launchers", set(launchers.KINDS)),
        ("launchers", {f"{{{name}}}" for name in template.PLACEHOLDERS}),
        ("records", set(lines.KINDS)),
    ],
)
def test_a_page_has_a_row_for_everything_there_is(page, names):
    assert names - first_cells(page) == set()


def test_every_answer_of_the_gate_batch_system_and_page_is_in_the_docs():
    rows = {cell.removesuffix("` (default)") for cell in first_cells("comparing")}
    assert set(options.FAIL_ON) - rows == set()
    heading = next(
        line for line in (DOCS / "jobs.md").read_text("utf-8").splitlines() if "| option |" in line
    )
    columns = [cell.strip().lower() for cell in heading.strip("|").split("|")[1:]]
    assert columns == list(scripts.SYSTEMS)
    index = (DOCS / "index.md").read_text("utf-8").splitlines()
    assert {page.stem for page in DOCS.glob("*.md")} - {"index", *index} == set()


PAGE = (Path(__file__).parents[2] / "docs" / "suites.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| benchmark")
]
COMMANDS = [
    match[1] for row in ROWS if (match := re.fullmatch(r"`transrank (.*)`", row[1])) is not None
]
NEIGHBORS = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"}
COLLECTIVES = NEIGHBORS | {
    *("allreduce", "barrier", "bcast", "gather", "gatherv"),
    *("reduce", "reduce_scatter", "scatter", "scatterv"),
}
# The programs of OSU Micro-Benchmarks 7.4 under c/mpi.
OSU = {
    *("latency", "latency_mt", "latency_mp", "latency_persistent", "multi_lat", "mbw_mr"),
    *("bw", "bw_persistent", "bibw", "bibw_persistent", "bw_fan_in", "bw_fan_out"),
    *("put_latency", "get_latency", "put_bw", "get_bw", "put_bibw", "get_mbw", "get_multi_lat"),
    *("acc_latency", "get_acc_latency", "fop_latency", "cas_latency", "init", "hello"),
    *COLLECTIVES,
    *(f"i{name}" for name in COLLECTIVES),
    *(f"{name}_persistent" for name in COLLECTIVES),
    *("reduce_scatter_block", "ireduce_scatter_block"),
    *(f"neighbor_{name}" for name in NEIGHBORS),
    *(f"ineighbor_{name}" for name in NEIGHBORS),
}


def test_every_program_of_osu_has_a_row_and_one_without_a_command_says_why():
    named = {name for row in ROWS for name in row[0].split(", ") if name.startswith("osu_")}
    assert named == {f"osu_{name}" for name in OSU}
    assert COMMANDS
    for row in ROWS:
        assert row[1] != "–" or row[2], row[0]


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_every_command_exists(command, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSRANK_STORE", str(tmp_path))
    assert main([*shlex.split(command), "--ranks", "2", "--dry-run"]) == 0
    assert "mpiexec" in capsys.readouterr().out
