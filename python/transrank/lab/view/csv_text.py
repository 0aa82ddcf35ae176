# SPDX-License-Identifier: BSD-3-Clause
"""A table as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from transrank.lab.units import is_number
from transrank.lab.view.terminal import visible

# Characters with which spreadsheets begin a formula, or which they skip before one.
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


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
    return visible(f"'{value}" if begins_formula else value)
