# SPDX-License-Identifier: BSD-3-Clause
"""What the published tables say: computed, and other numbers give other sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from transrank.lab.reference.machine import Machine
from transrank.lab.reference.tables import machine, machines
from transrank.lab.report.findings import published
from transrank.lab.report.findings.published import facts, findings


def steps_of(name: str) -> dict[tuple[str, str, str], str]:
    steps = next(t for t in facts(machine(name)) if t.caption.startswith("Steps and falls"))
    return {
        (curve, lower, upper): factor
        for curve, nodes, lower, upper, factor in (row.cells for row in steps.rows)
        if nodes == "384"
    }


def test_steps_and_falls_of_published_curves_are_found() -> None:
    found = steps_of("fugaku")
    assert found["allreduce", "8 B", "16 B"] == "6.79"
    assert found["allreduce", "64 KiB", "128 KiB"] == "0.381"
    assert found["scatterv", "256 B", "512 B"] == "3.11"
    assert found["bcast", "32 B", "64 B"] == "9.06"
    assert not any(curve == "pingpong" for curve, _, _ in found)


def test_the_start_of_jobs_has_an_exponent_and_the_shapes_a_ratio_with_their_intervals() -> None:
    exponent, shapes = findings(machine("fugaku"), ["launch"])
    assert "exponent of 0.37 (95 % interval 0.03 to 0.71)" in exponent
    assert "4x6x32 takes 1.54 times (1.36 to 1.75) as long as 8x12x8" in shapes


def test_dies_of_the_guide_are_told_apart_by_the_test_of_a_measured_run() -> None:
    said = findings(machine("xt6"))
    assert "Counterpart memory beside neighbor memory cannot be told apart (p = 0.57)." in said
    assert "Diagonal memory beside neighbor memory takes longer (p = 0.029)." in said


def test_dies_that_are_alike_are_not_told_apart() -> None:
    guide = machine("xt6")
    alike = replace(
        guide,
        points=tuple(
            replace(point, seconds=23.0 + 0.001 * (int(point.axes["thread"]) % 3))
            for point in guide.points
        ),
    )
    assert all("cannot be told apart" in text for text in findings(alike))


def test_published_growth_is_fitted_below_and_beyond_its_bend() -> None:
    below, beyond = findings(machine("jaguar"))
    assert "up to 128 processors with an exponent of 0.90" in below
    assert "from 128 processors on with an exponent of 1.73" in beyond


def test_the_printed_sine_has_lost_less_than_first_order_upwind_takes() -> None:
    (said,) = findings(machine("triton"))
    assert "0.019 in the mean and by 0.030 at most" in said
    assert "amplitude 0.99975, where first-order upwind leaves 0.99805" in said


@pytest.mark.parametrize("name", ["gs", "thtj", "thtj1", "bscc-a"])
def test_each_row_of_published_ghost_updates_has_its_best_total_marked(name: str) -> None:
    (totals,) = facts(machine(name))
    for row in totals.rows:
        assert sum(cell.endswith("(best)") for cell in row.cells) == 1
    (said,) = findings(machine(name))
    assert "everybody pulls from rank 0" in said
    assert ("on 32 ranks" in said) == (name == "gs")


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_every_machine_has_something_to_say(known: Machine) -> None:
    assert findings(known)
    assert facts(known)
    assert all(len(row.cells) == len(t.columns) for t in facts(known) for row in t.rows)


def test_only_what_concerns_the_studies_asked_for_is_said() -> None:
    assert findings(machine("fugaku"), ["pingpong"]) == ()
    assert published.findings(machine("fugaku"), ["launch", "collectives"]) == findings(
        machine("fugaku")
    )
