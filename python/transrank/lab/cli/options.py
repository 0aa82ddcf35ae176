# SPDX-License-Identifier: BSD-3-Clause
"""Options shared by several verbs, in groups: the same name has the same meaning everywhere."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.store import settings

Value = TypeVar("Value")

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
    output: str | None = "write to FILE instead of stdout",
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
        "-q",
        "--quiet",
        action="count",
        default=0,
        help="do not show progress; -qq: hide warnings, too",
    )
    group.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="also print tracebacks and executed commands",
    )
    group.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="auto (default): color on a terminal, unless NO_COLOR is set",
    )
    add_store_option(group)


def add_store_option(group: argparse._ArgumentGroup) -> None:
    """Add --store, the directory of the runs."""
    group.add_argument(
        "--store",
        metavar="DIR",
        type=Path,
        default=None,
        help="directory for stored runs [env: TRANSRANK_STORE] (default: ~/.local/share/transrank)",
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
        type=checked(parse_counts if several_shapes else units.parse_count),
        help="numbers of ranks (default: 2, 4, 8 ... up to one per core)"
        if several_shapes
        else "number of MPI ranks (default: one per core)",
    )
    group.add_argument(
        "--ranks-per-node",
        metavar=some,
        type=checked(parse_counts if several_shapes else units.parse_count),
        help="MPI ranks on each node (default: the launcher decides)",
    )
    add_launcher_options(group)
    return group


def add_launcher_options(group: argparse._ArgumentGroup) -> None:
    """Add the launcher, and whether it may start far more ranks than cores."""
    group.add_argument(
        "--oversubscribe", action="store_true", help="allow more than four MPI ranks per core"
    )
    group.add_argument(
        "--launcher",
        metavar="NAME",
        default=os.environ.get("TRANSRANK_LAUNCHER") or None,
        help="how to start ranks: hydra (MPICH), openmpi, srun, or a command, e.g. 'srun -n "
        "{ranks} --ntasks-per-node {ranks_per_node}' [env: TRANSRANK_LAUNCHER] (default: the "
        "launcher of the MPI that transrank was built with)",
    )


def add_precision_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of measuring; each is None unless the user gives it."""
    group = parser.add_argument_group(
        "precision",
        "A case, such as an 8-byte ping-pong, is measured in several launches (starts of "
        "mpiexec). Together, they give a median and its 95% interval.",
    )
    for name, one in settings.OPTIONS.items():
        kind: dict[str, Any] = {"choices": list(settings.CHOICES[name])}
        if one.parse is not None:
            kind = {"metavar": one.metavar, "type": checked(one.parse)}
        group.add_argument(one.option, dest=name, help=one.help, **kind)


def add_gate_options(parser: argparse.ArgumentParser, where: str) -> None:
    """Add the threshold of a verdict, and which verdicts fail, which `where` explains."""
    parser.add_argument(
        "--threshold",
        metavar="P%",
        type=checked(units.parse_precision),
        default=0.05,
        help="ignore differences in time of less than P%% (default: 5%%)",
    )
    parser.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        default="family",
        help=f"when the exit status is 1: see {where} (default: family)",
    )
    parser.add_argument(
        "--pass-unclear",
        action="store_true",
        help="exit with status 0 instead of 5 if fewer than half of the cases could be judged",
    )


def parse_counts(text: str) -> list[int]:
    """Read a list of counts: ``2,4,8``, or ``2..64`` (doubling)."""
    counts: list[int] = []
    for part in text.split(","):
        doubling = re.fullmatch(r"\s*(\d{1,10})\.\.(\d{1,10})\s*", part, re.ASCII)
        if doubling:
            first, last = (units.parse_count(bound) for bound in doubling.groups())
            if first > last:
                raise ValueError(f"'{part.strip()}' goes down; write the smaller count first")
            while first <= last:
                counts.append(first)
                first *= 2
        else:
            counts.append(units.parse_count(part))
    return sorted(set(counts))


def parse_axes(texts: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=A,B`` restrictions of axes.

    Raises UsageError: one of them has no name or no value, or a name is given twice.
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
