# SPDX-License-Identifier: BSD-3-Clause
"""transrank measure: chosen studies over chosen sizes and axes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from transrank.errors import UsageError
from transrank.lab.cli import options, output
from transrank.lab.store import settings

if TYPE_CHECKING:
    from transrank.lab.cli.execution import Wish
    from transrank.lab.survey.plan import Selection

EPILOG = """\
examples:
  transrank measure pingpong --sizes 0..4MiB
  transrank measure collectives -n 2,4 --operation allreduce,bcast --max-time 2s
  transrank measure launch -n 2,4,8
  transrank measure --resume latest

`transrank list studies` prints all studies, their axes (parameters) and the
values of each axis. Each axis is also an option: --operation bcast means the
same as --axis operation=bcast. Values listed as "on request" are measured only
if you give them, e.g. --window 1,256 or --root rotating. In the list, 1..4096
stands for any number from 1 to 4096, and 1x1x1..64x64x64 for any extents up to
64x64x64.
Give sizes as a list (1KiB,64KiB) or as a range. In the range 0..4MiB, each size
is twice the previous size; in 8..4MiB:x4, four times the previous size. A size
without a unit is in bytes.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = "Run chosen studies (benchmarks), and store all measured times as one run."
    parser.epilog = EPILOG
    add_selection_options(parser, "studies to run, from `transrank list studies`")
    add_run_options(parser)


def add_selection_options(parser: argparse.ArgumentParser, help_of_study: str) -> None:
    """Add the options that select cases."""
    parser.add_argument("study", nargs="*", metavar="STUDY", help=help_of_study)
    parser.add_argument(
        "--sizes",
        metavar="SIZES",
        help="message sizes, e.g. 8,64KiB or 0..4MiB (default: see `transrank list studies`)",
    )
    parser.add_argument(
        "--axis",
        metavar="NAME=A,B",
        action="append",
        default=[],
        help="measure only these values of an axis (parameter) of a study; may be repeated",
    )


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `measure` and `survey`."""
    add_resume_options(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="measure nothing, but print the commands of all launches; if run in the printed "
        "order, the commands write the record file by-hand.jsonl",
    )
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="measure nothing, but write a record file with the plan of the run; to measure this "
        "run, use --resume",
    )
    add_measuring_options(parser)
    # For `tune`, whose many launches of the same ranks need only one probe.
    parser.add_argument("--probed", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    options.add_output_options(
        parser,
        formats=(),
        output="record file of the run (default: a new file in --store)",
    )


def add_resume_options(parser: argparse.ArgumentParser) -> None:
    """Add the label of a run, and the options that resume it."""
    parser.add_argument("--label", metavar="TEXT", help="name by which other commands find the run")
    parser.add_argument(
        "--resume",
        metavar="RUN",
        help="finish an interrupted run; RUN is latest, an ID, a label or a record file",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="resume even if the MPI library or the machine has changed",
    )


def add_measuring_options(parser: argparse.ArgumentParser) -> None:
    """Add the numbers of ranks, and the precision."""
    options.add_launch_options(parser, several_shapes=True)
    options.add_precision_options(parser)


# Settings that end a case, instead of a count of operations.
ENDS = ("precision", "max_time_seconds", "run_seconds", "most_launches")
# Options that the plan of a run fixes, by attribute.
SETTLED = {
    "ranks": "-n",
    "ranks_per_node": "--ranks-per-node",
    "sizes": "--sizes",
    "axis": "--axis",
    **{name: one.option for name, one in settings.OPTIONS.items()},
    "label": "--label",
    "output": "-o",
    "quick": "--quick",
    "prepare": "--prepare",
    "probed": "--probed",
}


def refuse_what_is_settled(arguments: argparse.Namespace) -> None:
    """Refuse with --resume the options that the run's plan fixes.

    Raises UsageError: naming the options.
    """
    if getattr(arguments, "study", None):
        raise UsageError(
            "--resume does not take a study: the run has its own plan", "leave out the studies"
        )
    values = {name: getattr(arguments, name, None) for name in SETTLED}
    given = [
        SETTLED[name]
        for name, value in values.items()
        if value is not None and value is not False and value != []
    ]
    if given:
        raise UsageError(
            f"--resume does not take {' and '.join(given)}: the run has its own plan",
            f"leave out {', '.join(given)}, or start a new run without --resume",
        )


def refuse_contradictions(arguments: argparse.Namespace) -> None:
    """Refuse options that contradict each other about the end of a case.

    Raises UsageError: naming them.
    """
    stops = [name for name in ENDS if getattr(arguments, name) is not None]
    given = " and ".join(settings.OPTIONS[name].option for name in stops)
    if arguments.count is not None and given:
        raise UsageError(
            f"--count and {given} exclude each other: --count stops a case after N operations, "
            f"{given} by its precision or time",
            f"leave out --count or {given}",
        )


def rewrite(arguments: Sequence[str], known: Collection[str]) -> list[str]:
    """Rewrite axes that are given as options, such as ``--operation A``, as ``--axis``."""
    rewritten: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":
            rewritten += [word, *words]
        elif not name.startswith("--") or name in known or name[2:] not in _axes():
            rewritten.append(word)
        elif equals:
            rewritten.append(f"--axis={name[2:]}={value}")
        else:
            following = next(words, None)
            if following is None:
                raise UsageError(f"{name} needs a value", "transrank list studies")
            rewritten.append(f"--axis={name[2:]}={following}")
    return rewritten


def axis_options() -> list[str]:
    """Return the options that `rewrite` takes, for suggestions."""
    return sorted(f"--{name}" for name in _axes())


def _axes() -> set[str]:
    from transrank.lab.study import catalogue

    return {name for study in catalogue.studies().values() for name in study.axes}


def run(arguments: argparse.Namespace) -> int:
    """Measure, or finish a run."""
    from transrank.lab.store import runs

    record = measured(arguments, _wish)
    if record is not None:
        name = runs.name_of(record, arguments.store)
        output.note(f"done; to print this again: transrank show {name}")
        _show(record)
    return 0


def measured(
    arguments: argparse.Namespace, wish: Callable[[argparse.Namespace], Wish]
) -> Path | None:
    """Measure a run, or finish one; return its record file, None if it was only planned."""
    from transrank.lab.cli import execution

    refuse_contradictions(arguments)
    if arguments.resume:
        refuse_what_is_settled(arguments)
        record: Path | None = execution.finish(arguments)
    else:
        record = execution.measure(arguments, wish(arguments))
    if record is not None and arguments.prepare:
        output.note(f"prepared: {record}; measure it with: {execution.resuming(record, arguments)}")
    return None if arguments.prepare or arguments.dry_run else record


def _show(record: Path) -> None:
    from transrank.lab.cli import show

    show.run(argparse.Namespace(run=str(record), store=None, case=[], format="table", output=None))


def _wish(arguments: argparse.Namespace) -> Wish:
    from transrank.lab.cli.execution import Wish

    return Wish(selections(arguments))


def selections(arguments: argparse.Namespace) -> tuple[Selection, ...]:
    """Return the selection of the command line.

    Raises UsageError: there is no study, an unknown one, or an axis that none of them has.
    """
    from transrank.lab.study import catalogue
    from transrank.lab.survey import plan

    if not arguments.study:
        raise UsageError(
            f"no study is given; known: {', '.join(catalogue.studies())}",
            "e.g. transrank measure pingpong",
        )
    axes = options.parse_axes(arguments.axis)
    return plan.select(arguments.study, arguments.sizes, axes)
