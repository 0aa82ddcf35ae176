# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines: no operation takes longer than others that together do the same.

Source: Träff, Gropp & Thakur, IEEE TPDS 21(5), 2010; Hunold & Carpen-Amarie, PGMPI, 2018.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from transrank.lab.findings.rule import Rule, Trial, tried
from transrank.lab.findings.values import Numbers, Value
from transrank.lab.store.lines import Shape

# An operation that takes longer by a smaller factor may have been measured in other minutes.
TOLERANCE = 1.1
# The size of an operation that stands in for another one of `size` bytes on `ranks` ranks.
SAME, WHOLE, PART = "size", "size of all ranks", "size over ranks"
# What a v-variant must tell the others first: a count.
COUNT = "4 B"


class Part(NamedTuple):
    """An operation that stands in, and its size."""

    operation: str
    size: str = SAME


GUIDELINES: tuple[tuple[str, tuple[Part, ...]], ...] = (
    ("allgather", (Part("gather"), Part("bcast", WHOLE))),
    ("allgather", (Part("alltoall"),)),
    ("allgather", (Part("allreduce", WHOLE),)),
    ("allgather", (Part("allgatherv"),)),
    ("allgatherv", (Part("allreduce", COUNT), Part("allgather"))),
    ("allreduce", (Part("reduce"), Part("bcast"))),
    ("allreduce", (Part("reduce_scatter"), Part("allgather", PART))),
    ("alltoall", (Part("alltoallv"),)),
    ("alltoallv", (Part("allreduce", COUNT), Part("alltoall"))),
    ("alltoallv", (Part("alltoallw"),)),
    ("barrier", (Part("allreduce", COUNT),)),
    ("bcast", (Part("scatter", PART), Part("allgather", PART))),
    ("gather", (Part("allgather"),)),
    ("gather", (Part("gatherv"),)),
    ("gather", (Part("reduce", WHOLE),)),
    ("gatherv", (Part("allreduce", COUNT), Part("gather"))),
    ("reduce", (Part("allreduce"),)),
    ("reduce", (Part("reduce_scatter"), Part("gather", PART))),
    ("reduce_scatter", (Part("reduce"), Part("scatter", PART))),
    ("reduce_scatter_block", (Part("reduce_scatter", WHOLE),)),
    ("scatter", (Part("bcast", WHOLE),)),
    ("scatter", (Part("scatterv"),)),
    ("scatterv", (Part("bcast", COUNT), Part("scatter"))),
)

# Blocking operations of one shape, by size.
Operations = Mapping[str, Mapping[int, Value]]


def trials(numbers: Numbers) -> Iterator[Trial]:
    """Every guideline at every size, in every shape."""
    for operations in _by_shape(numbers.of("collectives")).values():
        for operation, parts in GUIDELINES:
            said = _said(operation, parts)
            for value in operations.get(operation, {}).values():
                others = [_stand_in(operations, part, value) for part in parts]
                if all(others):
                    of = (lambda time, *parts: time / sum(parts), value)
                    yield from tried(said, TOLERANCE, *of, *filter(None, others), subject="")


def _by_shape(values: Sequence[Value]) -> dict[Shape, dict[str, dict[int, Value]]]:
    found: dict[Shape, dict[str, dict[int, Value]]] = {}
    for value in sorted(values, key=lambda value: value.bytes):
        if value.axes.get("form") == "blocking":
            operations = found.setdefault(value.shape, {})
            operations.setdefault(str(value.axes["operation"]), {})[value.bytes] = value
    return found


def _stand_in(operations: Operations, part: Part, value: Value) -> Value | None:
    """The operation at its size, padded to the next that was measured."""
    ranks = value.shape.ranks
    least = {
        SAME: value.bytes,
        WHOLE: value.bytes * ranks,
        PART: -(-value.bytes // ranks),
        COUNT: 4,
    }[part.size]
    sizes = [size for size in operations.get(part.operation, {}) if size >= least]
    return operations[part.operation][min(sizes)] if sizes else None


def _said(operation: str, parts: Sequence[Part]) -> str:
    names = " and ".join(
        part.operation + ("" if part.size == SAME else f" of {part.size}") for part in parts
    )
    together = "which together do the same" if len(parts) > 1 else "which does the same or more"
    return f"{operation.capitalize()} takes longer than {names}, {together}"


RULE = Rule(
    "guideline",
    "no operation takes longer than others that together do the same",
    "the library does not choose the fastest way that it has",
    trials,
)
