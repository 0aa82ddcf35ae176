# SPDX-License-Identifier: BSD-3-Clause
"""The page: one HTML file that needs no network, readable without scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from transrank import __version__
from transrank.errors import RecordError
from transrank.lab import units
from transrank.lab.report.data import page_data
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.node_picture import node_picture
from transrank.lab.report.figures.render import check_memory, page_spec, static_drawing, vega_bundle
from transrank.lab.report.figures.style import CONFIG
from transrank.lab.report.figures.swatch import swatch
from transrank.lab.report.measured import Measured, measure_up, shapes_of
from transrank.lab.report.palette import Palette
from transrank.lab.report.phrases import joined, sentence
from transrank.lab.report.prose import prose
from transrank.lab.report.questions import missing
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.questions.table import ask_all
from transrank.lab.report.tables import numbers_table
from transrank.lab.report.words.machine import machine_facts, processor, short_library
from transrank.lab.report.words.method import describe_method, launch_table
from transrank.lab.report.words.repeat import describe_repetition
from transrank.lab.report.words.verdict import BEWARE, give_verdict
from transrank.lab.stats.pairs import are_paired, variant_of
from transrank.lab.store.records import Run
from transrank.lab.store.writing import replace


def write_report(runs: Sequence[Run], output: Path) -> None:
    """Write the report of one run, or of several side by side.

    The file appears whole or not at all.

    Raises RecordError: the file cannot be written.
    """
    html = render_report(runs)
    output = Path(output)
    try:
        replace(output, html.encode())
    except OSError as error:
        raise RecordError(
            f"{output}: the report cannot be written: {error.strerror or error}",
            "name another file with -o",
        ) from None


def render_report(runs: Sequence[Run]) -> str:
    """The page as text.

    Raises ValueError: for no run at all.
    """
    if not runs:
        raise ValueError("a report needs at least one run")
    check_memory()
    measured = tuple(measure_up(runs))
    context = Context(measured, _palette(measured))
    questions = ask_all(context)
    figures = [figure for question in questions for figure in question.figures]
    title, subtitles = _title(measured), _subtitles(measured)
    return _template().render(
        version=__version__,
        css=_ours(_asset("page.css")),
        js=_ours(_asset("page.js")),
        vega=_ours(vega_bundle()),
        swatch=swatch,
        title=title,
        subtitles=subtitles,
        verdict=give_verdict(measured, questions, " ".join((title, *subtitles))),
        beware=BEWARE,
        warnings=_warnings(measured),
        machines=[_machine(run) for run in measured],
        questions=questions,
        missing=missing.ask(context),
        numbers=_numbers(questions, measured),
        method=describe_method(measured),
        launches=[launch_table(run) for run in measured if run.run.launches],
        repeat=describe_repetition(measured),
        static=_static(figures),
        data=_embedded(page_data(measured)),
        figures=_embedded(_live(figures)),
    )


def _machine(run: Measured) -> dict[str, Any]:
    """The facts of a run's machine, and its picture with the ranks of the fullest launch."""
    header = run.run.header
    placements = [launch.placement for launch in run.run.launches]
    fullest = max(placements, key=lambda one: len(one.rank_host), default=header.placement)
    return {
        "name": run.name,
        "facts": machine_facts(run),
        "picture": node_picture(header.machine, fullest),
    }


def _palette(measured: Sequence[Measured]) -> Palette:
    """Colours go by the order of shapes and runs, not by which figure comes first."""
    palette = Palette()
    for shape in sorted({result.shape for run in measured for result in run.results}):
        palette.style("shape", str(shape))
    for run in measured:
        palette.style("run", run.name)
    return palette


def _title(measured: Sequence[Measured]) -> str:
    """Host and date of a run; the letters of two variants; else the names of several."""
    here = [run for run in measured if run.hosts]
    if len(here) == 2 and are_paired(*(run.run for run in here)):
        return f"A beside B on {_hosts(here[0])}, {_day(here[0])}"
    if len(here) > 1:
        return joined([run.name for run in measured])
    names = [f"MPI on {_hosts(run)}, {_day(run)}" if run in here else run.name for run in measured]
    return joined(names)


def _hosts(run: Measured) -> str:
    return run.hosts[0] if len(run.hosts) == 1 else units.counted(len(run.hosts), "host")


def _day(run: Measured) -> str:
    return run.run.header.created[:10]


def _subtitles(measured: Sequence[Measured]) -> list[str]:
    """The run and its machine, a line per run."""
    return [
        " · ".join(part for part in _facts_in_short(run, len(measured) > 1) if part)
        for run in measured
    ]


def _facts_in_short(run: Measured, named: bool) -> list[str]:
    header = run.run.header
    shapes = [f"{shape.ranks:,}" for shape in shapes_of(run.results)]
    ranks = joined(list(dict.fromkeys(shapes)))
    return [
        variant_of(run.run) or (run.name if named else header.label or ""),
        processor(header.machine),
        short_library(header.mpi.library) if header.mpi else "",
        f"{ranks} {'rank' if ranks == '1' else 'ranks'}" if ranks else "",
        units.counted(len(run.hosts), "host") if len(run.hosts) > 1 else "",
        header.created[:10] if named else "",
        "" if header.run == header.label else f"run {header.run}",
    ]


def _warnings(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    return [{"name": run.name, "warnings": run.warnings} for run in measured if run.warnings]


def _numbers(questions: Sequence[Question], measured: Sequence[Measured]) -> dict[str, Any]:
    studies = {study for question in questions for study in question.studies}
    return {study: numbers_table(study, measured) for study in studies}


def _panels(figures: Sequence[Figure]) -> dict[str, dict[str, Any]]:
    return {
        f"{figure.name}/{index}": panel.spec
        for figure in figures
        for index, panel in enumerate(figure.panels)
        if panel.spec is not None
    }


def _static(figures: Sequence[Figure]) -> dict[str, Markup]:
    return {name: _ours(static_drawing(spec, name)) for name, spec in _panels(figures).items()}


def _live(figures: Sequence[Figure]) -> dict[str, Any]:
    panels = {name: page_spec(spec) for name, spec in _panels(figures).items()}
    return {"config": CONFIG, "panels": panels}


def _embedded(value: Any) -> Markup:
    """JSON that cannot end the script element that contains it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ours(text.replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e"))


def _ours(text: str) -> Markup:
    """HTML made by this package, in which all foreign text is already escaped."""
    return Markup(text)  # noqa: S704


def _asset(name: str) -> str:
    room = "view" if name == "table.html.j2" else "report/templates"
    return resources.files("transrank.lab").joinpath(room, name).read_text("utf-8")


def _template() -> jinja2.Template:
    loader: Callable[[str], str] = _asset
    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(loader),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": prose, "sentence": sentence, "counted": units.counted}
    return environment.get_template("page.html.j2")
