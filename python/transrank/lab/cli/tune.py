# SPDX-License-Identifier: BSD-3-Clause
"""transrank tune: better choices of collective algorithms, as a file for the MPI library."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from transrank.errors import Failure, UsageError
from transrank.lab.cli import options, output
from transrank.lab.units import format_bytes, format_seconds

if TYPE_CHECKING:
    from rich.console import Console

    from transrank.lab.launch.launcher import Launcher
    from transrank.lab.store.records import Placement
    from transrank.lab.survey.probe import Probe
    from transrank.lab.tune.campaign import Campaign
    from transrank.lab.tune.choice import Range
    from transrank.lab.tune.tuning import Proof

INTERRUPTED = 130
COLUMNS = (
    output.Column("", right=True),
    "algorithm",
    output.Column("before", right=True),
    output.Column("after", right=True),
    output.Column("after / before", right=True),
    "verdict",
)

EPILOG = """\
examples:
  transrank tune -n 4 -o rules.conf                 under Open MPI
  transrank tune -n 4 --operations alltoall,bcast -o table.json
  transrank tune -n 4 --for transrank -o alltoall.choices
  transrank tune --prove rules.conf                 measure once more with it

Measures every algorithm that the library can be made to use, chooses per size
what gains beyond the interval, writes the library's own kind of file (Open MPI:
dynamic rules; MPICH: its whole table with these choices before its own;
transrank: what its alltoall takes by itself), and measures without and with it.
What is not proved to be better is not written: then there is no file, and the
exit status is 1.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb and its options."""
    parser = subparsers.add_parser(
        "tune",
        help="write better choices of algorithms down for the MPI library",
        description="Choose better algorithms of collective operations, and prove it.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "-n",
        "--ranks",
        metavar="N",
        type=options.checked(options.parse_one_count),
        help="ranks of the communicators that the choices are for (default: 2)",
    )
    parser.add_argument(
        "--for",
        dest="whose",
        choices=["mpi", "transrank"],
        help="the MPI library's collectives, or transrank's own alltoall (default: mpi)",
    )
    parser.add_argument("--operations", metavar="A,B", help="(default: all that can be tuned)")
    parser.add_argument(
        "--sizes", metavar="SIZES", default="8..1MiB:x4", help="(default: %(default)s)"
    )
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=options.checked(options.parse_one_count),
        default=5,
        help="launches of each kind (default: 5)",
    )
    parser.add_argument(
        "--max-time", metavar="T", default="50ms", help="per case and launch (default: 50ms)"
    )
    parser.add_argument("--prove", metavar="FILE", type=Path, help="measure with this file again")
    group = parser.add_argument_group("launch")
    group.add_argument(
        "--ranks-per-node",
        metavar="N",
        type=options.checked(options.parse_one_count),
        help="how many of them on each node (default: as the launcher likes)",
    )
    options.add_launcher_options(group)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the file to be written")


@dataclass(frozen=True)
class Place:
    """Where it is tuned: a way to start ranks, and what a first start has told."""

    launcher: Launcher
    ranks: int
    ranks_per_node: int  # 0: as the launcher likes

    def probe(self, added: Mapping[str, str]) -> Probe:
        """Start the ranks, with further variables."""
        from transrank.lab.store.records import Shape
        from transrank.lab.survey import probe

        shape = Shape(self.ranks, self.ranks_per_node)
        environment = {**os.environ, **self.launcher.environment(shape, os.environ), **added}
        return probe.probe(self.launcher, shape, environment)

    def placement(self, answer: Path) -> Placement:
        """Where the ranks are; all that a first start has told is kept in `answer`."""
        from transrank.lab.store.records import Placement

        probed = self.probe({})
        probed.write(answer)
        return Placement.from_json(probed.placement)

    def said(self, added: Mapping[str, str]) -> Sequence[str]:
        """What such a start says."""
        return self.probe(added).said

    def settings(self) -> dict[str, str]:
        """What the launches have in their environment that may decide about algorithms, too."""
        from transrank.lab.store.records import Shape

        added = self.launcher.settings(Shape(self.ranks, self.ranks_per_node))
        return {name: value for name, value in added.items() if name.startswith("MPIR_")}


def run(arguments: argparse.Namespace) -> int:
    """Tune, or prove a file."""
    if (arguments.prove is None) == (arguments.output is None):
        raise UsageError("give either -o FILE or --prove FILE", "transrank tune --help")
    if arguments.rounds < 2:
        raise UsageError("one round has no interval", "--rounds 5")
    try:
        with tempfile.TemporaryDirectory(prefix="transrank-tune-") as folder:
            if arguments.prove is not None:
                return _prove(arguments, Path(folder))
            return _tune(arguments, Path(folder))
    except KeyboardInterrupt:
        written = "" if arguments.output is None else f"; {arguments.output} is as it was before"
        raise Failure(f"interrupted{written}", "tune anew", status=INTERRUPTED) from None


def _tune(arguments: argparse.Namespace, folder: Path) -> int:
    from transrank.lab.tune import note, tuning
    from transrank.lab.tune.library import write

    note.check_can_write(arguments.output)
    campaign, place, ranks_per_node = _campaign(arguments, folder, arguments.whose or "mpi")
    library = campaign.library
    choices: dict[str, tuple[Range, ...]] = {}
    for part in tuning.parts(campaign):
        choices |= tuning.choices_of(part, part.measure(tuning.forced(part)))
    if not choices:
        output.note("no algorithm is better than what is taken anyway; nothing written")
        return 1
    alone = [operation for operation in campaign.operations if operation not in choices]
    if alone:
        output.note(f"nothing to gain in {', '.join(alone)}")
    path = folder / f"candidate{library.suffix}"
    write(path, library.files(choices, campaign.ranks))
    better, told = _proved(campaign, place, path, choices)
    if not better:
        output.note("what seemed better was not when measured again; nothing written")
        return 1
    note.write(arguments.output, library, better, campaign.ranks, ranks_per_node)
    if told is not None:
        output.note(f"used: {told}")
    variables = {**library.environment(arguments.output), **place.settings()}
    words = " ".join(f"{name}={value}" for name, value in variables.items())
    output.note(f"written: {arguments.output}, {_rules(better)}; to use it: {words}")
    return 0


def _prove(arguments: argparse.Namespace, folder: Path) -> int:
    from transrank.lab.tune import note

    found = note.read(arguments.prove)
    if arguments.whose not in (None, found.name):
        raise UsageError(f"{arguments.prove} is for {found.name}", f"--for {found.name}")
    if arguments.ranks not in (None, found.ranks):
        raise UsageError(
            f"{arguments.prove} is for {found.ranks} ranks", f"-n {found.ranks}, or without"
        )
    arguments.ranks = found.ranks
    campaign, place, ranks_per_node = _campaign(arguments, folder, found.name, found.choices)
    if ranks_per_node != found.ranks_per_node:
        raise UsageError(
            f"{arguments.prove} is for {found.ranks_per_node} ranks per node, here are "
            f"{ranks_per_node}",
            "give the launcher that it was made with",
        )
    better, told = _proved(campaign, place, arguments.prove, found.choices)
    if told is not None:
        output.note(f"used: {told}")
    return 0 if better == found.choices else 1


def _campaign(
    arguments: argparse.Namespace,
    folder: Path,
    whose: str,
    choices: Mapping[str, Sequence[Range]] | None = None,
) -> tuple[Campaign, Place, int]:
    """What is measured, where, and how many ranks a node has; says when ranks share cores."""
    from transrank.lab.stats.placement import ranks_per_node, shared_cores
    from transrank.lab.tune import library
    from transrank.lab.tune.campaign import Campaign

    ranks = arguments.ranks or 2
    operations = _operations(arguments.operations, library.library(whose, 1, 1).operations)
    place = _place(arguments, ranks)
    answer = folder / "probe.json"
    placement = place.placement(answer)
    shared = shared_cores(placement)
    if shared is not None:
        output.warning(
            f"{shared[0]} ranks share {shared[1]} cores",
            f"a file for ranks with a core each needs {shared[0]} cores",
        )
    per_node = ranks_per_node(placement)
    shape = [f"--probed={answer}"]
    if arguments.launcher is not None:
        shape.append(f"--launcher={arguments.launcher}")
    if arguments.ranks_per_node is not None:
        shape.append(f"--ranks-per-node={arguments.ranks_per_node}")
    campaign = Campaign(
        library.library(whose, ranks, per_node),
        operations if choices is None else tuple(choices),
        *(arguments.sizes, ranks, arguments.rounds, arguments.max_time),
        *(folder, output.note, shape),
    )
    return campaign, place, per_node


def _proved(
    campaign: Campaign, place: Place, path: Path, choices: Mapping[str, Sequence[Range]]
) -> tuple[dict[str, tuple[Range, ...]], str | None]:
    """What is better with the file, when measured again, and how the library says it is used."""
    from transrank.lab.tune import evidence, tuning

    campaign = replace(campaign, operations=tuple(choices))
    told = evidence.said(campaign, path, place.said)
    seen = evidence.look(campaign, path, choices)
    proofs = tuning.prove(campaign, choices, seen)
    _print(proofs)
    moved, alone = tuning.controls(proofs)
    if len(moved) > max(1, len(alone) // 4):
        output.warning(
            f"{len(moved)} of {len(alone)} sizes that were left alone take another time, too: "
            "something else was at work",
            "tune while nothing else runs, or with more --rounds",
        )
    return tuning.without_losers(choices, proofs), told


def _place(arguments: argparse.Namespace, ranks: int) -> Place:
    from transrank.lab.cli import execution
    from transrank.lab.store.records import Shape

    site = execution.look_around(arguments.launcher)
    ranks_per_node = arguments.ranks_per_node or 0
    execution.refuse_crowds(arguments, site, [Shape(ranks, ranks_per_node)])
    return Place(site.launcher, ranks, ranks_per_node)


def _rules(choices: Mapping[str, Sequence[Range]]) -> str:
    count = sum(each.algorithm is not None for ranges in choices.values() for each in ranges)
    return f"{count} rule{'' if count == 1 else 's'}"


def _operations(wanted: str | None, known: Sequence[str]) -> tuple[str, ...]:
    names = tuple(known) if wanted is None else tuple(wanted.split(","))
    for name in names:
        if name not in known:
            raise UsageError(f"unknown operation '{name}'", f"known: {', '.join(known)}")
    return names


def _print(proofs: Sequence[Proof]) -> None:
    by_operation: dict[str, list[Proof]] = {}
    for proof in proofs:
        by_operation.setdefault(proof.operation, []).append(proof)
    output.print_or_write(lambda console: _print_tables(console, by_operation), None)


def _print_tables(console: Console, proofs: Mapping[str, Sequence[Proof]]) -> None:
    for operation, sizes in proofs.items():
        console.print(Text(operation, style="bold"))
        rows = [row for proof in sizes for row in _rows(proof)]
        console.print(output.table(COLUMNS, rows))
        console.print()


def _rows(proof: Proof) -> list[list[str | Text]]:
    """A size, and below it how it shows that the algorithm is really used."""
    low, high = proof.ratio.low, proof.ratio.high
    interval = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
    row: list[str | Text] = [
        format_bytes(proof.size),
        proof.algorithm or "left alone",
        format_seconds(proof.before),
        format_seconds(proof.after),
        f"{proof.ratio.value:.2f}{interval}",
        proof.verdict,
    ]
    shown: list[str | Text] = ["", f"shown by {proof.evidence}", "", "", "", ""]
    return [row, shown] if proof.evidence else [row]
