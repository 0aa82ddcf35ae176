# SPDX-License-Identifier: BSD-3-Clause
"""The study `advection-solution` through the runner: orders, mass, and what is refused."""

import math
from collections.abc import Sequence

import pytest

from conftest import Mpiexec
from support import recorded
from transrank import installation
from transrank.lab.store.lines import Case
from transrank.lab.store.records import read_run

ORDERS = {"first-order": 1, "second-order": 2}


@pytest.fixture(scope="module")
def cases(mpiexec: Mpiexec, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Case]:
    folder = tmp_path_factory.mktemp("advection")
    record = recorded.write(folder / "run.jsonl", [recorded.header()])
    axes = {
        "initial": "sin-x,sin-x-sin-y,top-hat",
        "velocity": "-+",  # upwind is to the right of one dimension and to the left of the other
        "points": "3,50,100",
        "step": "0.4,1",
        "transport": "auto,none",
    }
    options = [f"--axis={name}={values}" for name, values in axes.items()]
    mpiexec.run(
        *(3, installation.runner(), "--study=advection-solution", *options, "--count=1"),
        f"--record={record}",
    ).check()
    return read_run(record).cases


def errors(cases: Sequence[Case], initial: str, scheme: str, transport: str) -> dict[object, float]:
    """Mean errors by points, of the short steps."""
    return {
        case.axes["points"]: case.outcome.values["error_mean"]
        for case in cases
        if case.outcome is not None
        and (case.axes["initial"], case.axes["scheme"]) == (initial, scheme)
        and (case.axes["transport"], case.axes["step"]) == (transport, "0.4")
    }


@pytest.mark.parametrize("scheme", ORDERS)
def test_smooth_fields_converge_with_the_order_of_the_scheme(cases, scheme):
    for initial in ("sin-x", "sin-x-sin-y"):
        found = errors(cases, initial, scheme, "auto")
        assert abs(math.log2(found[50] / found[100]) - ORDERS[scheme]) < 0.1


def test_without_communication_the_field_is_wrong(cases):
    right = errors(cases, "sin-x-sin-y", "second-order", "auto")
    wrong = errors(cases, "sin-x-sin-y", "second-order", "none")
    assert all(wrong[place] > 10 * right[place] for place in right)


def test_mass_stays_also_of_a_field_that_is_not_smooth(cases):
    solved = [
        case.outcome.values
        for case in cases
        if case.outcome is not None and case.axes["transport"] == "auto"
    ]
    assert len(solved) > 10
    for values in solved:
        assert values["mass_after"] == pytest.approx(values["mass_before"], rel=1e-12, abs=1e-11)


def test_steps_too_long_and_parts_too_thin_are_refused_with_a_remedy(cases):
    reasons = " ".join({case.reason or "" for case in cases if case.status == "skipped"})
    assert "use at most 0.5 times this step" in reasons
    assert "the part of rank 0 is 1 points thick in dimension 0" in reasons
