# SPDX-License-Identifier: BSD-3-Clause
"""What launchers and MPI libraries say on stderr without meaning anything: hidden from people.

The log of the launch keeps every word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# One line each.
LINES = tuple(
    re.compile(pattern)
    for pattern in (
        r"OSC UCX component priority set inside component query",
        r"WARNING: (Open MPI accepted|All.*MCA parameters).*deprecated",
        r"PMIX ERROR: .* in file .*(gds_shmem|dstore|ptl_)",
        r"mca_base_component_repository_open: unable to open mca_",
        r"hwloc.*(has encountered|received invalid information|x86)",
        r"UCX  WARN ",
        r"^=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES",
        r"This typically refers to a problem with your application\.",
        r"Please see the FAQ page for debugging suggestions",
        r"^(real|user|sys) +\d+\.\d+$",  # time -p
        r"^=+$",
        r"^\s*$",
    )
)

# Blocks between two lines of dashes, recognised by a phrase of them.
RULE = re.compile(r"^-{40,}\s*$")
BLOCKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"No OpenFabrics connection schemes were reported",
        r"error initializing an\s+OpenFabrics device",
        r"unable to find any\s+relevant network interfaces",
        r"Linux kernel CMA support was requested|single-copy mechanism",
        r"By default, for Open MPI 4\.0 and later, infiniband ports",
        r"has detected an attempt to run as root(?s:.*)option to your command line\.",
        r"UCX.*library.*is not (installed|available)",
    )
)


def without_noise(lines: Iterable[str]) -> list[str]:
    """Return the lines that say something."""
    kept: list[str] = []
    block: list[str] | None = None
    for line in lines:
        if RULE.match(line):
            if block is None:
                block = []
            else:
                kept += _telling(block)
                block = None
        elif block is not None:
            block.append(line)
        elif not _is_noise(line):
            kept.append(line)
    # An opened block that was not closed is cut off by the end of the output, or no block.
    return kept + _telling(block or [])


def _telling(block: list[str]) -> list[str]:
    text = "\n".join(block)
    if any(pattern.search(text) for pattern in BLOCKS):
        return []
    return [line for line in block if not _is_noise(line)]


def _is_noise(line: str) -> bool:
    return any(pattern.search(line) for pattern in LINES)
