# SPDX-License-Identifier: BSD-3-Clause
"""PetscSF's type transrank beside its type basic, in the PETSc that pkg-config finds."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.bounded import Finished, run_bounded
from support.built import ROOT, build_folder
from transrank import installation

HERE = Path(__file__).parent
# The PETSc of the system belongs to the MPI of the system, whatever else is installed beside it.
SYSTEM = {
    "PATH": "/usr/bin:/bin",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}


def asked(*words: str) -> str:
    """Return what pkg-config says of PETSc, nothing where there is none."""
    if shutil.which("pkg-config") is None:
        return ""
    command = ["pkg-config", *words, "PETSc"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def mpi_of_petsc() -> str:
    linked = ""
    for library in Path(asked("--variable=libdir") or "/nonexistent").glob("libpetsc*.so"):
        linked = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
    names = {"libmpi.so.40": "openmpi", "libmpi.so.12": "mpich"}
    return next((kind for name, kind in names.items() if name in linked), "")


KIND = mpi_of_petsc()
pytestmark = [
    pytest.mark.skipif(not KIND, reason="pkg-config finds no PETSc (Debian: petsc-dev)"),
    pytest.mark.skipif(
        installation.mpi_kind() != KIND,
        reason=f"PETSc belongs to {KIND}, this build of transrank to {installation.mpi_kind()}",
    ),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the adapter and the program."""
    folder = tmp_path_factory.mktemp("petsc")
    library = build_folder()
    at = f"{library}/cpp/c"
    linked = f"-I{ROOT}/cpp/c -I{library}/generated -L{at} -ltransrank -Wl,-rpath,{at}"
    source = ROOT / "adapters" / "petsc"
    make = ["make", "--silent", "-f", source / "Makefile", f"VPATH={source}", f"TRANSRANK={linked}"]
    run_bounded([*make, "libtransranksf.so"], timeout=60, env=SYSTEM, cwd=folder).check()
    compiler = [asked("--variable=ccompiler"), "-std=c11", "-O1", HERE / "petsc_program.c"]
    flags = asked("--cflags", "--libs").split()
    command = [*compiler, "-o", "petsc_program", *flags, "-lm"]
    run_bounded(command, timeout=60, env=SYSTEM, cwd=folder).check()
    return folder


def run(built: Path, ranks: int, *options: str) -> Finished:
    loaded = ("-dll_prepend", "./libtransranksf.so", "-sf_transrank_from", "1")
    command = ["mpiexec", "-n", str(ranks), "./petsc_program", *loaded, *options]
    return run_bounded(command, timeout=60, env=SYSTEM, cwd=built).check()


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_forests_scatters_and_solvers_give_the_same_as_by_the_type_basic(ranks, built):
    outcome = run(built, ranks, "-seeds", "20" if ranks < 4 else "5")
    assert outcome.stdout.count(" iterations\n") == 3
    exchanges = [int(it) for it in re.findall(r" calls, (\d+) exchanges\n", outcome.stdout)]
    assert (sum(exchanges) > 0) == (ranks > 1)
