# SPDX-License-Identifier: BSD-3-Clause
"""The studies, and the cases of a selection of them, as transrank-run lists them."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from transrank import installation
from transrank.errors import LaunchError, UsageError
from transrank.lab.study import launch as launch_study

LISTING_SECONDS = 60


@dataclass(frozen=True)
class Study:
    """A benchmark question; `sizes` is its default sweep, empty when it has no sizes.

    `axes` are the values that are measured unless the user restricts them, `on_request` further
    ones that are measured when they are named. At most `most_ranks` ranks take part, unless it is
    0. A quick survey measures the values of `quick`, where an axis is in it, and `quick_sizes`
    sizes; no survey measures a study that is not `surveyed`.
    """

    name: str
    summary: str
    sizes: str
    axes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    on_request: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fewest_ranks: int = 1
    most_ranks: int = 0
    surveyed: bool = True
    quick: dict[str, tuple[str, ...]] = field(default_factory=dict)
    quick_sizes: int = 0

    @property
    def driven_from_outside(self) -> bool:
        """Whether transrank itself measures it, by starting launchers."""
        return self.name == launch_study.NAME


LAUNCH = Study(
    launch_study.NAME,
    launch_study.SUMMARY,
    "",
    {launch_study.AXIS: launch_study.MODES},
)


@dataclass(frozen=True)
class ListedCase:
    """A case of a selection; `reason` says why it would be skipped."""

    study: str
    case: str
    axes: dict[str, str | int] = field(default_factory=dict)
    reason: str | None = None


@cache
def studies() -> dict[str, Study]:
    """Return all studies by name, in the runner's order.

    Raises LaunchError: transrank-run cannot be started, or its answer is of another version.
    """
    answer = ask(["--list"])
    try:
        listed = {entry["name"]: _study(entry) for entry in json.loads(answer)}
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise _unlike(cause) from cause
    return {**listed, LAUNCH.name: LAUNCH}


def find(name: str) -> Study:
    """Return a study.

    Raises UsageError: there is none of this name; the message suggests the nearest.
    """
    known = studies()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    raise UsageError(
        f"unknown study '{name}'; known: {', '.join(known)}",
        f"did you mean '{close[0]}'?" if close else "transrank list studies",
    )


def list_cases(arguments: Sequence[str], ranks: int) -> list[ListedCase]:
    """Return the cases that these arguments of transrank-run select on this number of ranks.

    Raises UsageError: in the runner's own words, when it refuses the arguments.
    Raises LaunchError: the runner cannot be asked.
    """
    return list(_list_cases(tuple(arguments), ranks))


@cache  # a plan is made more than once until its budget fits
def _list_cases(arguments: tuple[str, ...], ranks: int) -> tuple[ListedCase, ...]:
    answer = ask(["--list-cases", "--ranks", str(ranks), *arguments])
    try:
        lines = [json.loads(line) for line in answer.splitlines() if line.strip()]
        return tuple(
            ListedCase(line["study"], line["case"], line["axes"], line.get("reason"))
            for line in lines
        )
    except (ValueError, KeyError, TypeError) as cause:
        raise _unlike(cause) from cause


def _study(entry: dict[str, Any]) -> Study:
    return Study(
        name=entry["name"],
        summary=entry["summary"],
        sizes=entry["sizes"],
        axes=_tuples(entry["axes"]),
        on_request=_tuples(entry["on_request"]),
        fewest_ranks=entry["fewest_ranks"],
        most_ranks=entry["most_ranks"],
        surveyed=entry["surveyed"],
        quick=_tuples(entry["quick"]),
        quick_sizes=entry["quick_sizes"],
    )


def _tuples(lists: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, values in lists.items()}


def ask(
    arguments: Sequence[str],
    runner: Path | None = None,
    given: str | None = None,
    seconds: float = LISTING_SECONDS,
) -> str:
    """Return the output of a query of transrank-run, or of another `runner`, on this process.

    `given` is what it reads from stdin.

    Raises UsageError: in the runner's own words, when it refuses the arguments.
    Raises LaunchError: the runner cannot be asked.
    """
    runner = runner or installation.runner()
    try:
        answer = subprocess.run(
            [runner, *arguments],
            stdin=subprocess.DEVNULL if given is None else None,
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as cause:
        raise LaunchError(f"cannot ask {runner}: {cause}", "transrank doctor") from cause
    if answer.returncode == UsageError.status:
        complaint = _complaint(answer.stderr)
        if complaint.startswith("unknown or incomplete option"):
            raise LaunchError(
                f"transrank-run was built from another version: {complaint}", installation.REBUILD
            )
        raise UsageError(complaint, _nearest(complaint))
    if answer.returncode != 0:
        raise LaunchError(
            f"{runner} --list exited with {answer.returncode}: {_complaint(answer.stderr)}",
            "is the MPI that transrank was built with still there? transrank doctor",
        )
    return answer.stdout


def _nearest(complaint: str) -> str | None:
    """What a misspelt name may have meant, where a complaint lists the known ones."""
    found = re.fullmatch(r"unknown .* '(.*)'; known: (.*)", complaint)
    close = found and difflib.get_close_matches(found[1], found[2].split(), n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else None


def _complaint(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("transrank-run: ") if lines else "it printed nothing"


def _unlike(cause: Exception) -> LaunchError:
    return LaunchError(
        f"transrank-run lists its studies in a format that this transrank does not know: {cause!r}",
        f"both must come from one version: {installation.REBUILD}",
    )
