# SPDX-License-Identifier: BSD-3-Clause
"""Environment variables that an MPI library does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from transrank.lab.survey import variables

MPICH = ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "MPIR_CVAR_CH4_SHM_POSIX_EAGER")
OPEN_MPI = ("coll", "coll_tuned_use_dynamic_rules", "btl", "btl_tcp_if_include")


def runner(folder: Path, script: str) -> Path:
    path = folder / "transrank-run"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("told", "name", "close"),
    [
        (MPICH, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORTIHM", MPICH[0]),
        (MPICH, "MPIR_CVAR_NOTHING_LIKE_IT_AT_ALL", None),
        (MPICH, "OMPI_MCA_coll", None),
        (OPEN_MPI, "OMPI_MCA_btl_tcp_if_inclued", "OMPI_MCA_btl_tcp_if_include"),
        (OPEN_MPI, MPICH[0], None),
        (MPICH, MPICH[0].lower(), MPICH[0]),
        (OPEN_MPI, "ompi_mca_btl_tcp_if_include", "OMPI_MCA_btl_tcp_if_include"),
        (OPEN_MPI, "ompi_mca_rmaps_base_verbose", "OMPI_MCA_rmaps_base_verbose"),
    ],
)
def test_unknown(told: tuple[str, ...], name: str, close: str | None, tmp_path: Path) -> None:
    program = runner(tmp_path, f"printf '%s\\n' {' '.join(told)}")
    assert list(variables.unknown(["PATH", name], program)) == [(name, close)]


@pytest.mark.parametrize(
    ("told", "names"),
    [
        (MPICH, [*MPICH, "MPICH_ASYNC_PROGRESS", "PATH"]),
        # rmaps is a framework of the launcher.
        (OPEN_MPI, ["OMPI_MCA_coll", "OMPI_MCA_rmaps_base_oversubscribe"]),
    ],
)
def test_known(told: tuple[str, ...], names: list[str], tmp_path: Path) -> None:
    program = runner(tmp_path, f"printf '%s\\n' {' '.join(told)}")
    assert list(variables.unknown(names, program)) == []


def test_of_an_earlier_version(tmp_path: Path) -> None:
    program = runner(
        tmp_path, "echo \"unknown or incomplete option '--list-settings'\" >&2; exit 2"
    )
    assert list(variables.unknown(["MPIR_CVAR_NOTHING"], program)) == []
