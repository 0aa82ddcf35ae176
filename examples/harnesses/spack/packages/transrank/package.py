# SPDX-License-Identifier: BSD-3-Clause
"""The library for C++, C and Fortran; py-transrank has the Python package."""

from spack.package import depends_on, license, variant, version  # noqa: A004
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Transrank(CMakePackage):
    """Moves distributed arrays between MPI ranks at memory speed, and measures every move."""

    homepage = "URL_OF_THIS_REPOSITORY"
    git = "URL_OF_THIS_REPOSITORY"

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("lab", default=False, description="Also transrank-run, which measures moves")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("mpi")
    depends_on("cmake@3.25:", type="build")

    def cmake_args(self):
        """The MPI of the spec, in place of one that happens to be on PATH."""
        return [
            self.define("TRANSRANK_MPI", "site"),
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define_from_variant("TRANSRANK_LAB", "lab"),
        ]
