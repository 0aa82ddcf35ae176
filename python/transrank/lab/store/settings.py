# SPDX-License-Identifier: BSD-3-Clause
"""The options of measuring, each said once: for the user, the record and transrank-run.

An option is added by a field of `Settings`.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import Field, dataclass, field, fields
from typing import Annotated, Any, Literal, get_args, get_type_hints

from msgspec import Meta

from transrank.lab import units

MOST = 2**63 - 1
Positive = Annotated[int, Meta(ge=1, le=MOST)]
Count = Annotated[int, Meta(ge=0, le=MOST)]
AboveZero = Annotated[float, Meta(gt=0)]

# Of every case at least; with fewer the interval is wide because they are few.
LAUNCHES = 8
LAUNCH_LIMIT = 10_000
JOB_STARTS = 5
PRECISION = 0.05


def parse_launches(text: str) -> int:
    """Read the number of launches per case; limited, since the plan of a run lists each one."""
    count = units.parse_count(text)
    if count > LAUNCH_LIMIT:
        raise ValueError(f"{text} launches are too many; write at most {LAUNCH_LIMIT}")
    return count


def parse_buffer_offset(text: str) -> int:
    """Read the offset of buffers from a page boundary; elements stay aligned."""
    offset = units.parse_size(text)
    if offset % 8 or offset >= 4096:
        raise ValueError(
            f"'{text}' is not an offset within a page; write a multiple of 8 below 4096"
        )
    return offset


def parse_seed(text: str) -> int:
    """Read a seed: a whole number that fits in 63 bits."""
    cleaned = text.strip()
    if not re.fullmatch(r"\d{1,19}", cleaned, re.ASCII) or int(cleaned) >= 2**63:
        raise ValueError(f"'{cleaned}' is not a seed; write a whole number from 0 to 2^63 - 1")
    return int(cleaned)


@dataclass(frozen=True)
class Setting:
    """What a field of `Settings` is outside of it.

    `option` is what the user gives; `parse` reads its text, without it the text is one of the
    choices of the field's type. A `runner` has the option, too: transrank-run, which is given the
    field, or what `given` makes of the settings, unless that is None.
    """

    option: str = ""
    metavar: str = ""
    help: str = ""
    parse: Callable[[str], Any] | None = None
    given: Callable[["Settings"], Any] | None = None
    runner: bool = True
    recorded: bool = True

    @property
    def type(self) -> Any:
        """That of the values of the option."""
        return get_type_hints(self.parse)["return"] if self.parse else str


def setting(default: Any, option: str = "", *said: Any, **more: Any) -> Any:
    """Return a field of `Settings`; `option` names its value too, if it is none of a few."""
    name, _, metavar = option.partition(" ")
    return field(default=default, metadata={"setting": Setting(name, metavar, *said, **more)})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How every case is measured.

    A case takes `launches`, and more until it is precise, `most_launches` at most, or until
    `max_time_seconds` are spent on it; where `run_seconds` are given, until these are spent on
    the run. Fields that a record lacks were not settled in another way than by their defaults.
    """

    # Width of the printed interval over the value. The median of one launch shall have half of it.
    precision: AboveZero = setting(
        PRECISION,
        "--precision P%",
        "repeat the launches of a case until its interval is no wider than P%% of its median "
        f"(default: {100 * PRECISION:g}%%)",
        units.parse_precision,
        given=lambda settings: None if settings.count else settings.precision / 2,
    )
    # For the first `launches` of a case together.
    max_time_seconds: AboveZero = setting(
        1.0,
        "--max-time T",
        "limit on the measuring time of a case, summed over its launches (default: 1s)",
        units.parse_duration,
        given=lambda settings: None if settings.count else settings.case_seconds,
    )
    # None: as long as cases have some of theirs.
    run_seconds: AboveZero | None = setting(
        None,
        "--time T",
        "wall-clock limit on the whole run: until T has passed, cases with a wide interval are "
        "launched again; each case is launched at least three times, even after T has passed",
        units.parse_duration,
        runner=False,
    )
    # Operations after which a case stops in each launch, instead of at precision or time.
    count: Positive | None = setting(
        None,
        "--count N",
        "end a case after N operations in each launch, even if its times still vary; the study "
        "send-modes always performs at least 1000 operations; in the study named launch, N is "
        "the number of jobs",
        units.parse_count,
    )
    launches: Positive = setting(
        LAUNCHES,
        "--launches N",
        f"launch every case exactly N times (default: at least {LAUNCHES} times, and more if its "
        "95%% interval is still wide)",
        parse_launches,
        runner=False,
    )
    # While there is time, in earlier records; None: `launches`.
    usual_launches: Positive | None = None
    # None: `launches`.
    most_launches: Positive | None = setting(
        None,
        "--most-launches N",
        "launch a case at most N times, even if its interval is still wide (default: 40)",
        parse_launches,
        runner=False,
    )
    cache: Literal["warm", "rewritten", "cold"] = setting(
        "warm",
        "--cache",
        "state of the buffers before each sample. warm: reused from the previous sample; "
        "rewritten: just written by the sender; cold: flushed from the caches (default: warm)",
    )
    # Bytes between a page boundary and the beginning of a buffer.
    buffer_offset: Count = setting(
        0,
        "--buffer-offset SIZE",
        "start each buffer SIZE bytes after a page boundary (default: 0); to imitate "
        "large buffers from malloc, use 16",
        parse_buffer_offset,
    )
    synchronisation: Literal["barrier", "clock"] = setting(
        "barrier",
        "--sync",
        "how ranks start a sample. barrier: after a barrier; clock: at an agreed time on "
        "synchronized clocks (default: barrier)",
    )
    record_samples: Literal["slowest", "ranks"] = setting(
        "slowest",
        "--record-samples",
        "times to store for each sample. slowest: the times of the slowest and the fastest "
        "rank; ranks: the times of all ranks (default: slowest)",
    )
    # Most ranks of a case whose times are listed; None: as transrank-run likes.
    list_ranks: Positive | None = setting(
        None,
        "--list-ranks N",
        "largest number of ranks for which the median, minimum and mean of each rank are stored "
        "(default: 256); for more ranks, only quantiles over the ranks and the values of the "
        "fastest and slowest rank are stored, except in the studies locality and contention",
        units.parse_count,
    )
    memory_bytes: Positive | None = setting(
        None,
        "--memory SIZE",
        "limit on the buffers of each rank; cases that need more memory are skipped (default: "
        "half of the node's free memory, divided among its ranks)",
        units.parse_size,
    )
    watchdog_seconds: AboveZero = setting(
        120.0,
        "--watchdog T",
        "end a launch if no case has made progress for T, e.g. after a rank failed (default: 2min)",
        units.parse_duration,
        recorded=False,
    )
    # That of the first launch; the header of a record has it outside of its options.
    seed: Count = setting(
        1,
        "--seed N",
        "seed for the random order of cases and the random contents of messages (default: a new "
        "seed, stored with the run)",
        parse_seed,
        recorded=False,
    )
    # Of the launch study: jobs started for each case in each launch.
    job_starts: Positive = setting(JOB_STARTS, recorded=False)
    launcher: str | None = None

    @property
    def case_seconds(self) -> float:
        """The measuring time of a case in one launch."""
        return self.max_time_seconds / self.launches

    def arguments(self, only: Collection[str] | None = None) -> list[str]:
        """Return the options of transrank-run for one launch, or those of the fields `only`."""
        found = []
        for name, one in RUNNER_OPTIONS.items():
            value = one.given(self) if one.given else getattr(self, name)
            if value is not None and (only is None or name in only):
                found += [one.option, f"{value:.6g}" if isinstance(value, float) else str(value)]
        return found

    def recorded(self) -> dict[str, Any]:
        """Return the options of a header."""
        names = [each.name for each in fields(self) if _said(each).recorded]
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}


def _said(one: "Field[Any]") -> Setting:
    said: Setting = one.metadata.get("setting", Setting())
    return said


# What a user may give, by field.
OPTIONS = {each.name: _said(each) for each in fields(Settings) if _said(each).option}
RUNNER_OPTIONS = {name: one for name, one in OPTIONS.items() if one.runner}
CHOICES = {each.name: get_args(each.type) for each in fields(Settings)}
