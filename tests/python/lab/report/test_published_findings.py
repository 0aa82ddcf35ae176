# SPDX-License-Identifier: BSD-3-Clause
"""What the published tables say: computed, and other numbers give other sentences."""

import subprocess
from dataclasses import replace

import pytest

from transrank import installation
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


def test_steps_of_curves_and_times_of_first_and_last_ranks_are_found():
    found = steps_of("fugaku")
    assert found["allreduce", "8 B", "16 B"] == "6.79"
    assert found["allreduce", "64 KiB", "128 KiB"] == "0.381"
    assert found["scatterv", "256 B", "512 B"] == "3.11"
    assert found["bcast", "32 B", "64 B"] == "9.06"
    assert not any(curve == "pingpong" for curve, _, _ in found)
    rows = {row.cells[1]: row.cells for row in fugaku.launch_facts().rows}
    assert rows["4x6x32"] == ("768", "4x6x32", "3.78 s", "4.47 s", "4.00 s", "4.94 s")
    assert set(rows) >= {"noncont", "32x6x4", "8x12x8", "48x12x48"}
    assert findings(machine("fugaku"), ["pingpong"]) == ()
    some = published.findings(machine("fugaku"), ["launch", "exchange"])
    assert some == published.findings(machine("fugaku"))[: len(some)]
    assert len(some) == 3


def test_alltoall_has_the_source_s_shapes_and_algorithms_and_ours_beside():
    forms, algorithms = fugaku.alltoall_facts()
    assert [row.cells[:3] for row in forms.rows][5] == ("4x6x16", "384", "0.125")
    listed = subprocess.run(
        [installation.runner(), "--list"], check=True, capture_output=True, text=True
    ).stdout
    known = {name for row in algorithms.rows if (name := row.cells[1]) != NOTHING}
    assert {"torus-6d", "double-spread", "bruck"} <= known
    assert {name for name in known if f'"{name}"' not in listed} == set()


TOLD = {
    ("fugaku", "launch"): (
        "the first rank runs after 1.63 s and 327 µs for each node, within 6.7 %",
        "exponent of 0.37 (95 % interval 0.03 to 0.71)",
        "2.90 s (8x12x8) to 4.47 s (4x6x32) in the mean, 1.54 times (1.36 to 1.75)",
    ),
    ("fugaku", "exchange"): (
        "64 KiB take 2.26 times as long as 32 KiB",
        "off by less than 6.0 %. PingPing takes 1.59 times",
        "32 KiB take 1.44 times as long, larger messages 2.04 to 2.28 times",
    ),
    ("fugaku", "collectives"): (
        *("2,897 times as long as Scatter, with 1 B on 27,648 nodes", "2.02 to 2.91 µs for each"),
        *("from 64 KiB to 128 KiB (384 nodes)", "allreduce from 32 KiB to 64 KiB (3,072 nodes)"),
    ),
    ("fugaku", "alltoall-algorithms"): (
        *("only plotted, so the data do not tell", "1.00 links for each of its 12 nodes"),
        "16x12x16, nearly a cube, has as many for each as 4x6x16, with 8 times the nodes",
    ),
    ("triton", "send-modes"): (
        *("8.36 µs and 6.49 µs longer", "12.0 GB/s to 15.4 GB/s", "do not tell its cause"),
        *("in 20.0 µs and 31.7 µs", "1.48 to 1.98 times", "4.20 GB/s, is 31 % of the 13.6 GB/s"),
    ),
    ("triton", "advection-solution"): (
        "0.019 in the mean and by 0.030 at most",
        "amplitude 0.99975, where first-order upwind leaves 0.99805",
    ),
    ("xt6", "contention"): ("only plotted",),
    ("xt6", "locality"): (
        "Counterpart memory beside neighbor memory cannot be told apart (p = 0.57).",
        "Diagonal memory beside neighbor memory takes longer (p = 0.029).",
    ),
    ("jaguar", "redistribute"): ("only plotted",),
    ("jaguar", "plan-scaling"): (
        *("up to 128 processors with an exponent of 0.90", "from 128 processors on with an"),
        *("exponent of 1.73", "within 4.7 %, with no bend", "equal at 127 processors"),
    ),
    ("columbia", None): ("1.07 times as fast, its cache 1.5 times as large", "do not tell"),
}


@pytest.mark.parametrize(("name", "study"), TOLD)
def test_what_is_told_is_computed_from_the_tables(name, study):
    text = " ".join(findings(machine(name), [study] if study else None))
    for part in TOLD[name, study]:
        assert part in text


def test_dies_that_are_alike_are_not_told_apart():
    guide = machine("xt6")
    alike = replace(
        guide,
        points=tuple(
            replace(point, seconds=23.0 + 0.001 * (int(point.axes["thread"]) % 3))
            for point in guide.points
        ),
    )
    assert all("cannot be told apart" in text for text in findings(alike, ["locality"]))


@pytest.mark.parametrize("name", ["gs", "thtj", "thtj1", "bscc-a"])
def test_each_row_of_published_ghost_updates_has_its_best_total_marked(name):
    totals, of_a_rank = facts(machine(name))
    for row in totals.rows:
        assert sum(cell.endswith("(best)") for cell in row.cells) == 1
    (said,) = findings(machine(name))
    assert "everybody pulls from rank 0" in said
    assert ("on 32 ranks" in said) == (name == "gs")
    rows = {row.cells[:2]: row.cells[2:] for row in of_a_rank.rows}
    if name == "gs":
        assert rows["16", "1"][:2] == ("583 MB/s", NOTHING)
        assert rows["32", "1"][:4] == ("276 MB/s", "0.8", "305 MB/s", "2")
    if name == "thtj":
        assert rows["2,800", "50"][-1] == "14,400"


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_every_machine_has_something_to_say(known):
    assert findings(known)
    assert facts(known)
    assert all(len(row.cells) == len(t.columns) for t in facts(known) for row in t.rows)
