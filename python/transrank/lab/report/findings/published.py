# SPDX-License-Identifier: BSD-3-Clause
"""What published numbers say: sentences and tables, computed from what the sources print.

For `transrank show MACHINE`, and below the questions of a page that shows the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from transrank.lab import units
from transrank.lab.reference.machine import Machine, ReferencePoint, read_table
from transrank.lab.report.findings.steps import Interval, Step, find_steps
from transrank.lab.report.phrases import joined, times
from transrank.lab.report.tables import NOTHING, Column, Row, Table
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.growth import exponent_of, exponent_text
from transrank.lab.stats.locality import Worker, penalties
from transrank.lab.stats.median import CONFIDENCE

# Printed times have no interval: a step is one that remains when each of them is off by this share.
PRINTED_ERROR = 0.05
# Steps by a larger factor have a sentence of their own.
GREAT_STEP = 3
# From so many processors on ESMF's times grow faster.
ESMF_BEND = 128
GUIDE_LINKS = {
    "local": "own",
    "neighbour_die_same_processor": "neighbor",
    "counterpart_die_other_processor": "counterpart",
    "diagonal_die_other_processor": "diagonal",
}

Sentences = Iterator[tuple[str, str]]


def findings(machine: Machine, studies: Sequence[str] | None = None) -> tuple[str, ...]:
    """What the machine's numbers of these studies (of all by default) say."""
    return tuple(
        text
        for study, text in _FINDINGS.get(machine.name, _nothing)(machine)
        if studies is None or study in studies
    )


def facts(machine: Machine) -> tuple[Table, ...]:
    """What a source says besides times of cases, and what is computed from them."""
    return tuple(table for table in _FACTS.get(machine.name, _no_table)(machine) if table.rows)


def guide_workers(points: Sequence[ReferencePoint]) -> list[Worker]:
    """The threads of HECToR's guide as ranks of the study `locality`, the fastest first."""
    found = [
        Worker(
            rank=(thread := int(point.axes["thread"])),
            toucher=(init := int(point.axes["init_thread"])),
            domain=thread // 6,
            data_domain=init // 6,
            link=GUIDE_LINKS[str(point.axes["locality"])],
            seconds=point.seconds,
            placed=None,
        )
        for point in points
    ]
    return sorted(found, key=lambda worker: worker.seconds)


def _nothing(machine: Machine) -> Sentences:
    del machine
    return iter(())


def _no_table(machine: Machine) -> Iterator[Table]:
    del machine
    return iter(())


# Fugaku


def _fugaku(machine: Machine) -> Sentences:
    by_nodes: dict[int, list[float]] = {}
    for row in _launches("by_node_count"):
        by_nodes.setdefault(int(row["nodes"]), []).append(float(row["max_seconds"]))
    exponent = exponent_of([(nodes, float(np.median(all_))) for nodes, all_ in by_nodes.items()])
    yield (
        "launch",
        f"Job start: the time until the last rank runs grows from {min(by_nodes):,} to "
        f"{max(by_nodes):,} nodes with an exponent of {exponent_text(exponent)}; in proportion to "
        "the number of nodes, as the source has it, would be 1.",
    )
    shapes = _by_shape()
    quickest, slowest = (
        choose(shapes, key=lambda shape: float(np.mean(shapes[shape]))) for choose in (min, max)
    )
    yield (
        "launch",
        f"Job start on {_launches('by_shape')[0]['nodes']} nodes: {slowest} takes "
        f"{times(_ratio_of_means(shapes[slowest], shapes[quickest]))} as long as {quickest}. The "
        "source calls it almost not affected by the shape.",
    )
    rises: dict[str, list[str]] = {}
    for name, nodes, step in _steps(machine):
        if step.factor.value > GREAT_STEP:
            sizes = f"{units.format_bytes(step.lower)} to {units.format_bytes(step.upper)}"
            rises.setdefault(f"{name} from {sizes}", []).append(f"{nodes:,}")
    great = joined([f"{step} ({joined(nodes)} nodes)" for step, nodes in rises.items()])
    yield (
        "collectives",
        f"Collectives: the time rises to more than {GREAT_STEP} times the prediction from smaller "
        f"sizes in {great}.",
    )


def _fugaku_facts(machine: Machine) -> Iterator[Table]:
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
    yield Table(
        "Job start by the shape of the job: mean over repetitions of the seconds until the last "
        "rank runs, and its 95 % interval",
        (
            Column("nodes"),
            Column("shape", number=False),
            Column("mean"),
            Column("low"),
            Column("high"),
        ),
        tuple(
            Row((nodes, shape, *(f"{each:.2f} s" for each in _mean(found))), "published")
            for nodes, shape, found in _launch_groups()
        ),
    )
    yield _table(
        "Shapes of the jobs that alltoall was measured on, one process per node",
        "fugaku_alltoall_forms.csv",
        {"form": "shape", "nodes": "nodes", "resource_group": "resource group"},
    )
    yield _table(
        "Algorithms of alltoall (coll_select_alltoall_algorithm); 1: its latency was plotted",
        "fugaku_alltoall_algorithms.csv",
        {"algorithm": "algorithm", "measured": "plotted"},
    )


def _launches(table: str) -> list[Mapping[str, str]]:
    return [row for row in read_table("fugaku_process_launch.csv") if row["table"] == table]


def _launch_groups() -> Iterator[tuple[str, str, list[float]]]:
    rows = read_table("fugaku_process_launch.csv")
    for (nodes, shape), found in groupby(rows, lambda row: (row["nodes"], row["shape"])):
        yield f"{int(nodes):,}", shape, [float(row["max_seconds"]) for row in found]


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


# Triton


def _triton(machine: Machine) -> Sentences:
    del machine
    rows = read_table("advection_profile.csv")
    computed, analytic = (
        np.array([float(row[column]) for row in rows]) for column in ("c_numeric", "c_analytic")
    )
    apart = np.abs(computed - analytic)
    source = {row["parameter"]: row["value"] for row in read_table("advection_parameters.csv")}
    steps, step = int(source["iterations"]), float(source["dt"])
    kept = _upwind_amplitude(float(source["velocity_x"]) * step, np.pi / len(rows), steps)
    yield (
        "advection-solution",
        f"Advection: the printed solutions differ by {apart.mean():.3f} in the mean and by "
        f"{apart.max():.3f} at most, and the computed one is a sine of amplitude "
        f"{_amplitude(computed):.5f}, where first-order upwind leaves {kept:.5f}.",
    )


def _amplitude(values: NDArray[np.float64]) -> float:
    """Of a sine that is sampled at the even distances of 50 points to a half wave."""
    place = np.arange(len(values)) * np.pi / len(values)
    waves = np.stack([np.sin(place), np.cos(place)], axis=1)
    return float(np.hypot(*np.linalg.lstsq(waves, values)[0]))


def _upwind_amplitude(distance: float, spacing: float, steps: int) -> float:
    """What von Neumann's analysis leaves of a sine of wave number 1 that moves so far in a step."""
    courant = distance / spacing
    factor = 1 - courant * (1 - np.exp(-1j * spacing))
    return float(abs(factor) ** steps)


def _triton_facts(machine: Machine) -> Iterator[Table]:
    del machine
    yield _table(
        "What the source says of its advection and of its messages",
        "advection_parameters.csv",
        {"parameter": "parameter", "value": "value", "unit": "unit", "source_note": "where"},
    )


# HECToR


def _xt6(machine: Machine) -> Sentences:
    workers = guide_workers([point for point in machine.points if point.axes["figure"] == 3])
    values = {
        link: np.array([worker.seconds for worker in workers if worker.link == link])
        for link in GUIDE_LINKS.values()
    }
    for one in penalties(values):
        verdict = "takes longer" if one.share > 0 else "takes less time"
        if not one.real:
            verdict = "cannot be told apart"
        yield (
            "locality",
            f"{one.far.capitalize()} memory beside {one.near} memory {verdict} "
            f"(p = {one.p_value:.2g}).",
        )


def _xt6_facts(machine: Machine) -> Iterator[Table]:
    rows = []
    for figure in (2, 3):
        workers = guide_workers([p for p in machine.points if p.axes["figure"] == figure])
        for link in GUIDE_LINKS.values():
            found = [worker.seconds for worker in workers if worker.link == link]
            if found:
                rows.append(
                    Row(
                        (
                            str(figure),
                            link,
                            str(len(found)),
                            f"{np.mean(found):.3f} s",
                            f"{np.std(found, ddof=1):.3f} s",
                        ),
                        "published",
                    )
                )
    yield Table(
        "A product of matrices by the place of its memory: figure 2 all threads on memory of their "
        "own die, figure 3 half of them on another's",
        (
            Column("figure"),
            Column("memory", number=False),
            Column("threads"),
            Column("mean"),
            Column("deviation"),
        ),
        tuple(rows),
    )


# Jaguar


def _jaguar(machine: Machine) -> Sentences:
    found = [(point.ranks, point.seconds) for point in machine.of_study("plan-scaling")]
    for words, points in (
        (f"up to {ESMF_BEND} processors", [pair for pair in found if pair[0] <= ESMF_BEND]),
        (f"from {ESMF_BEND} processors on", [pair for pair in found if pair[0] >= ESMF_BEND]),
    ):
        yield (
            "plan-scaling",
            f"ESMF's published times grow {words} with an exponent of "
            f"{exponent_text(exponent_of(points))}.",
        )


def _jaguar_facts(machine: Machine) -> Iterator[Table]:
    del machine
    yield _table(
        "The parts of store in milliseconds, and their total over that at 32 processors",
        "esmf_store_times.csv",
        {
            "processors": "processors",
            "RoutePrecomputeRedist_ms": "precompute",
            "RouteCreate_ms": "create",
            "total_ms": "total",
            "ratio_printed": "ratio",
        },
    )
    yield _table(
        "Partitions of 512x1024x16 cells, and the bytes of 8 fields that change processor; "
        "`transrank plan redistribute --published` counts them, too",
        "esmf_partitions.csv",
        {
            "processors": "processors",
            "src_partition": "from",
            "dst_partition": "to",
            "bytes_redistributed": "bytes",
        },
    )


# The ArrayTransformer bench


def _ghosts(machine: Machine) -> Sentences:
    best = [max(totals.values()) for _, _, totals in _totals(machine)]
    ranks = [ranks for ranks, _, _ in _totals(machine)]
    if len(ranks) > 1:
        five = "; on 32 ranks two of six neighbors are one, and five faces are pulled"
        five = five if 32 in ranks else ""
        text = joined(
            [f"{units.format_rate(t)} on {r:,} ranks" for r, t in zip(ranks, best, strict=True)]
        )
        yield (
            "ghost",
            f"All ranks of {machine.name} together receive {text} at best. In the published "
            f"program everybody pulls from rank 0, whose memory serves all of them{five}.",
        )


def _ghosts_facts(machine: Machine) -> Iterator[Table]:
    vdims = sorted({int(point.axes["vdim"]) for point in machine.points})
    rows = []
    for ranks, nodes, totals in _totals(machine):
        best = max(totals.values())
        cells = [
            units.format_rate(totals[vdim]) + (" (best)" if totals[vdim] == best else "")
            if vdim in totals
            else NOTHING
            for vdim in vdims
        ]
        rows.append(Row((f"{ranks:,}", f"{nodes:,}", *cells), "published"))
    yield Table(
        "What all ranks receive together",
        (Column("ranks"), Column("nodes"), *(Column(f"vdim {vdim}") for vdim in vdims)),
        tuple(rows),
    )


def _totals(machine: Machine) -> list[tuple[int, int, dict[int, float]]]:
    """Ranks, nodes, and the bytes per second of all ranks by vdim."""
    found: dict[tuple[int, int], dict[int, float]] = {}
    for point in machine.points:
        if point.rate is not None:
            row = found.setdefault((point.ranks, point.nodes), {})
            row[int(point.axes["vdim"])] = point.rate * point.ranks
    return [(*job, row) for job, row in sorted(found.items())]


def _table(caption: str, file: str, columns: Mapping[str, str]) -> Table:
    """Some columns of a table of the source, under these headings."""
    rows = read_table(file)
    numbers = {name: all(_is_number(row[name]) for row in rows) for name in columns}
    return Table(
        caption,
        tuple(Column(heading, number=numbers[name]) for name, heading in columns.items()),
        tuple(
            Row(
                tuple(f"{int(row[n]):,}" if row[n].isdigit() else row[n] for n in columns),
                "published",
            )
            for row in rows
        ),
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_ARRAY_TRANSFORMER = ("gs", "thtj", "thtj1", "bscc-a")
_FINDINGS: Mapping[str, Callable[[Machine], Sentences]] = {
    "fugaku": _fugaku,
    "triton": _triton,
    "xt6": _xt6,
    "jaguar": _jaguar,
    **dict.fromkeys(_ARRAY_TRANSFORMER, _ghosts),
}
_FACTS: Mapping[str, Callable[[Machine], Iterator[Table]]] = {
    "fugaku": _fugaku_facts,
    "triton": _triton_facts,
    "xt6": _xt6_facts,
    "jaguar": _jaguar_facts,
    **dict.fromkeys(_ARRAY_TRANSFORMER, _ghosts_facts),
}
