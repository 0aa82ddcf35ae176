# SPDX-License-Identifier: BSD-3-Clause
"""Does the quick survey keep its promises: three minutes, and intervals of ten percent?

Runs `transrank survey --quick` into a folder of its own, from the start of the command to the
written report, and prints how long it took, how many of its cases were measured, and how many of
those have an interval wider than the precision, or none.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bars import Figure, add_check_option, report

from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import read_run

BAR_SECONDS = 180.0
BAR_WIDE = 20.0


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
        survey = read_run(record)
    results = [one for one in summarise(survey) if one.status in ("ok", "wide")]
    wide = sum(one.status == "wide" for one in results)
    found = [
        Figure(
            "the quick survey",
            seconds,
            BAR_SECONDS,
            "s",
            note=f"{len(results)} of {len(survey.cases)} cases measured",
        ),
        Figure(
            "cases with a wide interval",
            100 * wide / len(results),
            BAR_WIDE,
            "%",
            note=f"{wide} of {len(results)}",
        ),
    ]
    return report(found, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
