# SPDX-License-Identifier: BSD-3-Clause
"""Move distributed arrays between MPI ranks; measure and explain what such moves cost.

Importing this package, or its command line, never imports mpi4py.MPI: that would make the process
an MPI process, and an mpiexec started by it fails. The names that need MPI are loaded when they are
first used, through :mod:`transrank.mpi`.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transrank.exchange import (
        AgreedError,
        BrokenExchange,
        Exchange,
        Misuse,
        transports,
    )
    from transrank.memory import empty, empty_like, full, full_like, zeros, zeros_like

__version__ = _version("transrank")

__all__ = [
    "AgreedError",
    "BrokenExchange",
    "Exchange",
    "Misuse",
    "__version__",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "transports",
    "zeros",
    "zeros_like",
]

_MODULE_OF = {
    **dict.fromkeys(
        ["AgreedError", "BrokenExchange", "Exchange", "Misuse", "transports"], "exchange"
    ),
    **dict.fromkeys(["empty", "empty_like", "full", "full_like", "zeros", "zeros_like"], "memory"),
}


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(_import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
