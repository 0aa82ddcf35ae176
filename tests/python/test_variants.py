# SPDX-License-Identifier: BSD-3-Clause
"""Of several variants in one installation the one for the MPI at hand is taken."""

from dataclasses import replace
from pathlib import Path

import pytest

from transrank.errors import LaunchError
from transrank.installation.choice import (
    Situation,
    choose,
    launcher_of,
    mapped_libraries,
    ranks_of,
    variant_of,
)

PREFIX = Path("/home/me/venv")
SYSTEM = Path("/usr/lib")
LIBRARY = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40", "abi": "libmpi_abi.so.1"}
ALL = tuple(LIBRARY)


def situation(
    *,
    installed: tuple[str, ...] = ALL,
    environment: tuple[str, ...] = (),
    system: tuple[str, ...] = (),
    loaded: str = "",
    asked: str = "",
    launcher: str | None = None,
) -> Situation:
    """`environment` and `system`: whose libraries are there."""

    def find(name: str) -> Path | None:
        if name in environment:
            return PREFIX / "lib" / LIBRARY[name]
        return SYSTEM / LIBRARY[name] if name in system else None

    return Situation(
        installed=installed,
        loaded=(Path(loaded),) if loaded else (),
        asked=asked,
        launcher=launcher,
        find=find,
        prefix=PREFIX,
    )


NOTHING_ELSE = situation()
BOTH = situation(environment=("openmpi",), system=("mpich", "abi"))
CHOICES = [
    # one variant serves whatever is there: its own loader's errors say more
    (situation(installed=("site",)), "site"),
    (situation(installed=("mpich",), loaded="/opt/lib/libmpi.so.40"), "mpich"),
    # what is loaded
    (situation(loaded="/opt/lib/libmpi.so.40.40.7", system=("mpich",)), "openmpi"),
    (situation(loaded="/opt/cray/libmpi_cray.so.12", system=("openmpi",)), "mpich"),
    (situation(loaded="/opt/lib/libmpi_abi.so.1", system=ALL), "abi"),
    (situation(loaded="/opt/lib/libmpi.so.12", launcher="openmpi"), "mpich"),
    # TRANSRANK_MPI
    (replace(BOTH, asked="mpich"), "mpich"),
    (replace(BOTH, asked="abi", launcher="openmpi"), "abi"),
    (situation(asked="openmpi", loaded="/opt/lib/libmpi.so.40"), "openmpi"),
    # the launcher
    (replace(BOTH, launcher="mpich"), "mpich"),
    (replace(BOTH, launcher="openmpi"), "openmpi"),
    (situation(launcher="openmpi", environment=("mpich",), system=("abi",)), "abi"),
    (situation(launcher="mpich", system=("abi",)), "abi"),
    # what is found
    (BOTH, "openmpi"),
    (situation(system=ALL), "mpich"),
    (situation(environment=("abi", "mpich")), "mpich"),
    (situation(system=("abi", "openmpi")), "openmpi"),
    (situation(system=("abi",)), "abi"),
]


@pytest.mark.parametrize(("given", "chosen"), CHOICES)
def test_the_variant_for_the_mpi_at_hand_is_taken(given, chosen):
    assert choose(given) == chosen


REFUSALS = [
    (NOTHING_ELSE, r"^no MPI library is found: .* pip install 'transrank\[mpich\]'"),
    (situation(launcher="mpich", system=("openmpi",)), "for the mpiexec of MPICH .* is found"),
    # the standard's library there is MPICH's own
    (situation(launcher="openmpi", system=("mpich", "abi")), "for Open MPI's mpiexec is found"),
    (situation(asked="site"), "TRANSRANK_MPI is 'site'; this installation has mpich, openmpi, abi"),
    (situation(asked="mpich", loaded="/lib/libmpi.so.40"), "is loaded, which needs 'openmpi'"),
    (
        situation(installed=("mpich", "abi"), loaded="/lib/libmpi.so.40"),
        "needs the .* has mpich, abi",
    ),
]


@pytest.mark.parametrize(("given", "complaint"), REFUSALS)
def test_where_none_can_serve_one_sentence_says_why(given, complaint):
    with pytest.raises(LaunchError, match=complaint):
        choose(given)


# None: of the bindings of a language, which do not count as an MPI library.
NAMES = {
    "mpich": ("libmpi.so.12", "libmpi.so.12.2.0", "libmpich.so.12", "libmpi_cray.so.12"),
    "openmpi": ("libmpi.so.40.30.4", "libmpi.so.40.40.7"),
    "abi": ("libmpi_abi.so.1",),
    None: (
        *("libmpicxx.so.12", "libmpifort.so.12", "libmpi_cxx.so.40", "libmpi_mpifh.so.40"),
        *("libmpi_usempif08.so.40", "MPI.mpich.cpython-311-x86_64-linux-gnu.so"),
    ),
}


@pytest.mark.parametrize("variant", NAMES)
def test_a_library_tells_its_variant_by_its_name(variant, tmp_path):
    maps = tmp_path / "maps"
    for name in NAMES[variant]:
        path = Path("/opt/my mpi/lib") / name
        maps.write_text(
            "7f00-7f01 r-xp 00000000 08:01 123    /usr/lib/libc.so.6\n"
            f"7f02-7f03 r-xp 00000000 08:01 124    {path}\n"
            f"7f04-7f05 rw-p 00001000 08:01 124    {path}\n"
            "7f06-7f07 rw-p 00000000 00:00 0 \n"
        )
        assert mapped_libraries(maps) == ([path] if variant else [])
        assert variant is None or variant_of(path) == variant


def test_the_environment_of_a_rank_tells_who_started_it():
    assert launcher_of({"PATH": "/usr/bin"}) is None
    of_slurm = {"PMI_RANK": "0", "PMI_SIZE": "2", "SLURM_PROCID": "0"}
    assert launcher_of(of_slurm) is None
    assert ranks_of(of_slurm) == 1
    for kind, name in (("mpich", "MPI_LOCALNRANKS"), ("openmpi", "OMPI_COMM_WORLD_SIZE")):
        assert launcher_of({name: "4"}) == kind
        assert ranks_of({name: "4"}) == 4


def test_a_library_of_ours_that_leads_to_another_does_not_count(tmp_path):
    maps = tmp_path / "maps"
    maps.write_text(
        "7f00-7f01 r-xp 00000000 08:01 1 /p/transrank/variants/mpich/libmpich/libmpi.so.12\n"
        "7f02-7f03 r-xp 00000000 08:01 2 /usr/lib/libmpich.so.12.2.2\n"
    )
    assert mapped_libraries(maps) == [Path("/usr/lib/libmpich.so.12.2.2")]
