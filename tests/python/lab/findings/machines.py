# SPDX-License-Identifier: BSD-3-Clause
"""Machines that never were, as rules see them: of known times, measured or printed with an error.

Every operation keeps to all guidelines, many of them just so; faults are factors of some times.
"""

from collections.abc import Callable

import numpy as np

from transrank.lab.findings.values import Numbers, Start, Value
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import combine, t_quantile
from transrank.lab.store.lines import Shape

SIZES = [2**power for power in range(2, 14)]
LAUNCHES = 8
Fault = Callable[[str, int, int], float]


def sound(name: str, size: int, ranks: int) -> float:
    """No fault: a factor of 1 for all operations, sizes and ranks."""
    del name, size, ranks
    return 1.0


def machine(random: np.random.Generator, printed: bool, fault: Fault = sound) -> Numbers:
    """A machine of random speed, whose numbers are off by a random error of a few percent."""
    start, byte = 10 ** random.uniform(-6.5, -5), 10 ** random.uniform(-11, -8.5)
    noise = 0.025 if printed else random.uniform(0.005, 0.1)
    values = []

    def add(study: str, ranks: int, seconds: float, **axes: str | int) -> None:
        name = str(axes.get("operation", axes.get("routine", study)))
        true = seconds * fault(name, int(axes.get("bytes", 0)), ranks)
        values.append(_value(random, study, axes, Shape(ranks), true, noise, printed))

    for ranks in (16, 128):
        for size in SIZES:
            message = start + byte * size
            for study, times in (("pingpong", 1), ("pingping", 1.2), ("exchange", 1.5)):
                add(study, ranks, times * message, bytes=size)
            for operation, times in _collectives(ranks, size, start, byte):
                axes = {"operation": operation, "form": "blocking", "bytes": size}
                add("collectives", ranks, times, **axes)
        add("ghost", ranks, 20 * start, vdim=6)
        add("plan-scaling", ranks, 10 * start, plan_ranks=ranks)
    for size in SIZES:
        message = start + byte * size
        add("send-modes", 2, message, routine="send", bytes=size)
        add("send-modes", 2, message + byte * size, routine="bsend", bytes=size)
        add("memory-copy", 2, byte * size, kernel="memcpy", active="alone", bytes=size)
    jobs = [(ranks, shape) for ranks in (16, 128, 1024) for shape in "ab" for _ in range(4)]
    times = np.exp(random.normal(0, noise, len(jobs)))
    starts = [Start(*job, float(t), 2 * float(t)) for job, t in zip(jobs, times, strict=True)]
    links = {link: np.exp(random.normal(0, noise, 4)) for link in ("own", "neighbor")}
    return Numbers(values, starts, [links])


def _collectives(ranks: int, size: int, start: float, byte: float) -> list[tuple[str, float]]:
    """Trees of messages, and what is as cheap as its dearest stand-in allows."""
    tree = np.log2(ranks) * start
    one, all_ = tree + 2 * byte * size, tree + byte * size * ranks
    return [
        *(("bcast", one), ("reduce", one), ("allreduce", 2 * one), ("scan", one)),
        *((name, all_) for name in ("scatter", "scatterv", "gather", "gatherv")),
        *((name, 1.5 * all_) for name in ("allgather", "allgatherv")),
        *((name, 2 * all_) for name in ("alltoall", "alltoallv", "alltoallw")),
    ]


def _value(
    random: np.random.Generator,
    study: str,
    axes: dict[str, str | int],
    shape: Shape,
    seconds: float,
    noise: float,
    printed: bool,
) -> Value:
    if printed:
        return Value(study, axes, shape, seconds * float(np.exp(random.normal(0, noise))))
    times = seconds * np.exp(random.normal(0, noise, LAUNCHES))
    mean = combine([Estimate(float(time)) for time in times])
    assert mean.low is not None
    assert mean.high is not None
    error = float(np.log(mean.high / mean.low)) / (2 * t_quantile(LAUNCHES - 1))
    launches = dict(enumerate(times.tolist()))
    return Value(study, axes, shape, mean.value, error, LAUNCHES - 1, launches)
