# SPDX-License-Identifier: BSD-3-Clause
"""Does the quick survey keep its promises: three minutes, and a run that is usable?

Runs `transrank survey --quick` into a folder of its own, from the start of the command to the
written report, and prints how long it took, what share of the measured cases has an interval wider
than 10 %, or none, and how wide the median interval is.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bars import Figure, add_check_option, report

from transrank.lab.stats.summary import summarise
from transrank.lab.stats.trust import FEW, USUAL_WIDTH, WIDE
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
        survey = read_run(record)
    results = [one for one in summarise(survey) if one.headline is not None]
    widths = [one.headline.relative_width or math.inf for one in results if one.headline]
    wide = sum(width > WIDE for width in widths)
    found = [
        Figure(
            "the quick survey",
            seconds,
            BAR_SECONDS,
            "s",
            note=f"{len(results)} cases, {len(survey.cases)} results of launches",
        ),
        Figure(
            f"intervals wider than {100 * WIDE:.0f} %",
            100 * wide / len(results),
            100 * FEW,
            "%",
            note=f"{wide} of {len(results)}",
        ),
        Figure("width of the median interval", 100 * median(widths), 100 * USUAL_WIDTH, "%"),
    ]
    return report(found, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
