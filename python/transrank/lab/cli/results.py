# SPDX-License-Identifier: BSD-3-Clause
"""How verbs find runs and lay out their results: one table per question, a row per size."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rich.text import Text

from transrank.errors import UsageError
from transrank.lab.cli import output
from transrank.lab.stats.result import Caution
from transrank.lab.stats.trust import NOT_USABLE, USABLE, WITH_CARE, Trust
from transrank.lab.store.lines import Shape
from transrank.lab.store.records import Run, read_run
from transrank.lab.store.runs import find_run, list_runs, resume_command, with_label
from transrank.lab.study import launch
from transrank.lab.units import format_bytes
from transrank.lab.view.table import Column, Table, field, labelled

# A case without a size is labelled by the last two parts of its name, or by the last one if labels
# of its study would be longer than LABEL_WIDTH. The other parts are in the title of the table.
LABEL_PARTS, LABEL_WIDTH = 2, 24
# The fields of every row about a case.
CASE = (
    field("case", lambda item: item.case),
    field("ranks", lambda item: item.shape.ranks),
    field("ranks_per_node", lambda item: item.shape.ranks_per_node),
)
GRADES = {USABLE: "bold green", WITH_CARE: "bold yellow", NOT_USABLE: "bold red"}


class Named(Protocol):
    """An item with a case and a shape."""

    @property
    def case(self) -> str: ...
    @property
    def shape(self) -> Shape: ...


Item = TypeVar("Item", bound=Named)
Value = TypeVar("Value")


@dataclass
class Group:
    """The rows of one question: a study, all its axes but the size, a shape."""

    title: str
    shape: Shape
    rows: list[tuple[str, Any]] = dataclasses.field(default_factory=list)

    def table(self, columns: Sequence[Column], more: str = "") -> Table:
        """A table of the rows for people, without columns that are empty in every row."""
        caption = f"{self.title}, {self.shape}{more}"
        return labelled(caption, Column(""), columns, self.rows).shown()


def trust_text(trust: Trust) -> Text:
    """The grade of a run, in its colour, and why it has it."""
    return Text.assemble((trust.grade, GRADES[trust.grade]), f": {output.one_line(trust.why)}")


def find(text: str, store: Path | None) -> Path:
    """The record file of the run that a user names; warns if other runs have the same label."""
    runs = list_runs(store)
    path = find_run(text, store, runs)
    if len(same := with_label(text, runs)) > 1:
        output.warning(
            f"{len(same)} runs have the label '{text}'; the latest is used, {same[-1]}",
            f"name a run by its id, such as the one before, {same[-2]}",
        )
    return path


def open_run(text: str, store: Path | None) -> Run:
    """Read the run that a user names, and warn if its file is incomplete."""
    run = read_run(find(text, store))
    for problem in run.problems:
        output.warning(problem, f"`{resume_command(run, store)}` measures the missing cases")
    return run


def add_case_option(parser: argparse.ArgumentParser) -> None:
    """Add --case, which picks cases by name."""
    parser.add_argument(
        "--case",
        metavar="GLOB",
        action="append",
        default=[],
        help="only cases whose names match GLOB, e.g. 'pingpong/*' or '*/1KiB'; may be repeated",
    )


def select_cases(items: Sequence[Item], globs: Sequence[str]) -> list[Item]:
    """Return the items whose case matches one of the patterns; all without a pattern.

    Raises UsageError: a pattern matches nothing.
    """
    for glob in globs:
        if not any(fnmatchcase(item.case, glob) for item in items):
            known = list(dict.fromkeys(item.case.split("/")[0] for item in items))
            raise UsageError(
                f"no case matches --case '{glob}'",
                f"the run has cases of: {', '.join(known)}; try '{known[0]}/*'"
                if known
                else "the run has no cases",
            )
    if not globs:
        return list(items)
    return [item for item in items if any(fnmatchcase(item.case, glob) for glob in globs)]


def tabulate(items: Iterable[Item], axes: Mapping[str, Mapping[str, str | int]]) -> list[Group]:
    """Divide items into groups, in order of first appearance; rows are labelled by their size.

    `axes` has the axes of each case. Cases without a size are labelled by the last parts of their
    name, and share a group with cases whose other parts are the same. Rows are sorted by size.
    """
    items = list(items)
    groups: dict[tuple[str, Shape], Group] = {}
    sizes: dict[int, int] = {}
    in_label = _label_parts({item.case for item in items if _size(axes[item.case]) is None})
    for item in items:
        size = _size(axes[item.case])
        parts = item.case.split("/")
        kept = max(len(parts) - (in_label[parts[0]] if size is None else 1), 1)
        title = "/".join(parts[:kept])
        label = "/".join(parts[kept:]) or title if size is None else format_bytes(size)
        key = f"{title}|{size is None}", item.shape
        groups.setdefault(key, Group(title, item.shape)).rows.append((label, item))
        sizes[id(item)] = size or 0
    for group in groups.values():
        group.rows.sort(key=lambda row: sizes[id(row[1])])
    return list(groups.values())


def _size(axes: Mapping[str, str | int]) -> int | None:
    size = axes.get("bytes")
    return size if isinstance(size, int) else None


def _label_parts(cases: Iterable[str]) -> dict[str, int]:
    """The number of parts of a case's name that form its label, by study."""
    longest: dict[str, int] = {}
    for case in cases:
        study, *parts = case.split("/")
        length = len("/".join(parts[-LABEL_PARTS:]))
        longest[study] = max(longest.get(study, 0), length)
    return {study: LABEL_PARTS if most <= LABEL_WIDTH else 1 for study, most in longest.items()}


def some_of(cases: Sequence[str]) -> str:
    """Return the first few names, and the number of further ones."""
    more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
    return ", ".join(cases[:3]) + more


def if_launch(item: Named, value: Value) -> Value | None:
    """`value` for a case whose own value is when the last rank ran: the first one's adds to it."""
    return value if item.case.split("/")[0] == launch.NAME else None


def reasons(found: Iterable[tuple[str, str, Named]]) -> list[tuple[str, str]]:
    """By the words for a case and the reason: both, and the first few of the cases."""
    cases: dict[tuple[str, str], list[str]] = {}
    for word, reason, item in found:
        cases.setdefault((word, reason), []).append(f"{item.case} ({item.shape})")
    return [(word, f"{reason}: {some_of(names)}") for (word, reason), names in cases.items()]


def flush() -> None:
    """Flush stdout before anything is printed on stderr."""
    sys.stdout.flush()


def warn(cautions: Iterable[Caution]) -> None:
    """Print the warnings on stderr, after everything on stdout."""
    flush()
    for caution in cautions:
        output.warning(caution.text, caution.hint)
