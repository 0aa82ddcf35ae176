# SPDX-License-Identifier: BSD-3-Clause
"""Measure, explain and predict what moving data between MPI ranks costs.

Importing this package, or its command line, never imports mpi4py.MPI: that would make the process
an MPI process, and an mpiexec started by it fails. What needs MPI is in :mod:`transrank.mpi`.
"""

from importlib.metadata import version as _version

__version__ = _version("transrank")

__all__ = ["__version__"]
