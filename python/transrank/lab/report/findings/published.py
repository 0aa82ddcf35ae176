# SPDX-License-Identifier: BSD-3-Clause
"""What published numbers say: sentences and tables, computed from what the sources print.

For `transrank show MACHINE`, and below the questions of a page that shows the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from transrank.lab import units
from transrank.lab.reference.machine import Machine, ReferencePoint, read_table
from transrank.lab.report.findings import esmf, fugaku
from transrank.lab.report.findings.source_table import Sentences, source_table
from transrank.lab.report.phrases import joined
from transrank.lab.report.tables import NOTHING, Column, Row, Table
from transrank.lab.stats.locality import Worker, by_link, penalties

GUIDE_LINKS = {
    "local": "own",
    "neighbour_die_same_processor": "neighbor",
    "counterpart_die_other_processor": "counterpart",
    "diagonal_die_other_processor": "diagonal",
}


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


# Triton


def _triton(machine: Machine) -> Sentences:
    for text in _send_modes(machine):
        yield "send-modes", text
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


def _send_modes(machine: Machine) -> Iterator[str]:
    points = {
        (str(p.axes["routine"]), p.nodes): p for p in machine.of_study("send-modes") if p.bytes
    }
    size = next(iter(points.values())).bytes or 0
    bsend, send, both = (
        [points[routine, nodes].seconds for nodes in (1, 2)]
        for routine in ("bsend", "send", "sendrecv")
    )
    more = [one - other for one, other in zip(bsend, send, strict=True)]
    rates = sorted(size / each for each in more)
    yield (
        f"MPI_Bsend takes {' and '.join(map(units.format_seconds, more))} longer than MPI_Send for "
        f"{size:,} bytes on one node and on two: as long as one more copy at "
        f"{units.format_rate(rates[0])} to {units.format_rate(rates[1])}. Its jump near 10,000 "
        "bytes was only plotted, so the printed numbers do not tell its cause."
    )
    yield (
        f"MPI_Sendrecv, the fastest as the source counts, moves two messages in "
        f"{' and '.join(map(units.format_seconds, both))}; MPI_Send moves one in "
        f"{' and '.join(map(units.format_seconds, send))}."
    )
    rate = {key: point.bytes_counted / point.seconds for key, point in points.items()}
    inside = sorted(
        rate[routine, 1] / rate[routine, 2] for routine in ("bsend", "send", "sendrecv")
    )
    source = {row["parameter"]: row["value"] for row in read_table("advection_parameters.csv")}
    link = float(source["network_throughput_quoted"]) / 8 * 1e9
    # Of MPI_Sendrecv's two messages one goes in each direction.
    most = max(
        each / (2 if routine == "sendrecv" else 1)
        for (routine, nodes), each in rate.items()
        if nodes == 2
    )
    yield (
        f"Within a node the rates are {inside[0]:.2f} to {inside[-1]:.2f} times those between two; "
        f"between two, the most that goes in one direction, {units.format_rate(most)}, is "
        f"{units.format_percent(most / link)} of the {units.format_rate(link)} that the source "
        "gives for the link."
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
    yield source_table(
        "What the source says of its advection and of its messages",
        "advection_parameters.csv",
        {"parameter": "parameter", "value": "value", "unit": "unit", "source_note": "where"},
    )


# HECToR


def _xt6(machine: Machine) -> Sentences:
    workers = guide_workers([point for point in machine.points if point.axes["figure"] == 3])
    for one in penalties(by_link(workers)):
        verdict = "takes longer" if one.share > 0 else "takes less time"
        if not one.real:
            verdict = "cannot be told apart"
        yield (
            "locality",
            f"{one.far.capitalize()} memory beside {one.near} memory {verdict} "
            f"(p = {one.p_value:.2g}).",
        )
    yield from _contention(machine)


def _contention(machine: Machine) -> Sentences:
    del machine
    yield (
        "contention",
        "Which dies suffer from messages between two nodes was only plotted (figure 5): the source "
        "sees dies 0 and 4 slowed while others exchange, and its numbers cannot be tested. "
        "`transrank measure contention` tests the same on other nodes.",
    )


def _xt6_facts(machine: Machine) -> Iterator[Table]:
    rows = []
    for figure in (2, 3):
        workers = guide_workers([p for p in machine.points if p.axes["figure"] == figure])
        for link, found in by_link(workers).items():
            mean, deviation = (f"{value:.3f} s" for value in (found.mean(), found.std(ddof=1)))
            rows.append(Row((str(figure), link, str(len(found)), mean, deviation), "published"))
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
    jobs = (Column("ranks"), Column("nodes"))
    columns = (*jobs, *(Column(f"vdim {vdim}") for vdim in vdims))
    yield Table("What all ranks receive together", columns, tuple(rows))
    printed: dict[tuple[str, str], list[str]] = {}
    for each in read_table(*machine.tables):
        if each["machine"].lower() != machine.name:
            continue
        rate = units.format_rate(float(each["bandwidth_per_rank_bytes_per_s"]))
        job = f"{int(each['ranks']):,}", f"{int(each['nodes']):,}"
        time = f"{float(each['time_ms']):,g}" if each["time_ms"] else NOTHING
        printed.setdefault(job, []).extend((rate, time))
    columns = (*jobs, *(Column(name) for vdim in vdims for name in (f"vdim {vdim}", "ms")))
    yield Table(
        "What each rank receives, and the time of an update in ms where it was printed",
        columns,
        tuple(Row((*job, *cells), "published") for job, cells in printed.items()),
    )


def _totals(machine: Machine) -> list[tuple[int, int, dict[int, float]]]:
    """Ranks, nodes, and the bytes per second of all ranks by vdim."""
    found: dict[tuple[int, int], dict[int, float]] = {}
    for point in machine.points:
        if point.rate is not None:
            row = found.setdefault((point.ranks, point.nodes), {})
            row[int(point.axes["vdim"])] = point.rate * point.ranks
    return [(*job, row) for job, row in sorted(found.items())]


_ARRAY_TRANSFORMER = ("gs", "thtj", "thtj1", "bscc-a")
_FINDINGS: Mapping[str, Callable[[Machine], Sentences]] = {
    "fugaku": fugaku.sentences,
    "triton": _triton,
    "xt6": _xt6,
    "jaguar": esmf.jaguar,
    "columbia": esmf.columbia,
    **dict.fromkeys(_ARRAY_TRANSFORMER, _ghosts),
}
_FACTS: Mapping[str, Callable[[Machine], Iterator[Table]]] = {
    "fugaku": fugaku.tables,
    "triton": _triton_facts,
    "xt6": _xt6_facts,
    "jaguar": esmf.jaguar_tables,
    "columbia": esmf.columbia_tables,
    **dict.fromkeys(_ARRAY_TRANSFORMER, _ghosts_facts),
}
