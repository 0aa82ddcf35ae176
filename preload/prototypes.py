# SPDX-License-Identifier: BSD-3-Clause
"""Write the wrappers of the preloaded library from the prototypes of an mpi.h.

prototypes.py FOLDER PREPROCESSOR...
writes to FOLDER what the preloaded library (wrappers.inc) and the carrier (carried.inc) define.
"""

import re
import subprocess
import sys
from pathlib import Path

CARRIED = re.compile(r"\bint\s+MPI_(Alltoall[vw]?(?:_c)?)\s*\(([^()]*)\)")
WRAPPER = """int MPI_{name}({parameters}) {{
    static Found found;
    return reinterpret_cast<decltype(&MPI_{name})>(look_up(found, "PMPI_{name}"))({arguments});
}}
"""
FUNCTION = """extern "C" __attribute__((visibility("default")))
int transrank_carried_MPI_{name}({parameters}) {{
    return transrank::carry::{base}({arguments}, [&] {{ return PMPI_{name}({arguments}); }});
}}
"""


def main() -> None:
    """Write both files."""
    folder, *preprocessor = sys.argv[1:]
    header = subprocess.run(
        [*preprocessor, "-E", "-P", "-x", "c++", "-"],
        input="#include <mpi.h>\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wrappers, functions = [], []
    for name, found in sorted(CARRIED.findall(header)):
        parameters = " ".join(found.split())
        names = [re.sub(r"\[\]$", "", each).split()[-1].lstrip("*") for each in found.split(",")]
        values = {
            "name": name,
            "base": name.lower().removesuffix("_c"),
            "parameters": parameters,
            "arguments": ", ".join(names),
        }
        wrappers.append(WRAPPER.format(**values))
        functions.append(FUNCTION.format(**values))
    if len(wrappers) not in (3, 6):
        raise SystemExit(f"{len(wrappers)} prototypes of alltoalls in mpi.h; 3 or 6 are expected")
    Path(folder, "wrappers.inc").write_text("\n".join(wrappers), encoding="utf-8")
    Path(folder, "carried.inc").write_text("\n".join(functions), encoding="utf-8")


main()
