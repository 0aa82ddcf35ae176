# SPDX-License-Identifier: BSD-3-Clause
"""What the published tables say: computed, and other numbers give other sentences."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from transrank import installation
from transrank.lab.reference.machine import Machine
from transrank.lab.reference.tables import machine, machines
from transrank.lab.report.findings import fugaku, published
from transrank.lab.report.findings.published import facts, findings
from transrank.lab.report.tables import NOTHING


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
    assert "2.90 s (8x12x8) to 4.47 s (4x6x32) in the mean, 1.54 times (1.36 to 1.75)" in shapes


def test_each_shape_of_a_job_has_the_time_of_its_first_and_its_last_rank() -> None:
    rows = {row.cells[1]: row.cells for row in fugaku.launch_facts().rows}
    assert rows["4x6x32"] == ("768", "4x6x32", "3.78 s", "4.47 s", "4.00 s", "4.94 s")
    assert set(rows) >= {"noncont", "32x6x4", "8x12x8", "48x12x48"}


def test_the_dip_of_exchange_is_told_with_how_sure_it_is() -> None:
    (dip,) = findings(machine("fugaku"), ["exchange"])
    assert "64 KiB take 2.26 times as long as 32 KiB" in dip
    assert "off by less than 6.0 %. PingPing takes 1.59 times" in dip


def test_scatterv_is_held_against_scatter_and_its_ranks() -> None:
    text = " ".join(findings(machine("fugaku"), ["collectives"]))
    assert "up to 746 times as long as Scatter, with 1 B on 3,072 nodes" in text
    assert "2.02 to 2.91 µs for each rank" in text


def test_a_larger_message_that_takes_less_time_is_told() -> None:
    text = " ".join(findings(machine("fugaku"), ["collectives"]))
    assert "allreduce from 64 KiB to 128 KiB (384 nodes)" in text
    assert "allreduce from 32 KiB to 64 KiB (3,072 nodes)" in text


def test_the_throughput_of_alltoall_is_held_against_the_shapes() -> None:
    (text,) = findings(machine("fugaku"), ["alltoall-algorithms"])
    assert "only plotted, so the data do not tell" in text
    assert "0.667 links for each of its 12 nodes" in text
    assert "16x12x16, nearly a cube, has as many for each as 4x6x16, with 8 times the nodes" in text


def test_alltoall_has_the_source_s_shapes_and_algorithms_and_ours_beside() -> None:
    forms, algorithms = fugaku.alltoall_facts()
    assert [row.cells[:3] for row in forms.rows][5] == ("4x6x16", "384", "0.125")
    listed = subprocess.run(
        [installation.runner(), "--list"], check=True, capture_output=True, text=True
    ).stdout
    known = {name for row in algorithms.rows if (name := row.cells[1]) != NOTHING}
    assert {"torus-6d", "double-spread", "bruck"} <= known
    assert {name for name in known if f'"{name}"' not in listed} == set()


def test_what_a_buffered_send_takes_longer_is_told_as_a_copy() -> None:
    bsend, both, places = findings(machine("triton"), ["send-modes"])
    assert "8.36 µs and 6.49 µs longer" in bsend
    assert "12.0 GB/s to 15.4 GB/s" in bsend
    assert "do not tell its cause" in bsend
    assert "two messages in 20.0 µs and 31.7 µs" in both
    assert "1.48 to 1.98 times" in places
    assert "46 % of the link's 13.6 GB/s" in places


def test_what_was_only_plotted_is_said_to_answer_nothing() -> None:
    (contention,) = findings(machine("xt6"), ["contention"])
    assert "only plotted" in contention
    (options,) = findings(machine("jaguar"), ["redistribute"])
    assert "only plotted" in options
    (jump,) = findings(machine("columbia"))
    assert "1.07 times as fast, its cache 1.5 times as large" in jump
    assert "do not tell" in jump


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
    assert all("cannot be told apart" in text for text in findings(alike, ["locality"]))


def test_published_growth_is_fitted_below_and_beyond_its_bend() -> None:
    below, beyond, whole = findings(machine("jaguar"), ["plan-scaling"])
    assert "up to 128 processors with an exponent of 0.90" in below
    assert "from 128 processors on with an exponent of 1.73" in beyond
    assert "within 4.7 %, with no bend" in whole
    assert "equal at 127 processors" in whole


def test_the_printed_sine_has_lost_less_than_first_order_upwind_takes() -> None:
    (said,) = findings(machine("triton"), ["advection-solution"])
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
    some = published.findings(machine("fugaku"), ["launch", "exchange"])
    assert some == published.findings(machine("fugaku"))[: len(some)]
    assert len(some) == 3
