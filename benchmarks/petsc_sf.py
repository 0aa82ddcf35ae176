# SPDX-License-Identifier: BSD-3-Clause
"""Is PetscSF faster with its type `transrank` than with its own, `basic`?

Builds programs/petsc_sf.c and adapters/petsc with the compiler of PETSc, which pkg-config finds.
Runs the program at two ranks, launch after launch: both types in turns, on the memory of vectors.
A launch counts once for each type, by the median of its rounds.
transrank must be installed for the MPI of that PETSc, as docs/petsc.md says, and that MPI be first
on PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bars import Figure, add_check_option, pairs, report
from ratios import ratio_figure

ROOT = Path(__file__).parent.parent
WIDTHS = (1, 6, 20)
WAYS = ("bcast", "reduce", "scatter")
BAR = 1.5
ROUNDS = 3
TYPES = ("basic", "transrank")
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def asked(*words: str) -> str:
    """Return what pkg-config says of PETSc."""
    return subprocess.run(
        ["pkg-config", *words, "PETSc"], capture_output=True, text=True, check=True
    ).stdout.strip()


def build(folder: Path, prefix: Path) -> tuple[Path, Path]:
    """Return the program and the library, built in a folder."""
    compiler = asked("--variable=ccompiler")
    variables = {"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig:{prefix}/lib64/pkgconfig"}
    source = ROOT / "adapters" / "petsc"
    library = folder / "libtransranksf.so"
    subprocess.run(
        ["make", "--silent", "-f", source / "Makefile", f"VPATH={source}", library.name],
        cwd=folder,
        env={**os.environ, **variables},
        check=True,
    )
    program = folder / "petsc_sf"
    flags = asked("--cflags", "--libs").split()
    subprocess.run(
        [compiler, "-O2", ROOT / "benchmarks/programs/petsc_sf.c", "-o", program, *flags],
        check=True,
    )
    return program, library


def launch(program: Path, library: Path, updates: int) -> dict[str, list[float]]:
    """Return the medians of the rounds of one launch, by what was moved and how."""
    widths = ",".join(map(str, WIDTHS))
    options = ["-widths", widths, "-updates", str(updates), "-rounds", str(ROUNDS)]
    outcome = subprocess.run(
        ["mpiexec", "-n", "2", program, "-dll_prepend", library, *options],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **SETTINGS},
    )
    found: dict[str, list[float]] = json.loads(outcome.stdout)
    return found


def compare(found: list[dict[str, list[float]]]) -> list[Figure]:
    figures = []
    for way in WAYS:
        for width in WIDTHS:
            times = [[median(each[f"{way} {width} {kind}"]) for each in found] for kind in TYPES]
            name = f"{way}, rows of {width}: basic / transrank"
            figures.append(ratio_figure(name, times[1], times[0], BAR, at_least=True))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    default = Path.home() / "transrank-cpp"
    where = "where transrank is installed (default: ~/transrank-cpp)"
    parser.add_argument("--prefix", type=Path, default=default, help=where)
    parser.add_argument("--launches", type=pairs, default=12, help="(default: 12)")
    parser.add_argument("--updates", type=int, default=100, help="per round (default: 100)")
    options = parser.parse_args()
    if shutil.which("pkg-config") is None or subprocess.run(["pkg-config", "PETSc"]).returncode:
        print(
            "petsc_sf.py: error: pkg-config finds no PETSc; on Debian apt-get install petsc-dev",
            file=sys.stderr,
        )
        return 2
    found = []
    with tempfile.TemporaryDirectory() as folder:
        program, library = build(Path(folder), options.prefix)
        for number in range(options.launches):
            found.append(launch(program, library, options.updates))
            print(f"launch {number + 1} of {options.launches} done", file=sys.stderr)
    return report(compare(found), options.check)


if __name__ == "__main__":
    sys.exit(main())
