# SPDX-License-Identifier: BSD-3-Clause
"""Fail when a C++ file includes a layer that its own layer may not know, or names a transport."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# layer -> the layers it may include besides itself; a folder of cpp/transrank, the library, and of
# cpp/lab, the laboratory, is a layer.
LIBRARY: dict[str, set[str]] = {
    "transrank/mpi": set(),
    "transrank/layout": set(),
    "transrank/memory": {"mpi"},
    "transrank/route": {"layout"},
    "transrank/copy": {"route"},
    "transrank/schedule": {"layout"},
    "transrank/discovery": {"mpi", "layout", "route"},
    "transrank/transport": {"mpi", "layout", "route", "copy", "memory"},
    "transrank/exchange": {"mpi", "layout", "route", "copy", "memory", "transport"},
    "transrank/collective": {
        *("mpi", "layout", "route", "copy", "memory", "transport", "exchange", "schedule"),
    },
    "transrank/array": {
        *("mpi", "layout", "route", "discovery", "copy", "memory", "transport", "exchange"),
    },
    "transrank/grid": {
        *("mpi", "layout", "route", "discovery", "copy", "exchange", "array"),
    },
    "transrank/redistribution": {
        *("mpi", "layout", "route", "discovery", "transport", "exchange"),
    },
}
ALLOWED = {layer: {f"transrank/{other}" for other in known} for layer, known in LIBRARY.items()}
ALLOWED["c"] = set(ALLOWED)
ALLOWED["lab/text"] = set()
ALLOWED["lab/machine"] = {"lab/text"}
ALLOWED["lab/measure"] = {"transrank/mpi", "lab/text", "lab/machine"}
ALLOWED["lab/study"] = set(ALLOWED)
ALLOWED["lab/runner"] = set(ALLOWED)
# Includes what users name, wherever it is.
UMBRELLA = "transrank/transrank.hpp"
# Generated, and known to all.
VERSION = "transrank/version.h"
# A transport's row, in its own file. Names of one word mean other things, too.
TRANSPORT = re.compile(r'\.name = ("[a-z]+-[a-z-]+")')
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def violations(root: Path) -> list[str]:
    """Return one line per forbidden include or name in the C++ files below `root`, which is cpp."""
    found = []
    transports = {
        name
        for path in root.glob("transrank/transport/*/*.cpp")
        for name in TRANSPORT.findall(path.read_text(encoding="utf-8"))
    }
    for path in sorted(root.rglob("*.[ch]pp")):
        place = path.relative_to(root)
        layer = "/".join(place.parent.parts[:2])
        if place.as_posix() == UMBRELLA:
            continue
        if layer not in ALLOWED:
            found.append(f"{path}: layer '{layer}' is not listed in tools/check_layers.py")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            include = INCLUDE.match(line)
            if include and (problem := _problem(layer, include[1])):
                found.append(f"{path}:{number}: {problem}")
            found += [
                f"{path}:{number}: {name} is a name of the table of transports; go by what its "
                "entry says"
                for name in transports
                if layer != "transrank/transport" and name in line
            ]
    return found


def _problem(layer: str, included: str) -> str | None:
    if included == VERSION:
        return None
    parts = included.split("/")
    if layer == "c" and parts[0] == "c":
        return None
    if layer == "lab/runner" and len(parts) == 1:
        return None  # a program's own headers
    if parts[0] not in ("transrank", "lab") or len(parts) < 3:
        return f'"{included}": include our headers as "transrank/LAYER/FILE.hpp"'
    other = "/".join(parts[:2])
    if other != layer and other not in ALLOWED[layer]:
        return f"layer '{layer}' must not include '{other}'"
    return None


if __name__ == "__main__":
    problems = violations(Path(__file__).parent.parent / "cpp")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)
