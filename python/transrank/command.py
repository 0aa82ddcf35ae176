# SPDX-License-Identifier: BSD-3-Clause
"""The program `transrank`: the laboratory's command line, if its requirements are installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec

# Of the extra `lab`.
REQUIRED = (
    "fastjsonschema",
    "jinja2",
    "msgspec",
    "rich",
    "scipy",
    "scipy_openblas32",
    "vl_convert",
)


def main() -> int:
    """Run the command line, or print one line that names the missing requirements."""
    missing = [name for name in REQUIRED if find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"transrank: error: not installed: {', '.join(missing)}; "
            "pip install 'transrank[lab]' installs the requirements of the command line\n"
        )
        return 2
    from transrank.lab.cli.__main__ import main as run_command_line

    return run_command_line()
