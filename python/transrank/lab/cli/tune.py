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

from transrank.errors import Failure, UsageError
from transrank.lab import units
from transrank.lab.cli import options, output
from transrank.lab.view.kinds import BYTES, NUMBER, SECONDS, WORDS
from transrank.lab.view.table import Column, Table

if TYPE_CHECKING:
    from rich.console import Console

    from transrank.lab.launch.launcher import Launcher
    from transrank.lab.stats.estimate import Estimate
    from transrank.lab.store.records import Placement
    from transrank.lab.survey.probe import Probe
    from transrank.lab.tune.campaign import Campaign
    from transrank.lab.tune.choice import Range
    from transrank.lab.tune.tuning import Proof

INTERRUPTED = 130
# Of pairs (proof, evidence): below a proof stands the evidence that the algorithm is used.
COLUMNS = (
    Column("", BYTES, lambda row: row[0] and row[0].size),
    Column("algorithm", WORDS, lambda row: row[1] or row[0].algorithm or "left alone"),
    Column("before", SECONDS, lambda row: row[0] and row[0].before),
    Column("after", SECONDS, lambda row: row[0] and row[0].after),
    Column("after / before", NUMBER, lambda row: row[0] and _ratio(row[0].ratio)),
    Column("verdict", WORDS, lambda row: row[0] and row[0].verdict),
)
EPILOG = """\
examples:
  transrank tune -n 4 -o rules.conf                 under Open MPI
  transrank tune -n 4 --operations alltoall,bcast -o table.json
  transrank tune -n 4 --for transrank -o alltoall.choices
  transrank tune --prove rules.conf                 test this file

tune measures every algorithm that the library (MPI or transrank) can be made to
use. For each operation and size, it replaces the library's default only by an
algorithm that is clearly faster. It then measures again, with and without the
chosen algorithms, and drops choices that are not faster. The remaining choices
are written in the library's format. For Open MPI, the file contains dynamic
rules. For MPICH, the file is a copy of MPICH's own table of algorithms, with
the choices placed first. If no choice remains, no file is written, and the exit
status is 1.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Find faster algorithms for collective operations, and write a file that selects them."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "-n",
        "--ranks",
        metavar="N",
        type=options.checked(units.parse_count),
        help="number of ranks; the file applies to communicators of this size (default: 2)",
    )
    parser.add_argument(
        "--for",
        dest="whose",
        choices=["mpi", "transrank"],
        help="tune the MPI library's collectives, or transrank's own alltoall (default: mpi)",
    )
    parser.add_argument(
        "--operations",
        metavar="A,B",
        help="operations to tune, e.g. alltoall,bcast (default: all that can be tuned)",
    )
    parser.add_argument(
        "--sizes",
        metavar="SIZES",
        default="8..1MiB:x4",
        help="message sizes (default: %(default)s)",
    )
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=options.checked(units.parse_count),
        default=5,
        help="number of launches (starts of mpiexec) with each algorithm, at least 2 (default: 5)",
    )
    parser.add_argument(
        "--max-time",
        metavar="T",
        default="50ms",
        help="limit on the measuring time of one operation and size in one launch (default: 50ms)",
    )
    parser.add_argument(
        "--prove",
        metavar="FILE",
        type=Path,
        help="write no file, but test FILE: measure with and without it",
    )
    group = parser.add_argument_group("launch")
    group.add_argument(
        "--ranks-per-node",
        metavar="N",
        type=options.checked(units.parse_count),
        help="MPI ranks on each node (default: the launcher decides)",
    )
    options.add_launcher_options(group)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="file to write")


@dataclass(frozen=True)
class Place:
    """Where the library is tuned: a launcher, and the placement of the ranks."""

    launcher: Launcher
    ranks: int
    ranks_per_node: int  # 0: the launcher decides

    def probe(self, added: Mapping[str, str]) -> Probe:
        """Start the ranks once, with additional environment variables."""
        from transrank.lab.store.records import Shape
        from transrank.lab.survey import probe

        shape = Shape(self.ranks, self.ranks_per_node)
        environment = {**os.environ, **self.launcher.environment(shape, os.environ), **added}
        return probe.probe(self.launcher, shape, environment)

    def placement(self, answer: Path) -> Placement:
        """The placement of the ranks; the full answer of the probe is kept in `answer`."""
        from transrank.lab.store.records import Placement, from_json

        probed = self.probe({})
        probed.write(answer)
        return from_json(Placement, probed.placement)

    def said(self, added: Mapping[str, str]) -> Sequence[str]:
        """The messages of such a start."""
        return self.probe(added).said

    def settings(self) -> dict[str, str]:
        """Further environment variables of the launches that may select algorithms."""
        from transrank.lab.store.records import Shape

        added = self.launcher.settings(Shape(self.ranks, self.ranks_per_node))
        return {name: value for name, value in added.items() if name.startswith("MPIR_")}


def run(arguments: argparse.Namespace) -> int:
    """Tune, or prove a file."""
    if (arguments.prove is None) == (arguments.output is None):
        raise UsageError("give either -o FILE or --prove FILE", "transrank tune --help")
    if arguments.rounds < 2:
        raise UsageError("a single round gives no interval", "--rounds 5")
    try:
        with tempfile.TemporaryDirectory(prefix="transrank-tune-") as folder:
            if arguments.prove is not None:
                return _prove(arguments, Path(folder))
            return _tune(arguments, Path(folder))
    except KeyboardInterrupt:
        written = "" if arguments.output is None else f"; {arguments.output} is unchanged"
        raise Failure(
            f"interrupted{written}", "run transrank tune again", status=INTERRUPTED
        ) from None


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
        output.note("no algorithm is faster than the default; nothing written")
        return 1
    alone = [operation for operation in campaign.operations if operation not in choices]
    if alone:
        output.note(f"no faster algorithm for {', '.join(alone)}")
    path = folder / f"candidate{library.suffix}"
    write(path, library.files(choices, campaign.ranks))
    better, use = _proved(campaign, place, path, choices)
    if not better:
        output.note("no choice was faster when measured again; nothing written")
        return 1
    note.write(arguments.output, library, better, campaign.ranks, ranks_per_node)
    if use is not None:
        output.note(f"used: {use}")
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
            f"{arguments.prove} is for {found.ranks_per_node} ranks per node, but this launch has "
            f"{ranks_per_node}",
            "use the launcher that the file was made with",
        )
    better, use = _proved(campaign, place, arguments.prove, found.choices)
    if use is not None:
        output.note(f"used: {use}")
    return 0 if better == found.choices else 1


def _campaign(
    arguments: argparse.Namespace,
    folder: Path,
    whose: str,
    choices: Mapping[str, Sequence[Range]] | None = None,
) -> tuple[Campaign, Place, int]:
    """The campaign, its place, and the ranks per node; warns if ranks share cores."""
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
            f"to tune for ranks with a core each, use at least {shared[0]} cores",
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
    """The choices that are faster when measured again, and the library's evidence of use."""
    from transrank.lab.tune import evidence, tuning

    campaign = replace(campaign, operations=tuple(choices))
    use = evidence.said(campaign, path, place.said)
    seen = evidence.look(campaign, path, choices)
    proofs = tuning.prove(campaign, choices, seen)
    _print(proofs)
    moved, alone = tuning.controls(proofs)
    if len(moved) > max(1, len(alone) // 4):
        output.warning(
            f"{len(moved)} of {len(alone)} sizes without a choice changed as well: "
            "something else disturbed the measurement",
            "tune while nothing else runs, or with more --rounds",
        )
    return tuning.without_losers(choices, proofs), use


def _place(arguments: argparse.Namespace, ranks: int) -> Place:
    from transrank.lab.cli import execution
    from transrank.lab.store.records import Shape

    site = execution.look_around(arguments.launcher)
    ranks_per_node = arguments.ranks_per_node or 0
    execution.refuse_crowds(arguments, site, [Shape(ranks, ranks_per_node)])
    return Place(site.launcher, ranks, ranks_per_node)


def _rules(choices: Mapping[str, Sequence[Range]]) -> str:
    count = sum(each.algorithm is not None for ranges in choices.values() for each in ranges)
    return units.counted(count, "rule")


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
        rows = [row for proof in sizes for row in _rows(proof)]
        output.print_table(console, Table(operation, COLUMNS, rows))
        console.print()


def _rows(proof: Proof) -> list[tuple[Proof | None, str]]:
    rows: list[tuple[Proof | None, str]] = [(proof, "")]
    return [*rows, (None, f"shown by {proof.evidence}")] if proof.evidence else rows


def _ratio(ratio: Estimate) -> str:
    low, high = ratio.low, ratio.high
    interval = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
    return f"{ratio.value:.2f}{interval}"
