# SPDX-License-Identifier: BSD-3-Clause
"""Lines over any quantity, their intervals as bands: where neither axis is a message size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from transrank.lab.report.figures.figure import Panel, Spec
from transrank.lab.report.figures.reader import Reading, reader
from transrank.lab.report.figures.style import panel_spec
from transrank.lab.report.palette import Style


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a line with its interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line; `series` is its entry in the key."""

    series: str
    style: Style
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """How the lines are described: a place on x, and a mark there."""

    place: Callable[[float], str]
    mark: Callable[[Mark], str]


def line_panel(
    title: str,
    subject: str,
    lines: Sequence[Line],
    axes: tuple[Spec, Spec],
    words: Words,
    size: str = "half",
) -> Panel:
    """A panel of lines about a subject, with channel definitions of x and y without their fields.

    Lines whose marks are all at one place on x are described in words, and not drawn.
    """
    places = {mark.x for line in lines for mark in line.marks}
    if len(places) == 1:
        texts = "; ".join(f"{line.series} {words.mark(line.marks[0])}" for line in lines)
        return Panel(title, f"{subject}, {words.place(places.pop())}: {texts}.", None)
    description = f"{subject}. {'; '.join(_told(line, words) for line in lines)}."
    return Panel(title, description, _spec(lines, axes, words, size))


def _told(line: Line, words: Words) -> str:
    """A line's first mark and its last."""
    ends = dict.fromkeys((line.marks[0], line.marks[-1]))
    texts = [f"{words.mark(mark)} at {words.place(mark.x)}" for mark in ends]
    return f"{line.series}: {', '.join(texts)}"


def _spec(lines: Sequence[Line], axes: tuple[Spec, Spec], words: Words, size: str) -> Spec:
    rows = [
        {
            "s": line.series,
            "x": _short(mark.x),
            "y": _short(mark.y),
            "l": _short(mark.low),
            "h": _short(mark.high),
        }
        for line in lines
        for mark in line.marks
    ]
    series = [line.series for line in lines]

    def by_series(values: Sequence[Any]) -> Spec:
        scale = {"domain": series, "range": list(values)}
        return {"field": "s", "type": "nominal", "legend": None, "scale": scale}

    layers: list[Spec] = [
        {
            "mark": {"type": "area", "opacity": 0.22},
            "encoding": {"y": {"field": "l"}, "y2": {"field": "h"}},
        },
        {
            "mark": {"type": "line"},
            "encoding": {
                "strokeDash": by_series([list(line.style.dash) or [1, 0] for line in lines])
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 26, "opacity": 1},
            "encoding": {"shape": by_series([line.style.shape for line in lines])},
        },
    ]
    layers.append(reader(_readings(lines, words)))
    body = {
        "data": {"values": rows},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "encoding": {
            "x": {"field": "x", "type": "quantitative", **axes[0]},
            "y": {"field": "y", "type": "quantitative", **axes[1]},
            "color": by_series([line.style.color for line in lines]),
        },
        "layer": layers,
    }
    return panel_spec(size, body)


def _readings(lines: Sequence[Line], words: Words) -> list[Reading]:
    return [
        (
            _short(place),
            words.place(place),
            [
                (line.series, words.mark(mark))
                for line in lines
                for mark in line.marks
                if mark.x == place
            ],
        )
        for place in sorted({mark.x for line in lines for mark in line.marks})
    ]


def _short(value: float) -> float:
    return float(f"{value:.5g}")
