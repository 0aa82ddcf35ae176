# SPDX-License-Identifier: BSD-3-Clause
"""What spoils numbers is found, with a hint, and nothing else is complained about."""

from dataclasses import replace
from pathlib import Path

import pytest

from python.lab.machine import trees
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.launchers import Hydra
from transrank.lab.machine.facts import Facts, read_facts
from transrank.lab.machine.files import Files
from transrank.lab.machine.load import Load, Process
from transrank.lab.store.records import Shape
from transrank.lab.survey.checks import Check, Situation, check_all
from transrank.lab.survey.placement import hosts_of
from transrank.lab.survey.probe import Probe

QUIET = Load(0.1, 0.0, 0.02, 0.0, ())
CLOCK = {"name": "tsc", "resolution_seconds": 2e-8, "cost_seconds": 2e-8}


def placed(*bindings: str) -> dict[str, object]:
    return {
        "hosts": ["node017"],
        "rank_host": [0] * len(bindings),
        "binding": list(bindings),
        "cores": [0] * len(bindings),
    }


def probed(*bindings: str, clock: dict[str, object] | None = None) -> Probe:
    mpi = {"library": "MPICH 5", "standard": [5, 0], "thread_level": "funneled"}
    return Probe(mpi, placed(*bindings), clock or CLOCK, 0.3)


@pytest.fixture
def healthy(tmp_path: Path) -> Situation:
    tree = trees.server() | {
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
        "proc/sys/kernel/yama/ptrace_scope": "0",
    }
    facts = read_facts({}, Files(trees.plant(tmp_path, tree)), load_seconds=0)
    return Situation(
        facts=replace(facts, load=QUIET),
        launcher=Hydra(Capacity(1, 16), "mpich", "mpiexec"),
        shape=Shape(2),
        probed=probed("0,16", "1,17"),
        environment={},
        store=tmp_path,
    )


def warnings(situation: Situation) -> list[Check]:
    return [check for check in check_all(situation) if check.verdict == "warning"]


def changed(situation: Situation, part: str, **values: object) -> Situation:
    facts = situation.facts
    part_now = replace(getattr(facts, part), **values)
    return replace(situation, facts=replace(facts, **{part: part_now}))


def test_a_healthy_machine_gets_no_warning(healthy):
    assert warnings(healthy) == []
    assert {check.verdict for check in check_all(healthy)} == {"ok"}


def test_ranks_that_share_cores_are_warned_of(healthy):
    shared = replace(healthy, shape=Shape(20), probed=probed(*["0-15"] * 20))
    (warning,) = warnings(shared)
    assert warning.finding == "20 ranks share 16 cores"
    assert warning.hint == "-n 16"
    all_cores = replace(healthy, shape=Shape(16), probed=probed(*map(str, range(16))))
    assert warnings(all_cores) == []
    (warning,) = warnings(replace(healthy, probed=probed("0-31", "0-31")))
    assert warning.name == "binding"
    assert warning.hint.startswith("mpiexec was asked to (-bind-to core) and could not")


def test_too_many_threads_are_warned_of(healthy):
    settings = {"OMP_NUM_THREADS": "16", "MKL_NUM_THREADS": "2"}
    (warning,) = warnings(replace(healthy, environment=settings))
    assert "OMP_NUM_THREADS=16" in warning.finding
    assert warnings(replace(healthy, environment={"OMP_NUM_THREADS": "8"})) == []
    (warning,) = warnings(replace(healthy, environment={"OMP_NUM_THREADS": "16,2"}))
    assert "OMP_NUM_THREADS=16" in warning.finding
    (check,) = [
        check
        for check in check_all(replace(healthy, environment={"OMP_NUM_THREADS": "4,2"}))
        if check.name == "threads"
    ]
    assert check.finding == "OMP_NUM_THREADS=4 as you set it"


def test_a_busy_machine_is_warned_of_and_the_culprit_named(healthy):
    busy = Load(1.0, 5.0, 1.02, 0.1, (Process(4711, "cc1plus", 0.99),))
    load, steal = warnings(replace(healthy, facts=replace(healthy.facts, load=busy)))
    assert "cc1plus (4711)" in load.finding
    assert "10 %" in steal.finding


@pytest.mark.parametrize(
    ("part", "values", "name"),
    [
        ("limits", {"cpus": 1.5}, "CPU quota"),
        ("limits", {"memory_bytes": 64 << 20}, "memory"),
        ("system", {"ptrace_scope": 1}, "single copy"),
        ("system", {"governor": "ondemand"}, "frequency"),
        ("system", {"clock_source": "hpet"}, "clock"),
        ("memory", {"shared_memory_bytes": 64 << 20}, "shared memory"),
    ],
)
def test_each_condition_has_its_warning_and_a_hint(healthy, part, values, name):
    (warning,) = warnings(changed(healthy, part, **values))
    assert warning.name == name
    assert warning.hint


def test_a_coarse_clock_is_a_warning_and_what_the_kernel_does_not_show_a_note(healthy):
    coarse = {"name": "jiffies", "resolution_seconds": 4e-3, "cost_seconds": 1e-7}
    (warning,) = warnings(replace(healthy, probed=probed("0", "1", clock=coarse)))
    assert warning.name == "clock"
    unknown = changed(healthy, "system", governor=None, virtualisation="KVM")
    verdicts = {check.name: check.verdict for check in check_all(unknown)}
    assert (verdicts["frequency"], verdicts["platform"]) == ("note", "note")


def test_the_facts_of_the_checks_are_those_of_the_machine(tmp_path):
    facts: Facts = read_facts({}, Files(trees.plant(tmp_path, trees.server())), load_seconds=0)
    launcher = Hydra(Capacity(1, facts.usable_cores), "mpich", "mpiexec")
    situation = Situation(facts, launcher, Shape(2), None, {}, tmp_path)
    names = {check.name for check in check_all(situation) if check.verdict == "warning"}
    assert names == {"frequency", "single copy"}


def test_a_placement_is_read_host_by_host():
    placement = {
        "hosts": ["a", "b"],
        "rank_host": [0, 1, 0, 1],
        "binding": ["0", "0-1", "1", "0-1"],
        "cores": [0, 0, 1, 1],
    }
    first, second = hosts_of(placement)
    assert first.pinned
    assert not second.pinned
    assert not second.oversubscribed
    assert second.cpus == {0, 1}
