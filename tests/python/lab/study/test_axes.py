# SPDX-License-Identifier: BSD-3-Clause
"""Axes of studies as options: what `transrank list studies` prints can be typed."""

import re
import subprocess

import pytest

from transrank import installation
from transrank.lab.cli import measure
from transrank.lab.cli.__main__ import VERBS, build_parser, options_of, parse
from transrank.lab.study import catalogue
from transrank.lab.study import launch as launch_study

# How a pattern looks: N, away-K, A-B+C-D, 1..4096.
PATTERN = re.compile(r"[A-Z]|\.\.")

# What is the same thing by both names: a grid that is redistributed, its partitions, an algorithm.
# A batch system's queue is another than that of messages; the axes of a job stand behind its `--`.
ALIKE = {"plan": {"--grid", "--from", "--to", "--algorithm"}, "script": {"--queue"}}


def typed_axes() -> list[tuple[str, str, list[str]]]:
    """Every axis of every study, with the values that can be typed as they are printed."""
    return [
        (study.name, axis, [value for value in every if not PATTERN.search(value)])
        for study in catalogue.studies().values()
        for axis, values in study.axes.items()
        for every in [(*values, *study.on_request.get(axis, ()))]
    ]


@pytest.mark.parametrize("verb", VERBS)
def test_no_axis_has_the_name_of_an_option(verb):
    options = set(options_of(build_parser([verb]), verb))
    axes = {f"--{axis}" for study in catalogue.studies().values() for axis in study.axes}
    assert axes & options == ALIKE.get(verb, set())


def test_no_axis_that_the_runner_measures_has_the_name_of_one_of_its_options():
    said = subprocess.run(
        [installation.runner(), "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    options = set(re.findall(r"--([a-z-]+)", said.stdout))
    assert {"ranks", "memory", "sizes", "plan"} <= options
    studies = [one for one in catalogue.studies().values() if not one.driven_from_outside]
    assert not {axis for study in studies for axis in study.axes} & options


@pytest.mark.parametrize(("study", "axis", "values"), typed_axes(), ids=lambda each: str(each)[:20])
def test_each_axis_takes_as_an_option_what_the_list_prints(study, axis, values):
    text = ",".join(values)
    arguments = parse(["measure", study, f"--{axis}", text])
    assert arguments.axis == [f"{axis}={text}"]
    (selection,) = measure.selections(arguments)
    if study == launch_study.NAME:
        assert len(launch_study.cases(dict(selection.axes))) == len(values)
    else:
        assert catalogue.list_cases(selection.arguments(), ranks=2)
