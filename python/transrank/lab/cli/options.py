# SPDX-License-Identifier: BSD-3-Clause
"""Options shared by several verbs, in groups: the same name has the same meaning everywhere."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.survey import defaults

Value = TypeVar("Value")

RANK_LIMIT = 2**31 - 1
LAUNCH_LIMIT = 10_000
# When a comparison fails.
FAIL_ON = ("family", "slower", "unclear", "never")


def checked(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """Return `parse` such that argparse shows the message of its ValueError unchanged."""

    def converted(text: str) -> Value:
        try:
            return parse(text)
        except ValueError as cause:
            raise argparse.ArgumentTypeError(str(cause)) from cause

    return converted


def add_output_options(
    parser: argparse.ArgumentParser,
    formats: Sequence[str] = ("table", "json", "csv"),
    output: str | None = "write there instead of to stdout",
) -> None:
    """Add --format, -o, -q, -v, --color and --store; `formats` and `output` may be left out."""
    group = parser.add_argument_group("output")
    if formats:
        group.add_argument(
            "--format",
            choices=list(formats),
            default=formats[0],
            help=f"output format (default: {formats[0]})",
        )
    if output:
        group.add_argument("-o", "--output", metavar="FILE", type=Path, help=output)
    group.add_argument(
        "-q", "--quiet", action="count", default=0, help="no progress; twice: no warnings"
    )
    group.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="show the command lines that are run, and tracebacks",
    )
    group.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="default: auto; NO_COLOR is respected",
    )
    add_store_option(group)


def add_store_option(group: argparse._ArgumentGroup) -> None:
    """Add --store, the directory of the runs."""
    group.add_argument(
        "--store",
        metavar="DIR",
        type=Path,
        default=None,
        help="directory of the runs [env: TRANSRANK_STORE] (default: ~/.local/share/transrank)",
    )


def add_launch_options(
    parser: argparse.ArgumentParser, several_shapes: bool
) -> argparse._ArgumentGroup:
    """Add the numbers of ranks and the launcher; `several_shapes` allows lists of counts."""
    group = parser.add_argument_group("launch")
    some = "N[,N]" if several_shapes else "N"
    group.add_argument(
        "-n",
        "--ranks",
        metavar=some,
        type=checked(parse_counts if several_shapes else parse_one_count),
        help="MPI ranks (default: 2, 4, 8 ... all cores)"
        if several_shapes
        else "MPI ranks (default: as in a survey's largest launch)",
    )
    group.add_argument(
        "--ranks-per-node",
        metavar=some,
        type=checked(parse_counts if several_shapes else parse_one_count),
        help="MPI ranks on each node (default: the launcher decides)",
    )
    add_launcher_options(group)
    return group


def add_launcher_options(group: argparse._ArgumentGroup) -> None:
    """Add the launcher, and whether it may start far more ranks than cores."""
    group.add_argument(
        "--oversubscribe",
        action="store_true",
        help="allow more than four ranks per core",
    )
    group.add_argument(
        "--launcher",
        metavar="NAME",
        default=os.environ.get("TRANSRANK_LAUNCHER") or None,
        help="hydra, openmpi, srun, or a command line such as 'srun -n {ranks} --ntasks-per-node "
        "{ranks_per_node}' [env: TRANSRANK_LAUNCHER] (default: the one of the MPI that transrank "
        "was built with)",
    )


def add_precision_options(parser: argparse.ArgumentParser) -> None:
    """Add the stopping rules and the conditions of measuring.

    Each option is None unless the user gives it.
    """
    group = parser.add_argument_group("precision")
    group.add_argument(
        "--precision",
        metavar="P%",
        type=checked(parse_precision),
        default=None,
        help="launch a case again until its 95%% interval is this narrow: (upper - lower) / "
        f"value (default: {100 * defaults.MEASURE_PRECISION:g}%%)",
    )
    group.add_argument(
        "--max-time",
        metavar="T",
        type=checked(parse_positive_duration),
        default=None,
        help="measuring time per case, over all launches (default: 1s)",
    )
    group.add_argument(
        "--time",
        metavar="T",
        type=checked(parse_positive_duration),
        default=None,
        help="wall-clock time of the whole run: cases that are not precise are launched again "
        "until then",
    )
    group.add_argument(
        "--count",
        metavar="N",
        type=checked(parse_one_count),
        default=None,
        help="stop each launch of a case after N operations instead of at a precision (send-modes: "
        "at least 1000; study launch: N jobs)",
    )
    group.add_argument(
        "--launches",
        metavar="N",
        type=checked(parse_launches),
        default=None,
        help=f"launch every case exactly N times (default: {defaults.LAUNCHES} times, and "
        "further for cases that are not precise by then)",
    )
    group.add_argument(
        "--cache",
        choices=["warm", "rewritten", "cold"],
        help="buffers before each sample: unchanged, rewritten, or flushed (default: warm)",
    )
    group.add_argument(
        "--buffer-offset",
        metavar="SIZE",
        type=checked(parse_buffer_offset),
        default=None,
        help="buffers begin SIZE past a page boundary; those of malloc begin at 16 (default: 0)",
    )
    group.add_argument(
        "--sync",
        choices=["barrier", "clock"],
        help="how ranks synchronise before a sample (default: barrier)",
    )
    group.add_argument(
        "--record-samples",
        choices=["slowest", "ranks"],
        help="store the slowest and the fastest rank of each sample, or also every rank's time "
        "(default: slowest)",
    )
    group.add_argument(
        "--list-ranks",
        metavar="N",
        type=checked(parse_one_count),
        default=None,
        help="store the times of each rank of a case of up to N ranks; of more, quantiles and the "
        "extreme ranks, but for studies that compare ranks (default: 256)",
    )
    group.add_argument(
        "--memory",
        metavar="SIZE",
        type=checked(units.parse_size),
        default=None,
        help="largest memory per rank for buffers; cases that need more are skipped (default: "
        "half of the free memory, divided by the ranks on a node)",
    )
    group.add_argument(
        "--watchdog",
        metavar="T",
        type=checked(parse_positive_duration),
        default=None,
        help="end a launch in which no case advances for T, since a rank or a link has failed "
        "(default: 2min)",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=checked(parse_seed),
        default=None,
        help="order of the cases and contents of the messages (default: drawn, and stored)",
    )


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the threshold of a verdict, and which verdicts fail."""
    parser.add_argument(
        "--threshold",
        metavar="P%",
        type=checked(parse_precision),
        default=0.05,
        help="difference that matters (default: 5%%)",
    )
    parser.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        default="family",
        help="when to exit 1 (default: family)",
    )
    parser.add_argument(
        "--pass-unclear",
        action="store_true",
        help="exit 0, not 5, if fewer than half of the cases could be judged",
    )


def parse_counts(text: str) -> list[int]:
    """Read a list of counts: ``2,4,8``, or ``2..64`` (doubling)."""
    counts: list[int] = []
    for part in text.split(","):
        doubling = re.fullmatch(r"\s*(\d{1,10})\.\.(\d{1,10})\s*", part, re.ASCII)
        if doubling:
            first, last = (parse_one_count(bound) for bound in doubling.groups())
            if first > last:
                raise ValueError(f"'{part.strip()}' goes down; write the smaller count first")
            while first <= last:
                counts.append(first)
                first *= 2
        else:
            counts.append(parse_one_count(part))
    return sorted(set(counts))


def parse_one_count(text: str) -> int:
    """Read one count, at least 1."""
    cleaned = text.strip()
    if not re.fullmatch(r"\d{1,10}", cleaned, re.ASCII) or not 1 <= int(cleaned) <= RANK_LIMIT:
        raise ValueError(f"'{cleaned}' is not a count; write a whole number of at least 1")
    return int(cleaned)


def parse_launches(text: str) -> int:
    """Read the number of launches per case; limited, since the plan of a run lists each one."""
    count = parse_one_count(text)
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


def parse_precision(text: str) -> float:
    """Read a precision: a percentage above 0 and at most 100."""
    share = units.parse_percent(text)
    if not 0 < share <= 1:
        raise ValueError(f"'{text}' is not a valid precision; write e.g. 5% (at most 100%)")
    return share


def parse_positive_duration(text: str) -> float:
    """Read a duration above zero."""
    seconds = units.parse_duration(text)
    if not 0 < seconds < float("inf"):
        raise ValueError(f"'{text}' is not a valid time; write e.g. 1s or 200ms")
    return seconds


def parse_axes(texts: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=A,B`` restrictions of axes.

    Raises
    ------
    UsageError
        one of them has no name or no value, or a name is given twice.
    """
    axes: dict[str, str] = {}
    for text in texts:
        name, separator, values = text.partition("=")
        if not separator or not name.strip() or not values.strip():
            raise UsageError(f"--axis '{text}' is not NAME=VALUES", "e.g. --axis operation=bcast")
        if name.strip() in axes:
            raise UsageError(
                f"--axis {name.strip()} is given twice", "separate its values by commas"
            )
        axes[name.strip()] = values.strip()
    return axes
