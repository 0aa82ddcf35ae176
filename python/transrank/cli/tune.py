# SPDX-License-Identifier: BSD-3-Clause
"""transrank tune: better choices of collective algorithms, as a file for the MPI library."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from transrank.cli import options, output, results
from transrank.errors import UsageError
from transrank.units import format_bytes, format_seconds

if TYPE_CHECKING:
    from transrank.tune.choice import Range
    from transrank.tune.tuning import Proof

EPILOG = """\
examples:
  transrank tune -n 4 -o rules.conf                 under Open MPI
  transrank tune -n 4 --operations alltoall,bcast -o table.json
  transrank tune --prove rules.conf                 measure once more with it

Measures every algorithm that the library can be made to use, chooses per size
what gains beyond the interval, writes the library's own kind of file (Open MPI:
dynamic rules; MPICH: its whole table with these choices before its own), and
measures without and with it. What is not proved to be better is not written:
then there is no file, and the exit status is 1.
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
    parser.add_argument("--operations", metavar="A,B", help="(default: all six that can be tuned)")
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
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the file to be written")


def run(arguments: argparse.Namespace) -> int:
    """Tune, or prove a file."""
    from transrank.tune import library, tuning
    from transrank.tune.campaign import Campaign

    tuned = library.library()
    if (arguments.prove is None) == (arguments.output is None):
        raise UsageError("give either -o FILE or --prove FILE", "transrank tune --help")
    if arguments.rounds < 2:
        raise UsageError("one round has no interval", "--rounds 5")
    ranks = arguments.ranks or 2
    choices: dict[str, tuple[Range, ...]] = {}
    if arguments.prove is not None:
        ranks, choices = tuning.read(arguments.prove)
        if arguments.ranks not in (None, ranks):
            raise UsageError(f"{arguments.prove} is for {ranks} ranks", f"-n {ranks}, or without")
    operations = _operations(arguments.operations, library.OPERATIONS)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(
            operations if not choices else tuple(choices),
            *(arguments.sizes, ranks, arguments.rounds, arguments.max_time),
            *(Path(folder), output.note),
        )
        path = arguments.prove
        if path is None:
            measured = campaign.measure(tuning.forced(tuned, campaign))
            choices = tuning.choices_of(tuned, campaign, measured)
            path = Path(folder) / f"candidate{tuned.suffix}"
            if not choices:
                output.note("no algorithm is better than the library's choices; nothing written")
                return 1
            path.write_text(tuned.text(choices, ranks), encoding="utf-8")
            campaign = Campaign(
                tuple(choices),
                *(arguments.sizes, ranks, arguments.rounds, arguments.max_time),
                *(Path(folder), output.note),
            )
        proofs = tuning.prove(campaign, tuned.environment(path), choices)
    _print(proofs)
    better = tuning.without_losers(choices, proofs)
    if arguments.prove is not None:
        return 0 if better == choices else 1
    if not better:
        output.note("what seemed better was not when measured again; nothing written")
        return 1
    tuning.write(arguments.output, tuned, better, ranks)
    words = " ".join(f"{k}={v}" for k, v in tuned.environment(arguments.output).items())
    output.note(f"written: {arguments.output}; to use it: {words}")
    return 0


def _operations(wanted: str | None, known: Sequence[str]) -> tuple[str, ...]:
    names = tuple(known) if wanted is None else tuple(wanted.split(","))
    for name in names:
        if name not in known:
            raise UsageError(f"unknown operation '{name}'", f"known: {', '.join(known)}")
    return names


def _print(proofs: Sequence[Proof]) -> None:
    rows = []
    for proof in proofs:
        low, high = proof.ratio.low, proof.ratio.high
        interval = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
        rows.append(
            [
                proof.operation,
                format_bytes(proof.size),
                proof.algorithm or "the library's",
                format_seconds(proof.before),
                format_seconds(proof.after),
                f"{proof.ratio.value:.2f}{interval}",
                proof.verdict,
            ]
        )
    heading = ["operation", "bytes", "algorithm", "before", "after", "after / before", "verdict"]
    table = output.table(heading, rows)
    results.print_or_write(lambda console: console.print(table), None)
