# SPDX-License-Identifier: BSD-3-Clause
"""Runs to report on: written through the record format, read back from the file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from python.lab.report.synthetic import Link, Survey, add_point_to_point, small_survey
from transrank.lab.report.page import render_report
from transrank.lab.store.records import Run


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Run]:
    """Write a survey's record and read it."""

    def write(survey: Survey, **header: Any) -> Run:
        return survey.read(tmp_path, **header)

    return write


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every study, few sizes, with skipped, failed and unstable cases."""
    return small_survey().read(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def small_page(small_run: Run) -> str:
    return render_report([small_run])


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """The second run is a tenth slower than the first."""
    folder = tmp_path_factory.mktemp("two")
    runs = []
    for label, slower in (("before", 1.0), ("after", 1.1)):
        survey = Survey(run=f"run-{label}", label=label, slower=slower, noise=0.001)
        add_point_to_point(survey, Link(), (8, 1024, 1 << 20), ((2, 0), (4, 0)))
        runs.append(survey.read(folder))
    return runs
