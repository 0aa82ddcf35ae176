# SPDX-License-Identifier: BSD-3-Clause
"""Does the quick survey keep its promise of three minutes?

Runs `transrank survey --quick` into a folder of its own, from the start of the command to the
written report, and prints how long it took and how many of its cases were measured.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bars import Figure, add_check_option, report

from transrank.lab.store.records import read_run

BAR_SECONDS = 180.0


def main() -> int:
    """Run the survey and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "quick.jsonl")
        program = [sys.executable, "-m", "transrank.lab.cli"]
        command = [*program, "survey", "--quick", "--output", record]
        begin = time.monotonic()
        subprocess.run([*map(str, command), "-qq"], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begin
        cases = read_run(record).cases
    measured = sum(case.status == "ok" for case in cases)
    note = f"{measured} of {len(cases)} cases measured"
    return report(
        [Figure("the quick survey", seconds, BAR_SECONDS, "s", note=note)], arguments.check
    )


if __name__ == "__main__":
    sys.exit(main())
