# SPDX-License-Identifier: BSD-3-Clause
"""transrank plan: what would move between which ranks, computed without MPI and without data."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console

from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.cli import options, output, results
from transrank.lab.cli.output import Column
from transrank.lab.reference.machine import read_table
from transrank.lab.survey.movement import Peer, RankMovement, plan_redistribution

# Of more ranks people are shown the extremes.
MOST_ROWS = 256

# Of ESMF's bundle redistribution benchmark.
PUBLISHED_GRID, PUBLISHED_FIELDS, PUBLISHED_VALUE_BYTES = "512x1024x16", 8, 8

EPILOG = f"""\
examples:
  transrank plan redistribute --grid 512x1024x16 --from 2x4 --to 4x2 --fields 8
  transrank plan redistribute --grid 1000 --from 3 --to 5 --value-bytes 4
  transrank plan redistribute --grid 1000x1000 --from 100x5 --to 5x100 --rank 7
  transrank plan redistribute --published         the bytes of ESMF's table

Blocks are as even as possible. The first dimension varies fastest, in memory
and over the ranks; omitted dimensions are not divided. Above {MOST_ROWS} ranks the
table has the minimum, the median and the maximum; csv and json every rank.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = "Show what each rank of a redistribution would send and receive."
    parser.epilog = EPILOG
    parser.add_argument("what", choices=("redistribute",), help="what to plan")
    parser.add_argument("--grid", metavar="NxM", help="extents of the grid, e.g. 512x1024x16")
    parser.add_argument(
        "--from", metavar="PxQ", dest="source", help="parts per dimension of the source, e.g. 2x4"
    )
    parser.add_argument(
        "--to",
        metavar="PxQ",
        dest="destination",
        help="parts per dimension of the destination, e.g. 4x2",
    )
    count = options.checked(units.parse_count)
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
    parser.add_argument(
        "--rank", metavar="R", type=int, default=None, help="plan only this rank's part"
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="instead: plan every partition of ESMF's published table, beside its bytes",
    )
    options.add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print each rank's part, and the total; or what was published beside what is planned.

    Raises
    ------
    UsageError
        grid and parts are given with --published, or lack without it.
    """
    given = [arguments.grid, arguments.source, arguments.destination]
    one = arguments.rank is not None
    if arguments.published:
        if any(given) or one:
            raise UsageError(
                "--published has grid and parts of its own, and plans every rank",
                "leave --grid, --from, --to and --rank",
            )
        return _published(arguments)
    if not all(given):
        raise UsageError(
            "a plan needs --grid, --from and --to",
            "transrank plan redistribute --grid 512x1024x16 --from 2x4 --to 4x2",
        )
    movements = plan_redistribution(
        arguments.grid, arguments.source, arguments.destination, arguments.rank
    )
    cell_bytes = arguments.fields * arguments.value_bytes
    rows = [_row(movement, cell_bytes) for movement in movements]
    if arguments.format == "json":
        moved = sum(row["bytes_out"] for row in rows)
        found = {"bytes_that_change_processor": moved, "ranks": rows}
        output.write(results.as_json(found), arguments.output)
    elif arguments.format == "csv":
        output.write(results.as_csv([_flat(row) for row in rows]), arguments.output)
    else:

        def show(console: Console) -> None:
            (_print_extremes if len(rows) > MOST_ROWS else _print)(console, rows)
            if not one:
                _print_total(console, rows)

        output.print_or_write(show, arguments.output)
    return 0


def _published(arguments: argparse.Namespace) -> int:
    rows = [_beside(row) for row in read_table("esmf_partitions.csv")]
    if arguments.format == "json":
        output.write(results.as_json(rows), arguments.output)
    elif arguments.format == "csv":
        output.write(results.as_csv(rows), arguments.output)
    else:
        output.print_or_write(lambda console: _print_beside(console, rows), arguments.output)
    return 0


def _beside(row: Mapping[str, str]) -> dict[str, Any]:
    """One row of the published table, and the bytes that its plan moves."""
    movements = plan_redistribution(PUBLISHED_GRID, row["src_partition"], row["dst_partition"])
    cells = sum(movement.cells_out for movement in movements)
    return {
        "processors": int(row["processors"]),
        "from": row["src_partition"],
        "to": row["dst_partition"],
        "published_bytes": int(row["bytes_redistributed"]),
        "planned_bytes": cells * PUBLISHED_FIELDS * PUBLISHED_VALUE_BYTES,
    }


def _print_beside(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    columns = [
        Column(name, right=True) for name in ("processors", "from", "to", "published", "planned")
    ]
    cells = [
        [f"{value:,}" if isinstance(value, int) else value for value in row.values()]
        for row in rows
    ]
    equal = sum(row["published_bytes"] == row["planned_bytes"] for row in rows)
    console.print(output.table(columns, cells))
    output.paragraph(
        console,
        f"bytes of {PUBLISHED_FIELDS} fields of doubles on {PUBLISHED_GRID} cells that change "
        f"processor; {equal} of {len(rows)} are equal",
    )


# What the columns of the table show of a row.
FIGURES: dict[str, tuple[str, Callable[[int], str]]] = {
    "messages": ("messages", str),
    "out": ("bytes_out", units.format_bytes),
    "in": ("bytes_in", units.format_bytes),
    "kept": ("bytes_kept", units.format_bytes),
}


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
                    *(form(row[key]) for key, form in FIGURES.values()),
                    " ".join(map(str, row["peers"])),
                ]
                for row in rows
            ],
        )
    )


def _print_extremes(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print minimum, median and maximum, with the first rank that has it."""
    quantiles = {"minimum": 0, "median": (len(rows) - 1) // 2, "maximum": len(rows) - 1}
    cells = []
    for name, (key, form) in FIGURES.items():
        values = sorted(row[key] for row in rows)
        cells.append([name])
        for at in quantiles.values():
            value = values[at]
            first = next(row["rank"] for row in rows if row[key] == value)
            cells[-1].append(f"{form(value)} (rank {first})")
    console.print(
        output.table(["per rank", *(Column(name, right=True) for name in quantiles)], cells)
    )


def _print_total(console: Console, rows: Sequence[dict[str, Any]]) -> None:
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
