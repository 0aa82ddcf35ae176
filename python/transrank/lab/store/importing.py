# SPDX-License-Identifier: BSD-3-Clause
"""Output of other suites as a run: each launch of a program is one, in one file or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from transrank.errors import RecordError, UsageError
from transrank.lab.store.jsonlines import open_file, why_unread
from transrank.lab.store.lines import VERSION, Shape
from transrank.lab.store.suites import imb, osu
from transrank.lab.store.suites.meaning import Meaning, meaning_of, understood
from transrank.lab.store.suites.reading import Reading, SuiteOutput

SUITES = (imb, osu)
# Of a file: thousands of repetitions of a benchmark have less.
MOST_BYTES, MOST_LINES = 16 << 20, 50_000


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """The lines of a run's file, and what could not be taken.

    `unknown` are names of benchmarks with their count, `lost` lines of tables.
    """

    lines: list[dict[str, Any]]
    suite: str
    cases: int
    unknown: dict[str, int]
    lost: list[str]


def import_files(
    paths: Sequence[Path],
    run: str,
    command: Sequence[str],
    transrank: str,
    label: str | None = None,
    shape: Shape | None = None,
) -> ImportedRun:
    """Read OSU and IMB output into the lines of one run.

    Parameters
    ----------
    shape
        how many ranks ran, for output that does not say so (0 or None: unknown); its ranks per node
        for all benchmarks of as many ranks or more.

    Raises RecordError: a file cannot be read or holds no table of either suite.
    Raises UsageError: the files are of both suites, or the number of ranks is not known.
    """
    unknown: Counter[str] = Counter()
    cases: list[dict[str, Any]] = []
    imported: list[dict[str, str]] = []
    suites: dict[str, Path] = {}
    lost: list[str] = []
    for path in paths:
        output = read_output(path)
        suites.setdefault(output.suite, path)
        if len(suites) > 1:
            raise UsageError(
                f"{path} is of {output.suite}, {next(iter(suites.values()))} of another suite",
                "import IMB and OSU as two runs, then compare them",
            )
        lost += output.lost
        found = list(_case_lines(path, output, len(imported), shape or Shape(0), unknown))
        launches = max((line["launch"] for line in found), default=len(imported)) + 1
        imported += [_source(path, output)] * (launches - len(imported))
        cases += found
    if not cases:
        raise RecordError(
            f"{paths[0]}: no result of a study that transrank knows; "
            f"found: {', '.join(unknown) or 'no table'}{_lost_words(lost)}",
            "; ".join(f"understood of {suite}: {understood(suite)}" for suite in suites),
        )
    header: dict[str, Any] = {
        "kind": "header",
        "schema": VERSION,
        "run": run,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "transrank": transrank,
        "command": list(command),
        "imported": imported,
    }
    if label:
        header["label"] = label
    return ImportedRun([header, *cases], next(iter(suites)), len(cases), dict(unknown), lost)


def read_output(path: Path) -> SuiteOutput:
    """Read one file of another suite.

    Raises RecordError: it cannot be read, or is not recognised.
    """
    try:
        with open_file(path, pipes=True) as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, MemoryError) as error:
        raise RecordError(f"{path}: cannot be read: {why_unread(error)}") from None
    text = content[:MOST_BYTES].decode("utf-8", "replace")
    if len(content) > MOST_BYTES or len(text.splitlines()) > MOST_LINES:
        raise RecordError(
            f"{path}: more than {MOST_LINES} lines or {MOST_BYTES >> 20} MiB; no output of OSU or "
            "IMB is that long",
            "import it in parts, as several files",
        )
    known = [suite for suite in SUITES if suite.recognises(text)]
    if not known:
        raise RecordError(
            f"{path}: neither IMB nor OSU output",
            "keep the lines that begin with '#': they name the benchmark",
        )
    if len(known) > 1:
        raise RecordError(
            f"{path}: output of {' and '.join(suite.SUITE for suite in known)} in one file",
            "cut it into a file for each suite, and import them as two runs",
        )
    output: SuiteOutput = known[0].read(text)
    return output


def _lost_words(lost: Sequence[str]) -> str:
    return f"; {len(lost)} lines were not understood, the first: {lost[0]!r}" if lost else ""


def _source(path: Path, output: SuiteOutput) -> dict[str, str]:
    source = {"file": str(path), "suite": output.suite, "version": output.version}
    if output.command:
        source["command"] = output.command
    return source


def _case_lines(
    path: Path, output: SuiteOutput, first_launch: int, shape: Shape, unknown: Counter[str]
) -> Iterator[dict[str, Any]]:
    """One line per case and launch; what a launch has repeated is joined."""
    found: dict[tuple[str, int], dict[int, list[tuple[Reading, Meaning]]]] = {}
    for reading in output.readings:
        if reading.ranks is None and shape.ranks:
            reading = replace(reading, ranks=shape.ranks)
        meaning = meaning_of(output.suite, reading)
        if meaning is None:
            if reading.part is None:
                unknown[reading.benchmark] += 1
            continue
        ranks = meaning.ranks or 0
        if ranks < 1:
            raise UsageError(
                f"{path}: the output of {reading.benchmark} does not state the number of ranks",
                "add -n RANKS",
            )
        launches = found.setdefault((meaning.case, ranks), {})
        launches.setdefault(reading.launch, []).append((reading, meaning))
    for (case, ranks), launches in found.items():
        # Of a benchmark of few ranks nothing says how many of these a node had.
        per_node = shape.ranks_per_node if shape.ranks_per_node <= ranks else 0
        for number, repetitions in enumerate(launches.values(), start=first_launch):
            meaning = repetitions[0][1]
            yield {
                "kind": "case",
                "study": meaning.study,
                "case": case,
                "axes": meaning.axes,
                "launch": number,
                "shape": {"ranks": ranks, "ranks_per_node": per_node},
                **_joined(repetitions, ranks),
            }


def _joined(repetitions: Sequence[tuple[Reading, Meaning]], ranks: int) -> dict[str, Any]:
    """The result of one launch: the mean of its repetitions, and their extremes."""
    results = [_result(reading, meaning, ranks) for reading, meaning in repetitions]
    measured = [result["imported"] for result in results if result["status"] == "ok"]
    if len(measured) < 2:
        return next((result for result in results if result["status"] == "ok"), results[0])
    joined = {**measured[0], "mean": sum(each["mean"] for each in measured) / len(measured)}
    for name, of in (("minimum", min), ("maximum", max), ("repetitions", sum)):
        if all(name in each for each in measured):
            joined[name] = of(each[name] for each in measured)
    return {**next(result for result in results if result["status"] == "ok"), "imported": joined}


def _result(reading: Reading, meaning: Meaning, ranks: int) -> dict[str, Any]:
    if meaning.seconds is None:
        status = "failed" if reading.failed else "skipped"
        return {"status": status, "reason": reading.left_out or "no time was printed"}
    imported: dict[str, Any] = {"mean": meaning.seconds, "benchmark": reading.benchmark}
    for name in ("minimum", "maximum", "repetitions"):
        value = getattr(reading, name)
        if value is not None:
            imported[name] = value
    return {
        "status": "ok",
        "timing": "imported",
        "bytes_counted": meaning.counted(ranks),
        "imported": imported,
    }
