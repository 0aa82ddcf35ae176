# SPDX-License-Identifier: BSD-3-Clause
"""transrank list: stored runs, studies, published machines, settings of the MPI library."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.lab.cli import options, output, results
from transrank.lab.reference.tables import machines
from transrank.lab.store.runs import list_runs, store_directory
from transrank.lab.study import catalogue
from transrank.lab.study.catalogue import Study
from transrank.lab.survey import variables
from transrank.lab.view.kinds import WORDS
from transrank.lab.view.table import Column, Table, field

Listing = tuple[Table, Callable[[Console], None]]

RUNS = (
    Column("run", WORDS, lambda run: run.run, "run"),
    Column("created (UTC)", WORDS, lambda run: run.created[:16].replace("T", " ")),
    field("created", lambda run: run.created),
    Column("label", WORDS, lambda run: run.label, "label"),
    Column("source", WORDS, lambda run: run.source, "source"),
    field("path", lambda run: str(run.path)),
)
STUDIES = (
    field("study", lambda study: study.name),
    field("summary", lambda study: study.summary),
    field("sizes", lambda study: study.sizes),
    field("axes", lambda study: _lists(study.axes)),
    field("on_request", lambda study: _lists(study.on_request)),
)
MACHINES = (
    field("machine", lambda machine: machine.name),
    field("title", lambda machine: machine.title),
    field("studies", lambda machine: list(machine.studies)),
    field("points", lambda machine: len(machine.points)),
    field("attribution", lambda machine: machine.attribution),
    field("conditions", lambda machine: list(machine.conditions)),
)
SETTINGS = (Column("setting", WORDS, lambda name: name, "setting"),)
EPILOG = """\
examples:
  transrank list                 the stored runs, newest last
  transrank list studies         benchmarks, their parameters (axes) and values
  transrank list machines        machines whose published results ship with
                                 transrank, for `transrank compare`
  transrank list settings        variables that configure the MPI library, for
                                 the options --a and --b of `transrank versus`
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "List stored runs, studies (benchmarks), machines with published results, or settings of "
        "the MPI library."
    )
    parser.epilog = EPILOG
    parser.add_argument("what", choices=list(LISTS), nargs="?", help="what to list (default: runs)")
    options.add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one of the lists."""
    table, show = LISTS[arguments.what or "runs"](arguments)
    if table.items or arguments.format in ("json", "csv"):
        output.answer(arguments, table.records, lambda: list(map(_flat, table.records())), show)
    elif table.columns is RUNS:
        output.note(f"no runs in {arguments.store or store_directory()}")
    if arguments.what is None:
        results.flush()
        others = [f"transrank list {kind}" for kind in list(LISTS)[1:]]
        output.note(f"other lists: {', '.join(others)}")
    return 0


def _runs(arguments: argparse.Namespace) -> Listing:
    table = Table("", RUNS, list_runs(arguments.store))
    return table, lambda console: output.print_table(console, table)


def _studies(_: argparse.Namespace) -> Listing:
    studies = list(catalogue.studies().values())
    return Table("", STUDIES, studies), lambda console: _print_studies(console, studies)


def _machines(_: argparse.Namespace) -> Listing:
    return Table("", MACHINES, machines()), _print_machines


def _settings(_: argparse.Namespace) -> Listing:
    names = variables.known()
    return Table("", SETTINGS, names), lambda console: _print_settings(console, names)


def _lists(axes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: list(values) for name, values in axes.items()}


def _print_studies(console: Console, studies: Sequence[Study]) -> None:
    """Print each study, its summary, and the values of its axes."""
    for study in studies:
        _print_named(console, study.name, study.summary)
        for name, values in study.axes.items():
            _print_values(console, f"--{name} ", ",".join(values))
            further = study.on_request.get(name)
            if further:
                _print_values(console, " " * len(f"--{name} "), f"on request {','.join(further)}")
        if study.sizes:
            _print_values(console, "--sizes ", study.sizes)


def _print_machines(console: Console) -> None:
    """Print each machine, its title, its source and the published studies."""
    for machine in machines():
        _print_named(console, machine.name, f"{machine.title}; {machine.attribution}")
        _print_values(console, "", ",".join(machine.studies) or "facts without times")


def _print_settings(console: Console, names: Sequence[str]) -> None:
    for name in names:
        console.print(Text(name), soft_wrap=True)


def _print_named(console: Console, name: str, text: str) -> None:
    output.paragraph(console, Text.assemble((name, "bold"), f"  {output.visible(text)}"), indent=4)


def _print_values(console: Console, heading: str, values: str) -> None:
    """Print values as they can be typed: without blanks, but lines end between them."""
    begin = f"    {heading}"
    for line in textwrap.wrap(
        values.replace(",", ", "),
        max(console.width, 40),
        initial_indent=begin,
        subsequent_indent=" " * len(begin),
        break_long_words=False,
        break_on_hyphens=False,
    ):
        console.print(Text(line.replace(", ", ",")))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Lists and axes as one cell."""
    return {
        name: "; ".join(value)
        if isinstance(value, list)
        else "; ".join(f"{axis}={','.join(values)}" for axis, values in value.items())
        if isinstance(value, dict)
        else value
        for name, value in row.items()
    }


LISTS = {"runs": _runs, "studies": _studies, "machines": _machines, "settings": _settings}
