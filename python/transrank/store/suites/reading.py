# SPDX-License-Identifier: BSD-3-Clause
"""One line of another suite's table, in seconds and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """One printed result, or the reason why it was left out.

    Attributes
    ----------
    section
        number of the table in the file; a table that comes again is another launch.
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
    """

    section: int
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
    left_out: str | None = None


@dataclass(frozen=True, slots=True)
class SuiteOutput:
    """What one file says."""

    suite: str
    version: str
    readings: Sequence[Reading]
