# SPDX-License-Identifier: BSD-3-Clause
"""Launches over several hosts: virtual ones, whose links have a bandwidth, are slow, or cut."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support import launched_hosts, virtual_hosts
from support.launched_hosts import Site, cases_in
from support.virtual_hosts import VirtualHosts
from transrank import installation
from transrank.lab.stats import contention, placed
from transrank.lab.stats.contention import Contention, Pair
from transrank.lab.store.records import Case, Run, read_run
from transrank.lab.study import catalogue
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import write
from transrank.lab.tune.openmpi import OpenMpi
from transrank.lab.tune.own import Own

REASON = launched_hosts.reason_against()
pytestmark = [pytest.mark.hosts, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

LINK_BITS = 400_000_000
THROTTLED_BITS = 80_000_000
LINE_SECONDS = 5e-3
MATRIX = ("--axis", "traffic=matrix", "--count", "20", "--launches", "3")
# While the first study finishes its cases, those of the second are still to come.
SWEEP = ("sendrecv", "exchange", "-n", "4", "--sizes", "8..64")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with VirtualHosts(3) as hosts:
        yield Site(hosts)


@pytest.fixture
def shaped(site: Site) -> Iterator[Site]:
    reason = virtual_hosts.reason_against_shaping()
    if reason is not None:
        pytest.skip(reason)
    for name in site.hosts.names:
        site.hosts.shape(name, LINK_BITS)
    yield site
    for name in site.hosts.names:
        site.hosts.free(name)


def contention_of(run: Run) -> Contention:
    placements = {launch.launch: launch.placement for launch in run.launches}
    (measured,) = contention.contentions(run.cases, placements)
    return measured


def best_rate(case: Case) -> tuple[Pair, float]:
    """The active pair, and the bits per second that each of their ranks receives at best.

    The hosts share two cores with whatever else runs: a usual sample says as much of those.
    """
    (pair,) = contention.parse_pairs(str(case.axes["traffic"]))
    seconds = case.ranks.minimum[list(pair)].mean()
    return pair, 8 * int(case.axes["bytes"]) / float(seconds)


def test_memory_is_shared_inside_and_the_link_used_between(shaped, tmp_path):
    run = shaped.measure(
        tmp_path / "run.jsonl", *("contention", "-n", "4", "--sizes", "512KiB", *MATRIX)
    )
    placement = run.launches[0].placement
    assert (placement.hosts, placement.rank_host) == (("node0", "node1"), (0, 0, 1, 1))
    rates = dict(map(best_rate, run.cases))
    assert len(rates) == 6
    inside = {pair: rates.pop(pair) for pair in ((0, 1), (2, 3))}
    assert min(inside.values()) > 1.5 * LINK_BITS, inside
    # All others use the same link; whoever else has the cores makes some of them slower. How near a
    # measured link comes to what it is, benchmarks/contention.py shows on a machine of its own.
    assert LINK_BITS / 2 < max(rates.values()) < 1.1 * LINK_BITS, rates
    assert min(rates.values()) > 0.4 * LINK_BITS, rates


def test_the_pair_on_a_throttled_link_is_found_and_named(shaped, tmp_path):
    shaped.hosts.throttle("node0", "node2", THROTTLED_BITS)
    measured = contention_of(
        Site(shaped.hosts, slots=1).measure(
            tmp_path / "run.jsonl", "contention", "-n", "3", "--sizes", "256KiB", *MATRIX
        )
    )
    nodes, links = contention.slow_links(measured)
    assert nodes == []
    assert [contention.named(link.pair, measured) for link in links] == [
        "ranks 0 and 2 (node0, node2)"
    ]


@pytest.mark.skipif(
    virtual_hosts.reason_against_delay() is not None,
    reason=virtual_hosts.reason_against_delay() or "",
)
def test_a_message_takes_the_time_of_a_long_line(tmp_path):
    with VirtualHosts(2, delay=LINE_SECONDS) as hosts:
        run = Site(hosts, slots=1).measure(
            tmp_path / "run.jsonl",
            *("pingpong", "-n", "2", "--sizes", "8", "--count", "20", "--launches", "1"),
        )
    (case,) = run.cases
    fastest = case.samples.seconds.min()
    assert LINE_SECONDS <= fastest < 3 * LINE_SECONDS
    where = placed.Placements(run.launches).of(case)
    assert where == placed.Placed(ranks=2, nodes=2, most_on_a_node=1)


# A little of each study that moves data among all ranks.
EVERY_WAY = re.compile(
    r"exchange/64KiB|collectives/.*/blocking(/.*/4KiB.*)?|alltoall-algorithms/.*/4KiB"
    r"|ghost/corrected/6/used/.*|redistribute/64x128x16/1/.*lists/run/used/auto"
    r"|redistribute/64x128x16/1/blocks/[^/]*/run/used/(?!async-none|memcpy).*"
    r"|advection/second-order/even/\+\+/50/10/(.*/no|auto/yes|mpi-messages/yes)"
)
STUDIES = "exchange,collectives,alltoall-algorithms,ghost,redistribute,advection"
# What works in memory that ranks share cannot serve all ranks of two hosts, and says so.
SHARED_ONLY = re.compile(
    r"ghost/.*/(shared-.*|kernel-copy)|redistribute/.*/(shared-.*|kernel-copy|direct-.*)"
)
# What an algorithm or an MPI may refuse anywhere; transrank's own ways may not.
REFUSED = re.compile(r"alltoall-algorithms/two-process/.*|.*/mpi-.*")
# What has no payload, or a wrong result on purpose.
NOT_CHECKED = re.compile(r"collectives/barrier/.*|advection/.*/none/.*")
# Between two ranks, which were on one host above.
SEND_MODES = re.compile(r"send-modes/.*/10B|pingpong/64KiB")


def measured(
    site: Site, folder: Path, ranks: int, studies: str, wanted: re.Pattern[str]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Measure some cases of several studies in one launch; its line, and those of its cases."""
    listed = catalogue.list_cases(["--study", studies, "--memory", "1GiB"], ranks)
    chosen = [one.case for one in listed if one.reason is None and wanted.fullmatch(one.case)]
    only, record = folder / f"cases-{ranks}", folder / f"run-{ranks}.jsonl"
    only.write_text("\n".join(chosen))
    site.run(
        folder,
        *(ranks, installation.runner(), "--study", studies, "--only", only, "--record", record),
        *("--memory", "1GiB", "--count", "1", "--seed", "4", "--watchdog", "30"),
    )
    launch, *lines = map(json.loads, record.read_text().splitlines())
    cases = {line["case"]: line for line in lines if line["kind"] == "case"}
    assert cases.keys() == set(chosen)
    return launch, cases


def test_every_study_moves_its_payload_over_both_transports(site, tmp_path):
    launch, cases = measured(site, tmp_path, 4, STUDIES, EVERY_WAY)
    assert launch["placement"]["hosts"] == ["node0", "node1"]
    assert launch["placement"]["rank_host"] == [0, 0, 1, 1]
    assert {case.split("/")[0] for case in cases} == set(STUDIES.split(","))
    for name, case in cases.items():
        if SHARED_ONLY.fullmatch(name):
            assert case["status"] == "skipped", case
            assert case["reason"].endswith("cannot serve rank 2 from rank 0: on another node")
        elif case["status"] == "skipped":
            assert REFUSED.fullmatch(name), case
        else:
            assert case["status"] == "ok", case
            assert case["verified"] > 0 or NOT_CHECKED.fullmatch(name), case


def test_a_file_of_choices_tells_an_alltoall_over_two_hosts_what_to_take(
    site, tmp_path, monkeypatch
):
    choices = tmp_path / "alltoall.choices"
    ranges = (Range(8, 1024, "node-leaders"),)
    choices.write_text(Own(2).text({"alltoall-private": ranges}, 4))
    monkeypatch.setenv("TRANSRANK_ALLTOALL_CHOICES", str(choices))
    run = site.measure(
        tmp_path / "run.jsonl",
        *("alltoall-algorithms", "-n", "4", "--sizes", "1KiB,64KiB", "--axis", "algorithm=auto"),
        *("--axis", "arrays=private", "--count", "2", "--launches", "1"),
    )
    assert all(case.verified for case in run.cases)
    chosen = {case.axes["bytes"]: case.chosen for case in run.cases if case.chosen is not None}
    assert chosen == {1024: "node-leaders", 65536: "mpi"}


@pytest.mark.skipif(
    installation.mpi_kind() != "openmpi", reason="only Open MPI counts the messages of a call"
)
def test_rules_of_open_mpi_change_between_hosts_what_was_chosen_and_no_more(
    site, tmp_path, monkeypatch
):
    library, rules = OpenMpi(several_nodes=True), tmp_path / "rules.conf"
    left, long = Range(8, 8, None), Range(32768, 32768, None)
    choices = {
        "alltoall": (Range(8, 1024, "modified_bruck"), long),
        "allreduce": (left, Range(1024, 1024, "ring"), long),
    }
    write(rules, library.files(choices, 4))
    counting = {**library.watching, "OMPI_MCA_pml": "ob1,monitoring"}
    for name, value in counting.items():
        monkeypatch.setitem(launched_hosts.SETTINGS["openmpi"], name, value)

    def sent(record: str) -> dict[tuple[str, int], tuple[float, ...]]:
        run = site.measure(
            tmp_path / record,
            *("collectives", "-n", "4", "--sizes", "8,1KiB,32KiB", "--count", "1"),
            *("--operation", "alltoall,allreduce,bcast", "--form", "blocking", "--launches", "1"),
        )
        return {
            (case.axes["operation"], case.axes["bytes"]): tuple(case.outcome.values.values())
            for case in run.cases
            if case.outcome is not None
        }

    before = sent("before.jsonl")
    for name, value in library.environment(rules).items():
        monkeypatch.setenv(name, value)
    after = sent("after.jsonl")
    assert len(before) == 9
    changed = {case for case in before if before[case] != after[case]}
    assert changed == {("alltoall", 8), ("alltoall", 1024), ("allreduce", 1024)}


def test_modes_of_sending_work_between_hosts(site, tmp_path):
    one_each = Site(site.hosts, slots=1)
    launch, cases = measured(one_each, tmp_path, 2, "send-modes,pingpong", SEND_MODES)
    assert launch["placement"]["rank_host"] == [0, 1]
    assert len(cases) == 7
    assert all(case["status"] == "ok" and case["verified"] > 0 for case in cases.values())


def test_memory_serves_peers_on_a_host_and_messages_those_on_another(site, tmp_path):
    told = site.run(tmp_path, 4, sys.executable, Path(__file__).with_name("ring_on_hosts.py"))
    transports = [tuple(line.split()) for line in told.splitlines()]
    inside, between = ("shared-direct",), ("message",)
    assert sorted(transports) == [
        ("0", "1", *inside), ("0", "3", *between), ("1", "0", *inside), ("1", "2", *between),
        ("2", "1", *between), ("2", "3", *inside), ("3", "0", *between), ("3", "2", *inside),
    ]  # fmt: skip


def disturbed(site: Site, record: Path, disturbance: Callable[[], None], *options: str) -> str:
    """What is said of a run that is disturbed, soon ends, and keeps its finished cases."""
    status, said, seconds = site.disturb(record, disturbance, *SWEEP, *options)
    assert status == 3, said
    assert seconds < 30
    assert cases_in(record) >= 1
    assert read_run(record).problems == ()
    return said


WATCHED = ("--max-time", "500ms", "--launches", "1", "--watchdog", "5s")


def test_a_cut_link_ends_the_run_and_names_a_rank_and_its_host(site, tmp_path):
    try:
        said = disturbed(site, tmp_path / "run.jsonl", lambda: site.hosts.cut("node1"), *WATCHED)
    finally:
        site.hosts.heal("node1")
    assert "on node0 made no progress for 5 s, at: " in said
    assert "rank " in said
    assert "kept in" in said


def test_a_killed_host_ends_the_run_and_is_named_with_its_ranks(site, tmp_path):
    said = disturbed(site, tmp_path / "run.jsonl", lambda: site.hosts.kill("node1"), *WATCHED)
    assert "node1" in said
    assert "2, 3" in said


def test_a_host_that_cannot_be_reached_is_named_and_finished_launches_stay(site, tmp_path):
    record, two = tmp_path / "run.jsonl", ("--max-time", "300ms", "--launches", "2")
    said = disturbed(site, record, lambda: site.hosts.refuse("node1", tmp_path), *two)
    # Hydra may end before it has passed on what ssh said: "No route to host".
    assert "the launcher cannot reach node1, where ranks 2, 3 were to run" in said
    assert "8 finished cases are kept" in said
    assert {case.launch for case in read_run(record).cases} == {0}
