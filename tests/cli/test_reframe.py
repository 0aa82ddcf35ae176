# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame test of the examples, run by ReFrame."""

import json
import os
import sys
from pathlib import Path

from support.bounded import run_bounded

CHECK = Path(__file__).parents[2] / "examples" / "harnesses" / "transrank_reframe.py"


def test_reframe_reports_every_case_as_a_performance_variable(tmp_path):
    programs = Path(sys.executable).parent
    report = tmp_path / "report.json"
    run_bounded(
        [
            *(programs / "reframe", "-c", CHECK, "-r", "--system=generic"),
            *("--prefix", tmp_path, "--report-file", report),
            *("-S", "options=--sizes 8,64 --count 2 --launches 1 -n 2"),
        ],
        timeout=120,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        cwd=tmp_path,
    ).check()
    (run,) = json.loads(report.read_text())["runs"]
    (case,) = run["testcases"]
    assert case["result"] == "pass"
    values = {key.rsplit(":", 1)[-1]: value for key, value in case["perfvalues"].items()}
    assert values.keys() == {"pingpong/8B", "pingpong/64B"}
    assert all(value[0] > 0 for value in values.values())
