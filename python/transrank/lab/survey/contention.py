# SPDX-License-Identifier: BSD-3-Clause
"""Domains and sizes of the study `contention`, from the machine unless the user names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from transrank.lab import units
from transrank.lab.machine.topology import Topology
from transrank.lab.store.records import Shape

STUDY = "contention"
AXIS = "domain_ranks"


def ranks_per_domain(
    shape: Shape, ranks_on_a_node: int, topology: Topology, usable_cpus: Sequence[int]
) -> int:
    """Return how many ranks share a memory domain, where ranks fill the cores in order.

    `usable_cpus` are one for each core. 1 where the ranks fill no whole number of domains, share
    cores, or make an odd number of domains, of which there are no two halves.
    """
    home = {cpu.cpu: cpu.node for cpu in topology.cpus}
    cores = Counter(home[cpu] for cpu in usable_cpus if cpu in home)
    if len(set(cores.values())) != 1 or ranks_on_a_node > cores.total():
        return 1
    each = min(next(iter(cores.values())), ranks_on_a_node)
    whole = ranks_on_a_node % each == 0 and shape.ranks % (2 * each) == 0
    return each if whole else 1


def domains_in_words(ranks_per_domain: Mapping[Shape, int]) -> list[str]:
    """Say how large the domains of each shape are."""
    return [
        f"{STUDY}, {shape}: "
        + (
            "each rank is a domain by itself"
            if ranks == 1
            else f"domains of {ranks} ranks, as a memory domain of this machine has"
        )
        + f"; another number: --axis {AXIS}=N"
        for shape, ranks in ranks_per_domain.items()
    ]


def scaled_in_words(usual_bytes: int, used_bytes: int, memory_bytes: int) -> str:
    """Say that messages are smaller than those of the source, and why."""
    return (
        f"{STUDY}: messages of {units.format_bytes(used_bytes)} instead of "
        f"{units.format_bytes(usual_bytes)}: {units.format_bytes(memory_bytes)} of memory per rank "
        "leave no more; another size: --sizes"
    )
