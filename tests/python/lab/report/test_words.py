# SPDX-License-Identifier: BSD-3-Clause
"""What the page says in words is what was measured."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import pytest

from python.lab.report.synthetic import (
    MACHINE,
    Link,
    Survey,
    add_launch,
    add_memory_copy,
    add_point_to_point,
    add_send_modes,
    every_study,
)
from support import recorded
from transrank.lab import units
from transrank.lab.report.measured import Measured, measure_up
from transrank.lab.report.page import render_report
from transrank.lab.report.palette import Palette
from transrank.lab.report.prose import prose
from transrank.lab.report.questions import (
    collectives,
    comparison,
    launch,
    memory_copy,
    message_rate,
    message_time,
    missing,
    other_studies,
    send_modes,
)
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.table import ask_all
from transrank.lab.report.tables import interval_text
from transrank.lab.report.words.machine import machine_facts, short_library
from transrank.lab.report.words.method import describe_method
from transrank.lab.report.words.repeat import describe_repetition
from transrank.lab.report.words.verdict import Number, give_verdict
from transrank.lab.report.yardstick import yardstick_of
from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import Shape, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from transrank.lab.store.records import Run

Write = "Callable[..., Run]"


def context(*runs: Run) -> Context:
    return Context(tuple(measure_up(runs)), Palette())


def measured(run: Run) -> Measured:
    return measure_up([run])[0]


def numbers(run: Run) -> dict[str, Number]:
    return {number.name: number for number in give_verdict([measured(run)]).numbers}


def test_the_numbers_of_the_first_screen_are_those_of_the_store(
    written: Callable[..., Run],
) -> None:
    run = written(every_study(launches=4))
    told = numbers(run)
    results = {(result.case, result.shape.ranks): result for result in summarise(run)}
    times = {
        "8 B message": ("pingpong/8B", 2),
        "8 B allreduce, 4 ranks": ("collectives/allreduce/blocking/8B", 4),
        "ghost update": ("ghost/corrected/6B/used/auto", 2),
        "redistribution of 8 fields": ("redistribute/64x128x16/1B/run/auto", 2),
    }
    assert told.keys() == {*times, "best one-way rate"}
    for name, case in times.items():
        value = results[case].headline
        assert told[name].value == units.format_seconds(value.value)
        assert told[name].detail.startswith(interval_text(value))
    rates = [r.rate for r in results.values() if r.study in message_rate.ONE_WAY and r.rate]
    assert told["best one-way rate"].value == units.format_rate(max(rates))


def test_a_bandwidth_is_held_against_memcpy_beyond_the_caches_on_every_machine(
    written: Callable[..., Run],
) -> None:
    """Whatever the size of the message that is best: the yardstick stays."""
    for best in (1 << 14, 1 << 18):
        survey = Survey(noise=1e-6)
        add_point_to_point(survey, Link(startup=1e-9, rate=4e9, step_seconds=0), (8, best))
        add_memory_copy(survey, rate=1e10)
        number = numbers(written(survey))["best one-way rate"]
        assert "; 40 % (39 % to 41 %) of memcpy beyond the caches (10.0 GB/s" in number.detail
        assert number.detail.endswith("in cache 30.0 GB/s)")


@pytest.mark.parametrize(("cache", "known"), [(32 << 20, True), (1 << 30, False), (None, False)])
def test_no_copy_is_a_yardstick_unless_it_is_beyond_the_caches(
    written: Callable[..., Run], cache: int | None, known: bool
) -> None:
    survey = Survey(noise=1e-6)
    add_point_to_point(survey, Link(), (8, 1 << 18))
    add_memory_copy(survey)
    caches = [] if cache is None else [{"level": 3, "kind": "unified", "bytes": cache}]
    run = measured(written(survey, machine={**MACHINE, "caches": caches}))
    yardstick = yardstick_of(run)
    assert (yardstick is not None) is known
    if yardstick is not None:
        assert yardstick.beyond.bytes == 1 << 28
    asked = message_rate.ask(Context((run,), Palette()))
    assert ("of memcpy" in " ".join(asked.answer)) is known


def words_of_first_screen(page: str) -> int:
    first = page[page.index('<div id="first">') : page.index("<nav")]
    visible = re.sub(r"<details>.*?</details>", "", first, flags=re.DOTALL)
    return len(re.sub(r"<[^>]*>|·", " ", visible).split())


@pytest.mark.parametrize("warnings", [0, 40])
def test_the_first_screen_has_few_words_whatever_there_is_to_beware_of(
    written: Callable[..., Run], warnings: int
) -> None:
    survey = every_study(launches=4)
    run = written(survey)
    said = tuple(
        f"the {n}th thing was not as it should have been on this machine, see {n}"
        for n in range(warnings)
    )
    launches = tuple(dataclasses.replace(launch, warnings=said) for launch in run.launches)
    page = render_report([dataclasses.replace(run, launches=launches)])
    assert 60 < words_of_first_screen(page) <= 150
    for text in said:
        assert text[1:] in page, "all that there is to beware of is folded below"


def test_several_runs_are_judged_by_which_is_faster_and_how_far_each_is_to_be_believed(
    two_runs: list[Run],
) -> None:
    asked = context(*two_runs)
    which, *trust = give_verdict(asked.runs, ask_all(asked)).lead
    assert which.startswith("after against before, ")
    assert [text.partition(":")[0] for text in trust] == ["before", "after"]


def test_the_verdict_on_a_run_without_any_of_the_numbers_is_the_first_answer(
    written: Callable[..., Run],
) -> None:
    survey = Survey(noise=1e-6)
    axes = {"dimensions": 2, "blocks": "regular", "routes": "one"}
    for ranks in (4, 32, 256):
        survey.measured("plan-scaling", {**axes, "plan_ranks": ranks}, 1e-6)
    asked = context(written(survey))
    first, trust = give_verdict(asked.runs, ask_all(asked)).lead
    assert first.startswith("The route of one rank takes 1.00 µs")
    assert trust.startswith("All 3 cases have a 95 % interval within 2.0 %")


def test_collectives_are_told_of_ranks_that_had_a_core_each(written: Callable[..., Run]) -> None:
    survey = Survey(noise=1e-6)
    for ranks, seconds in ((2, 1e-6), (4, 1e-3)):
        axes = {"operation": "bcast", "form": "blocking", "root": "fixed", "bytes": 8}
        survey.measured("collectives", axes, seconds, 8, ranks)
    run = written(survey)
    placement = {"hosts": ["a"], "rank_host": [0] * 4, "binding": ["0-1"] * 4}
    crowded = [
        dataclasses.replace(launch, placement=dataclasses.replace(launch.placement, **placement))
        if launch.shape.ranks == 4
        else launch
        for launch in run.launches
    ]
    for launches, told in ((run.launches, "With 4 ranks"), (tuple(crowded), "With 2 ranks")):
        question = collectives.ask(context(dataclasses.replace(run, launches=launches)))
        assert question.answer[0].startswith(told)


def two_places(written: Callable[..., Run]) -> Run:
    """Two ranks on a node, two on different nodes, and two of a job that fills both nodes."""
    survey = Survey(noise=1e-6)
    link = Link(startup=1e-6, rate=8e9, step_seconds=0)
    add_point_to_point(survey, link, (8, 1 << 18), ((2, 2), (2, 1)))
    for size in (8, 1 << 18):
        # The same two ranks of one node, in a job of two nodes: neither faster nor elsewhere.
        survey.measured("pingpong", {"bytes": size}, 9 * link.seconds(size), size, 8, 4)
    add_memory_copy(survey, rate=1e10)
    return written(survey)


def test_the_first_screen_judges_each_placement_of_the_two_ranks(
    written: Callable[..., Run],
) -> None:
    told = numbers(two_places(written))
    assert [*told][:4] == [
        "8 B message within a node",
        "8 B message between nodes",
        "best one-way rate within a node",
        "best one-way rate between nodes",
    ]
    assert told["8 B message within a node"].value == "1.00 µs"
    assert told["8 B message between nodes"].value == "2.20 µs"


def test_of_shapes_that_place_two_ranks_alike_the_smallest_is_told(
    written: Callable[..., Run],
) -> None:
    places = measured(two_places(written)).by_place("pingpong")
    assert {place: {r.shape for r in results} for place, results in places.items()} == {
        "within a node": {Shape(2, 2)},
        "between nodes": {Shape(2, 1)},
    }


def test_message_times_and_rates_name_where_the_ranks_are(written: Callable[..., Run]) -> None:
    run = two_places(written)
    times, rates = message_time.ask(context(run)), message_rate.ask(context(run))
    assert [text.partition(",")[0] for text in times.answer] == [
        "One way between two ranks within a node",
        "One way between two ranks between nodes",
    ]
    assert [text.partition(" is ")[0] for text in rates.answer] == [
        "The best rate in one direction within a node",
        "The best rate in one direction between nodes",
    ]


def test_send_modes_are_told_by_where_the_two_ranks_are(written: Callable[..., Run]) -> None:
    survey = Survey(noise=1e-4)
    add_send_modes(survey, Link(), ((2, 2), (2, 1), (8, 4)), (10, 1000, 100_000))
    question = send_modes.ask(context(written(survey)))
    places = [row.cells[0] for row in question.tables[0].rows if "Triton" not in row.cells[0]]
    assert places == ["on one node"] * 6 + ["over two nodes"] * 6
    ranked = [text.partition(",")[0] for text in question.answer if "is fastest" in text]
    assert ranked == ["On one node", "Over two nodes"]


@pytest.mark.parametrize("kind", ["instruction", "Instruction"])
def test_a_message_never_outgrows_the_instruction_cache(
    written: Callable[..., Run], kind: str
) -> None:
    survey = Survey(noise=1e-4)
    add_point_to_point(survey, Link(step_bytes=32768, step_seconds=9e-6))
    instructions = {"level": 1, "kind": kind, "bytes": 32768, "instances": 8, "shared_by": 2}
    machine = {**MACHINE, "caches": [instructions, *MACHINE["caches"]]}
    question = message_time.ask(context(written(survey, machine=machine)))
    assert " ".join(question.answer).count("level-1 cache") == 1


def test_what_is_missing_is_counted_and_named(small_run: Run) -> None:
    run = measured(small_run)
    (lead,) = give_verdict([run]).lead
    wide = sum(result.status == "wide" for result in run.results)
    assert wide > 1
    held = sum(result.status == "ok" for result in run.results)
    assert lead.startswith(
        f"{held} of {len(run.results):,} cases have a 95 % interval within 2.0 %"
    )
    assert lead.endswith(f"; {wide} with a wider one or none, 1 skipped and 1 failed.")
    question = missing.ask(context(small_run))
    text = str(question.tables)
    for words in ("wrong byte at position 17", "needs 4 GiB of memory", "exchange/3MiB"):
        assert words in text


def test_failed_launches_and_unmade_measurements_are_told(written: Callable[..., Run]) -> None:
    survey = Survey()
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    survey.lines.append(
        {
            "kind": "event",
            "event": "launch-failed",
            "time": "2026-11-20T10:20:00Z",
            "launch": 3,
            "message": "rank 1 was killed",
        }
    )
    shape = {"ranks": 2, "ranks_per_node": 0}
    plan = [
        {"launch": launch, "shape": shape, "cases": ["pingpong/8B"], "arguments": []}
        for launch in range(5)
    ]
    run = written(survey, plan=plan)
    question = missing.ask(context(run))
    assert question.answer == (
        "A launch failed (launch 3): rank 1 was killed.",
        "2 planned measurements (case and launch) were not taken; "
        f"`transrank survey --resume {run.path}` completes the run.",
    )


def test_nothing_missing_asks_nothing(written: Callable[..., Run]) -> None:
    survey = Survey(noise=1e-4)
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    assert missing.ask(context(written(survey))) is None


def test_send_modes_are_ranked_and_counted_both_ways(written: Callable[..., Run]) -> None:
    survey = Survey(noise=1e-4)
    add_send_modes(survey, Link(startup=1e-6, rate=1e10), ((2, 0),))
    question = send_modes.ask(context(written(survey)))
    sentence, copy = question.answer
    assert sentence.startswith("On one node, 100,000 bytes: persistent MPI_Send is fastest")
    assert "MPI_Bsend takes" in sentence
    assert "as a copy at 12.2 GB/s" in copy
    rows = {
        row.cells[1]: row.cells for row in question.tables[0].rows if "Triton" not in row.cells[0]
    }
    _, _, _, per_direction, published, kept = rows["MPI_Sendrecv"]
    assert kept.endswith(" %")
    assert float(published) == pytest.approx(2 * float(per_direction), rel=0.01)
    assert rows["MPI_Send"][3] == rows["MPI_Send"][4]


def test_published_rates_stand_in_the_table_as_printed(written: Callable[..., Run]) -> None:
    survey = Survey()
    add_send_modes(survey, Link(), ((2, 0),), (100_000,))
    question = send_modes.ask(context(written(survey)))
    published = {row.cells[:2]: row.cells[4] for row in question.tables[0].rows}
    assert published["Triton, 1 node", "MPI_Send"] == "8.3"
    assert ("Triton, 2 nodes", "MPI_Send") not in published, "nothing was measured between nodes"
    assert "CS-E4690" in question.sources[0].attribution


def test_crossovers_of_routines_bracket_where_their_lines_meet(
    written: Callable[..., Run],
) -> None:
    survey = Survey(noise=1e-5)
    link = Link(startup=1e-6, rate=1e10)
    add_send_modes(survey, link, ((2, 0),))
    question = send_modes.ask(context(written(survey)))
    rows = {(row.cells[2], row.cells[4]): row.cells for row in question.tables[1].rows}
    _, lower, _, upper, _ = rows["MPI_Bsend", "MPI_Send"]
    meet = 0.2 * link.startup * link.rate / (1 / 0.55 - 1)
    assert int(lower.removesuffix(" B")) < meet < int(upper.removesuffix(" B"))


def test_the_start_of_a_job_is_that_of_its_last_rank(written: Callable[..., Run]) -> None:
    survey = Survey(noise=1e-4)
    add_launch(survey, (2, 4))
    question = launch.ask(context(written(survey)))
    seconds = units.format_seconds(0.09 * 1.2)
    assert question.answer[0].startswith(f"The last of 4 ranks runs after {seconds}; MPI_Init")


def test_job_starts_are_told_as_the_tables_tell_them(written: Callable[..., Run]) -> None:
    """Launches of unlike numbers: pooled jobs would have another median than the launches."""
    survey = Survey(launches=3)
    add_launch(survey, (2,))
    for line in survey.lines:
        line["samples"]["seconds"] = [
            (1 + line["launch"]) * seconds for seconds in line["samples"]["seconds"]
        ]
    for line in survey.lines[:2]:
        samples = line["samples"]
        line["samples"] = {name: values[:9] for name, values in samples.items()} | {"rounds": [9]}
    run = measured(written(survey))
    for result in run.of_study("launch"):
        assert launch.range_of(result)[1] == pytest.approx(result.headline.value)


def test_ranks_that_copy_together_are_called_ranks_and_placed(
    written: Callable[..., Run],
) -> None:
    survey = Survey(noise=1e-4)
    for ranks, per_node in ((1, 0), (4, 0), (8, 4)):
        for active, copied in (("alone", 1), ("together", ranks)):
            axes = {"kernel": "memcpy", "active": active, "bytes": 1 << 20}
            survey.measured("memory-copy", axes, 1e-4, copied << 20, ranks, per_node)
    question = memory_copy.ask(context(written(survey)))
    (figure,) = question.figures
    assert [entry.label for entry in figure.key] == [
        *("one core", "4 ranks together", "8 ranks together on 2 nodes")
    ]
    assert question.answer[1].startswith("8 ranks together on 2 nodes copy")
    # 8 times the bytes in as much time.
    assert "8.00 times (" in question.answer[1]


def test_a_slower_run_is_called_slower(two_runs: list[Run]) -> None:
    question = comparison.ask(context(*two_runs))
    cases = len(measured(two_runs[0]).results)
    assert f"after against before, {cases} cases: {cases} slower" in question.answer[0]
    change = question.tables[0].rows[0].cells[4]
    low, high = (float(part.removesuffix(" %")) for part in change.split(" to "))
    assert low < 10 < high or (low, high) == pytest.approx((10, 10), abs=1)


def test_one_run_is_compared_with_nothing(small_run: Run) -> None:
    assert comparison.ask(context(small_run)) is None


def test_machine_facts_come_from_the_header(small_run: Run) -> None:
    facts = dict(machine_facts(measured(small_run)))
    assert facts["MPI"] == "MPICH Version: 5.0.2 (MPI 5.0, thread level single)"
    assert facts["host"] == "node17"
    assert facts["binding"] == "rank 0 on CPU 0, rank 1 on CPU 1"
    assert facts["processor"].endswith("1 package, 1 NUMA node, 8 cores of 2 threads")
    assert facts["memory"].startswith("64 GiB, 61 GiB available, 32 GiB in /dev/shm")
    assert "runs in" not in facts, "nothing is known of a virtual machine"


def test_many_ranks_and_hosts_are_told_in_short(written: Callable[..., Run]) -> None:
    survey = Survey()
    survey.measured("pingpong", {"bytes": 8}, 1e-6, ranks=12, per_node=2)
    run = written(survey, placement=survey.placement(12, 2))
    facts = dict(machine_facts(measured(run)))
    assert facts["hosts"] == "node17, node18, node19 and 3 more"
    assert facts["binding"].endswith("rank 3 on CPU 3 and 8 more")


@pytest.mark.parametrize(
    ("library", "short"),
    [
        ("MPICH Version: 5.0.2", "MPICH 5.0.2"),
        ("Open MPI v5.0.11, package: Open MPI root@build", "Open MPI v5.0.11"),
    ],
)
def test_libraries_are_named_in_short(library: str, short: str) -> None:
    assert short_library(library) == short


def test_the_method_is_that_of_the_run(written: Callable[..., Run]) -> None:
    survey = Survey()
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    options = survey.header()["options"] | {"precision": 0.03, "cache": "cold"}
    parts = describe_method([measured(written(survey, options=options))])
    text = " ".join(sentence for part in parts for sentence in part.sentences)
    assert "Every case was planned for 3 launches. “~” marks a case whose interval is wider" in text
    assert "wider than 3.0 % of the value" in text
    assert "(cold)" in text
    assert "synchronise by a barrier" in text
    assert "the Hodges-Lehmann estimate of the launches' medians" in text
    assert "of three to five launches: Student's t" in text
    assert f"{3 * survey.samples} samples are stored; of these, 3 as warm-up" in text


def test_clock_synchronisation_is_told_with_its_accuracy(written: Callable[..., Run]) -> None:
    survey = Survey()
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    launch_line = survey.launch_line(9, 2, 0)
    launch_line["synchronisation"] = {"method": "clock", "accuracy_seconds": 3.2e-7}
    survey.lines.append(launch_line)
    parts = describe_method([measured(written(survey))])
    assert any("offsets of up to 320 ns between" in s for part in parts for s in part.sentences)
    survey.lines.append(recorded.event("clocks-checked", launch=9, accuracy_seconds=6.5e-6))
    parts = describe_method([measured(written(survey))])
    assert any("offsets of up to 6.50 µs between" in s for part in parts for s in part.sentences)


JOB = {
    "SLURM_JOB_NUM_NODES": "4",
    "SLURM_JOB_ID": "7",
    "PMI_RANK": "0",
    "PBS_NODEFILE": "/var/nodes",
    "PJM_JOBID": "7",
    "OMPI_COMM_WORLD_RANK": "0",
    "LANG": "C",
    "TRANSRANK_STORE": "/home/me",
}


def test_the_command_is_repeated_with_its_seed_and_what_shaped_mpi(
    written: Callable[..., Run],
) -> None:
    survey = Survey(seed=77)
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    command = ["transrank", "measure", "pingpong", "--label", "a b", "-o", "mine.jsonl"]
    environment = {**JOB, "UCX_TLS": "sm, self", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "2"}
    run = measured(written(survey, command=command, environment=environment))
    first, last = describe_repetition([run])
    assert first.commands == (
        "export MKL_NUM_THREADS=2",
        "export UCX_TLS='sm, self'",
        "transrank measure pingpong --label 'a b' --seed 77",
    )
    assert last.commands == (f"transrank report {run.run.path}",)


def test_a_stored_run_is_reported_by_its_id(
    written: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRANSRANK_STORE", str(tmp_path))
    survey = Survey()
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    *_, last = describe_repetition([measured(written(survey))])
    assert last.commands == (f"transrank report {survey.run}",)


def test_every_launch_can_be_made_by_hand_into_a_record_of_its_own(
    written: Callable[..., Run],
) -> None:
    survey = Survey(seed=5)
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    lines = [f"mpiexec -n 2 transrank-run --record by-hand.jsonl --launch {i}" for i in range(2)]
    plan = [
        {
            "launch": launch,
            "shape": {"ranks": 2, "ranks_per_node": 0},
            "cases": ["pingpong/8B"],
            "arguments": [],
            "lines": [line],
        }
        for launch, line in enumerate(lines)
    ]
    _, by_hand, _ = describe_repetition([measured(written(survey, plan=plan))])
    assert by_hand.folded
    assert by_hand.commands == (
        "transrank survey --quick --seed 5 --max-time 1s --launches 3 --prepare "
        "--output by-hand.jsonl",
        *lines,
    )
    assert survey.run not in str(by_hand.commands)


def test_an_imported_run_is_repeated_by_its_import(tmp_path: Path) -> None:
    lines = [recorded.imported_header(command=["transrank", "import", "0.txt"])]
    run = read_run(recorded.write(tmp_path / "osu.jsonl", [*lines, recorded.imported_case()]))
    first, _ = describe_repetition([measured(run)])
    assert first.commands == ("transrank import 0.txt",)
    assert "same order" not in first.sentences[0]


def test_prose_is_safe_and_keeps_numbers_with_their_units() -> None:
    assert prose("<b>8 B</b> take `ls` 5 µs") == (
        "&lt;b&gt;8\N{NO-BREAK SPACE}B&lt;/b&gt; take <code>ls</code> 5\N{NO-BREAK SPACE}µs"
    )


def test_a_study_without_sizes_shows_its_values(written: Callable[..., Run]) -> None:
    survey = Survey(noise=1e-5)
    for transport, seconds in (("message", 3e-5), ("shared", 1e-5)):
        survey.measured("ghost", {"vdim": 20, "transport": transport}, seconds)
    run = written(survey)
    question = other_studies.ask_about(context(run), "ghost")
    (figure,) = question.figures
    rows = figure.panels[0].spec["data"]["values"]
    assert [row["n"] for row in rows] == ["message", "shared"]
    assert [row["v"] for row in rows] == pytest.approx([3e-5, 1e-5], rel=1e-3)
    for row in rows:
        assert row["l"] <= row["v"] <= row["h"]


@pytest.mark.parametrize(
    ("seconds", "says"), [(0.0, "the one host that they share"), (2e-6, "up to 2.00 µs")]
)
def test_how_well_clocks_agreed_is_told(
    written: Callable[..., Run], seconds: float, says: str
) -> None:
    survey = Survey(noise=0.01)
    add_launch(survey, (2,))
    add_memory_copy(survey)
    run = written(survey)
    clocks = dataclasses.replace(
        run.launches[0].synchronisation, method="clock", accuracy_seconds=seconds
    )
    launches = tuple(dataclasses.replace(one, synchronisation=clocks) for one in run.launches)
    told = describe_method([measured(dataclasses.replace(run, launches=launches))])[1].sentences
    assert sum(says in sentence for sentence in told) == 1


def test_a_run_of_job_starts_says_how_often_jobs_were_started(written: Callable[..., Run]) -> None:
    survey = Survey(noise=0.01)
    add_launch(survey, (2,))
    text = " ".join(describe_method([measured(written(survey))])[1].sentences)
    assert "Each kind of job was started" in text
    assert "interval of the launch's median" not in text
