# SPDX-License-Identifier: BSD-3-Clause
"""Which case of ours another suite's result is, by the definitions of both.

`bytes` means the same everywhere: the length of a message, of a reduction's vector, of each block
that one rank sends to one other. What no study of ours measures has no meaning here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from transrank.lab.store.suites.reading import Reading
from transrank.lab.units import format_size

Axes = dict[str, str | int]

# osu_bw and osu_bibw do not print their window; this is their default.
OSU_WINDOW = 64

# Study, the axes that the suite does not print, and how often a byte counts.
_POINT_TO_POINT: Mapping[str, Mapping[str, tuple[str, Axes, int]]] = {
    "IMB": {
        "pingpong": ("pingpong", {}, 1),
        "pingpongspecificsource": ("pingpong", {}, 1),
        "pingponganysource": ("pingpong", {"match": "any"}, 1),
        "pingping": ("pingping", {}, 1),
        "pingpingspecificsource": ("pingping", {}, 1),
        "pingpinganysource": ("pingping", {"match": "any"}, 1),
        "sendrecv": ("sendrecv", {}, 2),
        "exchange": ("exchange", {}, 4),
    },
    "OSU": {
        "latency": ("pingpong", {}, 1),
        "latency persistent": ("send-modes", {"routine": "persistent"}, 1),
    },
}
_BETWEEN_TWO = frozenset({"pingpong", "pingping", "send-modes"})
# Ping-pongs of all ranks in pairs at once.
_MULTI = {"IMB": "multi-pingpong", "OSU": "multi latency"}
_WINDOWED = {
    "IMB": {"uniband": "bandwidth", "biband": "bidirectional-bandwidth"},
    "OSU": {"bandwidth": "bandwidth", "bi-directional bandwidth": "bidirectional-bandwidth"},
}


@dataclass(frozen=True, slots=True)
class _Access:
    """What is done to another rank's memory, and how many of it are in flight."""

    operation: str
    in_flight: int = 1
    both_ways: bool = False
    # What is added up; None: bytes are moved.
    word: str | None = None


_ONE_SIDED = {
    "IMB": {
        "unidir_put": _Access("put"),
        "unidir_get": _Access("get"),
        "bidir_put": _Access("put", both_ways=True),
        "compare_and_swap": _Access("compare-and-swap", word="uint32"),
    },
    "OSU": {
        "mpi_put latency": _Access("put"),
        "mpi_get latency": _Access("get"),
        "mpi_put bandwidth": _Access("put", OSU_WINDOW),
        "mpi_get bandwidth": _Access("get", OSU_WINDOW),
        "mpi_put bi-directional bandwidth": _Access("put", OSU_WINDOW, both_ways=True),
        "mpi_accumulate latency": _Access("accumulate", word="uint8"),
        "mpi_get_accumulate latency": _Access("get-accumulate", word="uint8"),
        "mpi_fetch_and_op latency": _Access("fetch-and-op", word="uint8"),
        "mpi_compare_and_swap latency": _Access("compare-and-swap", word="uint8"),
    },
}
_EPOCHS = {
    "win_flush": "flush",
    "win_flush_local": "flush-local",
    "win_fence": "fence",
    "win_post/start/complete/wait": "post",
    "win_lock/unlock": "lock",
    "win_lock_all/unlock_all": "lock-all",
}
_WINDOWS = {"win_allocate": "allocated", "win_create": "created", "win_create_dynamic": "dynamic"}
_OSU_MESSAGE_RATE = "multiple bandwidth / message rate"
_OSU_COLLECTIVES = {
    "all-to-all personalized exchange": "alltoall",
    "all-to-allv personalized exchange": "alltoallv",
    "all-to-allw personalized exchange": "alltoallw",
    "all-to-all": "alltoall",
    "broadcast": "bcast",
}
_NEIGHBORS = frozenset({"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"})
_REDUCTIONS = frozenset(
    {"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
)
_COLLECTIVES = _REDUCTIONS | frozenset(
    {"allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv"}
    | {"alltoall", "alltoallv", "alltoallw", "bcast", "barrier"}
)
_ROOTED = frozenset({"reduce", "gather", "gatherv", "scatter", "scatterv", "bcast"})
_BLOCK_PER_RANK = frozenset({"scatter", "scatterv", "alltoall", "alltoallv", "alltoallw"})
# MPI defines no sum of characters; int8 has the same bytes and a sum.
_DATATYPES = {"char": "int8", "int": "int", "float": "float", "double": "double"}
_OSU_NEIGHBORHOOD = re.compile(r"(?P<nonblocking>non-blocking )?neighborhood (?P<name>.+?) latency")
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
    name = reading.benchmark
    if name in _POINT_TO_POINT[suite]:
        return _message(reading, *_POINT_TO_POINT[suite][name])
    if name == _MULTI[suite]:
        return _multi(reading)
    if name in _WINDOWED[suite]:
        # OSU's are of two ranks; with more, IMB's are of several pairs.
        return _window(reading, _WINDOWED[suite][name], suite == "OSU")
    if name in _ONE_SIDED[suite]:
        return _one_sided(reading, _ONE_SIDED[suite][name])
    if suite == "OSU" and name == _OSU_MESSAGE_RATE:
        return _message_rate(reading)
    if suite == "OSU" and (match := _OSU_NEIGHBORHOOD.fullmatch(name)):
        return _neighborhood(
            reading, match["name"], "nonblocking" if match["nonblocking"] else "blocking"
        )
    operation, form = _collective(suite, name)
    return None if operation is None else _collective_case(reading, operation, form)


def understood(suite: str) -> str:
    """The benchmarks that have a meaning here, in words."""
    named = [*_POINT_TO_POINT[suite], _MULTI[suite], *_WINDOWED[suite], *_ONE_SIDED[suite]]
    if suite == "OSU":
        named += [_OSU_MESSAGE_RATE, "neighborhood collectives of a grid of one dimension"]
    return f"{', '.join(named)}, and of the collectives {', '.join(sorted(_COLLECTIVES))}"


def _message(reading: Reading, study: str, named: Axes, counted: int) -> Meaning | None:
    if reading.bytes is None:
        return None
    ranks = 2 if study in _BETWEEN_TWO else reading.ranks
    size = reading.bytes
    return Meaning(study, {**named, "bytes": size}, ranks, reading.seconds, float(counted * size))


def _multi(reading: Reading) -> Meaning | None:
    if reading.bytes is None:
        return None
    pairs = (reading.ranks or 0) // 2
    axes: Axes = {"pairs": pairs, "bytes": reading.bytes}
    counted = float(pairs * reading.bytes)
    return Meaning("multi-pingpong", axes, reading.ranks, reading.seconds, counted)


def _window(reading: Reading, study: str, of_two: bool) -> Meaning | None:
    if reading.bytes is None or (not of_two and reading.ranks not in (None, 2)):
        return None
    directions = 2 if study == "bidirectional-bandwidth" else 1
    axes: Axes = {"window": reading.window or OSU_WINDOW, "bytes": reading.bytes}
    counted = float(reading.bytes * directions)
    seconds = _time(float(directions), reading.messages_per_second)
    if seconds is None:
        seconds = _time(counted, reading.bytes_per_second)
    return Meaning(study, axes, 2, seconds, counted)


def _one_sided(reading: Reading, access: _Access) -> Meaning | None:
    epoch = _EPOCHS.get(reading.synchronization or "")
    window = _WINDOWS.get(reading.creation or "")
    size = reading.bytes
    if size is None or epoch is None or window is None or reading.aggregate:
        return None
    axes: Axes = {
        "operation": access.operation,
        "epoch": epoch,
        "window": window,
        "in_flight": access.in_flight,
    }
    if access.word is not None:
        axes["word"] = access.word
    if access.both_ways:
        axes["direction"] = "both-ways"
    counted = float(size * (2 if access.both_ways else 1))
    seconds = reading.seconds
    if seconds is None:
        seconds = _time(counted, reading.bytes_per_second)
    return Meaning("one-sided", {**axes, "bytes": size}, 2, seconds, counted)


def _neighborhood(reading: Reading, name: str, form: str) -> Meaning | None:
    # Beside rank i lie i - 1 and i + 1, as by default; a wider radius is not printed.
    name = name.replace("all-to-all", "alltoall")
    dimensions = reading.dimensions
    if (
        name not in _NEIGHBORS
        or reading.bytes is None
        or dimensions is None
        or len(dimensions) != 1
    ):
        return None
    (ranks,) = dimensions
    axes: Axes = {"operation": f"neighbor_{name}", "form": form}
    axes = {**axes, "part": reading.part} if reading.part else {"topology": "ring", **axes}
    return Meaning(
        "overlap" if reading.part else "neighborhood",
        {**axes, "bytes": reading.bytes},
        ranks,
        reading.seconds,
        float(reading.bytes * min(ranks - 1, 2)),
    )


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
        if datatype is None or (reading.part and datatype != "float"):
            return None
        if not reading.part:
            axes["datatype"] = datatype
    if operation in _ROOTED and not reading.part:
        axes["root"] = "fixed"
    if reading.part:
        axes["part"] = reading.part
    if operation != "barrier":
        if reading.bytes is None:
            return None
        axes["bytes"] = reading.bytes
    return Meaning(
        "overlap" if reading.part else "collectives",
        axes,
        reading.ranks,
        reading.seconds,
        float(reading.bytes or 0) if operation != "barrier" else 0.0,
        operation in _BLOCK_PER_RANK,
    )
