# SPDX-License-Identifier: BSD-3-Clause
"""One rank: `make` a route and a file of choices in a folder, or `read` all files of a folder."""

import os
import re
import resource
import signal
import sys
from pathlib import Path

from mpi4py import MPI

import numpy as np

from transrank import AgreedError, collective, installation, route

WORLD = MPI.COMM_WORLD
CHOICES = f"""transrank alltoall choices 1
mpi {installation.mpi_kind()}
ranks 1
ranks-per-node 1
rules 2
private 8 64 bruck
shared 0 64 linear
end
"""


def make(folder: Path) -> None:
    lists = np.arange(12, dtype=np.int64)
    route.save(WORLD, route.lists(WORLD, lists, lists[::-1].copy()), folder / "route-{rank}")
    (folder / "choices").write_text(CHOICES)


def read(path: Path) -> None:
    if path.name.startswith("route"):
        route.load(WORLD, path)
        return
    rows = np.zeros((1, 8))
    collective.alltoall(WORLD, rows, rows.copy(), choices=path)


def starts(event: str, _: object) -> None:
    if re.match(r"subprocess\.Popen|os\.(exec|posix_spawn|spawn|system|fork)", event):
        os._exit(9)


verb, folder = sys.argv[1], Path(sys.argv[2])
if verb == "make":
    make(folder)
    sys.exit()
sys.addaudithook(starts)
refused = 0
files = sorted(folder.iterdir())
for each in files:
    signal.alarm(10)
    try:
        read(each)
    except AgreedError:
        refused += 1
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20, "KiB"
print(f"{refused} of {len(files)} refused")
