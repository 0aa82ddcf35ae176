# SPDX-License-Identifier: BSD-3-Clause
"""Ghost updates by PetscSF, timed under mpiexec: needs petsc4py, and nothing of transrank.

    mpiexec -n 2 python petsc_sf.py 1,6,20 300

times 300 updates for each row width and prints, as JSON, the median seconds of the slowest rank by
type of star forest and width. Each rank pulls the six faces of a 32x32x32 block of rows from the
next rank; the owner rewrites its block before each update, the reader reads its ghosts within the
timed region.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import petsc4py
from numpy.typing import NDArray

petsc4py.init([])

from mpi4py import MPI  # noqa: E402

from petsc4py import PETSc  # noqa: E402

EXTENT = 32
SF_TYPES = ("basic", "neighbor")
UPDATES_PER_CHECK = 50
WARM_UP_SHARE = 0.1


def face_rows() -> NDArray[np.int32]:
    """Return the rows of the six faces of a block, lower and upper of each dimension in turn."""
    rows = np.arange(EXTENT**3, dtype=np.int32).reshape(EXTENT, EXTENT, EXTENT)
    faces = [rows.take(side, axis) for axis in range(3) for side in (0, EXTENT - 1)]
    return np.concatenate([face.ravel() for face in faces])


def time_updates(forest: PETSc.SF, source: int, vdim: int, updates: int) -> float:
    """Return the median seconds of the slowest rank; verified now and then."""
    comm = MPI.COMM_WORLD
    rows = face_rows()
    owned = np.zeros((EXTENT**3, vdim))
    ghosts = np.zeros((rows.size, vdim))
    places = np.arange(owned.size, dtype=float).reshape(owned.shape)
    row_type = MPI.DOUBLE.Create_contiguous(vdim).Commit()
    seconds = np.empty(updates)
    for update in range(updates):
        np.add(places, owned.size * (comm.size * update + comm.rank), out=owned)
        comm.Barrier()
        begin = MPI.Wtime()
        forest.bcastBegin(row_type, owned, ghosts, MPI.REPLACE)
        forest.bcastEnd(row_type, owned, ghosts, MPI.REPLACE)
        ghosts.sum()
        seconds[update] = MPI.Wtime() - begin
        if update % UPDATES_PER_CHECK == 0:
            expected = places[rows] + owned.size * (comm.size * update + source)
            if not np.array_equal(ghosts, expected):
                print(f"wrong ghosts at vdim {vdim} on rank {comm.rank}", file=sys.stderr)
                comm.Abort(1)
    row_type.Free()
    slowest = np.empty_like(seconds)
    comm.Allreduce(seconds, slowest, MPI.MAX)
    return float(np.median(slowest[int(WARM_UP_SHARE * updates) :]))


def main() -> None:
    """Time every type and width."""
    vdims = [int(vdim) for vdim in sys.argv[1].split(",")]
    updates = int(sys.argv[2])
    comm = MPI.COMM_WORLD
    source = (comm.rank + 1) % comm.size
    remote = np.empty((EXTENT * EXTENT * 6, 2), dtype=PETSc.IntType)
    remote[:, 0], remote[:, 1] = source, face_rows()
    found: dict[str, dict[int, float]] = {}
    for kind in SF_TYPES:
        forest = PETSc.SF().create(comm)
        forest.setType(kind)
        forest.setGraph(EXTENT**3, None, remote)
        forest.setUp()
        found[kind] = {vdim: time_updates(forest, source, vdim, updates) for vdim in vdims}
        forest.destroy()
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
