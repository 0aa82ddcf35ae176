# SPDX-License-Identifier: BSD-3-Clause
"""Values with their 95 % intervals by category: marks, bars or ticks on one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from transrank.lab import units
from transrank.lab.report.figures import axes
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel, Spec
from transrank.lab.report.figures.style import INK, MUTED, SIZES, panel_spec
from transrank.lab.report.palette import Palette, Style
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import range_text

POINT: Spec = {"type": "point", "filled": True, "size": 46, "opacity": 1}
BAR: Spec = {"type": "bar"}
TICK: Spec = {"type": "tick", "thickness": 1.5, "opacity": 0.35, "bandSize": 13}
# Pixels of a line of marks.
LINES = {"point": 19, "bar": 24, "tick": 17}
# So many times beyond the longest bar an interval is drawn: else no bar would be seen beside it.
BAR_REACH = 1.5
# The value stands behind its bar.
LABEL_ROOM = 1.2


@dataclass(frozen=True, slots=True)
class Value:
    """A value and the ends of its interval; `series` is its entry in the key.

    `beside` distinguishes the values of a category that are beside each other, else the series.
    """

    label: str
    series: str
    style: Style
    value: float
    low: float
    high: float
    beside: str = ""

    @classmethod
    def of(
        cls, result: CaseResult, label: str, series: str, palette: Palette, kind: str
    ) -> Value | None:
        """The value of a result, its series of a kind of the palette; None if it has none."""
        if result.headline is None or result.headline.value <= 0:
            return None
        return cls.at(label, series, palette.style(kind, series), result.headline)

    @classmethod
    def at(cls, label: str, series: str, style: Style, value: Estimate) -> Value:
        """A value with its interval, as far as a logarithmic axis can show that."""
        low, high = value.low, value.high
        return cls(
            label,
            series,
            style,
            value.value,
            value.value if low is None or low <= 0 else low,
            value.value if high is None else high,
        )


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis of the values: what it shows, from where to where intervals are drawn, its channel.

    `text` formats a value, `ends` its interval.
    """

    drawn: tuple[float, float]
    channel: Spec
    text: Callable[[float], str]
    ends: Callable[[float, float], str]


def log_times(values: Sequence[Value]) -> Scale:
    """Seconds on a logarithmic axis."""
    middles = [each.value for each in values]
    drawn = axes.drawn_bounds(middles, [end for each in values for end in (each.low, each.high)])
    axis = axes.value_axis([*middles, *drawn], "time per operation", axes.SECONDS_LABEL)
    axis["axis"] = {name: axis["axis"][name] for name in ("values", "labelExpr")}
    return Scale(drawn, axis, units.format_seconds, range_text)


def near_times(values: Sequence[float], title: str) -> Scale:
    """Seconds on an axis that begins where they do, with enough digits to distinguish its ticks."""
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or high * 0.05
    digits = 3 if high - low > 0.05 * high else 5
    label = axes.SECONDS_LABEL.replace(".3~r", f".{digits}~r")
    return Scale((low, high), _linear(low - margin, high + margin, title, label, 4), *_SECONDS)


def times_from_zero(values: Sequence[Value], others: Sequence[float], title: str) -> Scale:
    """Seconds from zero, with room for all intervals and for `others`."""
    top = max([each.high for each in values] + [*others])
    label = f"datum.value === 0 ? '0' : {axes.SECONDS_LABEL}"
    return Scale((0, top), _linear(0, top * 1.06, title, label), *_SECONDS)


def rates(values: Sequence[Value]) -> Scale:
    """Bytes per second from zero; intervals are cut far beyond the longest bar."""
    top = min(max(v.high for v in values), BAR_REACH * max(v.value for v in values))
    label = "format(datum.value / 1e9, '.3~r')"

    def ends(low: float, high: float) -> str:
        return f"{units.format_rate(low)} to {units.format_rate(high)}"

    return Scale((0, top), _linear(0, top * LABEL_ROOM, "GB/s", label), units.format_rate, ends)


def deviations(edge: float, title: str) -> Scale:
    """Relative deviations, to either side of zero."""
    label = "(datum.value > 0 ? '+' : '') + format(100 * datum.value, '.3~r') + ' %'"

    def text(value: float) -> str:
        return f"{100 * value:+.1f} %"

    return Scale(
        (-edge, edge),
        _linear(-edge, edge, title, label, 7),
        text,
        lambda low, high: f"{text(low)} to {text(high)}",
    )


def times_figure(
    name: str, panels: Mapping[str, Sequence[Value | None]], subject: str, caption: str, kept: str
) -> Figure | None:
    """Times on logarithmic axes by the title of their panel, a mark each; None without any.

    If each panel has one value there is one panel, with the titles as labels.
    """
    known = {title: [each for each in values if each] for title, values in panels.items()}
    filled = {title: values for title, values in known.items() if values}
    if len(filled) > 1 and all(len(values) == 1 for values in filled.values()):
        filled = {"": [replace(value, label=title) for title, (value,) in filled.items()]}
    size = "wide" if len(filled) == 1 else "half"
    drawn = tuple(_times(title, subject, values, size) for title, values in filled.items())
    key = key_of([value for values in filled.values() for value in values])
    return Figure(name, drawn, caption, tuple(key.values()), size, kept) if drawn else None


def key_of(values: Iterable[Value]) -> dict[str, KeyEntry]:
    """The entries of a figure's key, by series."""
    return {each.series: KeyEntry(each.series, each.series, each.style) for each in values}


def _times(title: str, subject: str, values: Sequence[Value], size: str) -> Panel:
    scale = log_times(values)
    description = f"{subject}. {in_words(values, scale)}."
    return Panel(title, description, category_panel(values, scale, size=size))


def in_words(values: Sequence[Value], scale: Scale) -> str:
    """All values in words."""
    return "; ".join(f"{each.label} {each.series} {scale.text(each.value)}" for each in values)


_SECONDS = (units.format_seconds, range_text)


def _linear(low: float, high: float, title: str, label: str, ticks: int = 6) -> Spec:
    scale = {"domain": [low, high], "nice": False, "zero": False}
    axis = {"tickCount": ticks, "labelExpr": label}
    return {"type": "quantitative", "title": title, "scale": scale, "axis": axis}


def category_panel(
    values: Sequence[Value],
    scale: Scale,
    mark: Spec = POINT,
    size: str = "wide",
    line_pixels: int | None = None,
    upright: bool = False,
    behind: Mapping[str, float] | None = None,
) -> Spec:
    """Specification of a panel with the categories in the given order, from the top or the left.

    `behind` gives, by category, how long a wide bar behind all of its values is. The value is
    written behind a level bar.
    """
    labels = list(dict.fromkeys(each.label for each in values))
    besides = list(dict.fromkeys(each.beside or each.series for each in values))
    styles = {each.series: each.style for each in values}
    along, across = ("y", "x") if upright else ("x", "y")
    bars, ticks = mark is BAR, mark is TICK
    color = _by_series(styles, [style.color for style in styles.values()])
    shape = {"shape": _by_series(styles, [style.shape for style in styles.values()])}
    encoding = {
        across: _place(labels, upright, grid=mark is POINT),
        along: {"field": "v", **scale.channel},
    }
    if not ticks:
        encoding[f"{across}Offset"] = {"field": "o", "type": "nominal", "sort": besides}
    interval = {
        "mark": {"type": "rule", "strokeWidth": 1.5 if bars else 2, "opacity": 1 if bars else 0.5},
        "encoding": {
            along: {"field": "l"},
            f"{along}2": {"field": "h"},
            "color": {"value": INK} if bars else color,
        },
    }
    values_layer = {
        "mark": {**mark, "tooltip": {"expr": "datum.t"}},
        "encoding": {"color": color, **(shape if mark is POINT else {})},
    }
    layers: list[Spec] = [values_layer, interval] if bars else [interval, values_layer]
    if ticks:
        layers = [_zero(across), values_layer]
    if bars and not upright:
        layers.append(_written())
    if behind is not None:
        layers.insert(0, _behind(behind, across))
    body = {
        "data": {"values": [_row(each, scale, ticks) for each in values]},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "encoding": encoding,
        "layer": layers,
    }
    spec = panel_spec(size, body)
    together = 1 if ticks else len(besides) if bars else max(1, (len(besides) + 1) // 2)
    pixels = line_pixels or LINES[mark["type"]]
    spec["height"] = SIZES[size][1] if upright else pixels * max(len(labels), 2) * together
    return spec


def _row(each: Value, scale: Scale, tick: bool) -> dict[str, Any]:
    low, value, high = (
        _short(min(max(end, scale.drawn[0]), scale.drawn[1]))
        for end in (each.low, each.value, each.high)
    )
    text = scale.text(each.value)
    reading = text if each.low == each.high else f"{text} ({scale.ends(each.low, each.high)})"
    heading = f"{each.label}, {each.beside}" if each.beside else each.label
    row = {"n": each.label, "s": each.series, "v": value, "t": [heading, [[each.series, reading]]]}
    if not tick:
        row |= {"o": each.beside or each.series, "l": low, "h": high, "w": text}
    return row


def _place(labels: Sequence[str], upright: bool, grid: bool) -> Spec:
    axis: Spec = {"domain": False, "ticks": False, "grid": grid, "labelOverlap": False}
    axis |= {"labelAngle": 0} if upright else {"labelLimit": 210}
    return {"field": "n", "type": "nominal", "sort": list(labels), "title": None, "axis": axis}


def _by_series(styles: Mapping[str, Style], values: Sequence[str]) -> Spec:
    scale = {"domain": list(styles), "range": list(values)}
    return {"field": "s", "type": "nominal", "legend": None, "scale": scale}


def _written() -> Spec:
    return {
        "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 12},
        "encoding": {
            "x": {"field": "h", "type": "quantitative"},
            "text": {"field": "w"},
            "color": {"value": INK},
        },
    }


def _zero(across: str) -> Spec:
    return {
        "data": {"values": [{"v": 0}]},
        "mark": {"type": "rule", "strokeWidth": 1},
        "encoding": {across: None, "color": {"value": MUTED}},
    }


def _behind(lengths: Mapping[str, float], across: str) -> Spec:
    rows = [{"n": label, "v": _short(value)} for label, value in lengths.items()]
    return {
        "data": {"values": rows},
        "mark": {"type": "bar", "fillOpacity": 0.12, "fill": MUTED, "stroke": MUTED},
        "encoding": {f"{across}Offset": None},
    }


def _short(value: float) -> float:
    return float(f"{value:.6g}")
