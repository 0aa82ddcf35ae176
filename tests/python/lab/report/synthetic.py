# SPDX-License-Identifier: BSD-3-Clause
"""Record files of machines that never were, read back as runs, and questions asked of them.

Times follow Hockney's model with a known start-up time, rate and protocol step, times a log-normal
factor per launch and per sample, so that a test knows what the page must say.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from support import recorded
from transrank.lab.report.measured import Measured, measure_up
from transrank.lab.report.palette import Palette
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.store.records import Run, read_run
from transrank.lab.units import format_size

Axes = Mapping[str, str | int]
Shapes = Sequence[tuple[int, int]]  # ranks, and how many of them on a node
DISTURBED = 2
SIZES = (0, *(2**power for power in range(23)))
SEND_MODE_SIZES = tuple(dict.fromkeys(round(10 ** (5 * i / 49)) for i in range(50)))


MACHINE: dict[str, Any] = {
    "host": "node17",
    "cpu": "Example Processor 7, 2.4 GHz",
    "packages": 1,
    "numa_nodes": 1,
    "cores": 8,
    "threads_per_core": 2,
    "caches": [
        {"level": 1, "kind": "data", "bytes": 32768, "instances": 8, "shared_by": 2},
        {"level": 2, "kind": "unified", "bytes": 1 << 20, "instances": 8, "shared_by": 2},
        {"level": 3, "kind": "unified", "bytes": 32 << 20, "instances": 1, "shared_by": 16},
    ],
    "memory": {
        "total_bytes": 64 << 30,
        "available_bytes": 61 << 30,
        "shared_memory_bytes": 32 << 30,
        "transparent_huge_pages": "madvise",
    },
    "kernel": "6.1.0-18-amd64",
    "virtualisation": None,
    "clock_source": "tsc",
    "governor": "performance",
    "turbo": False,
    "load": {"busy_cores": 0.02},
}


@dataclass
class Link:
    """Time of a message: start-up plus bytes over rate, and more from `step_bytes` on."""

    startup: float = 8e-7
    rate: float = 9e9
    step_bytes: int = 16384
    step_seconds: float = 1.6e-6

    def seconds(self, size: int) -> float:
        return self.startup + size / self.rate + (size >= self.step_bytes) * self.step_seconds


@dataclass
class Survey:
    """Builds the record of one run."""

    run: str = "20261120-101500-ab12"
    label: str | None = None
    seed: int = 1
    launches: int = 3
    samples: int = 40
    slower: float = 1.0
    noise: float = 0.006
    lines: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.shapes: list[tuple[int, int]] = []

    def launch_numbers(self, ranks: int, per_node: int) -> range:
        """The launches of a shape: their numbers are unique in the run."""
        if (ranks, per_node) not in self.shapes:
            self.shapes.append((ranks, per_node))
        first = self.launches * self.shapes.index((ranks, per_node))
        return range(first, first + self.launches)

    def header(self, **changed: Any) -> dict[str, Any]:
        line = recorded.header(
            run=self.run,
            label=self.label,
            command=["transrank", "survey", "--quick", "--seed", str(self.seed)],
            seed=self.seed,
            placement=self.placement(2),
            machine=MACHINE,
        )
        line["options"] |= {"precision": 0.02, "launches": self.launches}
        return {**line, **changed}

    def placement(self, ranks: int, per_node: int = 0) -> dict[str, Any]:
        hosts = -(-ranks // per_node) if per_node else 1
        return {
            "hosts": [f"node{17 + host}" for host in range(hosts)],
            "rank_host": [rank * hosts // ranks for rank in range(ranks)],
            "binding": [str(rank) for rank in range(ranks)],
            "cores": list(range(ranks)),
        }

    def launch_line(self, launch: int, ranks: int, per_node: int) -> dict[str, Any]:
        shape = {"ranks": ranks, "ranks_per_node": per_node}
        return recorded.launch(launch, shape=shape, placement=self.placement(ranks, per_node))

    def measured(
        self,
        study: str,
        axes: Axes,
        seconds: float,
        bytes_counted: float = 0.0,
        ranks: int = 2,
        per_node: int = 0,
        **changed: Any,
    ) -> None:
        """Add one case, measured in every launch."""
        for launch in self.launch_numbers(ranks, per_node):
            self.lines.append(
                self._case(study, axes, launch, ranks, per_node)
                | self._samples(seconds, ranks)
                | {"bytes_counted": bytes_counted}
                | changed
            )

    def lacking(
        self, study: str, axes: Axes, status: str, reason: str, ranks: int = 2, per_node: int = 0
    ) -> None:
        """Add one case that was skipped or failed in every launch."""
        for launch in self.launch_numbers(ranks, per_node):
            case = self._case(study, axes, launch, ranks, per_node)
            self.lines.append({**case, "status": status, "reason": reason})

    def write(self, path: Path, **header: Any) -> Path:
        """Write the record with the launches of its cases."""
        shapes = {
            (line["launch"], line["shape"]["ranks"], line["shape"]["ranks_per_node"])
            for line in self.lines
            if line["kind"] == "case"
        }
        launches = [self.launch_line(*shape) for shape in sorted(shapes)]
        return recorded.write(path, [self.header(**header), *launches, *self.lines])

    def read(self, folder: Path, **header: Any) -> Run:
        """Write the record into a folder, and read it."""
        return read_run(self.write(folder / f"{self.run}.jsonl", **header))

    def _case(
        self, study: str, axes: Axes, launch: int, ranks: int, per_node: int
    ) -> dict[str, Any]:
        return {
            "kind": "case",
            "study": study,
            "case": "/".join([study, *map(_spelt, axes.values())]),
            "axes": dict(axes),
            "launch": launch,
            "shape": {"ranks": ranks, "ranks_per_node": per_node},
            "status": "ok",
        }

    def _samples(self, seconds: float, ranks: int) -> dict[str, Any]:
        of_launch = seconds * self.slower * self.random.lognormal(0, 2 * self.noise)
        taken = of_launch * self.random.lognormal(0, self.noise, self.samples)
        flags = (self.random.random(self.samples) < 0.03) * DISTURBED
        taken = np.where(flags > 0, taken * 6, taken)
        flags[0] = 1
        median = float(np.median(taken))
        return {
            "stop": "precise",
            "timing": "bulk",
            "clocks": "all",
            "batch": 64,
            "measuring_seconds": 0.05,
            "verified": 4096,
            "samples": {
                "seconds": taken.tolist(),
                "fastest": (0.93 * taken).tolist(),
                "flags": flags.tolist(),
                "rounds": [self.samples // 4] * 4,
            },
            "ranks": {
                "median": [median] * ranks,
                "minimum": [float(taken.min())] * ranks,
                "mean": [float(taken[1:].mean())] * ranks,
            },
        }


def _spelt(value: str | int) -> str:
    return value if isinstance(value, str) else format_size(value)


def add_point_to_point(
    survey: Survey, link: Link, sizes: Iterable[int] = SIZES, shapes: Shapes = ((2, 0),)
) -> None:
    for ranks, per_node in shapes:
        between = 2.2 if per_node == 1 else 1.0
        for size in sizes:
            seconds = between * link.seconds(size)
            for study, factor, counted in (
                ("pingpong", 1.0, 1),
                ("pingping", 1.15, 1),
                ("sendrecv", 1.3, 2),
                ("exchange", 2.3, 4),
            ):
                if study in ("pingpong", "pingping") and ranks > 2:
                    continue
                survey.measured(
                    study, {"bytes": size}, factor * seconds, counted * size, ranks, per_node
                )


def add_bandwidth(survey: Survey, link: Link, sizes: Iterable[int] = SIZES[1:]) -> None:
    for size in sizes:
        seconds = 2e-7 + size / (1.2 * link.rate)
        axes = {"window": 64, "bytes": size}
        survey.measured("bandwidth", axes, seconds, size)
        survey.measured("bidirectional-bandwidth", axes, 1.2 * seconds, 2 * size)
        for ranks in (2, 4):
            axes = {"pairs": ranks // 2, "bytes": size}
            survey.measured("message-rate", axes, 0.9 * seconds, ranks // 2 * size, ranks)


def add_send_modes(
    survey: Survey,
    link: Link,
    shapes: Shapes = ((2, 0), (2, 1)),
    sizes: Iterable[int] = SEND_MODE_SIZES,
) -> None:
    for ranks, per_node in shapes:
        between = 2.0 if per_node == 1 else 1.0
        for size in sizes:
            for routine, startup, rate in (
                ("send", 1.0, 1.0),
                ("bsend", 0.8, 0.55),
                ("ssend", 1.7, 1.05),
                ("isend", 1.08, 1.0),
                ("persistent", 0.97, 1.02),
                ("sendrecv", 1.4, 0.9),
            ):
                seconds = between * (startup * link.startup + size / (rate * link.rate))
                axes = {"routine": routine, "bytes": size}
                survey.measured("send-modes", axes, seconds, size, ranks, per_node)


OPERATIONS = (
    ("allreduce", 2.0), ("reduce", 1.2), ("allgather", 1.5), ("allgatherv", 1.6),
    ("gather", 1.1), ("gatherv", 1.3), ("scatter", 1.0), ("scatterv", 1.4),
    ("alltoall", 1.9), ("alltoallv", 2.1), ("bcast", 0.9), ("barrier", 0.8),
)  # fmt: skip


def add_collectives(
    survey: Survey,
    link: Link,
    shapes: Shapes = ((2, 0), (4, 0), (8, 0)),
    operations: Sequence[tuple[str, float]] = OPERATIONS,
    sizes: Sequence[int] = SIZES,
) -> None:
    for ranks, per_node in shapes:
        for operation, factor in operations:
            depth = np.log2(ranks) * factor
            for form, more in (("blocking", 1.0), ("nonblocking", 1.15)):
                axes: dict[str, str | int] = {"operation": operation, "form": form}
                if operation == "barrier":
                    survey.measured("collectives", axes, depth * more * 6e-7, 0, ranks, per_node)
                    continue
                for size in _sizes_of(operation, sizes):
                    point = {**axes, "bytes": size}
                    if operation == "alltoall" and size * ranks > 2**24:
                        reason = f"needs {2 * size * ranks} bytes of memory per process"
                        survey.lacking("collectives", point, "skipped", reason, ranks, per_node)
                    else:
                        seconds = depth * more * link.seconds(size)
                        survey.measured("collectives", point, seconds, size, ranks, per_node)


def _sizes_of(operation: str, sizes: Iterable[int]) -> list[int]:
    return [size for size in sizes if size == 0 or size >= 4 or "reduce" not in operation]


def add_launch(survey: Survey, counts: Sequence[int] = (2, 4, 8)) -> None:
    for ranks in counts:
        for stamp, seconds in (("plain", 0.09), ("init", 0.21)):
            survey.measured("launch", {"stamp": stamp}, seconds * (1 + 0.05 * ranks), ranks=ranks)


def add_memory_copy(survey: Survey, rate: float = 1.3e10, ranks: int = 8) -> None:
    for size in (1 << power for power in range(12, 29, 2)):
        in_cache = 3.0 if size <= 1 << 20 else 1.0
        for kernel, factor in (("memcpy", 1.0), ("nontemporal", 1.25), ("triad", 1.1)):
            for active, cores in (("alone", 1), ("together", ranks)):
                share = in_cache if active == "alone" else 0.33 * in_cache
                axes = {"kernel": kernel, "active": active, "bytes": size}
                seconds = size / (rate * factor * share)
                survey.measured("memory-copy", axes, seconds, cores * size, ranks)


def advected(points: int, error: float) -> dict[str, Any]:
    """What a case of advection-solution computes on so many points."""
    x = (np.arange(points) + 0.5) * 2 * np.pi / points
    field = {"extents": [points, points], "values": [0.0] * (points * points)}
    return {
        "values": {
            "steps": 100.0,
            "error_mean": error,
            "error_largest": 2 * error,
            "mass_before": 1.0,
            "mass_after": 1.0,
        },
        "series": {"profile_computed": list(np.sin(x) - error), "profile_exact": list(np.sin(x))},
        "fields": {"before": field, "after": field, "exact": field},
    }


def small_survey(**options: Any) -> Survey:
    """Every study with few sizes; a skipped, a failed, a wide case and one of two groups."""
    survey = Survey(**options)
    link = Link()
    sizes = (0, 8, 64, 1024, 8192, 65536, 1 << 20)
    add_point_to_point(survey, link, sizes)
    add_bandwidth(survey, link, sizes[1:])
    add_send_modes(survey, link, ((2, 0), (2, 1)), (*SEND_MODE_SIZES[::8], 100_000))
    add_collectives(
        survey, link, ((2, 0), (4, 0)), (OPERATIONS[0], OPERATIONS[8], OPERATIONS[-1]), sizes
    )
    add_launch(survey, (2, 4))
    add_memory_copy(survey)
    survey.lacking("exchange", {"bytes": 1 << 23}, "failed", "wrong byte at position 17")
    survey.lacking("alltoall-like", {"bytes": 1 << 30}, "skipped", "needs 4 GiB of memory")
    survey.noise = 0.12
    survey.measured("exchange", {"bytes": 3 << 20}, 2e-3, 12 << 20, stop="max-time")
    return survey


# Steps of each case of advection below.
ITERATIONS = 10


def every_study(**options: Any) -> Survey:
    """The small survey, and a few cases of each study that it lacks."""
    survey = small_survey(**options)
    survey.noise = 0.01
    for index, way in enumerate(("auto", "memcpy-once", "mpi-packed")):
        for phase in ("run", "store"):
            axes = {"grid": "64x128x16", "scale": 1, "phase": phase, "way": way}
            survey.measured("redistribute", axes, (2 + index) * 1e-4, 2.0**23)
        ghosts = {"pattern": "corrected", "vdim": 6, "mode": "used"}
        transport = ("auto", "floor", "mpi-packed")[index]
        survey.measured("ghost", {**ghosts, "transport": transport}, (3 + index) * 1e-5, 294912.0)
        domain = {"scheme": "first-order", "processes": "even", "velocity": "++", "points": 100}
        domain |= {"iterations": ITERATIONS, "transport": ("none", "auto", "memcpy")[index]}
        survey.measured("advection", {**domain, "overlap": "no"}, (4 + index) * 1e-4)
        alltoall = {"algorithm": ("mpi", "auto", "bruck")[index], "arrays": "shared", "bytes": 64}
        survey.measured("alltoall-algorithms", alltoall, (5 + index) * 1e-6, 128.0)
        plan = {"dimensions": 2, "blocks": "regular", "routes": "one"}
        survey.measured("plan-scaling", {**plan, "plan_ranks": 32**index}, (6 + index) * 1e-6)
        contention = {"domain_ranks": 1, "traffic": ("none", "0-1", "0-2")[index], "bytes": 1 << 20}
        survey.measured("contention", contention, (7 + index) * 1e-3, 1e6, 4, 2, timing="own")
    axes = {"kernel": "latency", "arrangement": "own", "order": 500}
    survey.measured("locality", axes, 3e-8)
    for line in survey.lines:
        if line["study"] == "locality":
            names = ("toucher", "domain", "package", "data_domain", "pages_elsewhere")
            line["memory"] = {name: [0, 0] for name in (*names, "pages_unknown")}
            line["memory"] |= {"toucher": [0, 1], "link": ["own"] * 2, "pages": [9, 9]}
    return survey


def one_case(**options: Any) -> Survey:
    survey = Survey(**options)
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    return survey


def measured(run: Run) -> Measured:
    return measure_up([run])[0]


def context(*runs: Run) -> Context:
    return Context(tuple(measure_up(runs)), Palette())


def answer(ask: Callable[[Context], Question | None], *runs: Run) -> str:
    """The sentences with which a question is answered."""
    return " ".join(ask(context(*runs)).answer)
