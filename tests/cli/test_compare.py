# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

import pytest

from support import recorded
from support.commands import Store, disturbed, pingpong
from transrank.lab.cli import options


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    found.keep("20261101-000000-aaaa", *pingpong(8, 1.0), *pingpong(64, 2.0), label="before")
    return found


def test_a_slowdown_fails_the_gate_and_names_itself(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.3), *pingpong(64, 2.0), label="after")
    answer = store.run("compare before after")
    assert answer.status == 1
    *names, _ = answer.stdout.splitlines()[:3]
    lines = answer.stdout.splitlines()[3:]
    grade = "usable: 0 % of the intervals are wider than 10 %"
    assert names == [
        f"baseline 20261101-000000-aaaa (before), {grade}",
        f"candidate 20261102-000000-bbbb (after), {grade}",
    ]
    rows = [line.split() for line in lines]
    assert rows[0] == ["pingpong,", "2", "ranks"]
    assert (rows[2][:2], rows[2][-1]) == (["8", "B"], "slower")
    assert "1.300" in rows[2]
    assert (rows[3][:2], rows[3][-1]) == (["64", "B"], "same")
    assert "slower: pingpong/8B (1.300, 1." in answer.stdout
    assert "1 slower, 1 same at 5.0 %" in answer.stdout
    assert "median over cases: 1.150; middle half of the cases 1.075–1.225" in answer.stdout
    assert "the same for all samples: mean 1.150, P90 1.150, P99 1.150" in answer.stdout
    assert "label" not in answer.stderr


def test_a_label_of_several_runs_is_the_latest_one_with_a_warning(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.3), *pingpong(64, 2.0), label="before")
    answer = store.run("compare before 20261101-000000-aaaa")
    assert answer.stdout.startswith("baseline 20261102-000000-bbbb (before)")
    warning = " ".join(answer.stderr.split())
    assert "2 runs have the label 'before'; the latest is used, 20261102-000000-bbbb" in warning
    assert "such as the one before, 20261101-000000-aaaa" in warning


def test_runs_without_a_label_are_told_of_labels(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.0))
    store.keep("20261103-000000-cccc", *pingpong(8, 1.0))
    answer = store.run("compare latest~1 latest")
    assert "neither run has a label" in answer.stderr
    assert "transrank measure --label before" in answer.stderr
    assert "label" not in store.run("compare before latest").stderr


def test_what_applications_meet_stands_beside_the_medians(store):
    """One sample in ten is disturbed: no median tells, the mean and P99 do."""
    calm = [recorded.case(8, launch=i, seconds=[1e-6] * 10) for i in range(3)]
    store.keep("20261102-000000-bbbb", *calm)
    store.keep("20261103-000000-cccc", *disturbed())
    answer = store.run("compare latest~1 latest -v")
    lines = answer.stdout.splitlines()
    heading = lines.index("all samples after warm-up, baseline and candidate")
    row = lines[heading + 2].split()
    size, unit, mean, _, other_mean, _, p90, _, _, _, p99, _, slowest, _ = row
    assert (size, unit, mean, other_mean) == ("8", "B", "1.00", "10.9")
    assert (p90, p99, slowest) == ("1.00", "1.00", "100")
    assert "of all samples" not in store.run("compare latest~1 latest").stdout.split("\n\n")[1]
    document = store.json("compare latest~1 latest")
    assert document["ratio_of_all_samples"]["mean"] == pytest.approx(10.9)
    assert document["verdicts"][0]["candidate_p99_of_all_seconds"] == pytest.approx(1e-4)
    assert document["verdicts"][0]["ratio"] == 1.0


def test_a_speedup_passes_and_the_threshold_moves_the_verdict(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 0.7), *pingpong(64, 1.4))
    answer = store.run("compare before latest").check()
    assert "2 faster at 5.0 %" in answer.stdout
    assert "median over cases: 0.700; middle half of the cases 0.700–0.700" in answer.stdout
    assert store.run("compare latest before").status == 1
    assert store.run("compare latest before --threshold 50%").status == 0
    refused = store.run("compare before latest --threshold 5")
    assert (refused.status, "write 5%" in refused.stderr) == (2, True)


@pytest.mark.parametrize(("fail_on", "status"), [("slower", 0), ("unclear", 1), ("never", 0)])
def test_unclear_is_no_pass_where_one_asks_for_a_pass(store, fail_on, status):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.05), *pingpong(64, 2.0))
    answer = store.run(f"compare before latest --fail-on {fail_on}")
    assert "unclear" in answer.stdout
    assert answer.status == status


@pytest.mark.parametrize(("unclear", "status"), [(1, 0), (2, 5)])
def test_a_gate_passes_if_half_of_the_cases_could_be_judged(store, unclear, status):
    near = [line for size in range(100, 100 + unclear) for line in pingpong(size, 1.0)]
    store.keep("20261101-000000-dddd", *pingpong(8, 1.0), *near, label="first")
    off = [line for size in range(100, 100 + unclear) for line in pingpong(size, 1.05)]
    store.keep("20261102-000000-eeee", *pingpong(8, 1.0), *off, label="second")
    assert store.run("compare first second").status == status


def test_noise_is_not_printed_as_a_number_but_with_verbose(store):
    noisy = [
        recorded.case(8, launch=launch, seconds=[1e-6 * factor] * 9)
        for launch, factor in enumerate((1.0, 3.0, 9.0))
    ]
    store.keep("20261102-000000-bbbb", *noisy, *pingpong(64, 2.0), label="after")
    shown = store.run("compare before after").stdout
    (row,) = [line.split() for line in shown.splitlines() if line.lstrip().startswith("8 B")]
    assert row == ["8", "B", "1.00", "µs", "1.6", "%", "not", "measured", "unclear"]
    assert "3.00 µs" in store.run("compare before after -v").stdout


def test_a_pull_request_gets_what_changed_and_the_rest_below_a_fold(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.3), *pingpong(64, 2.0), label="after")
    answer = store.run("compare before after --format markdown")
    assert answer.status == 1
    first, folded = answer.stdout.split("<details><summary>All cases</summary>\n\n")
    assert first.startswith("**1 slower, 1 same at 5.0 %** (20261101-000000-aaaa (before) → ")
    for text, sizes in ((first, ["8 B"]), (folded, ["8 B", "64 B"])):
        heading, rules, *rows = [line for line in text.splitlines() if line.startswith("|")]
        assert heading.startswith("|  | baseline | ± | candidate |")
        assert rules.startswith("| --: | --: |")
        assert [row.split(" | ")[0] for row in rows] == [f"| {size}" for size in sizes]
    assert store.run("compare before fugaku --format markdown").status == 2


def test_a_lone_regression_among_many_noisy_cases_does_not_pass(store):
    """A hundred cases as before, and one whose launches scatter took 1.4 times as long."""

    def scattered(microseconds: float) -> list[recorded.Line]:
        return [
            recorded.case(50, launch=launch, seconds=[1e-6 * microseconds * spread] * 9)
            for launch, spread in enumerate((0.95, 1.0, 1.05))
        ]

    steady = [line for size in range(100, 200) for line in pingpong(size, 1.0)]
    store.keep("20261101-000000-dddd", *steady, *scattered(1.0), label="first")
    store.keep("20261102-000000-eeee", *steady, *scattered(1.4), label="second")
    told = "slower on its own, which may be chance among 101 cases: pingpong/50B (2 ranks)"
    for fail_on, status in (("slower", 1), ("family", 0), ("unclear", 1), ("never", 0)):
        answer = store.run(f"compare first second --fail-on {fail_on}")
        assert "slower on its own, but could be so by chance among 101 cases" in answer.stdout
        assert answer.status == status
        assert (told in answer.stderr) == (fail_on == "slower")
    # Fewer cases leave less to chance.
    alone = store.run("compare first second --case pingpong/50B --fail-on family")
    assert alone.status == 1


def test_the_same_two_ranks_compare_whatever_the_shape_was_called(store):
    two_nodes = recorded.PLACEMENT | {"hosts": ["a", "b"], "rank_host": [0, 1]}
    shapes = {"own": {"ranks": 2, "ranks_per_node": 2}, "apart": {"ranks": 2, "ranks_per_node": 1}}
    placed = pingpong(8, 1.3, shape=shapes["own"])
    spread = [line | {"launch": line["launch"] + 3} for line in pingpong(64, 1.0)]
    spread = [line | {"shape": shapes["apart"]} for line in spread]
    launches = [recorded.launch(i, shape=shapes["own"]) for i in range(3)]
    launches += [
        recorded.launch(i + 3, shape=shapes["apart"], placement=two_nodes) for i in (0, 1, 2)
    ]
    store.keep("20261102-000000-bbbb", *launches, *placed, *spread)
    base = [recorded.launch(i) for i in range(3)]
    store.keep("20261103-000000-cccc", *base, *pingpong(8, 1.0), *pingpong(64, 2.0))
    answer = store.run("compare 20261103 20261102")
    rows = [line.split() for line in answer.stdout.splitlines()]
    assert (rows[5][:2], rows[5][-1]) == (["8", "B"], "slower")
    assert "has it with another placement: 2 ranks, 1 per node: pingpong/64B" in answer.stdout


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ("--fail-on slower", 5),
        ("--fail-on family", 5),
        ("--pass-unclear", 0),
        ("--fail-on unclear", 1),
        ("--fail-on never", 0),
    ],
)
def test_where_nothing_can_be_judged_nothing_has_passed(store, options, status):
    store.keep("20261102-000000-bbbb", *pingpong(128, 1.0))
    answer = store.run(f"compare before latest {options}")
    assert answer.status == status
    assert ("0 of 3 cases could be judged" in answer.stderr) == (status == 5)
    assert "missing: the candidate does not have it: pingpong/8B (2 ranks)" in answer.stdout


def test_unlike_runs_are_warned_of(store):
    cold = recorded.header()["options"] | {"cache": "cold"}
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.0), *pingpong(64, 2.0), options=cold)
    answer = store.run("compare before latest").check()
    assert "warning: the runs differ: cache: warm / cold. hint: " in answer.stderr


def test_an_imported_run_is_compared_by_means(store, tmp_path):
    lines = [recorded.imported_case(8, launch=i, mean=2e-6) for i in range(3)]
    recorded.write(tmp_path / "osu.jsonl", [recorded.imported_header(3, label="osu"), *lines])
    answer = store.run("compare before osu --case '*/8B'")
    assert "pingpong, 2 ranks of means" in answer.stdout
    assert answer.status == 1


def test_json_and_csv_hold_the_whole_comparison(store):
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.3))
    document = store.json("compare before latest")
    assert document["counts"]["slower"] == 1
    assert document["counts"]["missing"] == 1
    assert document["verdicts"][0]["ratio"] == pytest.approx(1.3)
    assert document["verdicts"][0]["ratio_low"] > 1.05
    rows = store.csv("compare before latest --format csv")
    assert [row["verdict"] for row in rows] == ["slower", "missing"]


def on_nodes(nodes: int, ranks: int = 2) -> recorded.Line:
    """A launch with its ranks on so many nodes in turn."""
    hosts = [f"node{i}" for i in range(nodes)]
    where = {"hosts": hosts, "rank_host": [rank % nodes for rank in range(ranks)]}
    shape = {"ranks": ranks, "ranks_per_node": 0}
    return recorded.launch(placement={**recorded.PLACEMENT, **where}, shape=shape)


def test_a_published_machine_is_laid_beside_with_its_source(store):
    store.keep("20261102-000000-bbbb", on_nodes(2), *pingpong(8, 1.0), label="two-nodes")
    answer = store.run("compare two-nodes fugaku").check()
    lines = answer.stdout.splitlines()
    assert lines[0] == "pingpong, 2 ranks; fugaku: 2 ranks on 2 nodes"
    assert lines[1].split() == ["median", "±", "mean", "fugaku", "ratio", "of", "means"]
    # Published: 1.05 µs at 8 bytes. Ours: the mean of rank 0, whose clock counts.
    assert lines[2].split()[-3:] == ["1.05", "µs", "0.954"]
    assert "not measured in this run: pingping, sendrecv, exchange, collectives" in answer.stdout
    assert "RIKEN Center for Computational Science" in answer.stdout
    assert "Published numbers are means without an interval" in answer.stdout
    document = store.json("compare two-nodes Fugaku")
    assert document["pairs"][0]["machine_seconds"] == 1.05e-6
    assert document["conditions"]


def test_ranks_elsewhere_have_no_ratio_but_a_line_that_says_which_would(store):
    for launches, ours in (([on_nodes(1)], "2 ranks on 1 node"), ([], "ranks on unknown nodes")):
        store.keep("20261102-000000-bbbb", *launches, *pingpong(8, 1.0))
        answer = store.run("compare latest fugaku").check()
        assert answer.stdout.startswith(
            f"pingpong: not comparable, the run has {ours}; comparable would be 2 ranks on 2 nodes"
        )
        assert "ratio" not in answer.stdout
        assert ("import --ranks-per-node" in answer.stdout) == (launches == [])
    document = store.json("compare latest fugaku")
    assert document["pairs"] == []
    assert document["not_comparable"][0]["published"] == [[2, 2]]


def test_a_published_job_is_chosen_by_its_nodes(store):
    collective = recorded.case(
        study="collectives",
        case="collectives/allreduce/blocking/float/8B",
        axes={"operation": "allreduce", "form": "blocking", "datatype": "float", "bytes": 8},
    )
    store.keep("20261102-000000-bbbb", collective)
    every = store.run("compare latest fugaku")
    assert "would be 1,536 ranks on 384 nodes, 12,288 ranks on 3,072 nodes, 110,5" in every.stdout
    largest = store.run("compare latest fugaku --nodes 27648")
    assert "comparable would be 110,592 ranks on 27,648 nodes" in largest.stdout
    assert "1,536" not in largest.stdout
    store.run("compare latest fugaku --nodes 7").fails(2, "known: 2, 384, 432")


def test_what_cannot_be_compared_is_told(store):
    assert store.run("compare before nosuch").status == 4
    assert store.run("compare before").status == 2
    store.run("compare fugaku before").fails(
        2, "put the run first: transrank compare before fugaku"
    )
    store.run("compare before jaguar").fails(
        4,
        "before has no case of a study that was published for jaguar",
        "transrank measure plan-scaling",
    )
    told = store.run("compare --help").stdout
    for fail_on in options.FAIL_ON:
        assert f"\n  {fail_on} " in told


def of_ranks(study: str, ranks: int, seconds: list[float], **axes: str | int) -> recorded.Line:
    """A case of one launch on one node; each rank has its time."""
    placed = {"shape": {"ranks": ranks, "ranks_per_node": ranks}}
    line = recorded.case(
        study=study,
        case="/".join([study, *map(str, axes.values())]),
        axes=axes,
        seconds=[max(seconds)] * 5,
        **placed,
    )
    line["ranks"] = dict.fromkeys(("median", "minimum", "mean"), seconds)
    return line


def on_other_memory() -> recorded.Line:
    """The study `locality` on 24 ranks, every fourth one on the neighboring domain's memory."""
    times = [23.1 + 0.3 * (rank % 4 == 3) + 0.01 * (rank // 6 % 2) for rank in range(24)]
    line = of_ranks("locality", 24, times, kernel="dgemm", arrangement="exchanged", order=3000)
    link = ["neighbor" if rank % 4 == 3 else "own" for rank in range(24)]
    line["memory"] = recorded.memory(range(24), [rank // 6 for rank in range(24)], link)
    return line


def test_published_threads_and_shapes_of_jobs_stand_beside_ours(store):
    store.keep("20261102-000000-bbbb", on_other_memory())
    lines = [" ".join(line.split()) for line in store.run("compare latest xt6").stdout.splitlines()]
    heading = lines.index("memory mean deviation xt6 deviation")
    rows = dict(row.split(maxsplit=2)[1:] for row in lines[heading + 1 : heading + 5])
    assert rows["own"] == "23.1 s 5.11 ms 23.1 s 6.53 ms"
    assert rows["neighbor"] == "23.4 s 5.16 ms 23.4 s 15.8 ms"
    assert rows["diagonal"] == "23.5 s 14.8 ms"
    start = of_ranks("launch", 768, [1.0] * 768, stamp="plain")
    store.keep("20261102-000000-bbbb", start | {"shape": {"ranks": 768, "ranks_per_node": 1}})
    lines = store.run("compare latest fugaku").stdout.splitlines()
    last = {line.split()[-1]: line.split() for line in lines if " s " in line}
    assert last["4x6x32"][-3:] == ["3.78", "s", "4x6x32"]
    assert {"noncont", "32x6x4", "8x12x8"} <= set(last)


def test_two_runs_have_mean_and_deviation_of_each_domain(store):
    axes: dict[str, str | int] = {"domain_ranks": 2, "traffic": "none", "bytes": 1024}
    for run, factor in (("20261102-000000-bbbb", 1), ("20261103-000000-cccc", 2)):
        times = [factor * time for time in (1e-3, 3e-3, 1e-3, 1e-3)]
        store.keep(run, of_ranks("contention", 4, times, **axes))
    lines = [
        " ".join(line.split()) for line in store.run("compare latest~1 latest").stdout.splitlines()
    ]
    heading = lines.index("domain baseline deviation candidate deviation ratio")
    assert lines[heading + 1] == "1 KiB 0 2.00 ms 1.41 ms 4.00 ms 2.83 ms 2.00"
    assert lines[heading + 2] == "1 KiB 1 1.00 ms 0 s 2.00 ms 0 s 2.00"
    document = store.json("compare latest~1 latest")
    assert [one["ratio"] for one in document["domains"]] == [2.0, 2.0]


def starts(seconds: float) -> list[recorded.Line]:
    return [
        recorded.case(
            study="launch",
            case="launch/plain",
            axes={"stamp": "plain"},
            launch=launch,
            seconds=[seconds] * 5,
            bytes_counted=0,
        )
        for launch in range(3)
    ]


def test_two_job_starts_have_their_first_rank_beside_the_last(store):
    store.keep("20261102-000000-bbbb", *starts(1.0))
    store.keep("20261103-000000-cccc", *starts(2.0))
    answer = store.run("compare latest~1 latest --fail-on never")
    row = next(line.split() for line in answer.stdout.splitlines() if "slower" in line)
    assert row[-5:] == ["900", "ms,", "1.80", "s", "slower"]
    (rows,) = store.csv("compare latest~1 latest --format csv")
    assert float(rows["candidate_first_rank_seconds"]) == pytest.approx(1.8)
    assert "first ranks" not in store.run("compare before before").stdout
