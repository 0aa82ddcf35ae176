# SPDX-License-Identifier: BSD-3-Clause
"""The program `transrank`: the laboratory's command line, if its requirements are installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

# Of the extra `lab`.
REQUIRED = (
    "jinja2",
    "msgspec",
    "rich",
    "scipy",
    "scipy_openblas32",
    "vl_convert",
)


def require(modules: Sequence[str] = REQUIRED, packages: str = "transrank[lab]") -> None:
    """End this program with a one-line error and status 2 unless all `modules` are installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"{Path(sys.argv[0]).name}: error: not installed: {', '.join(missing)}; "
            f"pip install '{packages}'\n"
        )
        raise SystemExit(2)


def main() -> int:
    """Run the command line, or print one line that lists the missing requirements."""
    require()
    from transrank.lab.cli.__main__ import main as run_command_line

    return run_command_line()
