# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import recorded
from transrank.errors import RecordError, UsageError
from transrank.lab.store import jsonlines, records, writing
from transrank.lab.survey import resume

WHOLE = [
    recorded.header(label="night"),
    recorded.launch(0),
    recorded.case(8, launch=0),
    recorded.skipped(16, launch=0),
    recorded.launch(1),
    recorded.case(8, launch=1, samples=None, ranks=None, status="failed", reason="wrong byte"),
    recorded.event("finished"),
]

NOTHING = {"seconds": [], "fastest": [], "flags": [], "rounds": []}
EMPTY = recorded.case(samples=NOTHING)


def read(folder: Path, *lines: recorded.Line) -> records.Run:
    return records.read_run(recorded.write(folder / "run.jsonl", lines))


def test_a_file_is_read_as_it_was_written_and_all_but_failed_cases_are_finished(tmp_path):
    run = read(tmp_path, *WHOLE)
    assert run.problems == ()
    assert run.name == "night"
    assert [launch.launch for launch in run.launches] == [0, 1]
    assert [case.status for case in run.cases] == ["ok", "skipped", "failed"]
    assert [event.event for event in run.events] == ["finished"]
    samples = run.cases[0].samples
    assert samples.seconds.tolist() == [1.1e-6] * 10
    assert run.header.options.precision == 0.05
    assert records.finished_cases(run) == {(0, "pingpong/8B"), (0, "pingpong/16B")}


def test_what_an_operation_computed_is_read_as_arrays(tmp_path):
    computed = recorded.outcome()
    lines = [recorded.header(), recorded.launch(0), recorded.case(outcome=computed)]
    outcome = read(tmp_path, *lines).cases[0].outcome
    assert outcome.values == {"error_mean": 0.25, "mass": 3.0}
    np.testing.assert_array_equal(outcome.series["error_mean"], [0.125, np.nan])
    assert outcome.fields["after"].tolist() == [[1, 2, 3], [4, 5, 6.5]]
    computed["fields"]["after"]["extents"] = [2, 2]
    with pytest.raises(RecordError, match=r":3: .*reshape"):
        read(tmp_path, *lines)


def test_a_file_cut_at_any_byte_is_repaired_or_named_broken(tmp_path):
    content = recorded.text([WHOLE[0], WHOLE[2], WHOLE[6]]).encode()
    header_end = content.index(b"\n")
    path = tmp_path / "run.jsonl"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        if length < header_end:
            with pytest.raises(RecordError, match=r"empty|header is truncated"):
                records.read_run(path)
            continue
        before = records.read_run(path)
        done = records.repair(path)
        after = records.read_run(path)
        cut_in_a_line = content[:length].count(b"\n") > 0 and content[length - 1 : length] != b"\n"
        whole = content[length : length + 1] == b"\n"
        assert (len(before.problems) == 1) == (cut_in_a_line and not whole)
        number = content[:length].count(b"\n") + 1
        assert all(f"{path}:{number}: the last line was cut" in it for it in before.problems)
        assert (done is not None) == (content[length - 1 : length] != b"\n")
        assert after.problems == ()
        assert len(after.cases) == len(before.cases)
        assert path.read_bytes().endswith(b"\n")


def test_a_repaired_file_takes_further_lines(tmp_path):
    path = recorded.write(tmp_path / "run.jsonl", WHOLE[:3])
    with path.open("ab") as file:
        file.write(b'{"kind":"case","study":"pingp')
    assert "line 4" in str(records.repair(path))
    assert records.repair(path) is None
    records.append_line(path, recorded.event("repaired"))
    assert [event.event for event in records.read_run(path).events] == ["repaired"]


def test_the_first_schema_is_read_and_a_newer_one_asks_for_a_newer_transrank(tmp_path):
    path = recorded.write(tmp_path / "run.jsonl", [recorded.header(schema=3, surprise=True)])
    with pytest.raises(RecordError, match="record schema 3 by a newer transrank") as refused:
        records.read_run(path)
    assert refused.value.hint == "update transrank"
    recorded.write(path, [recorded.header(schema=0)])
    with pytest.raises(RecordError, match="record schema 0 by another transrank"):
        records.read_run(path)
    assert refused.value.status == 4
    lines = [recorded.header(schema=1), recorded.launch(), recorded.case()]
    run = read(tmp_path, *lines)
    assert [case.case for case in run.cases] == ["pingpong/1024B"]


def of_a_later_version(value: Any) -> Any:
    """A line with a field more in each of its objects whose fields have names of ours."""
    if isinstance(value, list):
        return [of_a_later_version(item) for item in value]
    if not isinstance(value, dict):
        return value
    known = {name: of_a_later_version(item) for name, item in value.items()}
    ours = not {"bytes", "OMP_NUM_THREADS", "error_mean", "after"} & value.keys() and value
    return {**known, "surprise": {"of": [1, None, "text"]}} if ours else known


def test_fields_of_a_later_version_are_read_over_and_stay_in_the_file(tmp_path):
    lines = [
        recorded.header(plan=[recorded.planned()]),
        *WHOLE[1:],
        recorded.planned(2),
        recorded.case(64, outcome=recorded.outcome()),
    ]
    path = recorded.write(tmp_path / "run.jsonl", map(of_a_later_version, lines))
    kept = path.read_text("utf-8")
    assert kept.count("surprise") > 30
    found, plain = (
        records.read_run(path),
        records.read_run(recorded.write(tmp_path / "plain.jsonl", lines)),
    )
    for name in ("header", "plan", "launches", "events"):
        assert getattr(found, name) == getattr(plain, name)
    assert repr(found.cases) == repr(plain.cases)
    path.write_text(kept + '{"kind": "case", "surp', "utf-8")
    run, repaired = resume.open_run(path)
    assert repaired
    assert path.read_text("utf-8").startswith(kept)
    assert repr(run.cases) == repr(plain.cases)


def test_launches_that_were_added_are_part_of_the_plan(tmp_path):
    begun = recorded.planned(0)
    del begun["kind"]
    lines = [recorded.header(plan=[begun]), recorded.case(), recorded.planned(1)]
    run = read(tmp_path, *lines)
    assert [one.launch for one in run.header.plan] == [0]
    assert [one.launch for one in run.plan] == [0, 1]


HEADER = recorded.text(WHOLE[:1])


def placed(*rank_host: int) -> recorded.Line:
    return recorded.launch(placement=recorded.PLACEMENT | {"rank_host": rank_host})


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("# OSU MPI Latency Test\n", "is not a record file"),
        ("[1]\n", "is not a record file"),
        (recorded.text(WHOLE[1:]), "the first line is not a header"),
        (HEADER + "{\n" + recorded.text(WHOLE[2:]), ":2: not JSON"),
        (HEADER + '{"kind": "surprise"}\n', 'its kind is "surprise"; known'),
        (WHOLE[0], ":2: a second header"),
        (recorded.case(batch=0), "case.batch must be int >= 1, not 0"),
        (recorded.case(axes=[]), r"case.axes must be object, not \[\]"),
        (recorded.case(stop="late"), "case.stop: Invalid enum value 'late'"),
        (recorded.case(ranks=None), "case lacks ranks"),
        (recorded.case(timing="imported"), "case lacks imported"),
        (EMPTY, "samples is empty"),
        (recorded.case(rounds=[3]), "rounds has 3 samples"),
        (recorded.case(rounds=[2**62] * 4 + [10]), "rounds has 18446"),
        (recorded.case(flags=[0]), "flags has 1 values but seconds has 10"),
        (
            recorded.case(seconds=[1e-6] * 20 + [-1e-6]),
            r"samples.seconds\[20\] must be .*, not -1e-06",
        ),
        (recorded.case(seconds=[1e-6] * 9 + [9e-19]), r"samples.seconds\[9\] must be 0 or a time"),
        (recorded.case(flags=[0] * 9 + [0.5]), r"case.samples.flags\[9\] must be int, not 0.5"),
        (recorded.case(verified=10**30), "case.verified must be int <= "),
        (placed(0, 7), "host 7 of 1"),
        (placed(0, 1), "host 1 of 1"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(tmp_path, lines, says):
    path = tmp_path / "run.jsonl"
    path.write_text(lines if isinstance(lines, str) else HEADER + recorded.text([lines]), "utf-8")
    with pytest.raises(RecordError, match=says) as refused:
        records.read_run(path)
    assert refused.value.message.startswith(f"{path}:")
    assert refused.value.hint


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000])
@pytest.mark.parametrize("field", ["measuring_seconds", "samples"])
def test_a_number_that_is_none_is_refused(tmp_path, number, field):
    line = json.dumps(recorded.case(measuring_seconds=777.0, seconds=[777.0] * 30))
    marked = "777.0" if field == "samples" else '"measuring_seconds": 777.0'
    place = line.index(marked) + len(marked) - 5
    path = tmp_path / "run.jsonl"
    path.write_text(HEADER + line[:place] + number + line[place + 5 :] + "\n", "utf-8")
    with pytest.raises(RecordError, match=r"run\.jsonl:2: "):
        records.read_run(path)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    with pytest.raises(RecordError, match="No such file"):
        records.read_run(tmp_path / "none.jsonl")
    with pytest.raises(RecordError, match="directory"):
        records.read_run(tmp_path)
    for path, says in (("/dev/full", "No space left"), (tmp_path / "none" / "run", "No such file")):
        with pytest.raises(RecordError, match=f"{path}: cannot be written: {says}"):
            records.append_line(path, WHOLE[0])


def test_a_case_that_stands_twice_counts_once_and_a_failed_one_gives_way(tmp_path):
    lines = [WHOLE[0], recorded.case(8, seconds=[1e-6] * 9), recorded.case(8, seconds=[2e-6] * 9)]
    run = read(tmp_path, *lines)
    assert len(run.cases) == 1
    assert run.cases[0].measuring_seconds == 0.05
    samples = run.cases[0].samples
    assert samples.seconds[0] == 1e-6
    assert ":3: launch 0 had finished pingpong/8B before" in run.problems[0]
    failed = recorded.skipped(8, status="failed", reason="wrong byte")
    run = read(tmp_path, WHOLE[0], failed, recorded.case(8))
    assert run.problems == ()
    assert [case.status for case in run.cases] == ["ok"]


def test_a_file_is_begun_once_and_not_at_all_where_it_does_not_fit(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(RecordError, match="cannot be written: No space left on device"):
            records.begin(path, WHOLE[0])
    assert not path.exists()
    records.begin(path, WHOLE[0])
    with pytest.raises(FileExistsError):
        records.begin(path, WHOLE[0])
    assert records.read_run(path).name == "night"


def test_one_process_at_a_time_measures_for_a_run(tmp_path):
    path = recorded.write(tmp_path / "run.jsonl", WHOLE[:3])
    with records.sole_writer(path):
        second = records.sole_writer(path)
        with pytest.raises(UsageError, match=r"run\.jsonl: another transrank is measuring"):
            second.__enter__()
        records.append_line(path, recorded.event("resumed"))
    with records.sole_writer(path):
        pass
    with records.sole_writer(tmp_path / "none.jsonl"):
        pass  # who reads it says that there is none


def test_a_link_and_a_pipe_are_written_through(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_bytes(b"before")
    link.symlink_to(target)
    writing.replace(link, b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        writing.replace(pipe, b"page")
        assert os.read(reader, 100) == b"page"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert sorted(tmp_path.iterdir()) == [link, pipe, target]


def test_nobody_can_have_put_a_link_where_a_file_is_written_before_it_is_renamed(
    tmp_path, monkeypatch
):
    victim, page = tmp_path / "victim", tmp_path / "page.html"
    victim.write_bytes(b"precious")
    (tmp_path / ".page.html.partial").symlink_to(victim)
    writing.replace(page, b"page")
    assert not page.is_symlink()
    assert (victim.read_bytes(), page.read_bytes()) == (b"precious", b"page")
    # Not even who knows the name, by chance.
    monkeypatch.setattr("secrets.token_hex", lambda count: "known")
    with writing.replacing(page) as file:
        (partial,) = set(tmp_path.glob(".*")) - {tmp_path / ".page.html.partial"}
        file.write(b"whole")
    partial.symlink_to(victim)
    with pytest.raises(FileExistsError):
        writing.replace(page, b"other")
    assert (victim.read_bytes(), page.read_bytes()) == (b"precious", b"whole")
    assert partial.is_symlink()


def test_two_who_replace_files_of_a_folder_at_once_do_not_meet(tmp_path):
    with writing.replacing(tmp_path / "one") as one, writing.replacing(tmp_path / "two") as two:
        one.write(b"1")
        two.write(b"2")
    assert [(tmp_path / name).read_bytes() for name in ("one", "two")] == [b"1", b"2"]


def test_append_writes_whole_lines_only(tmp_path):
    path = tmp_path / "run.jsonl"
    for line in WHOLE:
        records.append_line(path, line)
    assert path.read_text("utf-8").splitlines() == [
        json.dumps(line, ensure_ascii=False) for line in WHOLE
    ]
    with pytest.raises(ValueError, match="JSON compliant"):
        records.append_line(path, recorded.case(measuring_seconds=float("nan")))
    assert len(records.read_run(path).cases) == 3


def test_lines_that_no_memory_or_file_can_hold_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonlines, "MOST_CONTAINERS", 1000)
    path = recorded.write(tmp_path / "run.jsonl", WHOLE)
    assert len(records.read_run(path).cases) == 3
    with path.open("a") as file:
        file.write(f'{{"kind":"case","axes":[{"{},[]," * 500}0]}}\n')
    with pytest.raises(RecordError, match=r"run\.jsonl:8: not JSON: more than 1000 lists"):
        records.read_run(path)
    line = json.dumps(recorded.skipped(reason="x")).replace('"x"', '"\\ud800"')
    path = tmp_path / "run.jsonl"
    path.write_text(HEADER + line + "\n", encoding="utf-8")
    with pytest.raises(RecordError, match="not JSON"):
        records.read_run(path)


SHORT_WRITE = """
import os, resource, signal, sys
from transrank.errors import RecordError
from transrank.lab.store.records import append_line
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.fsync = lambda _: None  # a busy disk takes seconds for each, and what is written is the same
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for path, limit in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    try:
        for number in range(1000):
            append_line(path, {"kind": "event", "event": "resumed", "time": str(number) * 20})
        sys.exit(6)
    except RecordError as error:
        if "too large" not in error.message:
            sys.exit(5)
"""


def test_a_short_write_leaves_whole_lines(tmp_path):
    # The kernel writes up to the limit and then refuses, as a disk does that fills up.
    limits = {
        recorded.write(tmp_path / f"{limit}.jsonl", [WHOLE[0]]): limit
        for limit in (4000, 4001, 4060)
    }
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            SHORT_WRITE,
            *(str(word) for pair in limits.items() for word in pair),
        ],
        env=os.environ,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    for path in limits:
        run = records.read_run(path)
        assert run.problems == ()
        assert len(run.events) > 10
        assert records.repair(path) is None


@pytest.mark.parametrize("depth", [50, 500, 5000, 200_000])
def test_deep_nesting_is_refused(tmp_path, depth):
    path = tmp_path / "deep.jsonl"
    nested = '{"a":' * depth + "1" + "}" * depth
    path.write_text(HEADER + nested + "\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"deep\.jsonl:2: "):
        records.read_run(path)
