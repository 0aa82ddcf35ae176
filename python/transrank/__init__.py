# SPDX-License-Identifier: BSD-3-Clause
"""Moves distributed arrays between MPI ranks at memory speed, and measures what every move costs.

Start programs with ``mpiexec -n RANKS python -m mpi4py PROGRAM``: an uncaught exception on one rank
then ends the job. Without ``-m mpi4py``, the other ranks may wait for the failed rank forever.

Importing this package, or the module of its command line, never imports mpi4py.MPI. That import
would turn the process into an MPI process, and mpiexec fails when an MPI process starts it. The
names that need MPI are loaded through :mod:`transrank.mpi` when they are first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transrank import layout, route
    from transrank.array import ArrayTransformer, ParArray
    from transrank.collective import Alltoall, alltoall, alltoall_algorithms
    from transrank.exchange import AgreedError, BrokenExchange, Exchange, Misuse, transports
    from transrank.grid import Ghosts, Grid
    from transrank.layout import BlockGrid, Distribution, Numbering, Rows
    from transrank.memory import empty, empty_like, full, full_like, zeros, zeros_like
    from transrank.redistribution import Redistribution
    from transrank.route import Route

__version__ = _version("transrank")

__all__ = [
    "AgreedError",
    "Alltoall",
    "ArrayTransformer",
    "BlockGrid",
    "BrokenExchange",
    "Distribution",
    "Exchange",
    "Ghosts",
    "Grid",
    "Misuse",
    "Numbering",
    "ParArray",
    "Redistribution",
    "Route",
    "Rows",
    "__version__",
    "alltoall",
    "alltoall_algorithms",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "layout",
    "route",
    "transports",
    "zeros",
    "zeros_like",
]

_NAMES = {
    "array": ["ArrayTransformer", "ParArray"],
    "collective": ["Alltoall", "alltoall", "alltoall_algorithms"],
    "exchange": ["AgreedError", "BrokenExchange", "Exchange", "Misuse", "transports"],
    "grid": ["Ghosts", "Grid"],
    "layout": ["BlockGrid", "Distribution", "Numbering", "Rows", "layout"],
    "memory": ["empty", "empty_like", "full", "full_like", "zeros", "zeros_like"],
    "redistribution": ["Redistribution"],
    "route": ["Route", "route"],
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _import_module(f"{__name__}.{_MODULE_OF[name]}")
    value: object = module if name == _MODULE_OF[name] else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
