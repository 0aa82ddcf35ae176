# SPDX-License-Identifier: BSD-3-Clause
"""Which ranks do messages between nodes disturb, and which links are slow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from transrank.lab import units
from transrank.lab.report.figures.category_panel import BAR, Value, category_panel, times_from_zero
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel
from transrank.lab.report.figures.heat_panel import Cell, heat_panel
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import BLOCK, Palette, Style
from transrank.lab.report.phrases import (
    joined,
    kept_sentence,
    time_with_interval,
    times,
    times_as_long,
)
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats import contention
from transrank.lab.stats.contention import STUDY, Contention, Traffic
from transrank.lab.view.kinds import range_text

MOST_BLOCKS = 12
BAR_CAPTION = (
    "Time of one receive per domain: mean and standard deviation over its ranks and launches. The "
    "first block is the control: every rank sends to itself. In each other block the named domains "
    "exchange messages and all others send to themselves; the wide bar is the mean of the former. "
)
HEAT_CAPTION = (
    "Time of a receive in each domain as a multiple of its time in the control, by the domains "
    "that exchange messages. Numbers in brackets are those of the exchanging domains."
)
LINK_CAPTION = (
    "Bytes per second that a rank receives while these two domains exchange messages and all "
    "others send to themselves: the darker, the slower."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when contention was not measured."""
    measured = [(run, one) for run in context.runs for one in of_run(run)]
    if not measured:
        return None
    figures = [
        figure
        for index, (run, one) in enumerate(measured)
        for figure in _figures(context, run, one, index)
    ]
    answer = [text for run, one in measured for text in _answer(context, run, one)]
    return Question(
        "contention",
        "Which ranks do messages between nodes disturb?",
        tuple(answer),
        tuple(figures),
        studies=(STUDY,),
    )


def of_run(run: Measured) -> list[Contention]:
    """The contention measured in a run, by shape and size."""
    placements = {launch.launch: launch.placement for launch in run.run.launches}
    return contention.contentions(run.counted_cases, placements)


def _figures(context: Context, run: Measured, one: Contention, index: int) -> list[Figure]:
    name = f"contention-{index}"
    title = _title(context, run, one)
    kept = kept_sentence([r for r in run.of_study(STUDY) if _belongs(r.axes, one)])
    figures = []
    shown, order = _shown(run, one)
    if len(shown) > 1:
        bars = [bar for traffic in shown for bar in _bars(context.palette, one, traffic)]
        means = {_name(t, one): mean for t in shown if (mean := t.off_node_mean) is not None}
        scale = times_from_zero(bars, list(means.values()), "time of a receive")
        reading = "; ".join(f"{bar.label}, {bar.beside}: {scale.text(bar.value)}" for bar in bars)
        spec = category_panel(bars, scale, BAR, "full", upright=True, behind=means)
        panel = Panel(title, f"{reading}.", spec)
        key = {bar.series: bar.style for bar in bars}
        entries = tuple(KeyEntry(s, s, Style(style.color, BLOCK)) for s, style in key.items())
        figures.append(Figure(f"{name}-bars", (panel,), BAR_CAPTION + order, entries, "full", kept))
    cells = _heat(one, [*shown, *_inside(one)])
    if cells:
        reading = "; ".join(f"{cell.row} on {cell.column}: {cell.reading}" for cell in cells)
        panel = Panel(
            title, f"{reading}.", heat_panel(cells, "active", "domain", "var(--series-2)")
        )
        figures.append(Figure(f"{name}-heat", (panel,), HEAT_CAPTION, (), "wide", kept))
    links = _links(one)
    if len(links) > one.domains:  # more than one pair for each domain
        slowest = max(links, key=lambda cell: cell.value)
        panel = Panel(
            title,
            f"Links. The slowest: domain {slowest.row} with {slowest.column}, {slowest.reading}.",
            heat_panel(links, "domain", "with domain", "var(--series-1)"),
        )
        figures.append(Figure(f"{name}-links", (panel,), LINK_CAPTION, (), "wide", kept))
    return figures


def _belongs(axes: Mapping[str, str | int], one: Contention) -> bool:
    return axes.get("domain_ranks") == one.domain_ranks and axes.get("bytes") == one.bytes


def _title(context: Context, run: Measured, one: Contention) -> str:
    size = f"{units.format_bytes(one.bytes)}, {one.shape}"
    if one.domain_ranks > 1:
        size += f", domains of {one.domain_ranks}"
    return context.titled(run, size)


def _shown(run: Measured, one: Contention) -> tuple[list[Traffic], str]:
    """The control, then one corresponding pair after the other, then several; and their order.

    The pair with the most bandwidth between its domains and the link comes first: as measured
    within a node, else by the distances that the firmware reports.
    """
    near = contention.nearest_to_the_link(one)
    bandwidths = {} if near is None else contention.bandwidths_to(near, one)
    distances = _distances(run, one)
    order = "Blocks are ordered by their domains' numbers."
    if near is not None and bandwidths:
        fastest_first = sorted(bandwidths.items(), key=lambda item: -item[1])
        rates = [f"{units.format_rate(rate)} with {domain}" for domain, rate in fastest_first]
        order = (
            "Blocks are ordered by the bandwidth on the way to the link: "
            f"domain {near}, whose messages are fastest, then the others by their bandwidth "
            f"with it within a node ({joined(rates)})."
        )
    elif distances:
        order = "Blocks are ordered by their domains' distance from the first one."

    def rank(traffic: Traffic) -> tuple[int, float, int]:
        first = traffic.pairs[0][0] if traffic.pairs else -1
        if len(traffic.pairs) != 1:
            return len(traffic.pairs), 0, first
        if bandwidths:
            return 1, -math.inf if first == near else -bandwidths.get(first, 0.0), first
        return 1, distances[first] if first < len(distances) else 0, first

    chosen = [
        traffic
        for traffic in one.traffics
        if one.corresponding(traffic)
        or (len(traffic.pairs) > 1 and any(map(one.crosses, traffic.pairs)))
    ]
    return sorted(chosen, key=rank)[:MOST_BLOCKS], order


def _inside(one: Contention) -> list[Traffic]:
    """Traffics within nodes, on all of them at once."""
    inside = [t for t in one.traffics if t.pairs and not any(map(one.crosses, t.pairs))]
    return [traffic for traffic in inside if len(traffic.pairs) > 1][:MOST_BLOCKS]


def _distances(run: Measured, one: Contention) -> list[int]:
    """The distance of the memory domain of each domain's first rank from that of the first one."""
    launch = next((each for each in run.run.launches if each.shape == one.shape), None)
    numa = run.run.header.machine.get("numa")
    if launch is None or not launch.placement.domains or not isinstance(numa, Sequence):
        return []
    homes = launch.placement.domains[:: one.domain_ranks]
    row = next((node["distances"] for node in numa if node.get("node") == homes[0]), ())
    numbers = [node.get("node") for node in numa]
    by_number = dict(zip(numbers, row, strict=False))
    return [by_number.get(home, 0) for home in homes]


def _bars(palette: Palette, one: Contention, traffic: Traffic) -> list[Value]:
    """A bar per domain from zero, with the standard deviation to either side of its end."""

    def half(domain: int) -> str:
        return "first half of the domains" if domain < one.domains / 2 else "second half"

    return [
        Value(
            _name(traffic, one),
            half(domain.domain),
            palette.style("half", half(domain.domain)),
            domain.mean,
            max(domain.mean - domain.deviation, 0.0),
            domain.mean + domain.deviation,
            f"domain {domain.domain}",
        )
        for domain in traffic.domains
    ]


def _name(traffic: Traffic, one: Contention) -> str:
    if not traffic.pairs:
        return "control"
    if _is_bisection(traffic, one):
        return "all pairs"
    return "+".join(f"{a}↔{b}" for a, b in traffic.pairs)


def _heat(one: Contention, shown: Sequence[Traffic]) -> list[Cell]:
    if one.control is None:
        return []
    cells = []
    for traffic in shown:
        if not traffic.pairs or len(traffic.active) == one.domains:
            continue  # no domain is left to be disturbed
        for domain, usual in zip(traffic.domains, one.control.domains, strict=True):
            factor = domain.mean / usual.mean
            text = f"{factor:.2g}" if factor < 99.5 else f"{factor:.0f}"
            cells.append(
                Cell(
                    _name(traffic, one),
                    str(domain.domain),
                    factor,
                    f"({text})" if domain.domain in traffic.active else text,
                    f"{factor:.3g} times the control",
                )
            )
    return cells


def _links(one: Contention) -> list[Cell]:
    times = contention.link_times(one)
    both = {**times, **{(b, a): time for (a, b), time in times.items()}}
    return [
        Cell(
            str(a),
            str(b),
            both[a, b],
            f"{one.bytes / both[a, b] / 1e9:.3g}",
            f"{units.format_rate(one.bytes / both[a, b])}, {units.format_seconds(both[a, b])}",
        )
        for a, b in sorted(both)
    ]


def _answer(context: Context, run: Measured, one: Contention) -> list[str]:
    prefix = f"{_title(context, run, one)}: "
    sentences = [*_price(run, one), *_disturbed(one), *_slow(one), *_torn(one)]
    return [prefix + sentences[0], *sentences[1:]] if sentences else []


def _price(run: Measured, one: Contention) -> list[str]:
    """The cost of exchanging over sending to oneself, one pair at a time and all at once."""
    results = {r.case: r for r in run.of_study(STUDY) if r.shape == one.shape}
    alone = [
        results[traffic.case]
        for traffic in one.traffics
        if len(traffic.pairs) == 1 and one.corresponding(traffic)
    ]
    if one.control is None or not alone:
        return []
    control = results[one.control.case]
    fastest, slowest = (
        min(alone, key=lambda result: result.seconds),
        max(alone, key=lambda result: result.seconds),
    )
    sentences = [
        f"a receive takes {time_with_interval(control)} when every rank sends to itself, and "
        f"{range_text(fastest.seconds, slowest.seconds)} while a single pair of domains exchanges "
        "messages, on the slowest rank."
    ]
    bisection = next((t for t in one.traffics if _is_bisection(t, one)), None)
    if bisection is not None:
        together = results[bisection.case]
        rate = one.bytes * one.shape.ranks / together.seconds
        ratio = times_as_long(control, together)
        sentences.append(
            f"With all pairs at once it takes {time_with_interval(together)}"
            + (f", {ratio} as long as in the control" if ratio else "")
            + f": {units.format_rate(rate)} pass between the halves, both directions counted."
        )
    return sentences


def _torn(one: Contention) -> list[str]:
    if not one.torn:
        return []
    which = joined([str(domain) for domain in one.torn])
    many = len(one.torn) > 1
    return [
        f"The ranks of {'domains' if many else 'domain'} {which} were not all in one memory domain "
        f"of one host, so statements about {'these domains' if many else 'this domain'} concern "
        "ranks in several places."
    ]


def _is_bisection(traffic: Traffic, one: Contention) -> bool:
    pairs = len(traffic.pairs)
    return pairs > 1 and pairs == one.domains // 2 and one.corresponding(traffic)


def _disturbed(one: Contention) -> list[str]:
    """The domains that each active pair disturbs; one sentence for pairs that disturb none.

    Pairs with a single launch are left out.
    """
    found: dict[tuple[contention.Pair, ...], list[str]] = {}
    for each in contention.disturbances(one):
        if each.factor is not None:
            victims = found.setdefault(each.pairs, [])
            if each.real:
                victims.append(f"{each.domain} ({times(each.factor)} the control)")
    names = {pairs: "+".join(f"{a}↔{b}" for a, b in pairs) for pairs in found}
    sentences = [
        f"While {names[pairs]} exchange messages, {'domains' if len(victims) > 1 else 'domain'} "
        f"{joined(victims)} {'are' if len(victims) > 1 else 'is'} disturbed."
        for pairs, victims in found.items()
        if victims
    ]
    harmless = [names[pairs] for pairs, victims in found.items() if not victims]
    if harmless:
        sentences.append(f"No other domain was found to be disturbed by {joined(harmless)}.")
    return sentences


def _slow(one: Contention) -> list[str]:
    nodes, links = contention.slow_links(one)
    sentences = [
        f"The links of {node.host} are slow: they take {times(node.factor)} as long as others."
        for node in nodes
    ]
    return sentences + [
        f"The link between {contention.named(link.pair, one)} is slow: it takes "
        f"{times(link.factor)} as long as usual "
        f"{'within a node' if link.within_a_node else 'between nodes'}."
        for link in links
    ]
