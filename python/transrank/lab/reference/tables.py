# SPDX-License-Identifier: BSD-3-Clause
"""The list of published machines."""

from __future__ import annotations

from functools import cache

from transrank.errors import UsageError
from transrank.lab.reference import esmf, fugaku, ghost, triton, xt6
from transrank.lab.reference.machine import Machine, ReferencePoint, read_table

__all__ = ["Machine", "ReferencePoint", "machine", "machines", "read_table"]


@cache
def machines() -> tuple[Machine, ...]:
    """Every machine, the one with the most points first."""
    return (
        fugaku.machine(),
        triton.machine(),
        xt6.machine(),
        *esmf.machines(),
        *ghost.machines(),
    )


def machine(name: str) -> Machine:
    """The machine called `name`, in any case.

    Raises UsageError: naming the known ones.
    """
    for known in machines():
        if known.name == name.lower():
            return known
    raise UsageError(
        f"unknown machine '{name}'", f"known: {', '.join(known.name for known in machines())}"
    )
