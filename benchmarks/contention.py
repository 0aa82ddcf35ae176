# SPDX-License-Identifier: BSD-3-Clause
"""How near is a measured link to what it is, and is a slow one found?

Builds three hosts out of network namespaces (needs root and iproute2), gives their links several
bandwidths, and measures every pair of hosts by the study `contention`; then once more with the way
from the first host to the last one at a fifth of that. Prints how far the measured bandwidth of the
links lies from the shaped one at most, and whether the slow pair, and it alone, is named.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bars import Figure, add_check_option, report

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import launched_hosts, virtual_hosts
from support.launched_hosts import Site
from support.virtual_hosts import VirtualHosts
from transrank.lab.stats import contention
from transrank.lab.stats.contention import Contention

MEGABITS = (200, 400, 1000)
# What a link lets through at once, and what TCP keeps for a receiver that is late, must be a small
# part of a message: less than that arrives at the speed of memory.
LEAST_BYTES = 1 << 20
SLOWER = 5
DEVIATION_BAR_PERCENT = 10.0
SLOW_PAIR = (0, 2)


def measure(site: Site, folder: Path, megabits: int) -> Contention:
    """Measure all links; messages take 20 ms at least."""
    size = max(megabits * 1000 // 8 * 20, LEAST_BYTES)
    record = folder / f"{megabits}-{len(list(folder.iterdir()))}.jsonl"
    run = site.measure(
        record,
        *("contention", "-n", str(len(site.hosts.names)), "--sizes", str(size), "--axis"),
        *("traffic=matrix", "--count", "30", "--launches", "3"),
    )
    placements = {launch.launch: launch.placement for launch in run.launches}
    (found,) = contention.contentions(run.cases, placements)
    return found


def figures(site: Site, folder: Path) -> list[Figure]:
    """Hold each bandwidth's deviation and the search for the slow pair against their bars."""
    found = []
    first, last = site.hosts.names[SLOW_PAIR[0]], site.hosts.names[SLOW_PAIR[1]]
    for megabits in MEGABITS:
        bits = megabits * 1_000_000
        for name in site.hosts.names:
            site.hosts.shape(name, bits)
        measured = measure(site, folder, megabits)
        rates = [8 * measured.bytes / t for t in contention.link_times(measured).values()]
        worst = max(abs(rate / bits - 1) for rate in rates)
        name = f"{megabits} Mbit/s, farthest link"
        found.append(Figure(name, 100 * worst, DEVIATION_BAR_PERCENT, "%"))
        site.hosts.throttle(first, last, bits // SLOWER)
        _, links = contention.slow_links(measure(site, folder, megabits))
        named = [link.pair for link in links]
        right = float(named == [SLOW_PAIR])
        note = f"named: {', '.join(map(str, named)) or 'none'}"
        found.append(
            Figure(f"{megabits} Mbit/s, slow pair found", right, 1, at_least=True, note=note)
        )
        for name in site.hosts.names:
            site.hosts.free(name)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    arguments = parser.parse_args()
    reason = launched_hosts.reason_against() or virtual_hosts.reason_against_shaping()
    if reason is not None:
        print(f"nothing measured: {reason}", file=sys.stderr)
        return 0
    with VirtualHosts(3) as hosts, tempfile.TemporaryDirectory() as folder:
        return report(figures(Site(hosts, slots=1), Path(folder)), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
