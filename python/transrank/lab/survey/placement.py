# SPDX-License-Identifier: BSD-3-Clause
"""What a placement, as the runner reports it, says about pinning and sharing of cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transrank.lab.machine.files import parse_list


@dataclass(frozen=True)
class Host:
    """The ranks on one host and the CPUs that each may use."""

    name: str
    bindings: tuple[tuple[int, ...], ...]

    @property
    def cpus(self) -> frozenset[int]:
        """All CPUs that some rank may use."""
        return frozenset(cpu for binding in self.bindings for cpu in binding)

    @property
    def oversubscribed(self) -> bool:
        """Whether there are more ranks than CPUs."""
        return 0 < len(self.cpus) < len(self.bindings)

    @property
    def pinned(self) -> bool:
        """Whether no two ranks may use the same CPU."""
        return sum(len(set(binding)) for binding in self.bindings) == len(self.cpus)


def hosts_of(placement: Mapping[str, Any]) -> tuple[Host, ...]:
    """Return the hosts of a placement (`hosts`, `rank_host`, `binding` as in a launch line)."""
    bindings: list[list[tuple[int, ...]]] = [[] for _ in placement["hosts"]]
    for host, binding in zip(placement["rank_host"], placement["binding"], strict=True):
        bindings[host].append(parse_list(binding))
    return tuple(
        Host(name, tuple(found)) for name, found in zip(placement["hosts"], bindings, strict=True)
    )
