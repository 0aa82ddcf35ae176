# SPDX-License-Identifier: BSD-3-Clause
"""A ReFrame test of a machine: each case that transrank measures is a performance variable.

    reframe -c transrank_reframe.py -r -S studies=pingpong,collectives

transrank finds the launcher of the job itself, so ReFrame starts it without one. With references
for some cases (`reference` of a derived class, by case: `pingpong/8B`), ReFrame fails the test when
one of them is slower; `transrank compare` knows intervals, and is the better judge of two runs.
"""

from __future__ import annotations

from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import (
    run_after,
    run_before,
    sanity_function,
    variable,
)

LINE = r"^case=(?P<case>\S+) ranks=(?P<ranks>\d+) .*status=(?P<status>\w+) value=(?P<value>\S+)"


@rfm.simple_test
class TransrankCheck(rfm.RunOnlyRegressionTest):
    """Measures some studies and reports the median of each case, in seconds."""

    descr = "transrank: what moves between MPI ranks cost"
    valid_systems = ["*"]  # noqa: RUF012
    valid_prog_environs = ["*"]  # noqa: RUF012
    studies = variable(str, value="pingpong")
    options = variable(str, value="--time 60s")
    executable = "transrank"

    @run_before("run")
    def measure(self) -> None:
        """One run in the folder of the test, and its numbers as lines."""
        names = self.studies.replace(",", " ")
        self.executable_opts = [f"measure {names} {self.options} --store runs --quiet"]
        self.postrun_cmds = ["transrank show latest --store runs --format lines"]

    @run_after("setup")
    def start_without_launcher(self) -> None:
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def measures_every_case(self) -> bool:
        """Some case has a value, and none failed: payloads are verified."""
        states = sn.extractall(LINE, self.stdout, "status")
        return sn.all([sn.assert_true(states), sn.assert_not_in("failed", states)])

    @run_before("performance")
    def report_cases(self) -> None:
        """A performance variable for each case that has a value."""
        output = Path(self.stagedir) / sn.evaluate(self.stdout)
        lines = sn.extractall(LINE, str(output), ("case", "value"), (str, float))
        for case, value in sn.evaluate(lines):
            if value == value:
                self.perf_variables[case] = sn.make_performance_function(sn.defer(value), "s")
