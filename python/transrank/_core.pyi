# SPDX-License-Identifier: BSD-3-Clause
"""The compiled module; import it through transrank.mpi, which loads MPI first."""

from mpi4py.MPI import Comm

def library_version() -> str: ...
def communicator_size(communicator: Comm) -> int: ...
