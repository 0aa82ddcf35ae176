# SPDX-License-Identifier: BSD-3-Clause
"""transrank doctor: is this machine fit to be measured? Status 1 if something distorts numbers."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.text import Text

from transrank.errors import LaunchError
from transrank.lab.cli import options, output

if TYPE_CHECKING:
    from rich.console import Console

    from transrank.lab.cli.execution import Site
    from transrank.lab.store.records import Shape
    from transrank.lab.survey.checks import Check

# Characters of a finding or a hint.
LONGEST = 400
STYLES = {"ok": "green", "note": "cyan", "warning": "bold yellow"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Check MPI, binding, load, clock and memory before measuring, and show the "
        "map of the machine: packages, memory domains, shared caches. "
        "Exit status 1 if something will distort the numbers."
    )
    options.add_launch_options(parser, several_shapes=False)
    options.add_output_options(parser, formats=("table", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Examine this machine and print the findings."""
    from transrank.lab.cli import execution
    from transrank.lab.store import runs

    site: Site | None
    try:
        site = execution.look_around(arguments.launcher)
    except LaunchError as failure:
        site, found = None, [_no_mpi(failure)]
    else:
        shape = _shape(arguments, site)
        execution.refuse_crowds(arguments, site, [shape])
        found = examine(site, shape, arguments.store or runs.store_directory())
    if arguments.format == "json":
        output.write(_as_json(found), arguments.output)
    else:
        output.print_or_write(lambda console: _print(console, found, site), arguments.output)
    return int(any(check.verdict == "warning" for check in found))


def _shape(arguments: argparse.Namespace, site: Site) -> Shape:
    """The shape to examine: the widest that a survey would measure, unless the user names one."""
    from transrank.lab.store.records import Shape
    from transrank.lab.survey import shapes

    per_node = arguments.ranks_per_node or 0
    if arguments.ranks:
        return Shape(arguments.ranks, per_node)
    if per_node:
        return Shape(site.capacity.nodes * per_node, per_node)
    return max(shapes.default_shapes(site.launcher, quick=True))


def examine(site: Site, shape: Shape, store: Path) -> list[Check]:
    """Return all checks; an MPI that does not start is one of them."""
    from transrank.lab.launch.left_overs import left_behind
    from transrank.lab.survey.checks import Situation, check_all
    from transrank.lab.survey.probe import probe

    environment = {
        **os.environ,
        **site.launcher.environment(shape, os.environ),
    }
    probed = None
    trouble: list[Check] = []
    with TemporaryDirectory(prefix="transrank-doctor-") as folder:
        try:
            probed = probe(site.launcher, shape, environment, Path(folder) / "probe.log")
        except LaunchError as failure:
            trouble = [_no_mpi(failure)]
    situation = Situation(
        site.facts, site.launcher, shape, probed, dict(os.environ), store, left_behind()
    )
    return [*trouble, *check_all(situation)]


def _no_mpi(failure: LaunchError) -> Check:
    from transrank.lab.survey.checks import Check

    # The log of the probe was in a folder that no longer exists.
    message = failure.message.split("; its output: ")[0]
    return Check("MPI", "warning", message, failure.hint or "")


def _as_json(found: list[Check]) -> str:
    lines = [
        {"check": one.name, "verdict": one.verdict, "finding": one.finding, "hint": one.hint}
        for one in found
    ]
    return json.dumps(lines, indent=2, ensure_ascii=False) + "\n"


def _map(site: Site) -> list[str]:
    """The machine's packages, memory domains, shared caches and CPUs, each on a line."""
    from transrank.lab.machine import mapping

    facts = site.facts
    return ["", *mapping.outline(facts.topology, facts.limits.affinity), ""]


def _in_short(text: str) -> str:
    """The beginning of a long enumeration, unless --verbose asks for all of it."""
    if len(text) <= LONGEST or output.settings.verbose:
        return output.visible(text)
    return f"{output.visible(text[:LONGEST].rpartition(' ')[0])} … (full text: doctor -v)"


def _print(console: Console, found: list[Check], site: Site | None) -> None:
    rows: list[list[str | Text]] = []
    for check in found:
        hint = "" if check.verdict == "ok" or not check.hint else f"hint: {check.hint}"
        verdict = Text(check.verdict, style=STYLES[check.verdict])
        rows.append([verdict, check.name, _in_short(check.finding)])
        if hint:
            rows.append(["", "", Text(_in_short(hint), style="cyan")])
    warnings = sum(check.verdict == "warning" for check in found)
    verdict_line = (
        "nothing found that would distort the numbers"
        if warnings == 0
        else f"{warnings} finding{'s' if warnings > 1 else ''} will distort the numbers"
    )
    console.print(output.table(["verdict", "check", "finding"], rows))
    for line in [*(_map(site) if site is not None else []), verdict_line]:
        output.paragraph(console, line, indent=6)
