# SPDX-License-Identifier: BSD-3-Clause
"""How many random cases a test tries: a sample, or as many as `make stress` asks for."""

import os

VARIABLE = "TRANSRANK_TRIALS"
SEED_VARIABLE = "TRANSRANK_TEST_SEED"
LONG_SECONDS = 3600.0


def trials(sample: int) -> int:
    """As many as the environment says; a sample where it says nothing."""
    return int(os.environ.get(VARIABLE, sample))


def seed() -> int:
    """What cases are drawn from: the same in every run unless the environment says otherwise."""
    return int(os.environ.get(SEED_VARIABLE, "0"))


def seconds(usual: float) -> float:
    """How long a program may take that tries so many."""
    return LONG_SECONDS if VARIABLE in os.environ else usual


def are_in(source: str) -> bool:
    """Whether a test, in Python or C++, tries as many as it is asked for."""
    return "trials(" in source
