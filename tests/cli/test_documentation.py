# SPDX-License-Identifier: BSD-3-Clause
"""The pages under docs/ name what there is: a new verb, status or placeholder needs a row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from transrank import errors
from transrank.lab.cli import __main__ as frame
from transrank.lab.cli import compare
from transrank.lab.launch import launchers, scripts, template
from transrank.lab.store import schema

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
        ("records", set(schema.KINDS)),
    ],
)
def test_a_page_has_a_row_for_everything_there_is(page, names):
    assert names - first_cells(page) == set()


def test_every_answer_of_the_gate_has_a_row():
    rows = {cell.removesuffix("` (default)") for cell in first_cells("comparing")}
    assert set(compare.FAIL_ON) - rows == set()


def test_every_batch_system_has_a_column():
    heading = next(
        line for line in (DOCS / "jobs.md").read_text("utf-8").splitlines() if "| option |" in line
    )
    columns = [cell.strip().lower() for cell in heading.strip("|").split("|")[1:]]
    assert columns == list(scripts.SYSTEMS)


def test_every_page_is_reached_from_the_first():
    index = (DOCS / "index.md").read_text("utf-8").splitlines()
    assert {page.stem for page in DOCS.glob("*.md")} - {"index", *index} == set()
