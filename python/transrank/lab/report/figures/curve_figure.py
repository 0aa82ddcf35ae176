# SPDX-License-Identifier: BSD-3-Clause
"""A figure of curve panels on common axes under one key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from transrank.lab.report.curves import Curve, CurveGroup
from transrank.lab.report.figures.axes import SIZES, Places
from transrank.lab.report.figures.curve_panel import (
    MOST_TOGETHER,
    Frame,
    curve_panel,
    frame,
    readings,
)
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel
from transrank.lab.report.figures.quantity import Quantity
from transrank.lab.report.phrases import kept_words

NOTHING: Mapping[str, Sequence[Curve]] = {}


def curve_figure(
    name: str,
    groups: Sequence[CurveGroup],
    quantity: Quantity,
    caption: str,
    beside: Mapping[str, Sequence[Curve]] = NOTHING,
    places: Places = SIZES,
) -> Figure | None:
    """Draw one panel per group; None when nothing has this quantity.

    `beside` gives the comparison lines of each panel by its title.
    """
    filled = [
        (group, [*beside.get(group.title, ()), *group.curves])
        for group in groups
        if frame(group.curves, quantity, places) is not None
    ]
    filled = _with_short_keys(filled)
    shared = frame([curve for _, curves in filled for curve in curves], quantity, places)
    if shared is None:
        return None
    size = panel_size(len(filled))
    panels = tuple(
        _panel(group, curves, quantity, shared, size, places) for group, curves in filled
    )
    key = _key([curves for (_, curves), panel in zip(filled, panels, strict=True) if panel.spec])
    kept = _kept([group for group, _ in filled])
    if all(len(group.curves) > MOST_TOGETHER for group, _ in filled):
        caption = re.sub(r"\bBands are [^.]*\.", "Intervals are read by pointing.", caption)
    if len(key) == 1:
        caption = caption.replace(".", f"; {key[0].label}.", 1)
    return Figure(name, panels, caption, key, size, kept, one_curve=len(key) == 1)


def _panel(
    group: CurveGroup,
    curves: Sequence[Curve],
    quantity: Quantity,
    shared: Frame,
    size: str,
    places: Places,
) -> Panel:
    """One panel; its words alone where all values stand at one place."""
    telling = [c for c in curves if not (c.guide or (c.published and places.of_sizes))]
    if len({point.x for curve in telling for point in curve.points}) == 1:
        return Panel(group.title, _at_one_place(curves, quantity, places), None)
    spec = curve_panel(curves, quantity, shared, size, places)
    return Panel(group.title, _description(quantity, group, curves, places), spec)


def _at_one_place(curves: Sequence[Curve], quantity: Quantity, places: Places) -> str:
    ((_, place, texts),) = readings(curves, quantity, places)
    labels = {curve.key: curve.label for curve in curves}
    return f"{place}: {'; '.join(f'{labels[key]} {text}' for key, text in texts)}."


def _kept(groups: Sequence[CurveGroup]) -> str:
    points = [point for group in groups for curve in group.curves for point in curve.points]
    return kept_words(sum(p.clean for p in points), sum(p.samples for p in points))


def _with_short_keys(
    panels: Sequence[tuple[CurveGroup, Sequence[Curve]]],
) -> list[tuple[CurveGroup, list[Curve]]]:
    """Name the series s0, s1 ... in the panels' rows: each label is stored once, in the key."""
    labels = list(dict.fromkeys(curve.label for _, curves in panels for curve in curves))
    return [
        (group, [replace(curve, key=f"s{labels.index(curve.label)}") for curve in curves])
        for group, curves in panels
    ]


def panel_size(panels: int) -> str:
    """The size of panels, by their number."""
    if panels == 1:
        return "wide"
    return "half" if panels <= 4 else "small"


def _key(panels: Sequence[Sequence[Curve]]) -> tuple[KeyEntry, ...]:
    entries = {
        curve.key: KeyEntry(curve.key, curve.label, curve.style)
        for behind in (False, True)
        for curves in panels
        for curve in curves
        if (curve.published or curve.guide) is behind
    }
    return tuple(entries.values())


def _description(
    quantity: Quantity, group: CurveGroup, curves: Sequence[Curve], places: Places
) -> str:
    """The text for readers who cannot see the panel; the tables have the numbers."""
    parts = []
    for curve in curves:
        values = [
            (point.x, bounds[0])
            for point in (() if curve.guide else curve.points)
            if (bounds := quantity.value(point)) is not None
        ]
        if values:
            (first, start), (last, end) = values[0], values[-1]
            parts.append(
                f"{curve.label} goes from {quantity.text(start)} at {places.text(first)} "
                f"to {quantity.text(end)} at {places.text(last)}"
            )
    subject = f"{group.title}: " if group.title else ""
    return f"{subject}{quantity.title} over {places.title}. {'; '.join(parts)}."
