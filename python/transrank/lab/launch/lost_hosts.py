# SPDX-License-Identifier: BSD-3-Clause
"""Which host a launcher could not reach or has lost, by its words, and which ranks were there."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from typing import Any

# What ssh says, then what launchers say of a host by name.
UNREACHABLE = (
    re.compile(r"ssh: connect to host (\S+) port \d+: (.+)"),
    re.compile(r"ssh: Could not resolve hostname ([^\s:]+): (.+)"),
)
LOST = (
    re.compile(r"Connection to (\S+) closed by remote host"),
    re.compile(r"Remote daemon: \[\S+\] on node (\S+)"),
)
# Output of a Hydra that ends before it has passed on the output of ssh.
UNSTARTED = re.compile(r"Launch proxy failed")
# Words of a launcher that has lost a host and does not say which one: Hydra, then PRRTE.
NAMELESS = re.compile(r"control_cb .*assert \(!closed\) failed|lost communication with a remote")


def explain(lines: Sequence[str], placement: Mapping[str, Any] | None) -> tuple[str, str] | None:
    """Return what happened to a host, and what to do; None where the words are about none.

    `placement` is that of the launch, or of an earlier one of the same shape.
    """
    text = "\n".join(lines)
    for pattern in UNREACHABLE:
        if found := pattern.search(text):
            there = ranks_on(found[1], placement)
            where = f", where {there} were to run" if there else ""
            return (
                f"the launcher cannot reach {found[1]}{where}: {found[2].strip()}",
                f"is the host up? ssh {found[1]} true",
            )
    if UNSTARTED.search(text):
        others = _others(placement)
        there = ranks_on(others[0], placement) if len(others) == 1 else ""
        where = f", where {there} were to run" if there else ""
        return (
            f"the launcher cannot reach {_one_of(others, placement)}{where}",
            f"is the host up? ssh {others[0]} true" if others else "are all hosts up?",
        )
    named = next((found[1] for pattern in LOST if (found := pattern.search(text))), None)
    if named is None and not NAMELESS.search(text):
        return None
    return f"the launcher has lost {_who(named, placement)}", "is the host still up?"


def ranks_on(host: str, placement: Mapping[str, Any] | None) -> str:
    """Return `rank 1` or `ranks 2, 3`; empty where it is not known that any were there."""
    if placement is None or host not in placement["hosts"]:
        return ""
    number = placement["hosts"].index(host)
    ranks = [str(rank) for rank, on in enumerate(placement["rank_host"]) if on == number]
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(ranks)}"


def _who(named: str | None, placement: Mapping[str, Any] | None) -> str:
    if named is not None:
        there = ranks_on(named, placement)
        return f"{named}, where {there} ran" if there else named
    others = _others(placement)
    there = ranks_on(others[0], placement) if len(others) == 1 else ""
    return _one_of(others, placement) + (f" ({there})" if there else "")


def _others(placement: Mapping[str, Any] | None) -> list[str]:
    """All hosts but the launcher's own, with which it talks without a network."""
    own = socket.gethostname()
    return [host for host in (placement or {}).get("hosts", ()) if host != own]


def _one_of(hosts: Sequence[str], placement: Mapping[str, Any] | None) -> str:
    """The host; of several all of them, with their ranks."""
    if not hosts:
        return "one of its hosts"
    named = [f"{host} ({ranks_on(host, placement)})" for host in hosts]
    return hosts[0] if len(hosts) == 1 else f"one of {', '.join(named)}"
