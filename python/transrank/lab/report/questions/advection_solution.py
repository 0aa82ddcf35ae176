# SPDX-License-Identifier: BSD-3-Clause
"""Is the advected field right? Beside the analytic solution, and beside a published run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from transrank.lab.reference.advection import Profile, published_profile
from transrank.lab.report.curves import Curve, CurveGroup, Point
from transrank.lab.report.figures.axes import COUNT_LABEL, Places, linear_axis
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.field_panel import field_panel
from transrank.lab.report.figures.figure import Figure, Panel
from transrank.lab.report.figures.quantity import Quantity
from transrank.lab.report.measured import Measured
from transrank.lab.report.published import Source
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import words
from transrank.lab.store.lines import Case, Outcome
from transrank.lab.view.kinds import COUNT, Kind
from transrank.lab.view.table import NOTHING, Column, Table

STUDY = "advection-solution"
PUBLISHED_STEP, PUBLISHED_POINTS, PUBLISHED_INITIAL = "published", 100, "sin-x"
MOST_TELLING = ("gaussian", "top-hat", "sin-x-sin-y", "sin-x")

FIELD_CAPTION = (
    "The field at the beginning and after the last step, and its difference from the analytic "
    "solution; x to the right, y upwards, at every few points."
)
PROFILE_CAPTION = (
    "The published profile along x and the same problem here: 100 points on a period, u = v = "
    "0.5, 100 steps of 0.001257. The first 50 points were published."
)
ALONG_X = Places(
    "point along x",
    lambda points, _: {"field": "x", **linear_axis(points, "point along x", grid=False)},
    lambda point: f"point {point:.0f}",
)
PROFILE = Quantity(
    "c",
    COUNT_LABEL,
    lambda point: (point.seconds, point.low, point.high),
    lambda c: f"{c:.3g}",
    linear=True,
)
NO_SCHEME = (
    "No usual scheme gives the printed row, 0.99975 sin(x - 0.0327), on that grid: first-order "
    "upwind gives 0.99805 sin(x - 0.0628); the second-order ones, third-order upwind and Fromm's "
    "keep the amplitude to 2e-5 and differ from the row by 2.5e-4 at any shift."
)
CONTRADICTIONS = (
    "The published text contradicts itself: a domain of 200 x 200 points on 2 x 2 processes gives "
    "each of them 100 points, its subdomain is printed as [0, pi/2] x [0, pi/2] and its grid as "
    "500 x 500, but the analytic row is sin((i + 1/2) 2 pi / 100 - u t) at 50 points, half a "
    "period: a grid of 100 x 100. Its average error is in fact the largest error."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no solution was computed."""
    solved = [(run, _outcomes(run)) for run in context.runs]
    solved = [(run, outcomes) for run, outcomes in solved if outcomes]
    if not solved:
        return None
    figures = [_field_figure(context, run, outcomes) for run, outcomes in solved]
    tables = [_error_table(context, run, outcomes) for run, outcomes in solved]
    answer = [text for _, outcomes in solved for text in _answer(outcomes)]
    sources: tuple[Source, ...] = ()
    published = published_profile()
    for run, outcomes in solved:
        case = _like_published(outcomes)
        if case is not None and case.outcome is not None:
            figures.append(_profile_figure(context, run, case.outcome, published))
            tables.append(_profile_table(case.outcome, published))
            answer += [_beside_published(case, case.outcome, published), NO_SCHEME]
            answer.append(CONTRADICTIONS)
            sources = (Source(published.title, published.attribution, ()),)
            break
    return Question(
        "advection-solution",
        "Is the advected field right?",
        tuple(answer),
        tuple(figures),
        tuple(tables),
        (STUDY,),
        sources,
    )


def _outcomes(run: Measured) -> list[Case]:
    """Every case once, from the first launch: its result is the same in all launches."""
    first: dict[tuple[object, ...], Case] = {}
    for case in run.run.cases:
        if case.study == STUDY and case.outcome is not None:
            first.setdefault((case.case, case.shape), case)
    return sorted(first.values(), key=lambda case: (_family(case), _points(case)))


def _points(case: Case) -> int:
    return int(case.axes["points"])


def _family(case: Case) -> tuple[str, ...]:
    """The properties common to the grids of one convergence study."""
    names = ("initial", "scheme", "velocity", "step", "processes", "transport")
    return (*(str(case.axes[name]) for name in names), str(case.shape))


def _field_figure(context: Context, run: Measured, cases: Sequence[Case]) -> Figure:
    case = min(
        cases,
        key=lambda case: (
            MOST_TELLING.index(str(case.axes["initial"])),
            case.axes["step"] == PUBLISHED_STEP,
            -_points(case),
        ),
    )
    assert case.outcome is not None
    fields = case.outcome.fields
    error = fields["after"] - fields["exact"]
    steps = f"after {case.outcome.values['steps']:.0f} steps"
    largest = case.outcome.values["error_largest"]
    panels = (
        Panel("before", f"The field {case.axes['initial']}.", field_panel(fields["before"], "c")),
        Panel(steps, "The field after the last step.", field_panel(fields["after"], "c")),
        Panel(
            "error",
            f"Computed minus analytic, at most {largest:.3g}.",
            field_panel(error, "error", signed=True),
        ),
    )
    what = f"{case.axes['initial']}, {case.axes['scheme']}, {_points(case):,} x {_points(case):,}"
    name = context.name("advection-field", run)
    return Figure(name, panels, f"{what}, {case.shape}. {FIELD_CAPTION}", size="small")


def _error_table(context: Context, run: Measured, cases: Sequence[Case]) -> Table:
    columns = (
        *words("initial", "scheme", "velocity", "step", "way"),
        *(Column("ranks"), Column("points", COUNT), Column("mean error"), Column("largest error")),
        *(Column("order"), Column("change of mass")),
    )
    rows = []
    before: Case | None = None
    for case in cases:
        assert case.outcome is not None
        values = case.outcome.values
        rows.append(
            (
                *(case.axes[n] for n in ("initial", "scheme", "velocity", "step", "transport")),
                *(case.shape.ranks, _points(case)),
                f"{values['error_mean']:.3g}",
                f"{values['error_largest']:.3g}",
                _order(before, case),
                f"{values['mass_after'] - values['mass_before']:.1g}",
            )
        )
        before = case
    title = context.about(run, "errors against the analytic solution")
    return Table(title, columns, rows)


def _order(coarse: Case | None, fine: Case) -> str:
    """The order of convergence between two grids, of the mean error at the same time."""
    if coarse is None or _family(coarse) != _family(fine) or coarse.outcome is None:
        return NOTHING
    assert fine.outcome is not None
    errors = coarse.outcome.values["error_mean"], fine.outcome.values["error_mean"]
    if min(errors) <= 0:
        return NOTHING
    return f"{math.log(errors[0] / errors[1]) / math.log(_points(fine) / _points(coarse)):.2f}"


def _like_published(cases: Sequence[Case]) -> Case | None:
    """The published problem, by the source's scheme of two rows and two columns if it is there."""
    wanted = (PUBLISHED_INITIAL, "++", PUBLISHED_STEP, PUBLISHED_POINTS)
    names = ("initial", "velocity", "step", "points")
    found = [case for case in cases if tuple(case.axes[name] for name in names) == wanted]
    return min(found, key=lambda case: case.axes["scheme"] != "second-order", default=None)


def _profile_figure(
    context: Context, run: Measured, outcome: Outcome, published: Profile
) -> Figure:
    rows = {
        "published, computed": published.computed,
        "published, analytic": published.analytic,
        "here, computed": tuple(outcome.series["profile_computed"][: len(published.computed)]),
    }
    curves = tuple(
        Curve(
            name,
            name,
            context.palette.style("profile", name),
            tuple(Point(i, value, value, value) for i, value in enumerate(values)),
        )
        for name, values in rows.items()
    )
    group = CurveGroup("", curves, run.results[0])
    caption = context.about(run, PROFILE_CAPTION)
    figure = curve_figure("advection-published", [group], PROFILE, caption, places=ALONG_X)
    assert figure is not None
    return figure


def _profile_table(outcome: Outcome, published: Profile) -> Table:
    six = Kind(lambda value: f"{value:.6f}")
    columns = (
        *(Column("point"), Column("published, computed", six), Column("published, analytic", six)),
        *(Column("here, computed", six), Column("here, analytic", six)),
    )
    computed, exact = outcome.series["profile_computed"], outcome.series["profile_exact"]
    points = zip(published.computed, published.analytic, computed, exact, strict=False)
    rows = [(i, *values) for i, values in enumerate(points)]
    return Table("The published profile and the same problem here", columns, rows)


def _beside_published(case: Case, outcome: Outcome, published: Profile) -> str:
    theirs = [abs(a - b) for a, b in zip(published.computed, published.analytic, strict=True)]
    return (
        f"The published run has errors of {sum(theirs) / len(theirs):.2g} on average and "
        f"{max(theirs):.2g} at most; the {case.axes['scheme']} scheme here has "
        f"{outcome.values['error_mean']:.2g} and {outcome.values['error_largest']:.2g}."
    )


def _answer(cases: Sequence[Case]) -> list[str]:
    orders: dict[str, list[str]] = {}
    for coarse, fine in pairwise(cases):
        smooth = fine.axes["initial"] != "top-hat" and fine.axes["step"] != PUBLISHED_STEP
        order = _order(coarse, fine)
        if smooth and order != NOTHING and fine.axes["transport"] != "none":
            orders.setdefault(str(fine.axes["scheme"]), []).append(order)
    return [
        f"On smooth fields the {scheme} scheme converges with order {found[-1]}."
        for scheme, found in orders.items()
    ]
