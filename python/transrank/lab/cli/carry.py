# SPDX-License-Identifier: BSD-3-Clause
"""transrank carry: run a program whose alltoalls on a node are moved by transrank."""

from __future__ import annotations

import argparse
import os
import shutil

from transrank import installation
from transrank.errors import LaunchError, UsageError

EPILOG = """\
examples:
  transrank carry -- mpiexec -n 4 ./yours
  transrank carry --summary -- mpiexec -n 2 python -m mpi4py fft.py

The program needs no change. If all ranks of a communicator are on the same
node, transrank moves the data of MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw
at sizes at which transrank is faster than MPI. All other calls are left to MPI.
The launcher must pass the environment variable LD_PRELOAD on to the ranks.
"""
SUMMARY = "TRANSRANK_CARRY_SUMMARY"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Run an MPI program, and let transrank carry out alltoalls among ranks on the same node."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "--summary",
        action="store_true",
        help="at the end, let rank 0 print how many alltoalls transrank carried out",
    )
    parser.add_argument(
        "command",
        nargs="+",
        metavar="COMMAND",
        help="command that starts the program; write -- before it",
    )


def run(options: argparse.Namespace) -> int:
    """Become that command, with the library preloaded."""
    library = installation.variant().folder / "lib" / "libtransrank_carry.so"
    if not library.is_file():
        raise LaunchError(f"{library} does not exist", "make build, or pip install .")
    if any(character in str(library) for character in " :"):
        raise LaunchError(
            f"the loader cannot be told of {library}: its path has a blank or a colon",
            "install transrank in a folder without them",
        )
    if shutil.which(options.command[0]) is None:
        raise UsageError(
            f"{options.command[0]} is not a program", "transrank carry -- mpiexec -n 4 ./yours"
        )
    preloaded = [str(library), *filter(None, [os.environ.get("LD_PRELOAD")])]
    environment = {**os.environ, "LD_PRELOAD": ":".join(preloaded)}
    if options.summary:
        environment[SUMMARY] = "1"
    os.execvpe(options.command[0], options.command, environment)  # noqa: S606
