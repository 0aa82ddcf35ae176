# SPDX-License-Identifier: BSD-3-Clause
"""Warnings about the placement of ranks: shared cores, ranks that are not pinned."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from transrank.lab.machine.files import parse_list
from transrank.lab.stats.result import Caution
from transrank.lab.store.lines import Launch, Placement, Shape

# A list that names a CPU beyond 99999 is damaged.
_CPU_LIST = re.compile(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*", re.ASCII)


def oversubscription(launches: Sequence[Launch]) -> list[Caution]:
    """Warn, once per shape, if more ranks ran on a host than the CPUs they may use."""
    worst: dict[Shape, tuple[int, int]] = {}
    for launch in launches:
        shared = shared_cores(launch.placement)
        if shared is not None:
            worst[launch.shape] = shared
    return [
        Caution(f"{ranks} ranks share {cores} cores", f"use at most {cores} ranks")
        for ranks, cores in worst.values()
    ]


def shared_cores(placement: Placement) -> tuple[int, int] | None:
    """The number of ranks of a host and of the cores that they share; None if each has a core."""
    shared = None
    for _, bindings in _hosts(placement):
        cores = len(set().union(*bindings))
        if len(bindings) > cores > 0:
            shared = (len(bindings), cores)
    return shared


def ranks_per_node(placement: Placement) -> int:
    """The number of consecutive ranks per host, if equal on all but the last host; otherwise 1."""
    hosts = placement.rank_host
    most = max(Counter(hosts).values())
    groups = [hosts[begin : begin + most] for begin in range(0, len(hosts), most)]
    alone = [set(group) for group in groups]
    regular = all(len(group) == 1 for group in alone) and len(set().union(*alone)) == len(groups)
    return most if regular else 1


def pinning(launches: Sequence[Launch]) -> list[Caution]:
    """Warn if there are enough cores but several ranks may use the same ones."""
    for launch in launches:
        for host, bindings in _hosts(launch.placement):
            cores = len(set().union(*bindings))
            if len(bindings) <= cores < sum(map(len, bindings)):
                return [
                    Caution(
                        f"ranks are not pinned: on {host} several may use the same cores "
                        f"({launch.placement.binding[0]})",
                        "`transrank doctor` reports what prevents the launcher from binding them",
                    )
                ]
    return []


def _hosts(placement: Placement) -> Iterator[tuple[str, list[set[int]]]]:
    """Each host with the CPUs that each of its ranks may use; empty if a list is damaged."""
    for host, name in enumerate(placement.hosts):
        bindings = [
            set(parse_list(text)) if _CPU_LIST.fullmatch(text) else set()
            for rank_host, text in zip(placement.rank_host, placement.binding, strict=False)
            if rank_host == host
        ]
        if bindings:
            yield name, bindings
