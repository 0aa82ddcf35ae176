# SPDX-License-Identifier: BSD-3-Clause
"""What the page says in words is what was measured."""

import dataclasses
import re
from collections.abc import Callable

import pytest

from python.lab.report.synthetic import (
    MACHINE,
    Link,
    Survey,
    add_launch,
    add_memory_copy,
    add_point_to_point,
    add_send_modes,
    context,
    every_study,
    measured,
    one_case,
)
from support import recorded
from transrank.lab import units
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
    send_modes,
    source,
)
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.report.questions.study import answer as of
from transrank.lab.report.questions.table import ask_all
from transrank.lab.report.words.machine import machine_facts, short_library
from transrank.lab.report.words.method import describe_method
from transrank.lab.report.words.repeat import describe_repetition
from transrank.lab.report.words.verdict import Number, give_verdict
from transrank.lab.report.yardstick import yardstick_of
from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import Run, Shape, Versus, read_run
from transrank.lab.view.kinds import interval_text


def numbers(run: Run) -> dict[str, Number]:
    return {number.name: number for number in give_verdict([measured(run)]).numbers}


def test_the_numbers_of_the_first_screen_are_those_of_the_store(written):
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


def test_a_bandwidth_is_held_against_memcpy_beyond_the_caches_on_every_machine(written):
    """Whatever the size of the message that is best: the yardstick stays."""
    for best in (1 << 14, 1 << 18):
        survey = Survey(noise=1e-6)
        add_point_to_point(survey, Link(startup=1e-9, rate=4e9, step_seconds=0), (8, best))
        add_memory_copy(survey, rate=1e10)
        number = numbers(written(survey))["best one-way rate"]
        assert "; 40 % (39 % to 41 %) of memcpy beyond the caches (10.0 GB/s" in number.detail
        assert number.detail.endswith("in cache 30.0 GB/s)")


@pytest.mark.parametrize(("cache", "known"), [(32 << 20, True), (1 << 30, False), (None, False)])
def test_no_copy_is_a_yardstick_unless_it_is_beyond_the_caches(written, cache, known):
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
def test_the_first_screen_has_few_words_whatever_there_is_to_beware_of(written, warnings):
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


def test_of_several_runs_the_slower_one_is_called_so(two_runs):
    asked = context(*two_runs)
    which, *trust = give_verdict(asked.runs, ask_all(asked)).lead
    assert which.startswith("after against before, ")
    assert [text.partition(":")[0] for text in trust] == ["before", "after"]
    question = comparison.ask(context(*two_runs))
    cases = len(measured(two_runs[0]).results)
    assert f"after against before, {cases} cases: {cases} slower" in question.answer[0]
    change = question.tables[0].rows[0].cells[4]
    low, high = (float(part.removesuffix(" %")) for part in change.split(" to "))
    assert low < 10 < high or (low, high) == pytest.approx((10, 10), abs=1)
    assert comparison.ask(context(two_runs[0])) is None


def test_of_two_variants_the_settings_are_named_and_every_ratio_is_drawn(two_runs):
    names = [run.header.run for run in two_runs]
    variants = [
        Versus("a", names[1], ()),
        Versus("b", names[0], ("tuning=slow.json",)),
    ]
    pair = [
        dataclasses.replace(run, header=dataclasses.replace(run.header, versus=versus))
        for run, versus in zip(two_runs, variants, strict=True)
    ]
    asked = context(*pair)
    question = comparison.ask(asked)
    assert question.answer[0].startswith("B tuning=slow.json against A default settings, ")
    (figure,) = question.figures
    drawn = sum(panel.description.count("slower +10.0 %") for panel in figure.panels)
    assert drawn == min(len(asked.runs[0].results), comparison.MOST_ROWS)
    assert "B tuning=slow.json" in render_report(pair).partition("<main>")[0]


def test_the_verdict_on_a_run_without_any_of_the_numbers_is_the_first_answer(written):
    survey = Survey(noise=1e-6)
    axes = {"dimensions": 2, "blocks": "regular", "routes": "one"}
    for ranks in (4, 32, 256):
        survey.measured("plan-scaling", {**axes, "plan_ranks": ranks}, 1e-6)
    asked = context(written(survey))
    first, trust = give_verdict(asked.runs, ask_all(asked)).lead
    assert first.startswith("The route of one of 256 ranks takes 1.00 µs")
    assert trust.startswith("All 3 cases have a 95 % interval within 2.0 %")


def test_collectives_are_told_of_ranks_that_had_a_core_each(written):
    survey = Survey(noise=1e-6)
    for ranks, seconds in ((2, 1e-6), (4, 1e-3)):
        axes = {"operation": "bcast", "form": "blocking", "root": "fixed", "bytes": 8}
        survey.measured("collectives", axes, seconds, 8, ranks)
    for binding, told in ((["0", "1", "2", "3"], 4), (["0-1"] * 4, 2)):
        survey.placement = lambda ranks, _=0, cpus=binding: {
            "hosts": ["a"],
            "rank_host": [0] * ranks,
            "binding": cpus[:ranks] if ranks == 4 else ["0", "1"],
            "cores": [0] * ranks,
        }
        question = of(collectives.STUDY)(context(written(survey)))
        assert question.answer[0].startswith(f"With {told} ranks")


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


def test_each_placement_of_the_two_ranks_is_judged_and_named(written):
    run = two_places(written)
    told = numbers(run)
    places = ("within a node", "between nodes")
    assert [*told][:4] == [
        *(f"8 B message {place}" for place in places),
        *(f"best one-way rate {place}" for place in places),
    ]
    assert [told[f"8 B message {place}"].value for place in places] == ["1.00 µs", "2.20 µs"]
    # Of shapes that place two ranks alike the smallest is told.
    found = measured(run).by_place("pingpong")
    assert [(place, {r.shape for r in found[place]}) for place in found] == [
        (places[0], {Shape(2, 2)}),
        (places[1], {Shape(2, 1)}),
    ]
    times, rates = message_time.ask(context(run)), message_rate.ask(context(run))
    for answers, begin in (
        (times.answer, "One way between two ranks {}, "),
        (rates.answer, "The best rate in one direction {} is "),
    ):
        assert len(answers) == 2
        for text, place in zip(answers, places, strict=True):
            assert text.startswith(begin.format(place))


def test_send_modes_are_told_by_where_the_two_ranks_are(written):
    survey = Survey(noise=1e-4)
    add_send_modes(survey, Link(), ((2, 2), (2, 1), (8, 4)), (10, 1000, 100_000))
    question = of(send_modes.STUDY)(context(written(survey)))
    places = [row.cells[0] for row in question.tables[0].rows if "Triton" not in row.cells[0]]
    assert places == ["on one node"] * 6 + ["over two nodes"] * 6
    places = [place in text for place, text in zip(places[::6], question.answer, strict=True)]
    assert places == [True, True]


@pytest.mark.parametrize("kind", ["instruction", "Instruction"])
def test_a_message_never_outgrows_the_instruction_cache(written, kind):
    survey = Survey(noise=1e-4)
    add_point_to_point(survey, Link(step_bytes=32768, step_seconds=9e-6))
    instructions = {"level": 1, "kind": kind, "bytes": 32768, "instances": 8, "shared_by": 2}
    machine = {**MACHINE, "caches": [instructions, *MACHINE["caches"]]}
    question = source.ask(context(written(survey, machine=machine)))
    (said,) = {row.cells[0] for row in question.tables[0].rows}
    assert said.count("two buffers exceed a level-1 cache (32 KiB)") == 1


def test_what_is_missing_is_counted_and_named(small_run):
    run = measured(small_run)
    (lead,) = give_verdict([run]).lead
    wide = sum(result.status == "wide" for result in run.results)
    assert wide > 1
    held = sum(result.status == "ok" for result in run.results)
    assert lead.startswith(
        f"{held} of {len(run.results):,} cases have a 95 % interval within 2.0 %"
    )
    assert lead.endswith(
        f"; {wide} with a wider one or none, 1 not measured, 1 skipped and 1 failed."
    )
    question = missing.ask(context(small_run))
    text = str(question.tables)
    for words in ("wrong byte at position 17", "needs 4 GiB of memory", "exchange/3MiB"):
        assert words in text


def test_failed_launches_and_unmade_measurements_are_told(written):
    survey = one_case()
    survey.lines.append(recorded.event("launch-failed", launch=3, message="rank 1 was killed"))
    plan = [recorded.planned(launch, ["pingpong/8B"], kind=None) for launch in range(5)]
    run = written(survey, plan=plan, command=["transrank", "measure", "pingpong"])
    assert missing.ask(context(run)).answer == (
        "A launch failed (launch 3): rank 1 was killed.",
        "2 planned measurements (case and launch) were not taken; "
        f"`transrank measure --resume {run.path}` completes the run.",
    )
    assert missing.ask(context(written(one_case(noise=1e-4)))) is None


def test_send_modes_are_ranked_and_counted_both_ways_and_cross_where_their_lines_meet(written):
    survey = Survey(noise=1e-5)
    link = Link(startup=1e-6, rate=1e10)
    add_send_modes(survey, link, ((2, 0),))
    question = of(send_modes.STUDY)(context(written(survey)))
    (sentence,) = question.answer
    assert sentence.startswith("With 2 ranks, on one node, MPI_Send of 100,000 B takes ")
    assert "by MPI_Bsend 1.7" in sentence
    assert "MPI_Sendrecv" not in sentence, "which moves both ways"
    rows = {row.cells[:2]: row.cells for row in question.tables[0].rows}
    _, _, _, per_direction, published, kept = rows["on one node", "MPI_Sendrecv"]
    assert kept.endswith(" %")
    assert float(published) == pytest.approx(2 * float(per_direction), rel=0.01)
    assert rows["on one node", "MPI_Send"][3] == rows["on one node", "MPI_Send"][4]
    assert rows["Triton, 2 ranks on 1 node", "MPI_Send"][4] == "8.3", "published, as printed"
    assert ("Triton, 2 ranks on 2 nodes", "MPI_Send") not in rows, (
        "nothing was measured between nodes"
    )
    assert "CS-E4690" in question.sources[0].attribution
    rows = {(row.cells[2], row.cells[4]): row.cells for row in question.tables[1].rows}
    _, lower, _, upper, _ = rows["MPI_Bsend", "MPI_Send"]
    meet = 0.2 * link.startup * link.rate / (1 / 0.55 - 1)
    below, above = (int(size.removesuffix(" B").replace(",", "")) for size in (lower, upper))
    assert below < meet < above


def test_the_start_of_a_job_is_that_of_its_last_rank_and_how_often_is_told(written):
    survey = Survey(noise=1e-4)
    add_launch(survey, (2, 4))
    question = of(launch.STUDY)(context(written(survey)))
    seconds = units.format_seconds(0.09 * 1.2)
    assert question.answer[0].startswith(f"The last of 4 ranks runs after {seconds}; MPI_Init")
    survey = Survey(noise=0.01)
    add_launch(survey, (2,))
    text = " ".join(describe_method([measured(written(survey))])[1].sentences)
    assert "Each kind of job was started" in text
    assert "interval of the launch's median" not in text


def test_ranks_that_copy_together_are_called_ranks_and_placed(written):
    survey = Survey(noise=1e-4)
    for ranks, per_node in ((1, 0), (4, 0), (8, 4)):
        for active, copied in (("alone", 1), ("together", ranks)):
            axes = {"kernel": "memcpy", "active": active, "bytes": 1 << 20}
            survey.measured("memory-copy", axes, 1e-4, copied << 20, ranks, per_node)
    question = of(memory_copy.ASKED)(context(written(survey)))
    *_, figure = question.figures
    assert [entry.label for entry in figure.key] == [
        *("one core", "4 ranks together", "8 ranks together on 2 nodes")
    ]
    assert question.answer[1].startswith("8 ranks together on 2 nodes copy")
    # 8 times the bytes in as much time.
    assert "8.00 times (" in question.answer[1]


def test_machine_facts_come_from_the_header_in_short_where_they_are_many(small_run, written):
    facts = dict(machine_facts(measured(small_run)))
    assert facts["MPI"] == "MPICH Version: 5.0.2 (MPI 5.0, thread level single)"
    assert facts["host"] == "node17"
    assert facts["binding"] == "rank 0 on CPU 0, rank 1 on CPU 1"
    assert facts["processor"].endswith("1 package, 1 NUMA node, 8 cores of 2 threads")
    assert facts["memory"].startswith("64 GiB, 61 GiB available, 32 GiB in /dev/shm")
    assert "runs in" not in facts, "nothing is known of a virtual machine"
    survey = Survey()
    survey.measured("pingpong", {"bytes": 8}, 1e-6, ranks=12, per_node=2)
    run = written(survey, placement=survey.placement(12, 2))
    facts = dict(machine_facts(measured(run)))
    assert facts["hosts"] == "node17, node18, node19 and 3 more"
    assert facts["binding"].endswith("rank 3 on CPU 3 and 8 more")
    assert short_library("MPICH Version: 5.0.2") == "MPICH 5.0.2"
    assert short_library("Open MPI v5.0.11, package: Open MPI root@build") == "Open MPI v5.0.11"


def test_the_method_is_that_of_the_run(written):
    survey = one_case()
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


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(0.0, "the one host that they share"), (3.2e-7, "of up to 320 ns between")],
)
def test_clock_synchronisation_is_told_with_its_accuracy(written, seconds, says):
    survey = one_case()

    def method() -> str:
        parts = describe_method([measured(written(survey))])
        return " ".join(sentence for part in parts for sentence in part.sentences)

    line = survey.launch_line(9, 2, 0)
    line["synchronisation"] = {"method": "clock", "accuracy_seconds": seconds}
    survey.lines.append(line)
    assert says in method()
    survey.lines.append(recorded.event("clocks-checked", launch=9, accuracy_seconds=6.5e-6))
    assert "of up to 6.50 µs between" in method()


def test_the_command_is_repeated_with_its_seed_and_what_shaped_mpi(written, tmp_path, monkeypatch):
    command = ["transrank", "measure", "pingpong", "--label", "a b", "-o", "mine.jsonl"]
    environment = {"SLURM_JOB_ID": "7", "OMP_NUM_THREADS": "1", "TRANSRANK_STORE": "/home/me"}
    environment |= {"UCX_TLS": "sm, self", "MKL_NUM_THREADS": "2"}
    run = measured(written(one_case(seed=77), command=command, environment=environment))
    first, last = describe_repetition([run])
    assert first.commands == (
        "export MKL_NUM_THREADS=2",
        "export UCX_TLS='sm, self'",
        "transrank measure pingpong --label 'a b' --seed 77",
    )
    assert last.commands == (f"transrank report {run.run.path}",)
    monkeypatch.setenv("TRANSRANK_STORE", str(tmp_path))
    *_, last = describe_repetition([run])
    assert last.commands == (f"transrank report {run.run.path.stem}",), "by its id"


def test_every_launch_can_be_made_by_hand_into_a_record_of_its_own(written):
    survey = one_case(seed=5)
    lines = [f"mpiexec -n 2 transrank-run --record by-hand.jsonl --launch {i}" for i in range(2)]
    plan = [
        recorded.planned(launch, ["pingpong/8B"], kind=None, arguments=[], lines=[line])
        for launch, line in enumerate(lines)
    ]
    _, by_hand, _ = describe_repetition([measured(written(survey, plan=plan))])
    assert by_hand.folded
    assert by_hand.commands == (
        "transrank survey --quick --seed 5 --max-time 1s --launches 3 --prepare "
        "--output by-hand.jsonl",
        *lines,
    )


def test_an_imported_run_is_repeated_by_its_import(tmp_path):
    lines = [recorded.imported_header(command=["transrank", "import", "0.txt"])]
    run = read_run(recorded.write(tmp_path / "osu.jsonl", [*lines, recorded.imported_case()]))
    first, _ = describe_repetition([measured(run)])
    assert first.commands == ("transrank import 0.txt",)
    assert "same order" not in first.sentences[0]


def test_prose_is_safe_and_keeps_numbers_with_their_units():
    assert prose("<b>8 B</b> take `ls` 5 µs") == (
        "&lt;b&gt;8\N{NO-BREAK SPACE}B&lt;/b&gt; take <code>ls</code> 5\N{NO-BREAK SPACE}µs"
    )


def test_a_study_that_nothing_is_known_of_shows_its_values(written):
    survey = Survey(noise=1e-5)
    for transport, seconds in (("message", 3e-5), ("shared", 1e-5)):
        survey.measured("future", {"vdim": 20, "transport": transport}, seconds)
    question = of(Study("future"))(context(written(survey)))
    (figure,) = question.figures
    rows = figure.panels[0].spec["data"]["values"]
    assert [row["n"] for row in rows] == ["message", "shared"]
    assert [row["v"] for row in rows] == pytest.approx([3e-5, 1e-5], rel=1e-3)
    for row in rows:
        assert row["l"] <= row["v"] <= row["h"]
