# SPDX-License-Identifier: BSD-3-Clause
"""transrank doctor: is this machine fit to be measured? Status 1 if something distorts numbers."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from transrank.errors import LaunchError
from transrank.lab.cli import options, output
from transrank.lab.units import counted
from transrank.lab.view.kinds import WORDS
from transrank.lab.view.table import Column, Table, field

if TYPE_CHECKING:
    from rich.console import Console

    from transrank.lab.cli.execution import Site
    from transrank.lab.store.records import Shape
    from transrank.lab.survey.checks import Check

# Characters of a finding or a hint.
LONGEST = 400
STYLES = {"ok": "green", "note": "cyan", "warning": "bold yellow"}
FIELDS = (
    field("check", lambda check: check.name),
    field("verdict", lambda check: check.verdict),
    field("finding", lambda check: check.finding),
    field("hint", lambda check: check.hint),
)
# Of rows (verdict, check, finding); a hint has a row of its own.
COLUMNS = (
    Column("verdict", WORDS, style=STYLES.get),
    Column("check", WORDS),
    Column("finding", WORDS, style=lambda text: "cyan" if text.startswith("hint: ") else None),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Before measuring, check MPI, the binding of ranks to cores, and the machine's load, clock "
        "and memory. Also print a map of the machine's CPU packages, memory domains (NUMA nodes) "
        "and shared caches. The exit status is 1 if something would distort measured times."
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
    document = Table("", FIELDS, found).records
    output.answer(arguments, document, document, lambda console: _print(console, found, site))
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

    environment = {**os.environ, **site.launcher.environment(shape, os.environ)}
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
    rows = []
    for check in found:
        rows.append((check.verdict, check.name, _in_short(check.finding)))
        if check.verdict != "ok" and check.hint:
            rows.append(("", "", _in_short(f"hint: {check.hint}")))
    warnings = sum(check.verdict == "warning" for check in found)
    verdict_line = (
        "nothing found that would distort the numbers"
        if warnings == 0
        else f"{counted(warnings, 'finding')} will distort the numbers"
    )
    output.print_table(console, Table("", COLUMNS, rows))
    for line in [*(_map(site) if site is not None else []), verdict_line]:
        output.paragraph(console, line, indent=6)
