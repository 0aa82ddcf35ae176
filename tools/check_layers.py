# SPDX-License-Identifier: BSD-3-Clause
"""Fail when a C++ file includes a layer that its own layer may not know, or names a transport."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# layer -> the layers it may include besides itself; a folder of cpp/transrank is a layer.
ALLOWED: dict[str, set[str]] = {
    "mpi": set(),
    "text": set(),
    "machine": set(),
    "layout": set(),
    "memory": {"mpi"},
    "route": {"layout"},
    "schedule": {"layout"},
    "discovery": {"mpi", "layout", "route"},
    "transport": {"mpi", "route", "memory"},
    "exchange": {"mpi", "route", "memory", "transport"},
    "collective": {"mpi", "layout", "route", "memory", "transport", "exchange", "schedule"},
    "array": {"mpi", "layout", "route", "discovery", "memory", "transport", "exchange"},
    "redistribution": {"mpi", "layout", "route", "discovery", "transport", "exchange"},
    "measure": {"mpi", "text", "machine"},
}
ALLOWED["study"] = set(ALLOWED)
# A transport's row, in its own file. Names of one word mean other things, too.
TRANSPORT = re.compile(r'\.name = ("[a-z]+-[a-z-]+")')
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def violations(root: Path) -> list[str]:
    """Return one line per forbidden include or name in the C++ files below `root`."""
    found = []
    transports = {
        name
        for path in root.glob("transport/*.cpp")
        for name in TRANSPORT.findall(path.read_text(encoding="utf-8"))
    }
    for path in sorted(root.rglob("*.[ch]pp")):
        layer = path.relative_to(root).parts[0]
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
                if layer != "transport" and name in line
            ]
    return found


def _problem(layer: str, included: str) -> str | None:
    parts = included.split("/")
    if parts[0] != "transrank" or len(parts) < 3:
        return f'"{included}": include our headers as "transrank/LAYER/FILE.hpp"'
    other = parts[1]
    if other != layer and other not in ALLOWED[layer]:
        return f"layer '{layer}' must not include '{other}'"
    return None


if __name__ == "__main__":
    problems = violations(Path(__file__).parent.parent / "cpp" / "transrank")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)
