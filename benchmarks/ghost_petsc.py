# SPDX-License-Identifier: BSD-3-Clause
"""Is the ghost update faster than PetscSF's?

Runs the study `ghost` (mode `used`, all 6144 rows remote, two ranks) and the same update by
PetscSF in alternation. PETSc is not part of transrank: name a Python that has petsc4py, built
against the same MPI, e.g. by `MPICC=.../mpicc pip install mpi4py petsc petsc4py`. PetscSF is driven
by petsc4py, whose calls cost about a microsecond of Python each.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, pairs, report
from native import printed_at_two_ranks
from survey import measure

from transrank.lab.stats.compare import paired_ratio
from transrank.lab.units import format_seconds

PROGRAM = Path(__file__).parent / "programs" / "petsc_sf.py"
VDIMS = (1, 2, 4, 6, 12, 20, 120)
BAR = 1.9


def run_petsc(python: str, updates: int) -> dict[int, float]:
    """Return the best seconds over PetscSF's types by vdim, of one launch."""
    program = [python, str(PROGRAM), ",".join(map(str, VDIMS)), str(updates)]
    by_type: Mapping[str, Mapping[str, float]] = json.loads(printed_at_two_ranks(program))
    return {vdim: min(seconds[str(vdim)] for seconds in by_type.values()) for vdim in VDIMS}


def run_own(store: Path, number: int, max_time: str) -> dict[int, float]:
    """Return the seconds of the engine's choice by vdim, of one launch."""
    axes = ["pattern=remote", "mode=used", "transport=auto", f"vdim={','.join(map(str, VDIMS))}"]
    options = [f"--axis={axis}" for axis in axes]
    options += ["--ranks=2", "--launches=1", f"--max-time={max_time}"]
    return {
        int(result.axes["vdim"]): result.headline.value
        for result in measure(store, f"round-{number}", ["ghost", *options])
        if result.headline is not None
    }


def compare(arguments: argparse.Namespace) -> list[Figure]:
    """Run both in alternation and hold the ratios against the bar."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as store:
        for number in range(arguments.rounds):
            ours.append(run_own(Path(store), number, arguments.max_time))
            theirs.append(run_petsc(arguments.python, arguments.updates))
            print(f"round {number + 1} of {arguments.rounds} done", file=sys.stderr)
    figures = []
    for vdim in VDIMS:
        own, petsc = [each[vdim] for each in ours], [each[vdim] for each in theirs]
        ratio = paired_ratio(own, petsc)
        times = " / ".join(format_seconds(float(np.median(each))) for each in (petsc, own))
        name = f"vdim {vdim}: PetscSF / auto"
        figures.append(
            Figure(name, ratio.value, BAR, "x", ratio.low, ratio.high, at_least=True, note=times)
        )
    return figures


def main() -> int:
    """Run, unless there is no PETSc."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="one that has petsc4py")
    parser.add_argument("--rounds", type=pairs, default=5, help="(default: 5)")
    parser.add_argument("--updates", type=int, default=300, help="per launch (default: 300)")
    parser.add_argument("--max-time", default="500ms", help="per case and launch (default: 500ms)")
    add_check_option(parser)
    arguments = parser.parse_args()
    imports = [arguments.python, "-c", "import mpi4py, petsc4py"]
    if subprocess.run(imports, capture_output=True).returncode != 0:
        print(
            f"ghost_petsc.py: error: {arguments.python} lacks petsc4py or mpi4py; pip install "
            "petsc petsc4py mpi4py, or name another with --python",
            file=sys.stderr,
        )
        return 2
    return report(compare(arguments), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
