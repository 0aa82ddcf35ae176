# SPDX-License-Identifier: BSD-3-Clause
"""Which numbers of ranks are measured, and how many of them on a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transrank.errors import UsageError
from transrank.lab.launch.launcher import Capacity, Launcher
from transrank.lab.launch.launchers import Srun
from transrank.lab.launch.template import Template
from transrank.lab.store.records import Shape
from transrank.lab.units import counted

# More ranks than that on a core are rather a mistyped number than a wish.
MOST_RANKS_PER_CORE = 4
# Variables by which mpiexec starts ranks on hosts that transrank knows nothing of.
HOST_LISTS = (
    "HYDRA_HOST_FILE",
    "I_MPI_HYDRA_HOST_FILE",
    "OMPI_MCA_orte_default_hostfile",
    "PRTE_MCA_prte_default_hostfile",
)


def refuse_crowds(
    wanted: Sequence[Shape], launcher: Launcher, in_a_job: bool, environment: Mapping[str, str]
) -> None:
    """Refuse shapes that put more than MOST_RANKS_PER_CORE ranks on each core of a node.

    All are accepted where the cores are not known before the launch: a template, an srun that asks
    for a job of its own, a list of hosts in the environment.

    Raises UsageError: with the numbers of ranks and cores.
    """
    elsewhere = isinstance(launcher, Template) or (isinstance(launcher, Srun) and not in_a_job)
    if elsewhere or any(name in environment for name in HOST_LISTS):
        return
    capacity = launcher.capacity
    cores = capacity.cores_per_node
    most = MOST_RANKS_PER_CORE * cores
    for shape in wanted:
        crowd = capacity.ranks_per_node(shape)
        if crowd > most:
            raise UsageError(
                f"{shape}: {crowd:,} ranks on {counted(cores, 'core')} of a "
                f"node are more than {MOST_RANKS_PER_CORE} for each core",
                f"-n {cores * capacity.nodes} gives each rank a core, -n {most * capacity.nodes} "
                "is the most; for more, ask the batch system for more nodes (transrank script), or "
                "add --oversubscribe and measure how ranks wait for cores",
            )


def shapes(
    ranks: Sequence[int], ranks_per_node: Sequence[int], launcher: Launcher
) -> tuple[tuple[Shape, ...], tuple[tuple[str, str], ...]]:
    """Return every combination that there are nodes for, and of the others (why not, what to do).

    `ranks_per_node` may be empty: as the launcher likes. A template may know of nodes that
    transrank does not see: all its combinations are taken.

    Raises UsageError: no combination is left.
    """
    found: list[Shape] = []
    left_out: list[tuple[str, str]] = []
    for per_node in ranks_per_node or (0,):
        for count in ranks:
            shape = Shape(count, per_node)
            if per_node > count:
                left_out.append((f"{shape}: fewer ranks than fit a node", f"-n {per_node} or more"))
            elif isinstance(launcher, Template) or launcher.capacity.fits(shape):
                found.append(shape)
            else:
                needed = _without_nodes(shape, launcher.capacity)
                left_out.append((needed, "ask the batch system for more nodes"))
    if not found:
        raise UsageError(
            f"no shape is possible: {'; '.join(words for words, _ in left_out)}",
            "--ranks and --ranks-per-node",
        )
    return tuple(found), tuple(left_out)


def _without_nodes(shape: Shape, capacity: Capacity) -> str:
    needed = -(-shape.ranks // shape.ranks_per_node)
    return f"{shape}: needs {needed} nodes and this job has {counted(capacity.nodes, 'node')}"


def default_shapes(launcher: Launcher, quick: bool) -> tuple[Shape, ...]:
    """Return what is measured when no numbers of ranks are given.

    On one node 2 ranks and one per core, unless quick also the powers of two between. On several
    nodes two neighbors on a node, two nodes, one rank on each node, and one on each core.
    """
    capacity = launcher.capacity
    cores = capacity.cores_per_node
    if capacity.nodes == 1:
        between = [] if quick else [2**power for power in range(2, cores.bit_length())]
        counts = {2, *(count for count in between if count < cores), max(2, cores)}
        return tuple(Shape(count) for count in sorted(counts))
    if not launcher.places_ranks:
        return tuple(Shape(count) for count in sorted({2, capacity.nodes * cores}))
    wanted = [(2, 1), (capacity.nodes, 1), (capacity.nodes * cores, cores)]
    if cores > 1:
        wanted.insert(0, (2, 2))
    return tuple(Shape(ranks, per_node) for ranks, per_node in dict.fromkeys(wanted))
