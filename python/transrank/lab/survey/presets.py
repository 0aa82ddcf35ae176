# SPDX-License-Identifier: BSD-3-Clause
"""What the survey measures: everything, or in a quick one as few cases as can be precise.

The interval of three launches reaches 2.5 standard deviations to either side, that of eight 0.8.
On an ordinary machine time is therefore better spent on launches than on cases.
"""

from __future__ import annotations

from collections.abc import Sequence

from transrank.lab.machine.topology import Cache
from transrank.lab.study import catalogue
from transrank.lab.study.catalogue import Study
from transrank.lab.survey.plan import Selection, join, select

# The promise is three minutes; the rest is for starting, checking and writing the report.
QUICK_SECONDS = 150.0
QUICK_JOB_STARTS = 3
# The smallest message of a quick survey; shorter ones take as long.
LEAST_BYTES = 8
# Measured time per case and launch, which is enough: the spread is between launches.
CASE_SECONDS = 0.03

# Arrays that a copying kernel holds at once: STREAM's triad has the most.
COPIED_ARRAYS = 3


def full() -> tuple[Selection, ...]:
    """Return every case of every study that surveys measure."""
    return select([study.name for study in _surveyed()], None, {})


def quick(caches: Sequence[Cache] = ()) -> tuple[Selection, ...]:
    """Return few sizes of every study, and of its axes the values that its description names.

    Memory is copied in the first and the last of the `caches`, as far as they are known, and beyond
    them.
    """
    return join(_quick(study, caches) for study in _surveyed())


def _surveyed() -> list[Study]:
    return [study for study in catalogue.studies().values() if study.surveyed]


def _quick(study: Study, caches: Sequence[Cache]) -> Selection:
    axes = [(name, ",".join(values)) for name, values in study.quick.items()]
    selection = Selection((study.name,), None, tuple(axes))
    if not study.sizes:
        return selection
    every = [size for size in _sizes(selection) if size >= LEAST_BYTES]
    sizes = spread(every, study.quick_sizes)
    if study.name == "memory-copy" and caches:
        sizes = by_cache(every, caches)
    return Selection((study.name,), ",".join(str(size) for size in sizes), tuple(axes))


def _sizes(selection: Selection) -> list[int]:
    """Return the sizes that all curves of a selection have in common."""
    curves: dict[tuple[tuple[str, str | int], ...], set[int]] = {}
    for case in catalogue.list_cases(selection.arguments(), ranks=2):
        size = case.axes.get("bytes")
        if isinstance(size, int):
            rest = tuple((name, value) for name, value in case.axes.items() if name != "bytes")
            curves.setdefault(rest, set()).add(size)
    return sorted(set.intersection(*curves.values())) if curves else []


def by_cache(sizes: Sequence[int], caches: Sequence[Cache]) -> list[int]:
    """Return the largest size that fits the first cache, that fits the last, and the largest.

    `sizes` are bytes of one array, in order.
    """
    bytes_of = {cache.level: cache.bytes for cache in caches if cache.kind != "instruction"}
    levels = sorted(bytes_of)
    chosen = {sizes[-1]}
    for level in {*levels[:1], *levels[-1:]}:
        fitting = [size for size in sizes if COPIED_ARRAYS * size <= bytes_of[level]]
        chosen.update(fitting[-1:])
    return sorted(chosen)


def spread(values: Sequence[int], count: int) -> list[int]:
    """Return at most `count` of `values`, evenly spread, with the first and the last of them."""
    if len(values) <= count:
        return list(values)
    steps = max(count - 1, 1)
    places = {round(step * (len(values) - 1) / steps) for step in range(count)}
    return [values[place] for place in sorted(places)]
