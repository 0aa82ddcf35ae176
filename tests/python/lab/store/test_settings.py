# SPDX-License-Identifier: BSD-3-Clause
"""What is said of a setting holds for the record, the user and the runner alike."""

import subprocess

import pytest

from transrank import installation
from transrank.lab.store.lines import from_json
from transrank.lab.store.settings import CHOICES, OPTIONS, RUNNER_OPTIONS, Settings
from transrank.lab.survey.resume import PLANNED

GIVEN = {"P%": "3%", "T": "7s", "N": "12", "SIZE": "16"}
READ = {
    name: one.parse(GIVEN[one.metavar]) if one.parse else CHOICES[name][-1]
    for name, one in OPTIONS.items()
}


@pytest.mark.parametrize("settings", [Settings(), Settings(**READ), Settings(count=3)])
def test_what_a_record_has_of_settings_is_read_as_they_were(settings):
    found = from_json(Settings, settings.recorded())
    assert found.recorded() == settings.recorded()


def test_the_runner_has_the_options_that_it_is_given_and_a_plan_may_have_them():
    command = [str(installation.runner()), "--help"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for settings in (Settings(**READ), Settings(**READ | {"count": None})):
        words = settings.arguments()
        assert {word for word in words[::2] if f"  {word} " not in told} == set()
        assert set(words[::2]) <= PLANNED.keys()
    names = {one.option for one in RUNNER_OPTIONS.values()}
    assert names == set(words[::2]) | {"--count"}
