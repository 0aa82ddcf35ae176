# SPDX-License-Identifier: BSD-3-Clause
"""transrank survey: all studies, their report, and what is said before it starts."""

import os
import re
import signal

from support import commands
from transrank.lab.store.records import finished_cases, read_run
from transrank.lab.store.settings import LAUNCHES
from transrank.lab.study import catalogue


def test_a_quick_survey_asks_every_study_and_writes_its_report(tmp_path):
    """With little time and memory: cases that need more are skipped and say so."""
    page = tmp_path / "page.html"
    finished = commands.transrank(
        f"survey --quick --launches 1 --max-time 2ms --memory 256KiB --report {page}",
        store=tmp_path,
    ).check()
    (path,) = tmp_path.glob("*.jsonl")
    run = read_run(path)
    planned = {(one.launch, case) for one in run.header.plan for case in one.cases}
    assert finished_cases(run) == planned
    surveyed = {name for name, study in catalogue.studies().items() if study.surveyed}
    assert {case.study for case in run.cases} == surveyed
    skipped = [case for case in run.cases if case.status == "skipped"]
    assert skipped
    assert all("memory" in (case.reason or "") for case in skipped)
    assert page.read_text().startswith("<!doctype html>")
    assert f"report: {page}" in finished.stderr


def test_a_full_survey_says_how_long_it_may_take_before_it_starts(tmp_path):
    with commands.start("survey --launches 2", store=tmp_path) as running:
        lines = []
        for line in running.stderr:
            lines.append(line)
            if "up to about" in line:
                os.kill(running.pid, signal.SIGINT)
                break
        rest = running.stderr.read()
        running.wait(60)
    assert not any(line.startswith("[") for line in lines)
    assert " cases in " in lines[-1]
    assert running.returncode == 130
    assert "finish it with: transrank survey --resume" in rest
    assert not list(tmp_path.glob("*.html"))


def test_the_dry_run_of_a_survey_launches_nothing(tmp_path):
    finished = commands.transrank("survey --quick --dry-run", store=tmp_path).check()
    record, *launches = finished.stdout.splitlines()
    assert record.endswith("--prepare --output by-hand.jsonl")
    assert all("transrank-run" in line or "printf" in line for line in launches)
    assert sum("printf" in line for line in launches) == LAUNCHES  # the cases of a launch of all
    assert len(set(re.findall(r"--seed \d+", "\n".join(launches)))) == LAUNCHES
    assert list(tmp_path.iterdir()) == []
