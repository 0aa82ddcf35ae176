# SPDX-License-Identifier: BSD-3-Clause
"""JSON Lines as bytes: split, parsed strictly, told whole from cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from transrank.errors import RecordError


def read_content(path: Path) -> bytes:
    """The bytes of a file, or RecordError saying why there are none."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordError(
            f"{path}: cannot be read: {error.strerror or error}",
            "`transrank list runs` shows what is stored",
        ) from None


def split_lines(content: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, bytes and wholeness (ended by a newline) of each line that is not blank."""
    lines = content.split(b"\n")
    last = len(lines)
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield number, raw, number < last


def parse(path: Path, number: int, raw: bytes) -> Any:
    """The value of a line, or RecordError naming file and line."""
    try:
        parsed = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
        if rb"\u" in raw:  # an unpaired surrogate could never be printed
            json.dumps(parsed, ensure_ascii=False).encode()
        return parsed
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else one_line(error)
        raise RecordError(
            f"{path}:{number}: not JSON: {reason}",
            "a line in the middle of a file is never cut by an interrupted survey: "
            "the file was changed or damaged afterwards",
        ) from None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def is_json(raw: bytes) -> bool:
    """Whether a line is whole: a cut one never is."""
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def one_line(error: Exception) -> str:
    """The message of an exception, short and without line breaks."""
    return " ".join(str(error).split())[:200]
