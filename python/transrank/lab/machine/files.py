# SPDX-License-Identifier: BSD-3-Clause
"""Small files of /proc and /sys: what is missing or unreadable is None, never an error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Files:
    """The files below `root`, which is ``/`` or a captured tree."""

    root: Path = Path("/")

    def text(self, path: str) -> str | None:
        """Return the content without surrounding white space."""
        try:
            return (self.root / path.lstrip("/")).read_text("utf-8", "replace").strip("\n\t \0")
        except (OSError, ValueError):
            return None

    def number(self, path: str) -> int | None:
        """Return the content as a whole number."""
        try:
            return int(self.text(path) or "")
        except ValueError:
            return None

    def fields(self, path: str) -> dict[str, str]:
        """Return ``name: value`` lines; of a name that comes twice, the first."""
        found: dict[str, str] = {}
        for line in (self.text(path) or "").splitlines():
            name, colon, value = line.partition(":")
            if colon:
                found.setdefault(name.strip(), value.strip())
        return found

    def names(self, directory: str, prefix: str = "") -> list[str]:
        """Return the names in a directory that begin with `prefix`, numbers in numeric order."""
        try:
            entries = [entry.name for entry in (self.root / directory.lstrip("/")).iterdir()]
        except OSError:
            return []
        return sorted((name for name in entries if name.startswith(prefix)), key=_natural)

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        return (self.root / path.lstrip("/")).exists()


def numbered(names: list[str], prefix: str) -> list[int]:
    """Return the numbers of names such as ``cpu0``, leaving out others such as ``cpufreq``."""
    return [int(rest) for name in names if (rest := name[len(prefix) :]).isdecimal()]


def parse_list(text: str | None) -> tuple[int, ...]:
    """Return the numbers of a kernel list such as ``0-3,8``; what is no list is empty."""
    numbers: list[int] = []
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            continue
        numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)


def format_list(numbers: tuple[int, ...]) -> str:
    """Return numbers in the kernel's way of writing lists: ``0-3,8``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _natural(name: str) -> tuple[str, int]:
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    return letters, int(digits) if digits else -1
