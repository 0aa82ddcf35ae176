# SPDX-License-Identifier: BSD-3-Clause
"""The lines that a running launch has added to the record file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Tail:
    """Reads what is appended to a file, whole lines only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rest = b""
        self._offset = path.stat().st_size if path.exists() else 0

    def read(self) -> list[dict[str, Any]]:
        """Return the lines that were added since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                added = file.read()
        except OSError:
            return []
        self._offset += len(added)
        *whole, self._rest = (self._rest + added).split(b"\n")
        return [line for raw in whole if (line := _object(raw)) is not None]


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
