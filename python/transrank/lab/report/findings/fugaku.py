# SPDX-License-Identifier: BSD-3-Clause
"""What Fugaku's published numbers say of job starts, collectives, messages and alltoall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from scipy import stats

from transrank.lab import units
from transrank.lab.reference.machine import Machine, read_table
from transrank.lab.report.findings.source_table import Sentences
from transrank.lab.report.findings.steps import Interval, Step, find_steps
from transrank.lab.report.phrases import joined, times
from transrank.lab.report.tables import NOTHING, Column, Row, Table, range_text
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.growth import exponent_of, exponent_text
from transrank.lab.stats.median import CONFIDENCE

# Printed times have no interval: a step is one that remains when each of them is off by this share.
PRINTED_ERROR = 0.05
# Steps by a larger factor, and falls by a smaller one, have a sentence of their own.
GREAT_STEP, GREAT_FALL = 3, 0.6
# A shape of alltoall's jobs that is nearly a cube.
CUBIC = "16x12x16"
# What Fujitsu MPI calls them, and transrank.
HERE = {
    "blacc6d": "torus-6d",
    "blacc3d": "torus-3d",
    "doublespread": "double-spread",
    "two_proc": "two-process",
    "modified_bruck": "bruck",
    "pairwise": "pairwise",
    "linear": "linear",
}


def sentences(machine: Machine) -> Sentences:
    """What the tables and the source's own words say of each other."""
    by_nodes: dict[int, list[float]] = {}
    for row in _launches("by_node_count"):
        by_nodes.setdefault(int(row["nodes"]), []).append(float(row["max_seconds"]))
    exponent = exponent_of([(nodes, float(np.median(all_))) for nodes, all_ in by_nodes.items()])
    fixed, each, off = _first_rank_fit()
    yield (
        "launch",
        f"Job start from {min(by_nodes):,} to {max(by_nodes):,} nodes: the first rank runs after "
        f"{fixed:.2f} s and {units.format_seconds(each)} for each node, within "
        f"{units.format_percent(off)}, in proportion as the source has it. The last rank's time "
        f"grows with an exponent of {exponent_text(exponent)}; in proportion would be 1.",
    )
    shapes = _by_shape()
    means = {shape: float(np.mean(found)) for shape, found in shapes.items()}
    quickest, slowest = (choose(means, key=means.__getitem__) for choose in (min, max))
    longer = times(_ratio_of_means(shapes[slowest], shapes[quickest]))
    yield (
        "launch",
        f"Job start on {_launches('by_shape')[0]['nodes']} nodes: until the last rank runs it "
        f"takes {means[quickest]:.2f} s ({quickest}) to {means[slowest]:.2f} s ({slowest}) in the "
        f"mean, {longer} as long. The source calls it almost not affected by the shape.",
    )
    yield "exchange", _exchange_at(machine, 65536)
    yield "collectives", _scatterv(machine)
    found = list(_steps(machine))
    rises = _named([each for each in found if each[2].factor.value > GREAT_STEP])
    falls = _named([each for each in found if each[2].factor.value < GREAT_FALL])
    yield (
        "collectives",
        f"Collectives: the time rises to more than {GREAT_STEP} times the prediction from smaller "
        f"sizes in {rises}.",
    )
    yield (
        "collectives",
        f"The larger message takes less than {units.format_percent(GREAT_FALL)} of the time of the "
        f"smaller one in {falls}: the algorithm changes there, later than it should.",
    )
    yield "alltoall-algorithms", _bisection()


def _first_rank_fit() -> tuple[float, float, float]:
    """Seconds of the first rank's start: the fixed part, that of a node, and the largest misfit.

    A line by least squares of the relative errors.
    """
    rows = _launches("by_node_count")
    nodes, seconds = (
        np.array([float(row[name]) for row in rows]) for name in ("nodes", "min_seconds")
    )
    terms = np.stack([np.ones(len(rows)), nodes], axis=1) / seconds[:, None]
    (fixed, each), *_ = np.linalg.lstsq(terms, np.ones(len(rows)), rcond=None)
    return float(fixed), float(each), float(np.abs(terms @ (fixed, each) - 1).max())


def _named(found: Sequence[tuple[str, int, Step]]) -> str:
    """Operation and sizes of steps, with the numbers of nodes that have them."""
    nodes_of: dict[str, list[str]] = {}
    for name, nodes, step in found:
        sizes = f"{units.format_bytes(step.lower)} to {units.format_bytes(step.upper)}"
        nodes_of.setdefault(f"{name} from {sizes}", []).append(f"{nodes:,}")
    return joined([f"{step} ({joined(nodes)} nodes)" for step, nodes in nodes_of.items()])


def _bisection() -> str:
    """What the shapes alone say of the throughput of alltoall."""
    links = {form["form"]: _links_per_node(form["form"]) for form in _forms()}
    nodes = {form["form"]: int(form["nodes"]) for form in _forms()}
    (fewest, few), *_, (most, many) = sorted(nodes.items(), key=lambda item: item[1])
    flat = min((form for form in links if links[form] == links[CUBIC]), key=nodes.__getitem__)
    return (
        "Alltoall: which algorithm is fastest was only plotted, so the data do not tell. Of the "
        f"throughput the shapes do: {fewest} has {units.three_digits(links[fewest])} links for "
        f"each of its {few:,} nodes across the middle, {most} {units.three_digits(links[most])} "
        f"for each of {many:,}; {CUBIC}, nearly a cube, has as many for each as {flat}, with "
        f"{nodes[CUBIC] / nodes[flat]:.0f} times the nodes."
    )


def _exchange_at(machine: Machine, size: int) -> str:
    """The dip of Exchange's rate, held against PingPing, with one neighbor instead of two."""
    before = size // 2
    seconds = {
        (study, point.bytes or 0): point.seconds
        for study in ("exchange", "pingping")
        for point in machine.of_study(study)
    }
    above = [
        of_two / seconds["pingping", bytes_]
        for (study, bytes_), of_two in seconds.items()
        if study == "exchange" and bytes_ >= size
    ]
    exchange, pingping = (
        seconds[study, size] / seconds[study, before] for study in ("exchange", "pingping")
    )
    least = (exchange / 2 - 1) / (exchange / 2 + 1)
    return (
        f"Exchange: {units.format_bytes(size)} take {exchange:.2f} times as long as "
        f"{units.format_bytes(before)}, more than twice, so that the rate dips; this remains "
        f"while both printed times are off by less than {units.format_percent(least)}. PingPing "
        f"takes {pingping:.2f} times as long there: its rate has no dip. With two neighbors "
        f"instead of one, {units.format_bytes(before)} take "
        f"{seconds['exchange', before] / seconds['pingping', before]:.2f} times as long, larger "
        f"messages {min(above):.2f} to {max(above):.2f} times: those to two neighbors overlap no "
        "longer."
    )


def _scatterv(machine: Machine) -> str:
    """How far Scatterv is from Scatter, and what it takes for each rank."""
    seconds = {
        (str(point.axes["operation"]), point.nodes, point.bytes): point
        for point in machine.of_study("collectives")
        if point.bytes
    }
    ratios = {
        key: point.seconds / scatter.seconds
        for key, point in seconds.items()
        if key[0] == "scatterv" and (scatter := seconds.get(("scatter", key[1], key[2])))
    }
    worst = max(ratios, key=ratios.__getitem__)
    smallest = min(key[2] for key in ratios)
    each = [seconds[k].seconds / seconds[k].ranks for k in ratios if k[2] == smallest]
    for_a_rank = range_text(min(each), max(each))
    return (
        f"Scatterv takes up to {ratios[worst]:,.0f} times as long as Scatter, with "
        f"{units.format_bytes(worst[2])} on {worst[1]:,} nodes. With "
        f"{units.format_bytes(smallest)} it takes {for_a_rank} for each rank, as if the root sent "
        "to one after the other."
    )


def tables(machine: Machine) -> Iterator[Table]:
    """Steps of its curves, job starts, and what alltoall was measured on and by."""
    yield Table(
        "Steps and falls of the published curves: the time at the larger size over what the sizes "
        "before predict, or over that of the smaller one. Printed times have no interval: these "
        f"remain when each of them is off by {units.format_percent(PRINTED_ERROR)}.",
        (
            Column("curve", number=False),
            Column("nodes"),
            Column("from"),
            Column("to"),
            Column("times"),
        ),
        tuple(
            Row(
                (
                    name,
                    f"{nodes:,}",
                    units.format_bytes(step.lower),
                    units.format_bytes(step.upper),
                    units.three_digits(step.factor.value),
                ),
                "published",
            )
            for name, nodes, step in _steps(machine)
        ),
    )
    yield launch_facts()
    yield from alltoall_facts()


def launch_facts() -> Table:
    """When the first and the last rank ran on Fugaku, by the shape of the job."""
    return Table(
        "Job start by the shape of the job: means over repetitions of the seconds until the first "
        "and until the last rank runs, with the 95 % interval of the latter",
        (
            Column("nodes"),
            Column("shape", number=False),
            Column("first rank"),
            Column("last rank"),
            Column("low"),
            Column("high"),
        ),
        tuple(
            Row(
                (nodes, shape, *(f"{each:.2f} s" for each in (np.mean(first), *_mean(last)))),
                "published",
            )
            for nodes, shape, first, last in _launch_groups()
        ),
    )


def alltoall_facts() -> tuple[Table, ...]:
    """The shapes and the algorithms of the alltoall of Fugaku's source."""
    return (
        Table(
            "Shapes of the jobs that alltoall was measured on, one process per node, and how many "
            "links for each node cross the middle of the longest dimension: the bisection",
            (
                Column("shape", number=False),
                Column("nodes"),
                Column("links per node"),
                Column("resource group", number=False),
            ),
            tuple(
                Row(
                    (
                        form["form"],
                        f"{int(form['nodes']):,}",
                        units.three_digits(_links_per_node(form["form"])),
                        form["resource_group"],
                    ),
                    "published",
                )
                for form in _forms()
            ),
        ),
        Table(
            "Algorithms of alltoall: their names in Fujitsu MPI (coll_select_alltoall_algorithm), "
            "the same in transrank's study alltoall-algorithms, and whether the source compares "
            "them; the latencies were only plotted",
            (
                Column("Fujitsu MPI", number=False),
                Column("transrank", number=False),
                Column("compared", number=False),
            ),
            tuple(
                Row(
                    (
                        row["algorithm"],
                        HERE.get(row["algorithm"], NOTHING),
                        "yes" if row["measured"] == "1" else "no",
                    ),
                    "published",
                )
                for row in read_table("fugaku_alltoall_algorithms.csv")
            ),
        ),
    )


def _forms() -> tuple[Mapping[str, str], ...]:
    return read_table("fugaku_alltoall_forms.csv")


def _links_per_node(shape: str) -> float:
    """Across the middle of the longest even dimension: a ring is cut at two places."""
    return 2 / max(int(length) for length in shape.split("x") if int(length) % 2 == 0)


def _launches(table: str) -> list[Mapping[str, str]]:
    return [row for row in read_table("fugaku_process_launch.csv") if row["table"] == table]


def _launch_groups() -> Iterator[tuple[str, str, list[float], list[float]]]:
    """Nodes, shape, and the seconds of the first and of the last rank in each repetition."""
    rows = read_table("fugaku_process_launch.csv")
    for (nodes, shape), group in groupby(rows, lambda row: (row["nodes"], row["shape"])):
        found = list(group)
        first, last = ([float(row[f"{end}_seconds"]) for row in found] for end in ("min", "max"))
        yield f"{int(nodes):,}", shape, first, last


def _by_shape() -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in _launches("by_shape"):
        found.setdefault(row["shape"], []).append(float(row["max_seconds"]))
    return found


def _mean(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean, and both ends of its interval by Student's t."""
    interval = stats.ttest_1samp(values, 0).confidence_interval(CONFIDENCE)
    return float(np.mean(values)), float(interval.low), float(interval.high)


def _ratio_of_means(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """The ratio of two geometric means, with Welch's interval of the difference of logarithms."""
    one, other = np.log(above), np.log(below)
    ends = stats.ttest_ind(one, other, equal_var=False).confidence_interval(CONFIDENCE)
    value, low, high = (float(np.exp(x)) for x in (one.mean() - other.mean(), ends.low, ends.high))
    return Estimate(value, low, high)


def _steps(machine: Machine) -> Iterator[tuple[str, int, Step]]:
    """Operation, nodes and step, of every curve over message size that was published."""
    curves: dict[tuple[str, int], dict[int, Interval]] = {}
    for point in machine.points:
        if point.bytes is not None and point.seconds > 0:
            name = str(point.axes.get("operation", point.study))
            error = PRINTED_ERROR * point.seconds
            curves.setdefault((name, point.nodes), {})[point.bytes] = Interval(
                point.seconds, point.seconds - error, point.seconds + error
            )
    for (name, nodes), curve in curves.items():
        for step in find_steps(curve):
            yield name, nodes, step
