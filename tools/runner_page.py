# SPDX-License-Identifier: BSD-3-Clause
"""Write the table of docs/runner.md from what transrank-run says of its options."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from transrank import installation

PAGE = Path(__file__).parent.parent / "docs" / "runner.md"
OPTION = re.compile(r"^  (--\S+(?: \S+)?) {2,}(.*(?:\n {4,}.*)*)", re.MULTILINE)
TABLE = re.compile(r"(<!-- options: .* -->\n).*(<!-- end of the options -->\n)", re.DOTALL)


def written(page: str) -> str:
    """Return the page with the table of the runner's options."""
    command = [str(installation.runner()), "--help"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [f"| `{name}` | {' '.join(text.split())} |\n" for name, text in OPTION.findall(told)]
    table = "".join(["| option | meaning |\n", "|---|---|\n", *rows])
    return TABLE.sub(lambda marks: marks[1] + table + marks[2], page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
