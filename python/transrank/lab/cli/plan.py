# SPDX-License-Identifier: BSD-3-Clause
"""transrank plan: what would move between which ranks, computed without MPI and without data."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from transrank.lab import units
from transrank.lab.cli import options, output, results
from transrank.lab.cli.output import Column
from transrank.lab.survey.movement import Peer, RankMovement, plan_redistribution

EPILOG = """\
examples:
  transrank plan redistribute --grid 512x1024x16 --from 2x4 --to 4x2 --fields 8
  transrank plan redistribute --grid 1000 --from 3 --to 5 --value-bytes 4

Blocks are as even as possible. The first dimension varies fastest, in memory
and over the ranks; omitted dimensions are not divided.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb and its options."""
    parser = subparsers.add_parser(
        "plan",
        help="show what a redistribution would move, without MPI",
        description="Show what each rank of a redistribution would send and receive.",
        epilog=EPILOG,
    )
    parser.add_argument("what", choices=("redistribute",), help="what to plan")
    parser.add_argument(
        "--grid", metavar="NxM", required=True, help="extents of the grid, e.g. 512x1024x16"
    )
    parser.add_argument(
        "--from",
        metavar="PxQ",
        required=True,
        dest="source",
        help="parts per dimension of the source, e.g. 2x4",
    )
    parser.add_argument(
        "--to",
        metavar="PxQ",
        required=True,
        dest="destination",
        help="parts per dimension of the destination, e.g. 4x2",
    )
    count = options.checked(options.parse_one_count)
    parser.add_argument(
        "--fields", metavar="N", type=count, default=1, help="fields in the bundle (default: 1)"
    )
    parser.add_argument(
        "--value-bytes",
        metavar="N",
        type=count,
        default=8,
        help="bytes per cell of each field (default: 8)",
    )
    options.add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print each rank's part, and the total."""
    movements = plan_redistribution(arguments.grid, arguments.source, arguments.destination)
    cell_bytes = arguments.fields * arguments.value_bytes
    rows = [_row(movement, cell_bytes) for movement in movements]
    if arguments.format == "json":
        moved = sum(row["bytes_out"] for row in rows)
        found = {"bytes_that_change_processor": moved, "ranks": rows}
        output.write(results.as_json(found), arguments.output)
    elif arguments.format == "csv":
        output.write(results.as_csv([_flat(row) for row in rows]), arguments.output)
    else:
        output.print_or_write(lambda console: _print(console, rows), arguments.output)
    return 0


def _row(movement: RankMovement, cell_bytes: int) -> dict[str, Any]:
    return {
        "rank": movement.rank,
        "peers": list(movement.peers),
        "messages": movement.messages,
        "bytes_out": movement.cells_out * cell_bytes,
        "bytes_in": movement.cells_in * cell_bytes,
        "bytes_kept": movement.cells_kept * cell_bytes,
        "sends": _in_bytes(movement.sends, cell_bytes),
        "receives": _in_bytes(movement.receives, cell_bytes),
    }


def _in_bytes(peers: Sequence[Peer], cell_bytes: int) -> list[dict[str, int]]:
    return [{"peer": each.peer, "bytes": each.cells * cell_bytes} for each in peers]


def _print(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    columns: list[Column | str] = [
        Column("rank", right=True),
        Column("messages", right=True),
        Column("out", right=True),
        Column("in", right=True),
        Column("kept", right=True),
        "peers",
    ]
    console.print(
        output.table(
            columns,
            [
                [
                    str(row["rank"]),
                    str(row["messages"]),
                    units.format_bytes(row["bytes_out"]),
                    units.format_bytes(row["bytes_in"]),
                    units.format_bytes(row["bytes_kept"]),
                    " ".join(map(str, row["peers"])),
                ]
                for row in rows
            ],
        )
    )
    moved = sum(row["bytes_out"] for row in rows)
    whole = moved + sum(row["bytes_kept"] for row in rows)
    share = units.format_percent(moved / whole) if whole else "0 %"
    messages = sum(row["messages"] for row in rows)
    output.paragraph(
        console, f"{moved} bytes move to another rank ({share} of {whole}), in {messages} messages"
    )


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    flat = {name: value for name, value in row.items() if name not in ("sends", "receives")}
    return {**flat, "peers": " ".join(map(str, row["peers"]))}
