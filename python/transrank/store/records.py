# SPDX-License-Identifier: BSD-3-Clause
"""Record files: read with every line validated, append whole lines only, repair a cut one."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transrank.errors import RecordError
from transrank.store import schema
from transrank.store.lines import (
    Case,
    Clock,
    Event,
    Header,
    Imported,
    ImportedFile,
    Launch,
    Line,
    Mpi,
    Options,
    Placement,
    PlannedLaunch,
    Ranks,
    Samples,
    Shape,
    Synchronisation,
)

__all__ = [
    "Case",
    "Clock",
    "Event",
    "Header",
    "Imported",
    "ImportedFile",
    "Launch",
    "Line",
    "Mpi",
    "Options",
    "Placement",
    "PlannedLaunch",
    "Ranks",
    "Run",
    "Samples",
    "Shape",
    "Synchronisation",
    "append_line",
    "finished_cases",
    "read_run",
    "repair",
    "write_lines",
]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A record file in memory. `problems` says in words what was left out and why."""

    path: Path
    header: Header
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

    Raises
    ------
    RecordError
        `file:line: what is wrong` for anything else that is not as the schema says.
    """
    path = Path(path)
    lines = _lines(_content(path))
    header = _read_header(path, lines)
    problems: list[str] = []
    launches: list[Launch] = []
    events: list[Event] = []
    cases: dict[tuple[int, str, Shape], Case] = {}
    for number, raw, whole in lines:
        if not whole and not _is_json(raw):
            problems.append(
                f"{path}:{number}: the last line was cut while it was written and is left out"
            )
            continue
        line = _read_line(path, number, raw)
        if isinstance(line, Header):
            raise RecordError(
                f"{path}:{number}: a second header",
                "a file holds one run: split the file here",
            )
        if isinstance(line, Launch):
            launches.append(line)
        elif isinstance(line, Event):
            events.append(line)
        elif _is_open(cases.get((line.launch, line.case, line.shape))):
            cases[line.launch, line.case, line.shape] = line
        else:
            problems.append(
                f"{path}:{number}: launch {line.launch} had finished {line.case} before; "
                "the first result is used"
            )
    return Run(
        path,
        header,
        tuple(launches),
        tuple(cases.values()),
        tuple(events),
        tuple(problems),
    )


def _is_open(earlier: Case | None) -> bool:
    """Whether a further line may stand for the case: one that failed is measured again."""
    return earlier is None or earlier.status == "failed"


def finished_cases(run: Run) -> set[tuple[int, str]]:
    """The (launch, case) pairs that need no more measuring: all but the failed ones."""
    return {(case.launch, case.case) for case in run.cases if case.status != "failed"}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordError(
            f"{path}: cannot be read: {error.strerror or error}",
            "`transrank list runs` shows what is stored",
        ) from None


def _lines(content: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, bytes and wholeness (ended by a newline) of each line that is not blank."""
    lines = content.split(b"\n")
    last = len(lines)
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield number, raw, number < last


def _read_header(path: Path, lines: Iterator[tuple[int, bytes, bool]]) -> Header:
    number, raw, whole = next(lines, (1, b"", True))
    if not raw:
        raise RecordError(f"{path}: the file is empty", "start the survey again")
    if not whole and not _is_json(raw):
        raise RecordError(
            f"{path}:{number}: the header was cut while it was written, so nothing was measured",
            "delete the file and start the survey again",
        )
    parsed = _parse(path, number, raw)
    if not isinstance(parsed, dict) or parsed.get("kind") != "header":
        raise RecordError(
            f"{path}:{number}: the first line is no header, so this is no record file of transrank",
            "text of OSU or IMB is read by `transrank import`",
        )
    _check_version(path, number, parsed)
    line = _convert(path, number, parsed)
    assert isinstance(line, Header)
    return line


def _check_version(path: Path, number: int, header: Mapping[str, Any]) -> None:
    version = header.get("schema")
    if isinstance(version, int) and not isinstance(version, bool) and version > schema.VERSION:
        raise RecordError(
            f"{path}:{number}: written with record schema {version:.6g} "
            f"by a newer transrank; this one reads schema {schema.VERSION}",
            "update transrank",
        )


def _read_line(path: Path, number: int, raw: bytes) -> Line:
    return _convert(path, number, _parse(path, number, raw))


def _parse(path: Path, number: int, raw: bytes) -> Any:
    try:
        parsed = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
        if rb"\u" in raw:  # an unpaired surrogate could never be printed
            json.dumps(parsed, ensure_ascii=False).encode()
        return parsed
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else _one_line(error)
        raise RecordError(
            f"{path}:{number}: not JSON: {reason}",
            "a line in the middle of a file is never cut by an interrupted survey: "
            "the file was changed or damaged afterwards",
        ) from None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _convert(path: Path, number: int, parsed: Any) -> Line:
    kinds: dict[str, type[Header | Launch | Case | Event]] = {
        "header": Header,
        "launch": Launch,
        "case": Case,
        "event": Event,
    }
    try:
        schema.check(parsed)
        line = kinds[parsed["kind"]].from_json(parsed)
        if isinstance(line, Case):
            _check_samples(line)
        if isinstance(line, Header | Launch) and line.placement is not None:
            _check_placement(line.placement)
    except (ValueError, OverflowError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else _one_line(error)
        raise RecordError(f"{path}:{number}: {reason}", "see schema/record-v1.json") from None
    return line


def _check_samples(case: Case) -> None:
    """What the schema cannot say: the lengths that must agree."""
    samples = case.samples
    if samples is None:
        return
    lengths = {
        "fastest": samples.fastest.size,
        "flags": samples.flags.size,
        "rounds": int(samples.rounds.sum()),
        "late_seconds": samples.seconds.size
        if samples.late_seconds is None
        else samples.late_seconds.size,
    }
    for name, length in lengths.items():
        if length != samples.seconds.size:
            raise schema.Mismatch(
                f"case.samples.{name} tells of {length} samples "
                f"but seconds of {samples.seconds.size}"
            )
    if case.status == "ok" and samples.seconds.size == 0:
        raise schema.Mismatch("case.samples is empty although the case is ok")


def _check_placement(placement: Placement) -> None:
    if max(placement.rank_host) >= len(placement.hosts):
        raise schema.Mismatch(
            f"placement.rank_host names host {max(placement.rank_host)} of {len(placement.hosts)}"
        )


def append_line(path: Path | str, line: Mapping[str, Any]) -> None:
    """Append one line and bring it to the disk; a line that does not fit leaves the file as it was.

    Raises
    ------
    RecordError
        naming the cause, such as a full disk.
    ValueError
        when the line holds a number that is not finite.
    """
    path = Path(path)
    data = _encoded(line)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        size = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        except OSError as error:
            _cut(descriptor, size)
            raise _cannot_write(path, error) from None
    finally:
        os.close(descriptor)


def write_lines(path: Path | str, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole file at once: it appears complete or not at all.

    Raises
    ------
    RecordError
        naming the cause, such as a full disk.
    """
    path = Path(path)
    data = b"".join(_encoded(line) for line in lines)
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise _cannot_write(path, error) from None


def _encoded(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _cut(descriptor: int, size: int) -> None:
    try:
        os.ftruncate(descriptor, size)
    except OSError:
        pass  # a device file has no length; a cut line is left out when the file is read


def _cannot_write(path: Path, error: OSError) -> RecordError:
    return RecordError(
        f"{path}: cannot be written: {error.strerror or error}",
        "the lines before are whole and kept; free some space or choose another place "
        "with TRANSRANK_STORE, then resume",
    )


def repair(path: Path | str) -> str | None:
    """Remove a cut last line, or end a whole one that lacks its newline.

    Returns
    -------
    What was done, in words; None when the file needed nothing.

    Raises
    ------
    RecordError
        when the file cannot be read or written.
    """
    path = Path(path)
    content = _content(path)
    if not content or content.endswith(b"\n"):
        return None
    begin = content.rfind(b"\n") + 1
    number = content.count(b"\n") + 1
    try:
        if _is_json(content[begin:]):
            with path.open("ab") as file:
                file.write(b"\n")
            return f"ended line {number}, which lacked its newline"
        os.truncate(path, begin)
    except OSError as error:
        raise _cannot_write(path, error) from None
    return f"removed line {number}, cut after {len(content) - begin} bytes while it was written"
