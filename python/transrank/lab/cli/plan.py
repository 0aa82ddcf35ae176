# SPDX-License-Identifier: BSD-3-Clause
"""transrank plan: what would move between which ranks, computed without MPI and without data."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.cli import options, output, results
from transrank.lab.reference.machine import read_table
from transrank.lab.stats.least_time import LEFT_OUT, WHERE, least_time
from transrank.lab.stats.summary import summarise
from transrank.lab.survey.movement import Plan, plans
from transrank.lab.view.kinds import AMOUNT, COUNT, NUMBER, SECONDS, WORDS, Kind
from transrank.lab.view.table import Column, Table, field

Row = dict[str, Any]

# Of more ranks people are shown the extremes.
MOST_ROWS = 256

# Of ESMF's bundle redistribution benchmark.
PUBLISHED_GRID, PUBLISHED_FIELDS, PUBLISHED_VALUE_BYTES = "512x1024x16", 8, 8


def _of(heading: str, name: str, kind: Kind = NUMBER) -> Column:
    return Column(heading, kind, itemgetter(name), name)


def _of_side(side: str, figure: str) -> Column:
    return field(f"{figure}_{side}", lambda row: row[side][figure] if side in row else None)


def _most(heading: str, name: str, kind: Kind = AMOUNT) -> Column:
    return Column(heading, kind, lambda plan: max(row[name] for row in plan["ranks"]))


FIGURES = (
    _of("messages", "messages"),
    _of("out", "bytes_out", AMOUNT),
    _of("in", "bytes_in", AMOUNT),
    _of("kept", "bytes_kept", AMOUNT),
)
RANKS = (
    field("algorithm", lambda row: row.get("algorithm")),
    _of("rank", "rank"),
    *FIGURES,
    Column("peers", WORDS, lambda row: " ".join(map(str, row.get("peers", []))), "peers"),
    field("array_bytes", itemgetter("array_bytes")),
    field("buffer_bytes", itemgetter("buffer_bytes")),
    *(_of_side(side, name) for side in WHERE for name in ("messages", "bytes_out", "bytes_in")),
)
EXTREMES = (Column("per rank", WORDS), Column("minimum"), Column("median"), Column("maximum"))
SIDES = (
    _of("", "where", WORDS),
    _of("messages", "messages"),
    _of("sent", "bytes", AMOUNT),
    _of("distinct", "distinct_bytes", AMOUNT),
)
ALGORITHMS = (
    _of("algorithm", "algorithm", WORDS),
    _of("steps", "steps"),
    _most("messages", "messages", NUMBER),
    _most("out", "bytes_out"),
    _most("buffers", "buffer_bytes"),
    Column("between nodes", AMOUNT, lambda plan: plan.get("between_nodes", {}).get("bytes")),
    Column("at least", SECONDS, lambda plan: plan.get("at_least_seconds")),
)
PUBLISHED = (
    _of("processors", "processors", COUNT),
    _of("from", "from"),
    _of("to", "to"),
    _of("published", "published_bytes", COUNT),
    _of("planned", "planned_bytes", COUNT),
)

EXAMPLES = {
    "redistribute": "redistribute --grid 512x1024x16 --from 2x4 --to 4x2 --fields 8",
    "halo": "halo 512x512x512 --ranks 64 --halo 1 --periodic all",
    "ghosts": "ghosts rank0.txt rank1.npy --owned 1000,980 --bytes 24",
    "alltoall": "alltoall --ranks 64 --bytes 8KiB --ranks-per-node 8 --on latest",
}
# The options that a kind of plan needs, and those that it takes beside them.
KINDS = {
    "redistribute": (("--grid", "--from", "--to"), ("--fields", "--rank", "--published")),
    "halo": (
        ("--grid", "--halo"),
        ("--ranks", "--parts", "--periodic", "--box", "--star", "--fields"),
    ),
    "ghosts": (("FILE",), ("--owned",)),
    "alltoall": (("--ranks",), ("--algorithm",)),
}

EPILOG = f"""\
examples:
  transrank plan {EXAMPLES["redistribute"]}
  transrank plan redistribute --published         compare with ESMF's table
  transrank plan {EXAMPLES["halo"]}
  transrank plan {EXAMPLES["ghosts"]}
  transrank plan ghosts FOLDER                    files written by route.save
  transrank plan {EXAMPLES["alltoall"]}

Parts are as equal in size as possible. For redistribute, the first dimension
varies fastest, both in memory and in the order of the ranks. Dimensions for
which --from or --to gives no number of parts are not divided. For halo, the
last dimension varies fastest. For more than {MOST_ROWS} ranks, the table shows the
minimum, median and maximum over the ranks; csv and json list every rank.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Count the messages and bytes that each rank would send and receive, without using MPI. "
        "With --ranks-per-node, also print separate counts within nodes and between nodes."
    )
    parser.epilog = EPILOG
    count = options.checked(units.parse_count)
    add = parser.add_argument
    add(
        "what",
        nargs="?",
        choices=tuple(KINDS),
        help="what to count: the redistribution of a grid, an update of its halos, an update of "
        "ghosts (copies of other ranks' rows), or an alltoall",
    )
    add(
        *("given",),
        nargs="*",
        default=[],
        metavar="GRID|FILE",
        help="for ghosts: one file per rank, in rank order, with the indices of that rank's "
        "ghosts; for redistribute and halo: the grid, as in --grid",
    )
    add("--grid", metavar="NxM", help="cells in each dimension, e.g. 512x1024x16")
    add(
        "--from",
        metavar="PxQ",
        help="parts in each dimension before redistribution, e.g. 2x4",
    )
    add(
        "--to",
        metavar="PxQ",
        help="parts in each dimension after redistribution, e.g. 4x2",
    )
    add("-n", "--ranks", metavar="N", type=count, help="for halo and alltoall: number of ranks")
    add(
        "--parts",
        metavar="PxQ",
        help="for halo: parts in each dimension (default: as chosen by MPI_Dims_create)",
    )
    add(
        "--halo",
        metavar="W[xW]",
        help="width of the halo on each side, in cells: for all dimensions, e.g. 1, or for each, "
        "e.g. 2x2x0",
    )
    add(
        "--periodic",
        metavar="D[,D]",
        help="for halo: the periodic dimensions, counted from 0, or all (default: none)",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--box", action="store_true", help="include corners in the halo (default)")
    shape.add_argument("--star", action="store_true", help="leave corners out of the halo")
    add(
        "--owned",
        metavar="N[,N]",
        help="for ghosts: how many rows each rank owns, as one number for all ranks or one per "
        "rank",
    )
    add(
        "--algorithm",
        metavar="NAME",
        help="algorithm of the alltoall (default: all, one line for each)",
    )
    add("--fields", metavar="N", type=count, help="number of fields on the grid (default: 1)")
    add(
        *("--bytes", "--value-bytes"),
        metavar="SIZE",
        type=options.checked(units.parse_size),
        default=8,
        help="size of one cell of one field, of one ghost row, or of one block of an alltoall "
        "(default: 8)",
    )
    add("--rank", metavar="R", type=int, help="for redistribute: count only for rank R")
    add(
        "--published",
        action="store_true",
        help="for redistribute: count the bytes for each case in a table published by ESMF, "
        "and print the counts next to the published ones",
    )
    add("--ranks-per-node", metavar="N", type=count, help="assume N consecutive ranks on each node")
    add(
        "--on",
        metavar="RUN",
        help="print a lower bound on the time that MPI needs, computed from the times in run RUN",
    )
    options.add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print each rank's part, and the total; or what was published beside what is planned.

    Raises UsageError: options are missing, do not belong together, or make no sense.
    """
    _check(arguments)
    if arguments.published:
        table = Table("", PUBLISHED, [_beside(row) for row in read_table("esmf_partitions.csv")])
        output.answer(arguments, table.records, table.records, lambda c: _print_beside(c, table))
        return 0
    words, lists = PLANNERS[arguments.what](arguments)
    cell_bytes = arguments.bytes * (arguments.fields or 1)
    found = plans(words, cell_bytes, arguments.ranks, arguments.ranks_per_node, lists)
    if arguments.on:
        _add_bounds(arguments, found)
    rows = [{**row, "algorithm": p.get("algorithm")} for p in found for row in p["ranks"]]
    output.answer(
        arguments,
        lambda: found if arguments.what == "alltoall" else found[0],
        Table("", RANKS, rows).records,
        lambda console: _print(console, found, arguments),
    )
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for an option that is missing, or of another kind of plan."""
    if arguments.what is None:
        raise UsageError(f"plan needs what to plan: {', '.join(KINDS)}", _example("halo"))
    values = vars(arguments)
    if arguments.what in ("redistribute", "halo") and len(arguments.given) == 1:
        arguments.grid, arguments.given = arguments.given[0], []
    given = {"FILE": bool(arguments.given)}
    for option in {each for kind in KINDS.values() for group in kind for each in group} - {"FILE"}:
        given[option] = values[option[2:]] not in (None, False)
    needed, further = KINDS[arguments.what]
    if arguments.published:
        needed, further = (), ("--published",)
    who = f"plan {arguments.what}{' --published' * arguments.published}"
    if others := sorted(
        option for option in given if given[option] and option not in needed + further
    ):
        takes = " ".join((*needed, *further))
        vain = f"'{' '.join(arguments.given)}'" if others[0] == "FILE" else others[0]
        raise UsageError(f"`{who}` does not take {vain}", f"it takes {takes}")
    if lacking := [option for option in needed if not given[option]]:
        missing = " and ".join(lacking)
        raise UsageError(f"`{who}` lacks {missing}", _example(arguments.what))
    for name in ("grid", "from", "to", "parts", "halo"):
        if "," in (values[name] or ""):
            raise UsageError(f"--{name} {values[name]} has commas", "write x between numbers")
    if arguments.on and not arguments.ranks_per_node:
        raise UsageError(
            "--on needs --ranks-per-node: messages between nodes take longer",
            "the number of all ranks, if they share a node",
        )
    if arguments.rank is not None and arguments.ranks_per_node:
        raise UsageError("--rank plans one rank alone", "leave --ranks-per-node")


def _example(what: str) -> str:
    return f"e.g. transrank plan {EXAMPLES[what]}"


def _redistribution(arguments: argparse.Namespace) -> tuple[str, str]:
    """What transrank-run is asked, and lists for its stdin, as of the others."""
    rank = [] if arguments.rank is None else [str(arguments.rank)]
    words = [arguments.grid, getattr(arguments, "from"), arguments.to, *rank]
    return ",".join(words), ""


def _halo(arguments: argparse.Namespace) -> tuple[str, str]:
    if not arguments.ranks and not arguments.parts:
        raise UsageError("`plan halo` lacks --ranks or --parts", _example("halo"))
    parts = (arguments.parts or "").split("x")
    count = (
        math.prod(map(int, parts))
        if all(p.isdecimal() and len(p) < 10 for p in parts)
        else arguments.ranks
    )
    if arguments.ranks and count != arguments.ranks:
        given = f"--parts {arguments.parts} are {count} parts for {arguments.ranks} ranks"
        raise UsageError(given, "give a part for each rank, or leave --parts")
    dimensions = arguments.grid.count("x") + 1
    asked = (arguments.periodic or "").split(",")
    periodic = ["1" if str(d) in asked or asked == ["all"] else "0" for d in range(dimensions)]
    if unknown := set(asked) - {"", "all", *map(str, range(dimensions))}:
        raise UsageError(
            f"--periodic {min(unknown)} is no dimension of {arguments.grid}",
            f"0 to {dimensions - 1}, or all",
        )
    one = arguments.halo.isdecimal()
    halo = "x".join([arguments.halo] * dimensions) if one else arguments.halo
    shape = "star" if arguments.star else "box"
    words = ["halo", arguments.grid, arguments.parts or "", halo, "x".join(periodic), shape]
    return ",".join(words), ""


def _ghosts(arguments: argparse.Namespace) -> tuple[str, str]:
    first, *more = arguments.given
    if not more and (Path(first).is_dir() or "{rank}" in first):
        return f"routes,{first}", ""
    if not arguments.owned:
        raise UsageError("lists of ghosts need --owned, the number of rows of each rank")
    owned = arguments.owned.split(",")
    if not all(each.isascii() and each.isdecimal() for each in owned):
        raise UsageError(f"--owned {arguments.owned} is no list of numbers", "e.g. 1000,980")
    if len(owned) not in (1, len(arguments.given)):
        raise UsageError(f"--owned has {len(owned)} numbers for {len(arguments.given)} files")
    owned *= len(arguments.given) // len(owned)
    lists = (
        " ".join(map(str, [n, *_indices(path)]))
        for n, path in zip(owned, arguments.given, strict=True)
    )
    return "ghosts", "".join(f"{each}\n" for each in lists)


def _indices(path: str) -> list[int]:
    """The integers of a text file, or of an array that numpy.save has written."""
    try:
        if not path.endswith(".npy"):
            words = Path(path).read_text("utf-8").split()
            return list(map(int, np.array(list(map(int, words)), np.int64)))
        array = np.load(path, allow_pickle=False)
        if array.dtype.kind not in "iu":
            raise ValueError(f"it has {array.dtype}, not integers")
        return list(map(int, array.reshape(-1)))
    except (OSError, ValueError, OverflowError) as cause:
        raise UsageError(f"{path} is no list of indices: {cause}") from cause


def _alltoall(arguments: argparse.Namespace) -> tuple[str, str]:
    name = [arguments.algorithm] if arguments.algorithm else []
    return ",".join(["alltoall", str(arguments.bytes), *name]), ""


PLANNERS = {
    "redistribute": _redistribution,
    "halo": _halo,
    "ghosts": _ghosts,
    "alltoall": _alltoall,
}


def _add_bounds(arguments: argparse.Namespace, found: Sequence[Plan]) -> None:
    """Say how long each plan takes at least, and warn of what the run has not measured."""
    measured = summarise(results.open_run(arguments.on, arguments.store))
    for plan in found:
        bound = least_time(plan, measured)
        plan |= {"at_least_seconds": bound.seconds, "at_least_because": bound.why}
        for side, studies in bound.missing.items():
            apart = " --ranks-per-node 1" if side == "between_nodes" else ""
            output.warning(
                f"{arguments.on} lacks cases of {' and '.join(studies)} {WHERE[side]}",
                f"transrank measure {' '.join(studies)} -n 2{apart}",
            )


def _print(console: Console, found: Sequence[Plan], arguments: argparse.Namespace) -> None:
    if arguments.what == "alltoall" and not arguments.algorithm:
        output.print_table(console, Table("", ALGORITHMS, found).shown())
        if arguments.ranks_per_node:
            distinct = units.format_amount(found[0]["between_nodes"]["distinct_bytes"])
            output.paragraph(console, f"{distinct} have to go between nodes by any algorithm")
    else:
        _print_ranks(console, found[0]["ranks"], arguments)
        if arguments.ranks_per_node:
            sides = [{"where": where, **found[0][side]} for side, where in WHERE.items()]
            output.print_table(console, Table("", SIDES, sides))
        if seconds := found[0].get("at_least_seconds"):
            because = found[0]["at_least_because"]
            output.paragraph(console, f"at least {units.format_seconds(seconds)}: {because}")
    if arguments.on:
        output.paragraph(console, LEFT_OUT)


def _print_ranks(console: Console, rows: Sequence[Row], arguments: argparse.Namespace) -> None:
    if len(rows) > MOST_ROWS:
        output.print_table(console, Table("", EXTREMES, [_extremes(c, rows) for c in FIGURES]))
    else:
        output.print_table(console, Table("", RANKS, rows).shown())
    if arguments.rank is None:
        moved, messages = (sum(row[name] for row in rows) for name in ("bytes_out", "messages"))
        whole = moved + sum(row["bytes_kept"] for row in rows)
        percent = units.format_percent(moved / whole if whole else 0)
        share = f" ({percent} of {units.format_amount(whole)})"
        share = share if arguments.what == "redistribute" else ""
        text = f"{units.format_amount(moved)} move to another rank{share}, in {messages} messages"
        output.paragraph(console, text)
        most = (max(row[name] for row in rows) for name in ("array_bytes", "buffer_bytes"))
        arrays, buffers = map(units.format_amount, most)
        text = f"memory of a rank: up to {arrays} of arrays, and {buffers} of buffers"
        text += "" if arguments.what == "alltoall" else " if messages are packed"
        output.paragraph(console, text)


def _extremes(column: Column, rows: Sequence[Row]) -> list[str]:
    """The name of a figure; minimum, median and maximum, with the first rank that has it."""
    values = sorted(row[column.name] for row in rows)
    first = {row[column.name]: row["rank"] for row in reversed(rows)}
    chosen = values[0], values[(len(rows) - 1) // 2], values[-1]
    return [column.heading or "", *(f"{column.text(v)} (rank {first[v]})" for v in chosen)]


def _beside(row: Mapping[str, str]) -> Row:
    """One row of the published table, and the bytes that its plan moves."""
    words = f"{PUBLISHED_GRID},{row['src_partition']},{row['dst_partition']}"
    (plan,) = plans(words, PUBLISHED_FIELDS * PUBLISHED_VALUE_BYTES)
    return {
        "processors": int(row["processors"]),
        "from": row["src_partition"],
        "to": row["dst_partition"],
        "published_bytes": int(row["bytes_redistributed"]),
        "planned_bytes": plan["bytes_that_change_processor"],
    }


def _print_beside(console: Console, table: Table) -> None:
    output.print_table(console, table)
    equal = sum(row["published_bytes"] == row["planned_bytes"] for row in table.items)
    output.paragraph(
        console,
        f"bytes of {PUBLISHED_FIELDS} fields of doubles on {PUBLISHED_GRID} cells that change "
        f"processor; {equal} of {len(table.items)} are equal",
    )
