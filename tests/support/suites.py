# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of OSU and IMB print: of long tables some rows.

The lines that frame a table of IMB stand in `imb_np4_groups` alone.
"""

import re
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "python" / "lab" / "store" / "outputs"
# One output after the other, each below its name.
_NAMED = re.compile(r"^==> (\w+) <==\n(.*?)(?=^==> |\Z)", re.DOTALL | re.MULTILINE)
OUTPUTS: dict[str, str] = {
    name: text
    for path in sorted(_FOLDER.glob("*.txt"))
    for name, text in _NAMED.findall(path.read_text("utf-8"))
}


def written(folder: Path, *names: str) -> list[Path]:
    """Write these outputs into a folder, each into a file of its own."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{name}.txt" for name in names]
    for path in paths:
        path.write_text(OUTPUTS[path.stem], encoding="utf-8")
    return paths
