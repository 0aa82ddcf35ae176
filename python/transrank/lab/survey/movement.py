# SPDX-License-Identifier: BSD-3-Clause
"""What each rank moves: asked of transrank-run, which counts the library's routes and schedules."""

from __future__ import annotations

import json
from typing import Any

from transrank.lab.study import catalogue

# How long ranks may be counted; thousands take seconds.
COUNTING_SECONDS = 600

# What stays within nodes and what goes between them, as transrank-run calls it.
SIDES = {"within_nodes": "within", "between_nodes": "between"}

Plan = dict[str, Any]


def plans(
    words: str,
    unit_bytes: int,
    ranks: int | None = None,
    ranks_per_node: int | None = None,
    lists: str = "",
) -> list[Plan]:
    """Return what ranks move, in bytes: of an alltoall a plan for each algorithm, else one.

    Each has ``ranks`` and, with `ranks_per_node`, ``within_nodes`` and ``between_nodes``: there
    ``distinct_bytes`` are what nodes need, each byte counted once per node, and ``chain`` is how
    many messages of an alltoall wait for the one before. ``buffer_bytes`` are what messages need
    beside the arrays if all are packed.

    Parameters
    ----------
    words
        ``512x1024x16,2x4,4x2``, ``halo,...``, as of ``transrank-run --plan`` (docs/runner.md).
    unit_bytes
        bytes of a cell, of all its fields; of a row; of a block.
    lists
        of each rank a line: the number of its rows, and the indices that it wants.

    Raises UsageError: the words make no sense, in the runner's own words.
    Raises LaunchError: transrank-run cannot be asked.
    """
    asked = ["--plan", words, "--ranks-per-node", str(ranks_per_node or 0)]
    asked += ["--ranks", str(ranks)] if ranks else []
    found: list[Plan] = []
    for text in catalogue.ask(asked, given=lists, seconds=COUNTING_SECONDS).splitlines():
        line = json.loads(text)
        if "algorithm" in line or not found:
            found.append(_begun(line, bool(ranks_per_node)))
        plan = found[-1]
        if "rank" in line:
            plan["ranks"].append(_row(line, unit_bytes, plan))
        elif ranks_per_node and "node" in line:
            for name, side in SIDES.items():
                plan[name]["distinct_bytes"] += line[side] * unit_bytes
    for plan in found:
        _add_totals(plan)
    return found


def _begun(line: dict[str, Any], nodes: bool) -> Plan:
    plan: Plan = {name: line[name] for name in ("algorithm", "steps", "buffers") if name in line}
    for side, chain in zip(SIDES if nodes else (), line.get("chain", (0, 0)), strict=False):
        plan[side] = {"messages": 0, "bytes": 0, "distinct_bytes": 0, "chain": chain}
    return {**plan, "ranks": []}


def _row(line: dict[str, Any], unit_bytes: int, plan: Plan) -> dict[str, Any]:
    sides = {
        name: {
            "messages": line[side]["messages"],
            "bytes_out": line[side]["sent"] * unit_bytes,
            "bytes_in": line[side]["received"] * unit_bytes,
        }
        for name, side in SIDES.items()
    }
    row = {name: sum(side[name] for side in sides.values()) for name in sides["between_nodes"]}
    legs: dict[str, Any] = {
        way: [{"peer": each["peer"], "bytes": each["cells"] * unit_bytes} for each in line[way]]
        for way in ("sends", "receives")
        if way in line
    }
    peers = {each["peer"] for way in legs.values() for each in way} - {line["rank"]}
    return {
        "rank": line["rank"],
        **({"peers": sorted(peers)} if legs else {}),
        **row,
        "bytes_kept": line["kept"] * unit_bytes,
        "array_bytes": line["arrays"] * unit_bytes,
        "buffer_bytes": plan.get("buffers", row["bytes_out"] + row["bytes_in"]),
        **{name: sides[name] for name in SIDES if name in plan},
        **legs,
    }


def _add_totals(plan: Plan) -> None:
    plan.pop("buffers", None)
    plan["bytes_that_change_processor"] = sum(row["bytes_out"] for row in plan["ranks"])
    for name in SIDES:
        if name in plan:
            side, ranks = plan[name], [row[name] for row in plan["ranks"]]
            side["messages"] = sum(each["messages"] for each in ranks)
            side["bytes"] = sum(each["bytes_out"] for each in ranks)
