# SPDX-License-Identifier: BSD-3-Clause
"""transrank list: stored runs, studies, published machines, settings of the MPI library."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.lab.cli import options, output, results
from transrank.lab.cli.output import Column
from transrank.lab.reference.tables import machines
from transrank.lab.store.runs import list_runs, store_directory
from transrank.lab.study import catalogue
from transrank.lab.survey import variables

KINDS = ("runs", "studies", "machines", "settings")
EPILOG = """\
examples:
  transrank list                 the stored runs, the latest last
  transrank list studies         the studies, their axes and values
  transrank list machines        published machines to compare with
  transrank list settings        the settings of the MPI library, for versus
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "List stored runs, studies, published machines or the settings of the MPI library."
    )
    parser.epilog = EPILOG
    parser.add_argument("what", choices=KINDS, nargs="?", help="what to list (default: runs)")
    options.add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one of the lists."""
    what = arguments.what or "runs"
    rows = LISTS[what](arguments)
    if arguments.format == "json":
        output.write(results.as_json(rows), arguments.output)
    elif arguments.format == "csv":
        output.write(results.as_csv([_flat(row) for row in rows]), arguments.output)
    elif what in IN_PARAGRAPHS:
        show = IN_PARAGRAPHS[what]
        output.print_or_write(lambda console: show(console, rows), arguments.output)
    elif rows:
        table = output.table(*_layout(rows))
        output.print_or_write(lambda console: console.print(table), arguments.output)
    else:
        output.note(f"no runs in {arguments.store or store_directory()}")
    if arguments.what is None:
        results.flush()
        others = [f"transrank list {kind}" for kind in KINDS[1:]]
        output.note(f"other lists: {', '.join(others)}")
    return 0


def _runs(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    return [
        {
            "run": run.run,
            "created": run.created,
            "label": run.label,
            "source": run.source,
            "path": str(run.path),
        }
        for run in list_runs(arguments.store)
    ]


def _studies(_: argparse.Namespace) -> list[dict[str, Any]]:
    return [
        {
            "study": study.name,
            "summary": study.summary,
            "sizes": study.sizes,
            "axes": {name: list(values) for name, values in study.axes.items()},
            "on_request": {name: list(values) for name, values in study.on_request.items()},
        }
        for study in catalogue.studies().values()
    ]


def _machines(_: argparse.Namespace) -> list[dict[str, Any]]:
    return [
        {
            "machine": machine.name,
            "title": machine.title,
            "studies": list(machine.studies),
            "points": len(machine.points),
            "attribution": machine.attribution,
            "conditions": list(machine.conditions),
        }
        for machine in machines()
    ]


def _settings(_: argparse.Namespace) -> list[dict[str, Any]]:
    return [{"setting": name} for name in variables.known()]


def _layout(rows: Sequence[dict[str, Any]]) -> tuple[list[Column | str], list[list[str]]]:
    return ["run", "created (UTC)", "label", "source"], [
        [row["run"], row["created"][:16].replace("T", " "), row["label"] or "", row["source"]]
        for row in rows
    ]


def _print_studies(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print each study, its summary, and the values of its axes."""
    for row in rows:
        _print_named(console, row["study"], row["summary"])
        for name, values in row["axes"].items():
            _print_values(console, f"--{name} ", ",".join(values))
            further = row["on_request"].get(name)
            if further:
                _print_values(console, " " * len(f"--{name} "), f"on request {','.join(further)}")
        if row["sizes"]:
            _print_values(console, "--sizes ", row["sizes"])


def _print_machines(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print each machine, its title, its source and the published studies."""
    for row in rows:
        _print_named(console, row["machine"], f"{row['title']}; {row['attribution']}")
        _print_values(console, "", ",".join(row["studies"]) or "facts without times")


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


def _print_settings(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        console.print(Text(row["setting"]), soft_wrap=True)


LISTS = {"runs": _runs, "studies": _studies, "machines": _machines, "settings": _settings}
IN_PARAGRAPHS = {
    "studies": _print_studies,
    "machines": _print_machines,
    "settings": _print_settings,
}
