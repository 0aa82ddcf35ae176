# SPDX-License-Identifier: BSD-3-Clause
"""How verbs find runs and lay out their results: one table per question, a row per size."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rich.text import Text

from transrank.errors import UsageError
from transrank.lab.cli import output
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.result import Caution
from transrank.lab.stats.trust import NOT_USABLE, USABLE, WITH_CARE, Trust
from transrank.lab.store.lines import Shape
from transrank.lab.store.records import Run, read_run
from transrank.lab.store.runs import find_run, resume_command
from transrank.lab.units import format_bytes, format_seconds, format_spread, is_number

# A case without a size is labelled by the last two parts of its name, or by the last one if labels
# of its study would be longer than LABEL_WIDTH. The other parts are in the title of the table.
LABEL_PARTS, LABEL_WIDTH = 2, 24
GRADES = {USABLE: "bold green", WITH_CARE: "bold yellow", NOT_USABLE: "bold red"}
# Characters with which spreadsheets begin a formula, or which they skip before one.
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


class Named(Protocol):
    """An item with a case and a shape."""

    @property
    def case(self) -> str: ...
    @property
    def shape(self) -> Shape: ...


Item = TypeVar("Item", bound=Named)


@dataclass
class Table:
    """The rows of one question: a study, all its axes but the size, a shape."""

    title: str
    shape: Shape
    rows: list[tuple[str, Any]] = field(default_factory=list)


def trust_text(trust: Trust) -> Text:
    """The grade of a run, in its colour, and why it has it."""
    return Text.assemble((trust.grade, GRADES[trust.grade]), f": {output.one_line(trust.why)}")


def open_run(text: str, store: Path | None) -> Run:
    """Read the run that a user names, and warn if its file is incomplete."""
    run = read_run(find_run(text, store))
    for problem in run.problems:
        output.warning(problem, f"`{resume_command(run.path, store)}` measures the missing cases")
    return run


def add_case_option(parser: argparse.ArgumentParser) -> None:
    """Add --case, which picks cases by name."""
    parser.add_argument(
        "--case",
        metavar="GLOB",
        action="append",
        default=[],
        help="only cases whose names match, e.g. 'pingpong/*' or '*/1KiB'; may be repeated",
    )


def select_cases(items: Sequence[Item], globs: Sequence[str]) -> list[Item]:
    """Return the items whose case matches one of the patterns; all without a pattern.

    Raises
    ------
    UsageError
        a pattern matches nothing.
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


def tabulate(items: Iterable[Item], axes: Mapping[str, Mapping[str, str | int]]) -> list[Table]:
    """Group items into tables, in order of first appearance; rows are labelled by their size.

    `axes` has the axes of each case. Cases without a size are labelled by the last parts of their
    name, and share a table with cases whose other parts are the same. Rows are sorted by size.
    """
    items = list(items)
    tables: dict[tuple[str, Shape], Table] = {}
    sizes: dict[int, int] = {}
    in_label = _label_parts({item.case for item in items if _size(axes[item.case]) is None})
    for item in items:
        size = _size(axes[item.case])
        parts = item.case.split("/")
        kept = max(len(parts) - (in_label[parts[0]] if size is None else 1), 1)
        title = "/".join(parts[:kept])
        label = "/".join(parts[kept:]) or title if size is None else format_bytes(size)
        key = f"{title}|{size is None}", item.shape
        tables.setdefault(key, Table(title, item.shape)).rows.append((label, item))
        sizes[id(item)] = size or 0
    for table in tables.values():
        table.rows.sort(key=lambda row: sizes[id(row[1])])
    return list(tables.values())


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


def error_text(estimate: Estimate | None) -> str:
    """The ± of an estimate, empty if it has no interval."""
    if estimate is None or estimate.relative_error is None:
        return ""
    return format_spread(estimate.relative_error)


def interval_text(estimate: Estimate | None) -> str:
    """Return `823–841 ns`, both ends in the unit of the upper one."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    low, high = format_seconds(estimate.low), format_seconds(estimate.high)
    low_number, _, low_unit = low.partition(" ")
    return f"{low_number}–{high}" if low_unit == high.partition(" ")[2] else f"{low}–{high}"


def without_empty(
    columns: Sequence[output.Column | str], rows: Sequence[Sequence[str | Text]]
) -> tuple[list[output.Column | str], list[list[str | Text]]]:
    """Return the columns, and their cells, that are not empty in every row."""
    filled = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    return [columns[i] for i in filled], [[row[i] for i in filled] for row in rows]


def some_of(cases: Sequence[str]) -> str:
    """Return the first few names, and the number of further ones."""
    more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
    return ", ".join(cases[:3]) + more


def flush() -> None:
    """Flush stdout before anything is printed on stderr."""
    sys.stdout.flush()


def warn(cautions: Iterable[Caution]) -> None:
    """Print the warnings on stderr, after everything on stdout."""
    flush()
    for caution in cautions:
        output.warning(caution.text, caution.hint)


def as_json(value: Any) -> str:
    """Return JSON that any reader accepts: numbers that are not finite become null."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return CSV with a heading line; None becomes an empty cell.

    Text that a spreadsheet would take for a formula gets an apostrophe before it, as OWASP
    advises (CSV Injection), and control characters are made visible: a carriage return would begin
    a row. Numbers stay as they are.
    """
    buffer = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(_cell, columns))
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    begins_formula = value.startswith(FORMULA_BEGINS) and not is_number(value)
    return output.visible(f"'{value}" if begins_formula else value)
