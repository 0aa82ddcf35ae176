# SPDX-License-Identifier: BSD-3-Clause
"""What ranks wrote to stdout where the launcher writes files instead of passing it on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def files_of(prefix: Path) -> list[Path]:
    """Return every file whose path begins with `prefix`, also in folders below it."""
    found: list[Path] = []
    for entry in sorted(prefix.parent.glob(f"{prefix.name}*")):
        if entry.is_dir():
            found += sorted(path for path in entry.rglob("*") if path.is_file())
        else:
            found.append(entry)
    return found


def lines_of(prefix: Path) -> Iterator[str]:
    """Yield the lines of all those files."""
    for path in files_of(prefix):
        try:
            yield from path.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue


def json_objects(line: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a line; launchers glue the lines of different ranks together."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    place = line.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(line, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict):
                found.append(value)
        place = line.find("{", end)
    return found
