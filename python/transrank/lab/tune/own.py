# SPDX-License-Identifier: BSD-3-Clause
"""transrank's own alltoall: what `auto` takes (cpp/transrank/collective/choices.hpp)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transrank import installation
from transrank.lab.study import catalogue
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import OWN, Choices, Library

_STUDY = "alltoall-algorithms"
_PREFIX = "alltoall-"
_AUTO = "auto"
# The library's own algorithms, which `auto` cannot ask for.
_FORCED = "mpi-"


class Own(Library):
    """Which algorithm `auto` is, for arrays of transrank's (shared) and for others (private)."""

    name = OWN
    suffix = ".choices"
    operations = (f"{_PREFIX}shared", f"{_PREFIX}private")

    def __init__(self, ranks_per_node: int) -> None:
        self._ranks_per_node = ranks_per_node

    @property
    def watching(self) -> Mapping[str, str]:
        """It says so anyway."""
        return {}

    def study(self, operations: Sequence[str]) -> list[str]:
        """Measure `auto`, whatever it is."""
        kinds = ",".join(operation.removeprefix(_PREFIX) for operation in operations)
        return [_STUDY, f"--axis=algorithm={_AUTO}", f"--axis=arrays={kinds}"]

    def operation_of(self, axes: Mapping[str, Any]) -> str:
        """Which arrays are sent from."""
        return f"{_PREFIX}{axes['arrays']}"

    def algorithms(self, operation: str, ranks: int) -> tuple[str, ...]:  # noqa: ARG002
        """All that can serve this number of ranks."""
        cases = catalogue.list_cases(["--study", _STUDY, "--sizes", "8"], ranks)
        names = [str(case.axes["algorithm"]) for case in cases if case.reason is None]
        return tuple(name for name in names if name != _AUTO and not name.startswith(_FORCED))

    def text(self, choices: Choices, ranks: int) -> str:
        """The file of choices. Where it chooses nothing, `auto` decides as without a file."""
        rules = [
            f"{operation.removeprefix(_PREFIX)} {each.first} {each.last} {each.algorithm}"
            for operation, ranges in choices.items()
            for each in _chosen(ranges)
        ]
        lines = [
            "transrank alltoall choices 1",
            f"mpi {installation.mpi_kind()}",
            f"ranks {ranks}",
            f"ranks-per-node {self._ranks_per_node}",
            f"rules {len(rules)}",
        ]
        return "\n".join([*lines, *rules, "end"]) + "\n"

    def environment(self, path: Path) -> dict[str, str]:
        """The variable of transrank's alltoall."""
        return {"TRANSRANK_ALLTOALL_CHOICES": str(path.absolute())}


def _chosen(ranges: Sequence[Range]) -> list[Range]:
    return [each for each in ranges if each.algorithm is not None]
