# SPDX-License-Identifier: BSD-3-Clause
"""Which alltoall is fastest, and does MPI choose it? Curves, and sizes where it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from transrank.lab import units
from transrank.lab.reference.tables import machine
from transrank.lab.report.curves import arrange
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.quantity import RATE, TIME
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import joined
from transrank.lab.report.published import source_of
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape
from transrank.lab.view.kinds import BYTES, SECONDS, WORDS
from transrank.lab.view.table import NOTHING, Column, Table

DEFAULT, FORCED, AUTO = "mpi", "mpi-", "auto"

CAPTION = (
    "Time of the slowest rank from a common start, over the size of the block from one rank to "
    "another. `mpi` is MPI_Alltoall by the library's choice, `mpi-…` are algorithms that it can be "
    "made to use, and the others are transrank's. The figure shows the default and the algorithms "
    "that are fastest at most sizes. Bands are 95 % intervals over launches. A rate is of the "
    "bytes of a rank's blocks for all ranks, itself included."
)
THROUGHPUT_CAPTION = (
    "The bytes of a rank's blocks for all ranks, itself included, per second of MPI's choice: a "
    "curve per number of ranks. In Fugaku's source the throughput falls with the number "
    "of nodes."
)
SOURCE = "fugaku"
OWN = "own"
KINDS = {OWN: "transrank's", "forced": "the library's own"}


@dataclass(frozen=True, slots=True)
class Rival:
    """The fastest algorithm of a kind at a size, and the default's time over its time."""

    size: int
    algorithm: str
    gain: Estimate | None

    @property
    def wins(self) -> bool:
        """Whether the default is slower beyond the interval."""
        return self.gain is not None and self.gain.low is not None and self.gain.low > 1


Sizes = dict[int, dict[str, CaseResult]]


def _throughput(context: Context) -> Iterator[Figure | None]:
    """MPI's choice over the size with a curve per shape; None where fewer than two have one."""
    chosen = [
        (name, [result for result in found if result.axes["algorithm"] == DEFAULT])
        for name, found in context.results_of(STUDY.name)
    ]
    groups = arrange(chosen, context.palette, lambda result: f"{result.axes['arrays']} memory")
    several = [group for group in groups if len(group.curves) > 1]
    yield curve_figure("alltoall-throughput", several, RATE, THROUGHPUT_CAPTION)


def rivals(sizes: Sizes, kind: str) -> list[Rival]:
    """The fastest algorithm of a kind beside the default, at each size that has both.

    If only transrank's choice was measured, not the algorithms, it stands for these.
    """
    found = []
    for size, algorithms in sorted(sizes.items()):
        default = algorithms.get(DEFAULT)
        of_kind = {name: each for name, each in algorithms.items() if kind_of(name) == kind}
        if kind == OWN and not of_kind and AUTO in algorithms:
            of_kind = {AUTO: algorithms[AUTO]}
        if default is not None and of_kind:
            best = min(of_kind, key=lambda name: of_kind[name].seconds)
            found.append(Rival(size, best, ratio_of(of_kind[best], default)))
    return found


def kind_of(algorithm: str) -> str:
    """The kind of an algorithm: `own`, `forced` or `default`; '' for `auto`, which uses others."""
    if algorithm in (DEFAULT, AUTO):
        return "default" if algorithm == DEFAULT else ""
    return "forced" if algorithm.startswith(FORCED) else OWN


def _places(run: Measured) -> dict[tuple[Shape, str], Sizes]:
    """The measured algorithms by shape and memory, then by size."""
    places: dict[tuple[Shape, str], Sizes] = {}
    for result in run.of_study(STUDY.name):
        if result.headline is not None and result.bytes:
            place = (result.shape, result.text("arrays"))
            sizes = places.setdefault(place, {})
            sizes.setdefault(result.bytes, {})[str(result.axes["algorithm"])] = result
    return places


def _defaults(run: Measured) -> Iterator[tuple[str, Sizes]]:
    """The places with the default, by their words."""
    for (shape, memory), sizes in _places(run).items():
        if any(DEFAULT in algorithms for algorithms in sizes.values()):
            yield f"{shape}, {memory} memory", sizes


def _said(run: Measured) -> list[str]:
    return [text for place, sizes in _defaults(run) for text in _answer(place, sizes)]


def _tables(context: Context) -> Iterator[Table]:
    for run in context.runs:
        for place, sizes in _defaults(run):
            yield _table(context.titled(run, place), sizes)


def _answer(title: str, sizes: Sizes) -> list[str]:
    sentences = []
    for kind, whose in KINDS.items():
        found = rivals(sizes, kind)
        regions = _regions(found)
        if regions:
            faster = joined([_region_text(region) for region in regions])
            sentences.append(f"{title}: the library's choice is beaten by {whose} {faster}.")
        elif any(rival.gain is not None for rival in found):
            sentences.append(
                f"{title}: none of {whose} algorithms is faster than the library's choice beyond "
                "the interval."
            )
    return sentences


def _regions(found: Sequence[Rival]) -> list[list[Rival]]:
    """Neighboring sizes at which the default is beaten beyond the interval."""
    regions: list[list[Rival]] = [[]]
    for rival in found:
        if rival.wins:
            regions[-1].append(rival)
        elif regions[-1]:
            regions.append([])
    return [region for region in regions if region]


def _region_text(region: Sequence[Rival]) -> str:
    names = joined([f"`{name}`" for name in dict.fromkeys(each.algorithm for each in region)])
    ranked = sorted(region, key=lambda each: each.gain.value if each.gain is not None else 0)
    first, last = units.format_bytes(region[0].size), units.format_bytes(region[-1].size)
    where = f"for blocks of {first}" if first == last else f"for blocks of {first} to {last}"
    least, most = _times(ranked[0]), _times(ranked[-1])
    times = f"{least} times" if len(region) == 1 else f"{least} to {most} times"
    return f"{names} {where}, {times} as fast"


def _table(title: str, sizes: Sizes) -> Table:
    by_kind = {
        kind: {each.size: each for each in found}
        for kind in KINDS
        if (found := rivals(sizes, kind))
    }
    columns = [Column("block", BYTES), Column("MPI's choice", SECONDS)]
    for kind in by_kind:
        columns += [Column(f"fastest of {KINDS[kind]}", WORDS), Column("MPI's choice / it")]
    rows = []
    for size, algorithms in sorted(sizes.items()):
        if DEFAULT in algorithms:
            best = [of_kind.get(size) for of_kind in by_kind.values()]
            named = [(r.algorithm, _times(r)) if r else (None, None) for r in best]
            rows.append((size, algorithms[DEFAULT].seconds, *chain.from_iterable(named)))
    return Table(f"Alltoall, {title}", columns, rows)


def _times(rival: Rival) -> str:
    gain = rival.gain
    if gain is None:
        return NOTHING
    if gain.low is None or gain.high is None:
        return f"{gain.value:.2f}"
    return f"{gain.value:.2f} ({gain.low:.2f} to {gain.high:.2f})"


STUDY = Study(
    "alltoall-algorithms",
    "Which alltoall is fastest, and does MPI choose it?",
    CAPTION,
    "alltoall",
    way=("algorithm",),
    where=lambda result: f"{result.text('arrays')} memory",
    baseline=(DEFAULT,),
    quantities=(TIME, RATE),
    said=_said,
    figures=_throughput,
    tables=_tables,
    sources=lambda context: (source_of(machine(SOURCE), ("alltoall-algorithms",)),),
)
