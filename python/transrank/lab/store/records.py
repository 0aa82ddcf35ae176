# SPDX-License-Identifier: BSD-3-Clause
"""Record files: read with every line validated; what to write them with."""

# ruff: noqa: I001  `Case as Case` exports a name; sorted, each would have a statement of its own
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from transrank.errors import RecordError
from transrank.lab.store.jsonlines import MOST_CONTAINERS, is_json, one_line, parse, read_lines
from transrank.lab.store.lines import (
    READABLE,
    VERSION,
    Case as Case,
    Clock as Clock,
    Event as Event,
    Floats,
    Header as Header,
    Imported as Imported,
    ImportedFile as ImportedFile,
    Launch as Launch,
    Line as Line,
    Mismatch,
    Mpi as Mpi,
    Outcome as Outcome,
    Placement as Placement,
    PlannedLaunch as PlannedLaunch,
    Ranks as Ranks,
    Samples as Samples,
    Shape as Shape,
    Spread,
    Synchronisation as Synchronisation,
    Versus as Versus,
    case_from_json,
    from_json as from_json,
    line_from_json,
)
from transrank.lab.store.writing import (
    append_line as append_line,
    begin as begin,
    repair as repair,
    sole_writer as sole_writer,
    write_lines as write_lines,
)

AS_LONG_AS = {
    **dict.fromkeys(("fastest", "flags", "late_seconds"), "seconds"),
    **dict.fromkeys(("core_latency_seconds", "core_work_seconds"), "rounds"),
}
# The event that launches of the plan were left out for want of the time that the run was given.
TIME_SPENT = "time-spent"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A record file in memory. `problems` says in words what was left out and why.

    `plan` has every launch that the run consists of: those of the header, and those that followed
    because cases were not precise yet.
    """

    path: Path
    header: Header
    plan: tuple[PlannedLaunch, ...]
    launches: tuple[Launch, ...]
    cases: tuple[Case, ...]
    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The label, or the run id where there is none."""
        return self.header.label or self.header.run


def read_run(path: Path | str) -> Run:
    """Read and validate a record file.

    A last line that was cut while it was written is left out and reported in `Run.problems`; so
    is a second line for a case that the same launch had finished before.

    Raises RecordError: `file:line: what is wrong` for anything else that is not as the schema says.
    """
    path = Path(path)
    lines = read_lines(path)
    header = _read_header(path, lines)
    problems: list[str] = []
    plan = list(header.plan)
    launches: list[Launch] = []
    events: list[Event] = []
    cases: dict[tuple[int, str, Shape], Case] = {}
    alike: dict[str, Case] = {}
    for number, raw, whole in lines:
        if not whole and not is_json(raw):
            problems.append(
                f"{path}:{number}: the last line was cut while it was written and is left out"
            )
            continue
        line = _read_line(path, number, raw)
        if isinstance(line, Header):
            raise RecordError(
                f"{path}:{number}: a second header", "a file holds one run: split the file here"
            )
        if isinstance(line, PlannedLaunch):
            plan.append(line)
        elif isinstance(line, Launch):
            launches.append(line)
        elif isinstance(line, Event):
            events.append(line)
        elif _is_open(cases.get((line.launch, line.case, line.shape))):
            _share(line, alike.setdefault(line.case, line))
            cases[line.launch, line.case, line.shape] = line
        else:
            problems.append(
                f"{path}:{number}: launch {line.launch} had finished {line.case} before; "
                "the first result is used"
            )
    return Run(
        path,
        header,
        tuple(plan),
        tuple(launches),
        tuple(cases.values()),
        tuple(events),
        tuple(problems),
    )


def _share(line: Case, earlier: Case) -> None:
    """Let what the launches of a case have alike be one object: a record has many."""
    for name in ("study", "case", "axes", "shape", "status", "reason", "stop", "timing", "clocks"):
        value = getattr(earlier, name)
        if getattr(line, name) == value:
            object.__setattr__(line, name, value)
    if line.samples is None or earlier.samples is None:
        return
    for name in ("flags", "rounds"):
        ours, theirs = getattr(line.samples, name), getattr(earlier.samples, name)
        if ours.size == theirs.size and (ours == theirs).all():
            object.__setattr__(line.samples, name, theirs)


def _is_open(earlier: Case | None) -> bool:
    """Whether a further line may stand for the case: one that failed is measured again."""
    return earlier is None or earlier.status == "failed"


def lacking(run: Run) -> list[tuple[int, str]]:
    """The planned (launch, case) pairs that were not measured; none when the time was spent."""
    if any(event.event == TIME_SPENT for event in run.events):
        return []
    done = finished_cases(run)
    planned = ((launch.launch, case) for launch in run.plan for case in launch.cases)
    return [pair for pair in planned if pair not in done]


def finished_cases(run: Run) -> set[tuple[int, str]]:
    """The (launch, case) pairs that need no more measuring: all but the failed ones."""
    return {(case.launch, case.case) for case in run.cases if case.status != "failed"}


def _read_header(path: Path, lines: Iterator[tuple[int, bytes, bool]]) -> Header:
    number, raw, whole = next(lines, (1, b"", True))
    if not raw:
        raise RecordError(f"{path}: the file is empty", "start the survey again")
    parsed = None
    try:
        parsed = parse(path, number, raw)
    except RecordError:
        if not whole:
            raise RecordError(
                f"{path}:{number}: the header is truncated, so nothing was measured",
                "delete the file and start the survey again",
            ) from None
    if not isinstance(parsed, dict) or parsed.get("kind") != "header":
        raise RecordError(
            f"{path}:{number}: the first line is not a header, so this is not a record file of "
            "transrank",
            "`transrank import` reads text output of OSU or IMB",
        )
    _check_version(path, number, parsed)
    line = convert(path, number, parsed)
    assert isinstance(line, Header)
    return line


def _check_version(path: Path, number: int, header: Mapping[str, Any]) -> None:
    version = header.get("schema")
    if isinstance(version, int) and not isinstance(version, bool) and version not in READABLE:
        newer = version > VERSION
        raise RecordError(
            f"{path}:{number}: written with record schema {version:.6g} by "
            f"{'a newer' if newer else 'another'} transrank; this one reads schema "
            f"{VERSION}",
            "update transrank" if newer else "measure again",
        )


def _read_line(path: Path, number: int, raw: bytes) -> Line:
    case = case_from_json(raw) if len(raw) <= MOST_CONTAINERS else None
    if case is None:
        return convert(path, number, parse(path, number, raw))
    return _checked(path, number, lambda: case)


def convert(path: Path, number: int, parsed: Any) -> Line:
    """The object of a line, or RecordError naming file, line and what the schema does not allow."""
    return _checked(path, number, lambda: line_from_json(parsed))


def _checked(path: Path, number: int, made: Callable[[], Line]) -> Line:
    try:
        line = made()
        if isinstance(line, Case):
            if line.samples is not None:
                _check_samples(line.samples, line.status == "ok")
            _check_ranks(line)
        elif isinstance(line, Header | Launch) and line.placement is not None:
            _check_placement(line.placement)
    except (ValueError, OverflowError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else one_line(error)
        raise RecordError(f"{path}:{number}: {reason}", "see schema/record-v2.json") from None
    return line


def _check_samples(samples: Samples, is_ok: bool) -> None:
    """Check the lengths that must agree, which no type says."""
    for name, other in AS_LONG_AS.items():
        found, count = getattr(samples, name), getattr(samples, other).size
        if found is not None and found.size != count:
            raise Mismatch(f"case.samples.{name} has {found.size} values but {other} has {count}")
    counted = sum(samples.rounds.tolist())  # beyond 64 bits too
    if counted != samples.seconds.size:
        raise Mismatch(
            f"case.samples.rounds has {counted} samples but seconds has {samples.seconds.size}"
        )
    if is_ok and not counted:
        raise Mismatch("case.samples is empty although the case is ok")


def _check_ranks(case: Case) -> None:
    """Some rank must have taken part: rank 0 where its clock counts."""
    for member in ("ranks", "over_ranks"):
        for name in ("mean", "mean_of_all"):
            times = getattr(getattr(case, member), name, None)
            if times is not None and _none_counts(times, case.clocks):
                raise Mismatch(f"case.{member}.{name} has no rank whose clock counts")


def _none_counts(times: Floats | Spread, clocks: str | None) -> bool:
    """Whether no rank whose clock counts has a time."""
    first, others = (
        (times.first, times.quantiles) if isinstance(times, Spread) else (times[0], times)
    )
    return bool(np.isnan(first) and (clocks == "root" or np.isnan(others).all()))


def _check_placement(placement: Placement) -> None:
    if max(placement.rank_host) >= len(placement.hosts):
        raise Mismatch(
            f"placement.rank_host names host {max(placement.rank_host)} of {len(placement.hosts)}"
        )
