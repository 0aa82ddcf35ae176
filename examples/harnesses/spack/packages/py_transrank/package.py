# SPDX-License-Identifier: BSD-3-Clause
"""The Python package, which has the library inside and needs no other one.

Not all that surveys and reports need is in Spack: `python -m pip install "transrank[lab]"` in an
environment on top adds it.
"""

from spack.package import depends_on, license, version  # noqa: A004
from spack_repo.builtin.build_systems.python import PythonPackage


class PyTransrank(PythonPackage):
    """Moves distributed NumPy arrays between MPI ranks at memory speed, and measures every move."""

    homepage = "URL_OF_THIS_REPOSITORY"
    git = "URL_OF_THIS_REPOSITORY"

    license("BSD-3-Clause")
    version("main", branch="main")

    depends_on("cxx", type="build")
    depends_on("mpi")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja@1.11:", type="build")
    depends_on("py-scikit-build-core@1.1:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("py-numpy@1.26:", type=("build", "run"))
    depends_on("py-mpi4py@4.1:", type=("build", "run"))

    def setup_build_environment(self, env):
        """The MPI of the spec, in place of one from PyPI."""
        env.set("MPI_HOME", self.spec["mpi"].prefix)
