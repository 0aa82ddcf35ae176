# SPDX-License-Identifier: BSD-3-Clause
"""One process has one MPI library, and only transrank.mpi loads it."""

import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

import transrank
from conftest import ONE_THREAD
from support.bounded import Finished, run_bounded


def python(code: str, env: Mapping[str, str] | None = None) -> Finished:
    """Run a program in a Python of its own: pytest's must never become an MPI process."""
    return run_bounded(
        [sys.executable, "-c", textwrap.dedent(code)], timeout=60, env={**ONE_THREAD, **(env or {})}
    )


def test_the_package_and_its_command_line_load_no_mpi():
    loaded = python(
        """
        import sys
        import transrank, transrank.lab.cli.__main__, transrank.installation
        print([name for name in sys.modules if name.startswith(("mpi4py", "transrank._core"))])
        print("libmpi" in open("/proc/self/maps").read())
        """
    ).check()
    assert loaded.stdout == "[]\nFalse\n"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_native_code_sees_the_communicators_of_mpi4py(mpiexec, ranks):
    program = textwrap.dedent(
        """
        from transrank import _core
        from transrank.mpi import MPI, library_version
        world = MPI.COMM_WORLD
        half = world.Split(world.rank % 2)
        sizes = [_core.communicator_size(comm) for comm in (world, half, MPI.COMM_SELF)]
        assert sizes == [world.size, half.size, 1], sizes
        assert library_version() == MPI.Get_library_version().strip(" \\0\\n")
        """
    )
    mpiexec.run(ranks, sys.executable, "-c", program).check()


def test_what_is_no_communicator_is_refused():
    outcome = python(
        """
        from transrank import _core
        from transrank.mpi import MPI
        for wrong in (3, None, MPI.INT):
            try:
                _core.communicator_size(wrong)
            except TypeError as error:
                print("mpi4py.MPI.Comm" in str(error))
        try:
            _core.communicator_size(MPI.COMM_NULL)
        except RuntimeError as error:
            print("MPI_Comm_size failed" in str(error))
        """
    ).check()
    assert outcome.stdout == "True\n" * 4


def test_versions_are_told_apart_but_for_their_padding():
    outcome = python(
        """
        from mpi4py import MPI
        MPI.Get_library_version = lambda: "Other MPI 9.9\\0"
        import transrank.mpi
        """
    )
    assert outcome.status == 1
    assert "ImportError: transrank and mpi4py use different MPI libraries" in outcome.stderr
    assert "mpi4py:    Other MPI 9.9 " not in outcome.stderr
    assert "mpi4py:    Other MPI 9.9\n" in outcome.stderr
    assert "hint: " in outcome.stderr
    python(
        """
        from mpi4py import MPI
        text = MPI.Get_library_version().strip(" \\0\\n")
        MPI.Get_library_version = lambda: text + " \\0"
        import transrank.mpi
        """
    ).check()


def test_another_mpis_mpiexec_is_named_before_mpi_ends_the_process():
    ours = python("from transrank.mpi import library_version; print(library_version())").check()
    other = {"OMPI_COMM_WORLD_SIZE": "2", "PMIX_NAMESPACE": "job", "PMIX_RANK": "0"}
    name = "Open MPI's mpiexec"
    if "Open MPI" in ours.stdout:
        other, name = {"MPI_LOCALNRANKS": "2"}, "the mpiexec of MPICH or Intel MPI"
    for program in ("import transrank; transrank.BlockGrid", "import transrank.mpi"):
        outcome = python(program, env=other)
        assert outcome.status == 1, outcome.describe()
        assert f"ImportError: {name} started this process, but its MPI" in outcome.stderr
        assert "each rank is alone hint: start it with the mpiexec of that" in outcome.stderr
        assert outcome.stderr.count("each rank is alone") == 1
        assert "Fatal error" not in outcome.stderr


def test_a_second_library_in_the_process_is_refused(tmp_path):
    second = tmp_path / "libmpi.so.99"
    any_library = next(Path(sys.prefix).rglob("*.so"))
    shutil.copy(any_library, second)
    outcome = python(
        f"""
        import mmap
        file = open({str(second)!r}, "rb")
        keep = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        import transrank.mpi
        """
    )
    assert outcome.status == 1
    assert "ImportError: transrank and mpi4py use different MPI libraries" in outcome.stderr
    assert str(second) in outcome.stderr


def test_every_name_can_be_used():
    names = [name for name in transrank.__all__ if name != "__version__"]
    python(
        f"""
        import transrank
        for name in {names}:
            assert name in dir(transrank), name
            value = getattr(transrank, name)
            where = getattr(value, "__module__", value.__name__)
            assert where.startswith("transrank"), name
        """
    ).check()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'transrank' has no attribute 'zeroes'"):
        transrank.zeroes  # noqa: B018
