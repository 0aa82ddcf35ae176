# SPDX-License-Identifier: BSD-3-Clause
"""Models of times, each beside its rival: the misfit decides, or neither is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from transrank.lab import units
from transrank.lab.findings.evidence import factor, weigh
from transrank.lab.findings.ranks import lines
from transrank.lab.findings.values import Numbers, Value, curves_of
from transrank.lab.stats.growth import exponent_of, exponent_text
from transrank.lab.stats.launches import t_quantile
from transrank.lab.stats.median import CONFIDENCE
from transrank.lab.view.kinds import ends

Floats = NDArray[np.float64]
# A model that is off by more at some point is none.
MISFIT = 0.1
FEWEST_COUNTS = 3
# Points that three terms leave with a scatter.
LEAST_OF_THREE = 4
# So many times as a copy takes: into the buffer, and out of it.
COPIES = 2


def starts(numbers: Numbers) -> Iterator[str]:
    """The first and the last rank of a job: in proportion beyond a fixed part, or a power law."""
    shapes: dict[int, set[str]] = {}
    for start in numbers.starts:
        shapes.setdefault(start.ranks, set()).add(start.nodes)
    found = [start for start in numbers.starts if len(shapes[start.ranks]) == 1]
    if len({start.ranks for start in found}) < FEWEST_COUNTS:
        return
    ranks = np.array([start.ranks for start in found], float)
    for end in ("first", "last"):
        seconds = np.array([getattr(start, end) for start in found])
        yield (
            f"From {int(ranks.min()):,} to {int(ranks.max()):,} ranks the {end} rank of a job runs "
            f"{_law(ranks, seconds)}."
        )


def _law(ranks: Floats, seconds: Floats) -> str:
    """The line, the power law, or neither; with the misfit of both."""
    (fixed, each), line_off, _ = polynomial(ranks, seconds, 1)
    slope, factor = np.polyfit(np.log(ranks), np.log(seconds), 1)
    power_off = float(np.abs(np.exp(factor) * ranks**slope / seconds - 1).max())
    line, power = units.format_percent(line_off), units.format_percent(power_off)
    exponent = exponent_text(exponent_of(list(zip(ranks.tolist(), seconds.tolist(), strict=True))))
    if line_off <= min(MISFIT, power_off):
        parts = f"{units.format_seconds(fixed)} and {units.format_seconds(each)} for each rank"
        return f"after {parts}, within {line}; a power law is {power} off"
    if power_off <= MISFIT:
        return f"later with an exponent of {exponent}, within {power}; a line is {line} off"
    return (
        f"later with an exponent of {exponent}, by a law that is open: a line is {line} off, a "
        f"power law {power}"
    )


def squares(numbers: Numbers) -> Iterator[str]:
    """Routes: whether a term with the square of the ranks is needed, and from where it is most."""
    found = [_square(line) for line in lines(numbers, "plan-scaling") if len(line) > LEAST_OF_THREE]
    if said := [text for text in found if text]:
        yield (
            "The time to make routes grows as a + b n + c n² of n ranks, with no bend; b n and "
            f"c n² are equal at {'; '.join(said)}."
        )


def _square(line: Sequence[Value]) -> str:
    ranks, seconds = (np.array([getattr(v, x) for v in line], float) for x in ("ranks", "seconds"))
    terms, off, scatter = polynomial(ranks, seconds, 2)
    error = np.sqrt(np.diag(scatter))
    reach = t_quantile(len(line) - 3)
    if min(terms[1], terms[2] - reach * error[2]) <= 0:
        return ""
    slopes = np.array([0, 1 / terms[1], -1 / terms[2]])
    factor = float(np.exp(reach * np.sqrt(slopes @ scatter @ slopes)))
    at = terms[1] / terms[2]
    name = line[0].axes.get("part", line[0].name)
    share = units.format_percent(off)
    return f"{at:.0f} ({at / factor:.0f} to {at * factor:.0f}) in {name}, within {share}"


def polynomial(at: Floats, seconds: Floats, degree: int) -> tuple[Floats, float, Floats]:
    """By least squares of the relative error: terms, the largest error, and covariances."""
    powers = at[:, None] ** np.arange(degree + 1)
    scaled = powers / seconds[:, None]
    terms = np.linalg.lstsq(scaled, np.ones_like(seconds))[0]
    off = scaled @ terms - 1
    scatter = (off @ off) / max(len(at) - degree - 1, 1) * np.linalg.inv(scaled.T @ scaled)
    return terms.astype(float), float(np.abs(off).max()), scatter.astype(float)


def copies(numbers: Numbers) -> Iterator[str]:
    """What a buffered send takes longer than a plain one, beside copies of the same run."""
    largest = [curve[max(curve)] for curve in curves_of(numbers.of("send-modes"))]
    curves = {(str(value.axes["routine"]), value.shape): value for value in largest}
    copied = [v for v in numbers.of("memory-copy") if v.axes["kernel"] == "memcpy"]
    for (routine, shape), plain in curves.items():
        buffered = curves.get(("bsend", shape))
        if routine == "send" and buffered and buffered.bytes == plain.bytes:
            yield from _copies(buffered, plain, copied)


def _copies(buffered: Value, plain: Value, copied: Sequence[Value]) -> Iterator[str]:
    more = weigh(lambda one, other: one - other, buffered, plain)
    longer = weigh(lambda one, other: one / other, buffered, plain)
    if more is None or longer is None or longer.chance(1) > (1 - CONFIDENCE) / 2:
        return
    size = plain.bytes
    said = (
        f"MPI_Bsend takes {units.format_seconds(more.estimate.value)} longer than MPI_Send for "
        f"{size:,} bytes with {plain.shape}"
    )
    beside = [v for v in copied if v.bytes >= size and v.axes["active"] == "alone"]
    if not beside:
        yield f"{said}; as how many copies is open: none was measured beside it."
        return
    copy = min(beside, key=lambda v: (v.bytes, v.ranks))
    number = weigh(
        lambda one, other, each: (one - other) / (each * size / copy.bytes), buffered, plain, copy
    )
    if number is not None:
        low, high = number.estimate.low or 0, number.estimate.high or 0
        cause = (
            "more than copies into the buffer and out of it"
            if low > COPIES
            else "open whether more"
        )
        cause = "no more than copies into the buffer and out of it" if high <= COPIES else cause
        times = f"{units.three_digits(number.estimate.value)} times ({ends(number.estimate)})"
        yield f"{said}, {times} a copy of the same run: {cause}."


def bisection(numbers: Numbers) -> Iterator[str]:
    """The largest alltoall of each job, beside what its torus allows."""
    if numbers.torus is None:
        return
    largest = {v.ranks: v for v in numbers.of("collectives") if v.axes["operation"] == "alltoall"}
    across: list[str] = []
    own: list[str] = []
    for ranks, value in largest.items():
        torus, nodes = numbers.torus, -(-ranks // value.shape.ranks_per_node)
        each = (ranks - 1) * value.shape.ranks_per_node * value.bytes / torus.links
        halves = (ranks / 2) ** 2 * value.bytes / torus.across(nodes)
        where = f" for {units.format_bytes(value.bytes)} on {nodes:,} nodes"
        for said, least in ((across, halves / torus.rate), (own, each / torus.rate)):
            number = weigh(lambda seconds, least=least: seconds / least, value)
            said += [factor(number.estimate) + where] if number is not None else []
    yield (
        "Alltoall takes longer than the links across the middle of the torus allow at least: "
        f"{', '.join(across)}. Longer than the links of a node allow: {', '.join(own)}."
    )
