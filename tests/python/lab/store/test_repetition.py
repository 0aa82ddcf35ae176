# SPDX-License-Identifier: BSD-3-Clause
"""The words that make a run again are those that made it, without its record file."""

import pytest

from transrank.lab.store.repetition import prepared, repeated


@pytest.mark.parametrize(
    "output", [["-o", "mine"], ["-omine"], ["--output", "mine"], ["--output=mine"], []]
)
def test_the_record_file_of_the_run_is_not_named_again(output):
    command = ["transrank", "measure", *output, "pingpong", "--sizes", "8"]
    assert repeated(command, 7) == [
        *("transrank", "measure", "pingpong", "--sizes", "8", "--seed", "7")
    ]


@pytest.mark.parametrize("seed", [["--seed", "3"], ["--seed=3"]])
def test_a_seed_that_was_given_stays(seed):
    assert repeated(["transrank", "survey", *seed], 3) == ["transrank", "survey", *seed]


def test_options_stay_in_front_of_words_that_are_no_options():
    command = ["transrank", "measure", "--dry-run", "--", "pingpong"]
    assert repeated(command, 1) == ["transrank", "measure", "--seed", "1", "--", "pingpong"]


def test_what_was_found_out_for_the_run_is_said_when_it_is_prepared():
    assert prepared(["transrank", "survey", "--quick"], 5, 4, 0.123456, 1 << 20) == [
        *("transrank", "survey", "--quick", "--seed", "5", "--max-time", "0.123456s"),
        *("--launches", "4"),
        *("--memory", "1048576", "--prepare", "--output", "by-hand.jsonl"),
    ]
