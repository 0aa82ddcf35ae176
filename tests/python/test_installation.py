# SPDX-License-Identifier: BSD-3-Clause
"""The runner and the mpiexec of an installation belong together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from transrank import installation
from transrank.errors import LaunchError
from transrank.lab.study import catalogue


@pytest.fixture
def installed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that installation takes for the installed package."""
    monkeypatch.setattr(installation, "_installed", lambda *parts: tmp_path.joinpath(*parts))
    monkeypatch.delenv("MPIEXEC", raising=False)
    installation.build.cache_clear()
    yield tmp_path
    installation.build.cache_clear()


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


def test_the_build_is_of_this_version() -> None:
    assert installation.build().version == metadata.version("transrank")


def test_a_wheel_comes_with_its_own_mpiexec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPIEXEC", raising=False)
    mpi = installation.build().mpi
    if mpi == "site":
        pytest.skip("this installation uses a site MPI")
    mpiexec = installation.mpiexec()
    assert mpiexec is not None
    files = metadata.files(mpi) or []
    assert mpiexec in {Path(str(file.locate())).resolve() for file in files}


@pytest.mark.usefixtures("installed_in")
def test_a_missing_native_part_is_named() -> None:
    with pytest.raises(LaunchError, match=r"native part .* not installed: no .*installation\.json"):
        installation.build()
    with pytest.raises(LaunchError, match="does not exist or is not executable"):
        installation.runner()


def test_a_native_part_of_another_version_is_named(installed_in: Path) -> None:
    path = installed_in / "installation.json"
    for text in ('{"version": "0.0.1", "mpi": "mpich"}', "[1]", "{"):
        path.write_text(text)
        with pytest.raises(LaunchError, match="built from another version") as refused:
            installation.build()
        assert refused.value.hint is not None
        assert "make build" in refused.value.hint
    runner = make_program(installed_in / "bin" / "transrank-run")
    complaint = "unknown or incomplete option '--list'"
    runner.write_text(f'#!/bin/sh\necho "transrank-run: {complaint}" >&2; exit 2\n')
    with pytest.raises(LaunchError, match=f"another version: {complaint}"):
        catalogue.ask(["--list"])


def test_a_runner_must_be_executable(installed_in: Path) -> None:
    runner = make_program(installed_in / "bin" / "transrank-run")
    assert installation.runner() == runner
    runner.chmod(0o644)
    with pytest.raises(LaunchError, match="does not exist or is not executable"):
        installation.runner()


def test_a_removed_wheel_is_named(installed_in: Path) -> None:
    write_build(installed_in, mpi="no-such-mpi")
    with pytest.raises(LaunchError, match="'no-such-mpi', which this environment lacks"):
        installation.mpiexec()


def test_a_site_uses_the_mpiexec_of_its_build(
    installed_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_build = make_program(installed_in / "opt" / "bin" / "mpiexec")
    on_path = make_program(installed_in / "usr" / "bin" / "mpiexec")
    monkeypatch.setenv("PATH", str(on_path.parent))
    write_build(installed_in, mpiexec=str(of_build))
    assert installation.mpiexec() == of_build
    of_build.unlink()
    assert installation.mpiexec() == on_path


def test_a_site_may_have_no_mpiexec(installed_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(installed_in))
    write_build(installed_in)
    assert installation.mpiexec() is None
    assert installation.mpi_kind() == "openmpi"


def test_the_environment_may_name_another_mpiexec(
    installed_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_build(installed_in)
    other = make_program(installed_in / "other" / "mpiexec")
    monkeypatch.setenv("MPIEXEC", str(other))
    assert installation.mpiexec() == other
    monkeypatch.setenv("MPIEXEC", str(other.parent / "nosuch"))
    with pytest.raises(LaunchError, match=r"MPIEXEC is .*nosuch.*, which is not an executable"):
        installation.mpiexec()


def test_a_runner_of_another_installation_comes_with_its_own_mpiexec(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "site-packages" / "transrank"
    runner = make_program(package / "bin" / "transrank-run")
    assert installation.build_of(runner) is None
    assert installation.mpiexec_of(runner) == installation.mpiexec()
    write_build(package, mpi="other-mpi", mpi_kind="openmpi")
    found = installation.build_of(runner)
    assert found is not None
    assert found.mpi_kind == "openmpi"
    with pytest.raises(LaunchError, match="'other-mpi', which this environment lacks"):
        installation.mpiexec_of(runner)
    mpiexec = make_program(tmp_path / "bin" / "mpiexec")
    wheel = package.parent / "other_mpi-1.0.dist-info"
    wheel.mkdir()
    (wheel / "METADATA").write_text("Metadata-Version: 2.1\nName: other-mpi\nVersion: 1.0\n")
    (wheel / "RECORD").write_text("../../bin/mpiexec,,\n")
    assert installation.mpiexec_of(runner) == mpiexec.resolve()
