# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI 5: the dynamic rules file of coll/tuned, version 2.

The first block of communicator sizes serves smaller communicators, too, and the last all larger
ones: both leave the choice to the library. Sizes are those of the whole array for alltoall and
allgather. Numbers of algorithms as in `ompi_info --param coll tuned --level 9`.

Between nodes coll/han stands before coll/tuned, but for alltoall. Its own file of rules hands it
just those sizes for which an algorithm was chosen; sizes are those of one rank there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import Choices, Library

# number of the collective, number of each algorithm
_ALGORITHMS: dict[str, tuple[int, dict[str, int]]] = {
    "allgather": (
        0,
        {"linear": 1, "bruck": 2, "recursive_doubling": 3, "ring": 4, "neighbor": 5, "two_proc": 6},
    ),
    "allreduce": (
        2,
        {
            "basic_linear": 1,
            "nonoverlapping": 2,
            "recursive_doubling": 3,
            "ring": 4,
            "rabenseifner": 6,
        },
    ),
    "alltoall": (
        3,
        {"linear": 1, "pairwise": 2, "modified_bruck": 3, "linear_sync": 4, "two_proc": 5},
    ),
    "barrier": (
        6,
        {
            "linear": 1,
            "double_ring": 2,
            "recursive_doubling": 3,
            "bruck": 4,
            "two_proc": 5,
            "tree": 6,
        },
    ),
    "bcast": (
        7,
        {
            "basic_linear": 1,
            "chain": 2,
            "pipeline": 3,
            "binary_tree": 5,
            "binomial": 6,
            "knomial": 7,
            "scatter_allgather": 8,
            "scatter_allgather_ring": 9,
        },
    ),
    "reduce": (
        11,
        {"linear": 1, "chain": 2, "pipeline": 3, "binary": 4, "binomial": 5, "rabenseifner": 7},
    ),
}
_WHOLE_ARRAY = ("alltoall", "allgather")
_HAN = ("allgather", "allreduce", "barrier", "bcast", "reduce")
_HAN_SUFFIX = ".han"
_ALL_RANKS = 2  # of han's levels: on a node, between nodes
_LEAVE_IT = "0 0 0 0"
_COMPONENTS = "OMPI_MCA_pml"


class OpenMpi(Library):
    """Open MPI's rules. Its component `monitoring` counts what collectives send."""

    suffix = ".conf"

    def __init__(self, *, several_nodes: bool = False) -> None:
        self._several_nodes = several_nodes

    @property
    def watching(self) -> Mapping[str, str]:
        """The component's switch; where components are chosen by name it must be among them."""
        named = os.environ.get(_COMPONENTS, "")
        added = {_COMPONENTS: f"{named},monitoring"} if named and named[0] != "^" else {}
        return {"OMPI_MCA_pml_monitoring_enable": "1", **added}

    def algorithms(self, operation: str, ranks: int) -> tuple[str, ...]:
        """Those that serve this number of ranks: two_proc exactly two, neighbor an even number."""
        return tuple(
            name
            for name in _ALGORITHMS[operation][1]
            if (name != "two_proc" or ranks == 2) and (name != "neighbor" or ranks % 2 == 0)
        )

    def text(self, choices: Choices, ranks: int) -> str:
        """The rules file."""
        lines = ["rule-file-version-2", f"{len(choices)} # collectives, by transrank tune"]
        for operation, ranges in choices.items():
            number, _ = _ALGORITHMS[operation]
            rules = _rules(operation, ranges, ranks)
            lines += [f"{number} # {operation}", "3 # sizes of communicators"]
            lines += [*("0", "1", _LEAVE_IT), str(ranks), str(len(rules)), *rules]
            lines += [str(ranks + 1), "1", _LEAVE_IT]
        return "\n".join(lines) + "\n"

    def files(self, choices: Choices, ranks: int) -> dict[str, str]:
        """The rules, and between nodes what makes coll/han hand over to them."""
        beside = {_HAN_SUFFIX: _han_text(choices, ranks)} if self._several_nodes else {}
        return {"": self.text(choices, ranks), **beside}

    def environment(self, path: Path) -> dict[str, str]:
        """The variables of coll/tuned and coll/han, which ignore a missing file in silence."""
        found = {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(path.absolute()),
        }
        if self._several_nodes:
            found["OMPI_MCA_coll_han_use_dynamic_file_rules"] = "1"
            found["OMPI_MCA_coll_han_dynamic_rules_filename"] = f"{path.absolute()}{_HAN_SUFFIX}"
        return found

    def asking(self, operation: str, algorithm: str) -> dict[str, str]:
        """The control variables of coll/tuned, with no coll/han before it."""
        number = _ALGORITHMS[operation][1][algorithm]
        behind = {"OMPI_MCA_coll_han_priority": "0"} if self._several_nodes else {}
        return {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            f"OMPI_MCA_coll_tuned_{operation}_algorithm": str(number),
            **behind,
        }


def _rules(operation: str, ranges: Sequence[Range], ranks: int) -> list[str]:
    numbers = _ALGORITHMS[operation][1]
    factor = ranks if operation in _WHOLE_ARRAY else 1
    found: list[str] = []
    for each in ranges:
        begin = 0 if not found else each.first * factor
        number = 0 if each.algorithm is None else numbers[each.algorithm]
        found.append(f"{begin} {number} 0 0")
    return found


def _han_text(choices: Choices, ranks: int) -> str:
    lines = [f"{len(_HAN)} # collectives, by transrank tune"]
    for operation in _HAN:
        rules = _components(choices.get(operation, ()))
        lines += [operation, "1 # level", f"{_ALL_RANKS} # all ranks", "3 # sizes of communicators"]
        # The first of them must be 1.
        for size, here in ((1, ["0 han"]), (ranks, rules), (ranks + 1, ["0 han"])):
            lines += [f"{size} {len(here)}", *here]
    return "\n".join(lines) + "\n"


def _components(ranges: Sequence[Range]) -> list[str]:
    found: list[str] = []
    before = None
    for each in ranges:
        component = "han" if each.algorithm is None else "tuned"
        if component != before:
            found.append(f"{each.first if found else 0} {component}")
        before = component
    return found or ["0 han"]
