# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of upright bars with error bars, and over each block a wide bar behind them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transrank import units
from transrank.report.figures import axes
from transrank.report.figures.figure import Spec
from transrank.report.figures.style import INK, MUTED, panel_spec
from transrank.report.palette import Style

GAP_BARS = 1.5


@dataclass(frozen=True, slots=True)
class BlockBar:
    """One bar, seconds; `series` is its entry in the key."""

    label: str
    series: str
    style: Style
    seconds: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Block:
    """Bars side by side under one title, and how high the wide bar is; None without one."""

    title: str
    bars: tuple[BlockBar, ...]
    wide: float | None = None


def block_panel(blocks: Sequence[Block], title: str, size: str = "wide") -> Spec:
    """Specification of a panel of times from zero, blocks and bars in the given order."""
    rows, wide, ticks = [], [], []
    left = 0.0
    for block in blocks:
        right = left + len(block.bars)
        if block.wide is not None:
            wide.append({"x": left, "e": right, "v": _short(block.wide), "z": 0})
        ticks.append({"x": (left + right) / 2, "b": block.title})
        for place, bar in enumerate(block.bars):
            rows.append(_row(block, bar, left + place))
        left = right + GAP_BARS
    series = {bar.series: bar.style.color for block in blocks for bar in block.bars}
    top = max(_highest(block) for block in blocks)
    x = {
        "type": "quantitative",
        "title": title,
        "axis": None,
        "scale": {"domain": [-0.3, left - GAP_BARS + 0.3], "nice": False},
    }
    height = {
        "field": "v",
        "type": "quantitative",
        "title": "time of a receive",
        "scale": {"domain": [0, top * 1.06], "nice": False},
        "axis": {"tickCount": 6, "labelExpr": _label()},
    }
    body = {
        "data": {"values": rows},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "layer": [
            {
                "data": {"values": wide},
                "mark": {"type": "rect", "fillOpacity": 0.12, "fill": MUTED, "stroke": MUTED},
                "encoding": {
                    "x": {"field": "x", **x},
                    "x2": {"field": "e"},
                    "y": height,
                    "y2": {"field": "z"},
                },
            },
            {
                "mark": {"type": "rect", "tooltip": {"expr": "datum.t"}},
                "encoding": {
                    "x": {"field": "x", **x},
                    "x2": {"field": "e"},
                    "y": height,
                    "y2": {"field": "z"},
                    "color": {
                        "field": "s",
                        "type": "nominal",
                        "legend": None,
                        "scale": {"domain": list(series), "range": list(series.values())},
                    },
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.3},
                "encoding": {
                    "x": {"field": "m", **x},
                    "y": {**height, "field": "l"},
                    "y2": {"field": "h"},
                    "color": {"value": INK},
                },
            },
            {
                "data": {"values": ticks},
                "mark": {"type": "text", "dy": 14, "fontSize": 12, "baseline": "top"},
                "encoding": {
                    "x": {"field": "x", **x},
                    "y": {"datum": 0, "type": "quantitative"},
                    "text": {"field": "b"},
                    "color": {"value": INK},
                },
            },
        ],
    }
    spec = panel_spec(size, body)
    spec["padding"] = {**spec["padding"], "bottom": 28}
    return spec


def describe_blocks(blocks: Iterable[Block]) -> str:
    """All bars in words."""
    parts = [
        f"{block.title}: "
        + ", ".join(f"{bar.label} {units.format_seconds(bar.seconds)}" for bar in block.bars)
        for block in blocks
    ]
    return "; ".join(parts)


def _highest(block: Block) -> float:
    return max([bar.seconds + bar.deviation for bar in block.bars] + [block.wide or 0.0])


def _row(block: Block, bar: BlockBar, left: float) -> dict[str, object]:
    low, high = max(bar.seconds - bar.deviation, 0.0), bar.seconds + bar.deviation
    told = f"{units.format_seconds(bar.seconds)} ± {units.format_seconds(bar.deviation)}"
    return {
        "s": bar.series,
        "x": left + 0.08,
        "e": left + 0.92,
        "m": left + 0.5,
        "v": _short(bar.seconds),
        "z": 0,
        "l": _short(low),
        "h": _short(high),
        "t": [f"{block.title}, {bar.label}", [[bar.series, told]]],
    }


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _label() -> str:
    return f"datum.value === 0 ? '0' : {axes.SECONDS_LABEL}"
