# SPDX-License-Identifier: BSD-3-Clause
"""Which case of ours another suite's result is, by the definitions of both.

`bytes` means the same everywhere: the length of a message, of a reduction's vector, of each block
that one rank sends to one other. What no study of ours measures has no meaning here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from transrank.lab.store.suites.reading import Reading
from transrank.lab.units import format_size

Axes = dict[str, str | int]

# osu_bw and osu_bibw do not print their window; this is their default.
OSU_WINDOW = 64

_POINT_TO_POINT = {
    "IMB": {"pingpong": 1, "pingping": 1, "sendrecv": 2, "exchange": 4},
    "OSU": {"latency": 1},
}
_OSU_STUDIES = {"latency": "pingpong"}
_OSU_WINDOWED = {
    "bandwidth": "bandwidth",
    "bi-directional bandwidth": "bidirectional-bandwidth",
}
# Operation, and how many are in flight before each flush.
_OSU_ONE_SIDED = {
    "mpi_put latency": ("put", 1),
    "mpi_get latency": ("get", 1),
    "mpi_put bandwidth": ("put", OSU_WINDOW),
    "mpi_get bandwidth": ("get", OSU_WINDOW),
}
_EPOCHS = {"win_flush": "flush", "win_lock/unlock": "lock"}
_WINDOWS = {"win_allocate": "allocated", "win_create": "created"}
_OSU_MESSAGE_RATE = "multiple bandwidth / message rate"
_OSU_COLLECTIVES = {
    "all-to-all personalized exchange": "alltoall",
    "all-to-allv personalized exchange": "alltoallv",
    "all-to-allw personalized exchange": "alltoallw",
    "all-to-all": "alltoall",
    "broadcast": "bcast",
}
_REDUCTIONS = frozenset({"allreduce", "reduce", "reduce_scatter"})
_COLLECTIVES = _REDUCTIONS | frozenset(
    {"allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv"}
    | {"alltoall", "alltoallv", "alltoallw", "bcast", "barrier"}
)
_ROOTED = frozenset({"reduce", "gather", "gatherv", "scatter", "scatterv", "bcast"})
_BLOCK_PER_RANK = frozenset({"scatter", "scatterv", "alltoall", "alltoallv", "alltoallw"})
# MPI defines no sum of characters; int8 has the same bytes and a sum.
_DATATYPES = {"char": "int8", "float": "float", "double": "double"}
_OSU_COLLECTIVE = re.compile(
    r"(?P<nonblocking>non-blocking )?(?P<name>.+?)(?P<persistent> persistent)? latency"
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A case of ours, and how its time and its counted bytes follow from the printed numbers.

    Attributes
    ----------
    ranks
        None if the user must give it: the suite prints none and the benchmark fixes none.
    bytes_counted
        per operation; per rank and operation where `block_per_rank` says so, see `counted`.
    """

    study: str
    axes: Axes
    ranks: int | None
    seconds: float | None
    bytes_counted: float
    block_per_rank: bool = False

    @property
    def case(self) -> str:
        """The name of the case, as transrank-run spells it."""
        return "/".join([self.study, *(_spelt(name, value) for name, value in self.axes.items())])

    def counted(self, ranks: int) -> float:
        return self.bytes_counted * (ranks if self.block_per_rank else 1)


def _spelt(name: str, value: str | int) -> str:
    return format_size(value) if name == "bytes" and isinstance(value, int) else str(value)


def meaning_of(suite: str, reading: Reading) -> Meaning | None:
    """The case that `reading` is; None when no study of ours measures the same."""
    counted = _POINT_TO_POINT[suite].get(reading.benchmark)
    if counted is not None:
        return _message(reading, counted)
    if suite == "OSU" and reading.benchmark in _OSU_WINDOWED:
        return _window(reading)
    if suite == "OSU" and reading.benchmark in _OSU_ONE_SIDED:
        return _one_sided(reading)
    if suite == "OSU" and reading.benchmark == _OSU_MESSAGE_RATE:
        return _message_rate(reading)
    operation, form = _collective(suite, reading.benchmark)
    return None if operation is None else _collective_case(reading, operation, form)


def understood(suite: str) -> str:
    """The benchmarks that have a meaning here, in words."""
    named = [*_POINT_TO_POINT[suite]]
    if suite == "OSU":
        named += [*_OSU_WINDOWED, _OSU_MESSAGE_RATE, *_OSU_ONE_SIDED]
    return f"{', '.join(named)}, and of the collectives {', '.join(sorted(_COLLECTIVES))}"


def _message(reading: Reading, counted: int) -> Meaning | None:
    if reading.bytes is None:
        return None
    study = _OSU_STUDIES.get(reading.benchmark, reading.benchmark)
    ranks = 2 if study in ("pingpong", "pingping") else reading.ranks
    size = reading.bytes
    return Meaning(study, {"bytes": size}, ranks, reading.seconds, float(counted * size))


def _window(reading: Reading) -> Meaning | None:
    if reading.bytes is None:
        return None
    study = _OSU_WINDOWED[reading.benchmark]
    counted = float(reading.bytes * (2 if study == "bidirectional-bandwidth" else 1))
    axes: Axes = {"window": reading.window or OSU_WINDOW, "bytes": reading.bytes}
    return Meaning(study, axes, 2, _time(counted, reading.bytes_per_second), counted)


def _one_sided(reading: Reading) -> Meaning | None:
    operation, in_flight = _OSU_ONE_SIDED[reading.benchmark]
    epoch = _EPOCHS.get(reading.synchronization or "")
    window = _WINDOWS.get(reading.creation or "")
    size = reading.bytes
    if size is None or epoch is None or window is None:
        return None
    axes: Axes = {
        "operation": operation,
        "epoch": epoch,
        "window": window,
        "in_flight": in_flight,
        "bytes": size,
    }
    seconds = reading.seconds
    if seconds is None:
        seconds = _time(float(size), reading.bytes_per_second)
    return Meaning("one-sided", axes, 2, seconds, float(size))


def _message_rate(reading: Reading) -> Meaning | None:
    # Our study has windows of 64 and nothing else.
    if reading.bytes is None or reading.ranks is None or reading.window not in (None, OSU_WINDOW):
        return None
    pairs = reading.ranks // 2
    counted = float(reading.bytes * pairs)
    seconds = _time(float(pairs), reading.messages_per_second)
    return Meaning(
        "message-rate",
        {"pairs": pairs, "bytes": reading.bytes},
        reading.ranks,
        seconds if seconds is not None else _time(counted, reading.bytes_per_second),
        counted,
    )


def _time(amount: float, rate: float | None) -> float | None:
    return amount / rate if rate else None


def _collective(suite: str, benchmark: str) -> tuple[str | None, str]:
    """Operation and form, operation None for what is no collective of ours."""
    if suite == "OSU":
        match = _OSU_COLLECTIVE.fullmatch(benchmark)
        if match is None:
            return None, ""
        name = _OSU_COLLECTIVES.get(match["name"], match["name"])
        form = "nonblocking" if match["nonblocking"] else "blocking"
        form = "persistent" if match["persistent"] else form
    else:
        pure = benchmark.removesuffix("_pure")
        nonblocking = pure.startswith("i") and pure.removeprefix("i") in _COLLECTIVES
        name = pure.removeprefix("i") if nonblocking else pure
        form = "nonblocking" if nonblocking else "blocking"
    return (name if name in _COLLECTIVES else None), form


def _collective_case(reading: Reading, operation: str, form: str) -> Meaning | None:
    axes: Axes = {"operation": operation, "form": form}
    if operation in _REDUCTIONS:
        datatype = _DATATYPES.get(reading.datatype or "float")
        if datatype is None:
            return None
        axes["datatype"] = datatype
    if operation in _ROOTED:
        axes["root"] = "fixed"
    if operation != "barrier":
        if reading.bytes is None:
            return None
        axes["bytes"] = reading.bytes
    return Meaning(
        "collectives",
        axes,
        reading.ranks,
        reading.seconds,
        float(reading.bytes or 0) if operation != "barrier" else 0.0,
        operation in _BLOCK_PER_RANK,
    )
