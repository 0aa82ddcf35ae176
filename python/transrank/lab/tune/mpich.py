# SPDX-License-Identifier: BSD-3-Clause
"""MPICH: the table of collective algorithms, a JSON file.

A file replaces the whole table, so the library's own is taken out of its shared object, and only
what was chosen is put before the entries of the operations. `comm_size<N` is evaluated as `<=` by
MPICH up to 5.0: only `<=` is written. The library maps the file and takes it for a string that ends
with 0, so its length must not be a multiple of a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from transrank import installation
from transrank.errors import LaunchError
from transrank.installation import variants
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import Choices, Library

Tree = dict[str, Any]
_PAGE = 4096
_ALGORITHM = "algorithm="
# The line of the library's summary that names its table.
_TABLE = "MPIR: "
# What is compared with a size: of one block or message, or of all ranks together.
_SIZE = {"allgather": "total_msg_size"}
_TOTAL = ("allgather",)
# Where the order of operands or the place of the data forbids some algorithms nothing is changed.
_ONLY_WHERE = {
    "alltoall": ("is_sendbuf_inplace=no", "is_sendbuf_inplace=yes"),
    "allreduce": ("is_commutative=yes", "is_commutative=no"),
    "reduce": ("is_commutative=yes", "is_commutative=no"),
}


class Mpich(Library):
    """MPICH's table. The library has no count of messages, but says which table it has read."""

    suffix = ".json"
    announcing: ClassVar[Mapping[str, str] | None] = {"MPIR_CVAR_DEBUG_SUMMARY": "1"}

    def algorithms(self, operation: str, ranks: int) -> tuple[str, ...]:
        """Those that the library's own table uses between processes, as it writes them.

        Without those that need communicators of another kind, a power of two, or at least as many
        elements as ranks: MPICH ends a job that gives them less, and a rule knows only bytes.
        """
        found = dict.fromkeys(_leaves(_intra(own_table(), operation)))
        whole = ranks & (ranks - 1) == 0
        return tuple(
            name
            for name in found
            if name.startswith(f"MPIR_{operation.capitalize()}_intra_")
            and not name.endswith(("_smp", "sendrecv_replace"))
            and "reduce_scatter" not in name
            and (whole or "recursive_doubling" not in name or operation == "allreduce")
        )

    def text(self, choices: Choices, ranks: int) -> str:
        """The library's table with these choices before its own."""
        table: Tree = json.loads(json.dumps(own_table()))
        for operation, ranges in choices.items():
            entry = table[f"collective={operation}"]
            own = _intra(table, operation)
            chosen = _chosen(operation, ranges, ranks, own)
            entry["comm_type=intra"] = _guarded(operation, chosen, own)
        text = json.dumps(table, indent=1)
        return text + "\n" * (2 if len(text) % _PAGE == _PAGE - 1 else 1)

    def environment(self, path: Path) -> dict[str, str]:
        """The variable of MPICH's selection."""
        return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(path.absolute())}

    def names(self, path: Path, said: Sequence[str]) -> bool | None:
        """Whether the summary of the settings has this file as the table."""
        tables = [line.removeprefix(_TABLE) for line in said if line.startswith(_TABLE)]
        return str(path.absolute()) in tables if tables else None


@cache
def own_table() -> Tree:
    """The table that is compiled into the library.

    Raises LaunchError: the library has none that can be read.
    """
    path = _shared_object()
    tables = list(tables_in(path.read_bytes()))
    if not tables:
        raise LaunchError(
            f"{path} has no table of collective algorithms", "MPICH from 4.0 on has one"
        )
    return max(tables, key=len)


def tables_in(binary: bytes) -> Iterator[Tree]:
    """Tables of algorithms among the strings of a shared object."""
    for match in re.finditer(rb'\0(\{\s*"collective=[^\0]*)\0', binary):
        try:
            yield json.loads(match[1])
        except ValueError:
            continue


def _shared_object() -> Path:
    found = variants.library(installation.runner())
    if found is None:
        raise LaunchError("the shared object of MPICH cannot be found", "ldd transrank-run")
    return found


def _intra(table: Tree, operation: str) -> Tree:
    tree: Tree = table[f"collective={operation}"]["comm_type=intra"]
    return tree


def _leaves(tree: Tree) -> Iterator[str]:
    for key, below in tree.items():
        if key.startswith(_ALGORITHM):
            yield key.removeprefix(_ALGORITHM)
        else:
            yield from _leaves(below)


def _leaf(tree: Tree, algorithm: str) -> Tree:
    """The entry of an algorithm with its own parameters, as the library's table has it."""
    for key, below in tree.items():
        if key == _ALGORITHM + algorithm:
            return {key: below}
        if not key.startswith(_ALGORITHM) and (found := _leaf(below, algorithm)):
            return found
    return {}


def _chosen(operation: str, ranges: Sequence[Range], ranks: int, own: Tree) -> Tree:
    here: Tree = {}
    size = _SIZE.get(operation, "avg_msg_size")
    factor = ranks if operation in _TOTAL else 1
    for each in ranges:
        what = own if each.algorithm is None else _leaf(own, each.algorithm)
        if operation == "barrier":
            here = what
        else:
            here[f"{size}<={each.last * factor}"] = what
    if operation != "barrier":
        here[f"{size}=any"] = own
    return {f"comm_size<={ranks - 1}": own, f"comm_size<={ranks}": here, "comm_size=any": own}


def _guarded(operation: str, chosen: Tree, own: Tree) -> Tree:
    if operation not in _ONLY_WHERE:
        return chosen
    changed, unchanged = _ONLY_WHERE[operation]
    return {changed: chosen, unchanged: own}
