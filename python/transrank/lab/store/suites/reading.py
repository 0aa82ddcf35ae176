# SPDX-License-Identifier: BSD-3-Clause
"""One line of another suite's table, in seconds and bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Reading:
    """One printed result, or the reason why it was left out.

    Attributes
    ----------
    launch
        number of the launch in the file, as far as the suite prints where one begins.
    benchmark
        the suite's own name, lower case.
    ranks
        None where the suite does not print it.
    seconds
        mean per operation; None where only a rate was printed or the point was left out.
    minimum, maximum
        over ranks of each rank's mean.
    bytes_per_second, messages_per_second
        where the suite prints rates.
    datatype
        of reductions, without its prefix: float, char.
    creation, synchronization
        of the window of one-sided operations, by the functions' names: win_allocate, win_flush.
    part
        of a non-blocking operation beside a computation: alone, computation or together; None for
        what is no part of such a test, and for the operation's own time.
    dimensions
        ranks along each dimension of a grid of neighbors.
    aggregate
        operations that were completed all at once, as many as there were repetitions.
    group
        of groups of ranks that ran at the same time, from 0.
    left_out
        why there is no number; `failed` when the suite found wrong data.
    """

    launch: int
    benchmark: str
    ranks: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    repetitions: int | None = None
    bytes_per_second: float | None = None
    messages_per_second: float | None = None
    datatype: str | None = None
    window: int | None = None
    creation: str | None = None
    synchronization: str | None = None
    part: str | None = None
    dimensions: tuple[int, ...] | None = None
    aggregate: bool = False
    group: int = 0
    left_out: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class SuiteOutput:
    """The contents of one file."""

    suite: str
    version: str
    readings: Sequence[Reading]
    command: str | None = None
    # Lines of tables, with numbers, that were not understood.
    lost: Sequence[str] = ()


def with_parts(pure: Reading, computation: str | None, together: str | None) -> Sequence[Reading]:
    """A test of overlap: the operation's own time, and the three times that its share hides in.

    The latter two are printed microseconds; None where the table has no such column.
    """
    if computation is None or together is None or pure.bytes is None:
        return [pure]
    plain = replace(pure, minimum=None, maximum=None)
    return [
        pure,
        replace(plain, part="alone"),
        replace(plain, part="computation", seconds=seconds(computation)),
        replace(plain, part="together", seconds=seconds(together)),
    ]


# What launchers, mailers and terminals put before a line: a rank (srun -l, mpiexec -l, Open MPI's
# --tag-output), a time, a quotation mark.
_PREFIX = re.compile(
    r"(?:\[[^\]\s]*\d\](?:<std(?:out|err)>)?:? ?|\d{1,7}: ?|> ?"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\]\s]*\]?:? )"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def lines_of(text: str) -> Iterator[str]:
    """The lines as the suite printed them, without indentation."""
    for line in _COLOUR.sub("", text.removeprefix("\ufeff")).splitlines():
        line = line.strip()
        while match := _PREFIX.match(line):
            line = line[match.end() :].strip()
        yield line


def has_numbers(line: str) -> bool:
    """Whether a line begins like a row of a table: with a number, and another or what was one."""
    words = line.split()
    return len(words) > 1 and bool(DECIMAL.fullmatch(words[0]) and _NUMBERLIKE.match(words[1]))


_NUMBERLIKE = re.compile(r"[-+.]?\d|-|nan|inf", re.IGNORECASE)
# A printed decimal: neither suite prints signs or exponents, and an infinity is no result.
DECIMAL = re.compile(r"\d{1,15}(?:\.\d{1,15})?", re.ASCII)


def count(word: str | None) -> int | None:
    """A printed whole number."""
    return None if word is None else int(float(word))


def number(word: str | None) -> float | None:
    """A printed decimal."""
    return None if word is None else float(word)


def seconds(microseconds: str | None) -> float | None:
    """Seconds from printed microseconds: the double nearest to them."""
    return None if microseconds is None else float(f"{microseconds}e-6")


def bytes_per_second(megabytes: str | None) -> float | None:
    """Bytes per second from printed MB/s, whose MB is 10^6 bytes in both suites."""
    return None if megabytes is None else float(f"{megabytes}e6")
