# SPDX-License-Identifier: BSD-3-Clause
"""Results become curves, curves panels with axes and drawings: one comparison in each."""

import dataclasses
import re

import numpy as np
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.report.curves import Curve, Point, arrange, namer, point_of
from transrank.lab.report.figures import render
from transrank.lab.report.figures.axes import (
    INTERVAL_REACH,
    bytes_axis,
    drawn_bounds,
    log_ticks,
    value_axis,
)
from transrank.lab.report.figures.category_panel import Value, category_panel, log_times
from transrank.lab.report.figures.curve_figure import curve_figure, panel_size
from transrank.lab.report.figures.field_panel import field_panel
from transrank.lab.report.figures.quantity import MESSAGES, RATE, TIME
from transrank.lab.report.figures.style import CONFIG
from transrank.lab.report.palette import Palette, Style
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.records import Shape


def result(
    size: int = 8,
    seconds: float = 1e-6,
    ranks: int = 2,
    study: str = "pingpong",
    status: str = "ok",
    **axes: str | int,
) -> CaseResult:
    return CaseResult(
        study=study,
        case=f"{study}/{size}B",
        axes={**axes, "bytes": size},
        shape=Shape(ranks),
        status=status,
        headline=Estimate(seconds, 0.9 * seconds, 1.2 * seconds),
        bytes_counted=float(size),
        samples=10,
        launches=(0, 1),
        launch_medians=(Estimate(0.9 * seconds), Estimate(1.3 * seconds)),
    )


def test_a_study_has_a_panel_and_its_shapes_or_runs_are_curves():
    results = [result(8), result(16), result(8, study="exchange")]
    groups = arrange([("run", results)], Palette(), namer(results))
    assert [group.title for group in groups] == ["pingpong", "exchange"]
    assert [[curve.label for curve in group.curves] for group in groups] == [["2 ranks"]] * 2
    assert [point.x for point in groups[0].curves[0].points] == [8, 16]
    results = [result(ranks=8), result(ranks=2), result(ranks=4)]
    (group,) = arrange([("run", results)], Palette(), namer(results))
    assert [curve.label for curve in group.curves] == ["2 ranks", "4 ranks", "8 ranks"]
    assert len({curve.style for curve in group.curves}) == 3
    results = [result(ranks=2), result(ranks=4)]
    groups = arrange([("a", results), ("b", results)], Palette(), namer(results))
    assert [group.title for group in groups] == ["pingpong, 2 ranks", "pingpong, 4 ranks"]
    for group in groups:
        assert [curve.label for curve in group.curves] == ["a", "b"]


def test_runs_that_have_no_shape_in_common_are_together_in_a_panel():
    runs = [("a", [result(ranks=2)]), ("b", [result(ranks=4), result(ranks=8)])]
    (group,) = arrange(runs, Palette(), namer([each for _, found in runs for each in found]))
    assert [curve.label for curve in group.curves] == ["a, 2 ranks", "b, 4 ranks", "b, 8 ranks"]


def test_only_axes_that_tell_results_apart_are_named():
    one = [result(window=64, cache="warm"), result(window=128, cache="warm")]
    name = namer(one)
    assert [name(each) for each in one] == ["pingpong, window 64", "pingpong, window 128"]
    results = [result(ranks=2, pairs=1), result(ranks=4, pairs=2)]
    name = namer(results)
    assert {name(each) for each in results} == {"pingpong"}


def test_only_results_with_bytes_are_points_on_the_axis_of_sizes():
    assert (
        point_of(CaseResult("s", "s/a", {"a": "b"}, Shape(2), "ok", headline=Estimate(1))) is None
    )
    assert point_of(CaseResult("s", "s/8B", {"bytes": 8}, Shape(2), "skipped")) is None
    assert point_of(result(0)) is None
    assert bytes_axis([4, 1 << 22])["axis"]["values"][-1] == 1 << 22


def test_quantities_turn_the_interval():
    point = point_of(result(1000, 1e-6))
    assert TIME.value(point) == pytest.approx((1e-6, 0.9e-6, 1.2e-6))
    assert RATE.value(point) == pytest.approx((1000, 1000 / 1.2, 1000 / 0.9))
    assert MESSAGES.value(point) == pytest.approx((1e6, 1e6 / 1.2, 1e6 / 0.9))


def test_panels_share_their_axes_and_say_what_is_wide():
    results = [result(8, 1e-6), result(8, 5e-3, study="exchange", status="wide")]
    results += [result(64, 1e-6), result(64, 5e-3, study="exchange")]
    groups = arrange([("run", results)], Palette(), namer(results))
    figure = curve_figure("name", groups, TIME, "caption")
    first, second = (panel.spec for panel in figure.panels)
    assert first["encoding"]["y"] == second["encoding"]["y"]
    kinds = [row["k"] for row in second["data"]["values"]]
    assert kinds == ["wide", "launch", "launch", "case", "launch", "launch"]


def test_rows_hold_what_was_measured_at_several_sizes():
    results = [result(1024, 1.2345e-6), result(4096, 2e-6)]
    groups = arrange([("run", results)], Palette(), namer(results))
    figure = curve_figure("name", groups, TIME, "caption")
    row = figure.panels[0].spec["data"]["values"][0]
    assert row["x"] == 1024
    assert row["y"] == pytest.approx(1.2345e-6, rel=1e-4)
    assert figure.key[0].key == row["s"]
    results = [result(1024, 1.2345e-6)]
    groups = arrange([("run", results)], Palette(), namer(results))
    figure = curve_figure("name", groups, TIME, "caption")
    (panel,) = figure.panels
    assert panel.spec is None
    assert panel.description.startswith("1 KiB: 2 ranks 1.23 µs (")
    assert figure.key == ()
    assert curve_figure("name", [], TIME, "caption") is None


@pytest.mark.parametrize("curves", [4, 5])
def test_bands_that_would_cover_each_other_are_left_out(curves):
    results = [result(size, 1e-6) for size in (8, 64)]
    (group,) = arrange([("run", results)], Palette(), namer(results))
    (curve,) = group.curves
    many = tuple(dataclasses.replace(curve, key=str(i), label=str(i)) for i in range(curves))
    caption = "Time. Bands are 95 % intervals over launches."
    figure = curve_figure("name", [dataclasses.replace(group, curves=many)], TIME, caption)
    assert ("Bands" in figure.caption) == (curves == 4)
    (panel,) = figure.panels
    assert len({row["s"] for row in panel.spec["data"]["values"]}) == curves
    marks = [layer["mark"]["type"] for layer in panel.spec["layer"]]
    assert ("area" in marks) == (curves == 4)


@pytest.mark.parametrize(("panels", "size"), [(1, "wide"), (2, "half"), (4, "half"), (5, "small")])
def test_more_panels_are_drawn_smaller(panels, size):
    assert panel_size(panels) == size


def test_a_published_curve_is_drawn_to_the_last_measured_size_but_not_read_there():
    measured = [result(size, 1e-6) for size in (8, 64)]
    (group,) = arrange([("run", measured)], Palette(), namer(measured))
    points = (Point(8, 1e-6, 1e-6, 1e-6), Point(512, 1e-4, 1e-4, 1e-4))
    published = Curve("p", "p", Style("grey"), points, published=True)
    figure = curve_figure("name", [group], TIME, "caption", {group.title: [published]})
    spec = figure.panels[0].spec
    drawn = {row["x"]: row["y"] for row in spec["data"]["values"] if row["k"] == "published"}
    assert drawn == {8: pytest.approx(1e-6), 64: pytest.approx(1e-5)}
    (reader,) = (layer for layer in spec["layer"] if "params" in layer)
    read = {row["x"]: [key for key, _ in row["t"][1]] for row in reader["data"]["values"]}
    assert [len(keys) for keys in read.values()] == [2, 1]


@given(st.floats(1e-9, 1e3), st.floats(1.01, 1e9))
def test_ticks_are_few_and_inside(low, ratio):
    high = low * ratio
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(ticks)
    slack = 1.06  # two digits of an end without a round value inside
    assert low / slack <= ticks[0]
    assert ticks[-1] <= high * slack


@given(st.lists(st.integers(1, 2**40), min_size=1))
def test_every_size_is_inside_the_domain(sizes):
    low, high = bytes_axis(sizes)["scale"]["domain"]
    assert low < high
    for size in sizes:
        assert low <= size <= high


@given(st.lists(st.floats(1e-9, 1e9), min_size=1))
def test_values_are_inside_their_domain(values):
    low, high = value_axis(values, "time", "datum.value")["scale"]["domain"]
    assert low < min(values)
    assert max(values) < high


@given(st.lists(st.floats(1e-9, 1e3), min_size=1), st.lists(st.floats(1e-15, 1e15)))
def test_intervals_have_room_but_not_all_of_it(values, ends):
    low, high = drawn_bounds(values, ends)
    assert low <= min(values) <= max(values) <= high
    assert low >= min(values) / INTERVAL_REACH
    assert high <= max(values) * INTERVAL_REACH
    for end in ends:
        if min(values) / INTERVAL_REACH <= end <= max(values) * INTERVAL_REACH:
            assert low <= end <= high


ERROR = field_panel(np.linspace(-0.056, 0.056, 16).reshape(4, 4), "error", signed=True)
STYLE = Palette().style("phase", "run")
VALUES = [Value(way, "run", STYLE, t, t, t) for way, t in (("1.25x", 1e-6), ("b", 3e-6))]
TIMES = category_panel(VALUES, log_times(VALUES))


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def test_a_drawing_keeps_its_numbers_and_grows_where_the_live_one_does():
    for spec in (ERROR, TIMES):
        whole = texts(vl_convert.vegalite_to_svg({**spec, "config": CONFIG}))
        assert texts(render.static_drawing(spec, "some/0")) == whole
    assert "0.05" in texts(render.static_drawing(ERROR, "some/0"))
    assert "max-width:1" in render.static_drawing(ERROR, "some/0")
    assert "max-width" not in render.static_drawing(TIMES, "some/0")
