# SPDX-License-Identifier: BSD-3-Clause
"""Time or rate over size, ranks or another number: a line per curve, its interval as a band.

Every launch's own median is a dot, so that launches that differ are seen. A case whose interval
stayed wider than asked for is a hollow mark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from transrank.lab.report.curves import Curve, Point
from transrank.lab.report.figures import axes
from transrank.lab.report.figures.axes import Places
from transrank.lab.report.figures.figure import Spec
from transrank.lab.report.figures.quantity import Quantity
from transrank.lab.report.figures.reader import Reading, reader
from transrank.lab.report.figures.style import PAGE, panel_spec

# A launch this near to the value of its case would lie beneath the mark.
HIDDEN = 0.03
# How far beyond the measured values published curves over size are shown before they are cut off.
HEADROOM = 8.0
# Bands and dots of more curves than these cover each other.
MOST_TOGETHER = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """Axes that several panels share."""

    places: tuple[float, ...]
    values: tuple[float, ...]


def frame(curves: Sequence[Curve], quantity: Quantity, places: Places = axes.SIZES) -> Frame | None:
    """The axes on which all measured curves have room; None when they have no point.

    Published curves over size may be cut, others have room.
    """
    shown = _shown([curve for curve in curves if not (curve.published or curve.guide)], quantity)
    theirs = _shown([curve for curve in curves if curve.published], quantity)
    if not shown:
        return None
    if quantity.linear:
        values = [end for _, bounds in (*shown, *theirs) for end in bounds]
        return Frame(tuple(x for x, _ in (*shown, *theirs)), tuple(values))
    measured = [value for _, (value, _, _) in shown if value > 0]
    ends = [end for _, (_, low, high) in shown for end in (low, high) if end > 0]
    values = [*measured, *axes.drawn_bounds(measured, ends)]
    reach = HEADROOM if places.of_sizes else math.inf
    least, most = min(values) / reach, max(values) * reach
    values += [min(max(bounds[0], least), most) for _, bounds in theirs]
    drawn = shown if places.of_sizes else [*shown, *theirs]
    return Frame(tuple(x for x, _ in drawn), tuple(values))


def _shown(
    curves: Iterable[Curve], quantity: Quantity
) -> list[tuple[float, tuple[float, float, float]]]:
    return [
        (point.x, bounds)
        for curve in curves
        for point in curve.points
        if (bounds := quantity.value(point)) is not None
    ]


def curve_panel(
    curves: Sequence[Curve],
    quantity: Quantity,
    shared: Frame,
    size: str = "half",
    places: Places = axes.SIZES,
) -> Spec:
    """Specification of one panel with these curves on the axes of `shared`."""
    drawn = [_within(curve, shared) if places.of_sizes else curve for curve in curves]
    rows = [row for curve in drawn for row in _rows(curve, quantity, shared)]
    crowded = sum(not (curve.published or curve.guide) for curve in curves) > MOST_TOGETHER
    uncertain = [] if crowded else [_band(), _launches()]
    layers = [_published(), *uncertain[:1], _line(), *uncertain[1:], _marks(), _hollow_marks()]
    layers.append(reader(readings(curves, quantity, places)))
    encoding = {
        "x": places.channel(shared.places, size == "small"),
        "y": {"field": "y", **_value_axis(shared, quantity)},
    }
    if curves:
        encoding["color"] = _scale(curves, [curve.style.color for curve in curves])
    return panel_spec(
        size,
        {
            "data": {"values": rows},
            "params": [{"name": "hidden", "value": []}],
            "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
            "encoding": encoding,
            "layer": [_styled(layer, curves) for layer in layers],
        },
    )


def _value_axis(shared: Frame, quantity: Quantity) -> Spec:
    if quantity.linear:
        label = {"labelExpr": quantity.axis_label, "minExtent": 46, "tickSize": 0}
        return axes.linear_axis(shared.values, quantity.title, **label)
    return axes.value_axis(shared.values, quantity.title, quantity.axis_label)


def _within(curve: Curve, shared: Frame) -> Curve:
    """A published curve as far as the measured ones reach, cut between its points if need be."""
    if not curve.published:
        return curve
    least, most = min(shared.places), max(shared.places)
    inside = [point for point in curve.points if least <= point.x <= most]
    beyond = next((point for point in curve.points if point.x > most), None)
    if inside and beyond is not None and inside[-1].x < most:
        inside.append(_between(inside[-1], beyond, most))
    return replace(curve, points=tuple(inside))


def _between(one: Point, other: Point, size: float) -> Point:
    """The point where the line drawn from one point to the other passes a size."""
    share = math.log(size / one.x) / math.log(other.x / one.x)

    def at(first: float, last: float) -> float:
        return float(first * (last / first) ** share)

    seconds = at(one.seconds, other.seconds)
    rate = at(one.rate, other.rate) if one.rate and other.rate else None
    return Point(size, seconds, seconds, seconds, rate)


def _rows(curve: Curve, quantity: Quantity, shared: Frame) -> list[dict[str, Any]]:
    least, most = min(shared.values), max(shared.values)
    rows: list[dict[str, Any]] = []
    for point in curve.points:
        bounds = quantity.value(point)
        if bounds is None:
            continue
        x, y = point.x, _short(bounds[0])
        if curve.published or curve.guide:
            rows.append({"k": "published", "s": curve.key, "x": x, "y": y})
            continue
        low, high = (_short(min(max(end, least), most)) for end in bounds[1:])
        kind = "wide" if point.wide else "case"
        rows.append({"k": kind, "s": curve.key, "x": x, "y": y, "l": low, "h": high})
        rows += [
            {"k": "launch", "s": curve.key, "x": x, "y": _short(quantity.of_launch(point, seconds))}
            for seconds in point.launch_seconds
            if seconds > 0 and abs(seconds / point.seconds - 1) > HIDDEN
        ]
    return rows


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _only(*kinds: str) -> list[dict[str, Any]]:
    return [{"filter": {"field": "k", "oneOf": list(kinds)}}]


def _band() -> Spec:
    return {
        "transform": _only("case", "wide"),
        "mark": {"type": "area", "opacity": 0.22},
        "encoding": {"y": {"field": "l"}, "y2": {"field": "h"}},
    }


def _line() -> Spec:
    return {"transform": _only("case", "wide"), "mark": {"type": "line"}}


def _published() -> Spec:
    return {
        "transform": _only("published"),
        "mark": {"type": "line", "strokeWidth": 1.5, "clip": True},
        "dashed": True,
    }


def _launches() -> Spec:
    return {
        "transform": _only("launch"),
        "mark": {
            "type": "point",
            "filled": True,
            "size": 7,
            "opacity": 0.45,
            "shape": "circle",
            "clip": True,
        },
    }


def _marks() -> Spec:
    return {
        "transform": _only("case"),
        "mark": {"type": "point", "filled": True, "size": 26, "opacity": 1},
        "shaped": True,
    }


def _hollow_marks() -> Spec:
    return {
        "transform": _only("wide"),
        "mark": {"type": "point", "filled": False, "fill": PAGE, "size": 34, "strokeWidth": 1.5},
        "shaped": True,
    }


def _styled(layer: Spec, curves: Sequence[Curve]) -> Spec:
    """Resolve the marks `dashed` and `shaped`, which name what a layer takes from the styles."""
    layer = dict(layer)
    extra: Spec = {}
    if layer.pop("dashed", False):
        extra["strokeDash"] = _scale(curves, [list(curve.style.dash) or [1, 0] for curve in curves])
    if layer.pop("shaped", False):
        extra["shape"] = _scale(curves, [curve.style.shape for curve in curves])
    if extra:
        layer["encoding"] = {**layer.get("encoding", {}), **extra}
    return layer


def _scale(curves: Sequence[Curve], values: Sequence[Any]) -> Spec:
    return {
        "field": "s",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [curve.key for curve in curves], "range": list(values)},
    }


def readings(curves: Sequence[Curve], quantity: Quantity, places: Places) -> list[Reading]:
    """The readings of all curves at each measured size, or at any other place."""
    readings: dict[float, list[tuple[str, str]]] = {}
    for curve in sorted(curves, key=lambda curve: curve.published):
        for point in () if curve.guide else curve.points:
            text = _reading(curve, point, quantity)
            if text and (not (curve.published and places.of_sizes) or point.x in readings):
                readings.setdefault(point.x, []).append((curve.key, text))
    return [(x, places.text(x), readings[x]) for x in sorted(readings)]


def _reading(curve: Curve, point: Point, quantity: Quantity) -> str | None:
    bounds = quantity.value(point)
    if bounds is None:
        return None
    value, low, high = bounds
    if curve.published or low == high:
        return quantity.text(value)
    doubt = ", wide" if point.wide else ""
    return f"{quantity.text(value)} ({quantity.text(low)} to {quantity.text(high)}{doubt})"
