# SPDX-License-Identifier: BSD-3-Clause
"""Output of the suites' own binaries, printed on two ranks of one machine, read as runs."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.errors import RecordError, UsageError
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store import jsonlines
from transrank.lab.store.importing import ImportedRun, import_files
from transrank.lab.store.lines import Shape
from transrank.lab.store.records import Run, read_run, write_lines
from transrank.lab.store.suites import imb, osu
from transrank.lab.store.suites.meaning import meaning_of
from transrank.lab.store.suites.reading import Reading

OUTPUTS = Path(__file__).parent / "outputs"


def take(*names: str, shape: Shape | None = None) -> ImportedRun:
    paths = [OUTPUTS / name for name in names]
    return import_files(paths, "id", ["transrank"], "0.1.0", None, shape)


def stored(tmp_path: Path, *names: str, shape: Shape | None = None) -> Run:
    path = tmp_path / "id.jsonl"
    write_lines(path, take(*names, shape=shape).lines)
    return read_run(path)


def by_case(run: Run) -> dict[str, CaseResult]:
    return {result.case: result for result in summarise(run)}


def test_imb_pingpong_is_read_to_the_last_digit(tmp_path: Path) -> None:
    run = stored(tmp_path, "imb_pingpong.txt")
    results = by_case(run)
    assert len(results) == 24
    assert results["pingpong/4MiB"].imb_mean == 381.81e-6
    assert results["pingpong/8B"].imb_mean == 0.81e-6
    assert results["pingpong/0B"].rate is None
    assert run.cases[0].shape == Shape(2)
    assert run.cases[0].imported.repetitions == 1000
    (source,) = run.header.imported
    assert (source.suite, source.version) == ("IMB", "2021.11")
    assert source.command == "IMB-MPI1 PingPong"


def test_the_rate_that_imb_prints_is_ours(tmp_path: Path) -> None:
    printed = imb.read((OUTPUTS / "imb_several.txt").read_text("utf-8")).readings
    results = by_case(stored(tmp_path, "imb_several.txt"))
    checked = 0
    for reading in printed:
        if reading.bytes_per_second and reading.bytes and reading.bytes >= 64:
            result = results[f"{reading.benchmark}/{recorded_size(reading.bytes)}"]
            # IMB divides by the slowest rank's time, printed with two decimals.
            assert result.rate == pytest.approx(reading.bytes_per_second, rel=0.02)
            checked += 1
    assert checked >= 10


def recorded_size(size: int) -> str:
    return f"{size // 1024}KiB" if size % 1024 == 0 else f"{size}B"


def test_several_benchmarks_of_one_file_are_several_studies(tmp_path: Path) -> None:
    run = stored(tmp_path, "imb_several.txt")
    studies = {(result.study, result.axes.get("operation")) for result in summarise(run)}
    assert studies == {
        ("pingpong", None),
        ("sendrecv", None),
        ("collectives", "allreduce"),
        ("collectives", "bcast"),
        ("collectives", "barrier"),
    }
    assert {case.launch for case in run.cases} == {0}


def test_each_number_of_ranks_is_a_shape_of_its_own(tmp_path: Path) -> None:
    run = stored(tmp_path, "imb_np4_groups.txt")
    shapes = {(case.study, case.shape.ranks) for case in run.cases}
    assert shapes == {("sendrecv", 2), ("sendrecv", 4), ("collectives", 2), ("collectives", 4)}
    assert {case.launch for case in run.cases} == {0}


def test_means_come_with_their_range_over_ranks(tmp_path: Path) -> None:
    results = by_case(stored(tmp_path, "imb_np4_groups.txt"))
    two = results["collectives/allreduce/blocking/float/32B"]
    assert two.imb.low < two.imb.mean < two.imb.high


def test_what_imb_left_out_is_skipped_with_its_reason(tmp_path: Path) -> None:
    results = by_case(stored(tmp_path, "imb_out_of_memory.txt"))
    left_out = results["collectives/alltoall/blocking/256KiB"]
    assert left_out.status == "skipped"
    assert left_out.reason.startswith("out-of-mem.; needed X=")
    measured = results["collectives/alltoall/blocking/128KiB"]
    assert measured.imb_mean == 459.25e-6
    # One block of 128 KiB to each of two ranks.
    assert measured.bytes_counted == 2 * 131072


def test_osu_latency_is_our_pingpong(tmp_path: Path) -> None:
    results = by_case(stored(tmp_path, "osu_latency.txt"))
    assert len(results) == 23
    assert results["pingpong/1MiB"].imb_mean == 71.81e-6
    assert results["pingpong/1MiB"].shape == Shape(2)


def test_osu_full_output_has_its_range_and_iterations(tmp_path: Path) -> None:
    run = stored(tmp_path, "osu_allreduce_float_full.txt", shape=Shape(2, 1))
    result = by_case(run)["collectives/allreduce/blocking/float/4B"]
    assert (result.imb.low, result.imb.mean, result.imb.high) == (0.36e-6, 0.42e-6, 0.48e-6)
    assert run.cases[0].imported.repetitions == 1000
    assert run.cases[0].shape == Shape(2, 1)


def test_osu_percentile_columns_do_not_shift_the_mean() -> None:
    lines = take("osu_allreduce_percentiles.txt", shape=Shape(2)).lines
    first = lines[1]
    # MPI has no sum of MPI_CHAR: what OSU reduces by default is nearest to int8.
    assert first["case"] == "collectives/allreduce/blocking/int8/1B"
    assert first["imported"]["mean"] == 0.83e-6
    assert first["imported"]["maximum"] == 0.96e-6


def test_osu_collectives_need_to_be_told_the_ranks() -> None:
    says = r"float_full\.txt: the output of allreduce latency does not state"
    with pytest.raises(UsageError, match=says) as refused:
        take("osu_allreduce_float_full.txt")
    assert refused.value.hint == "add -n RANKS"
    assert take("osu_allreduce_float_full.txt", shape=Shape(1)).lines


def test_a_validated_table_is_read_and_a_failed_row_is_a_failed_case(tmp_path: Path) -> None:
    text = (OUTPUTS / "osu_latency_validated.txt").read_text("utf-8")
    spoilt = tmp_path / "spoilt.txt"
    lines = text.splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith("8 "))
    lines[number] = lines[number].replace("Pass", "Fail")
    spoilt.write_text("\n".join(lines), encoding="utf-8")
    cases = {line["case"]: line for line in import_files([spoilt], "id", [], "0.1.0").lines[1:]}
    assert cases["pingpong/4B"]["status"] == "ok"
    assert cases["pingpong/8B"]["status"] == "failed"
    assert cases["pingpong/8B"]["reason"] == "its validation failed"


def test_rates_of_osu_become_times_per_message_and_stay_the_rates(tmp_path: Path) -> None:
    for name, case, rate in (
        ("osu_bw.txt", "bandwidth/64/1MiB", 16025.76e6),
        ("osu_bibw.txt", "bidirectional-bandwidth/64/1MiB", 33569.03e6),
        ("osu_mbw_mr.txt", "message-rate/1/1MiB", 15695.51e6),
    ):
        result = by_case(stored(tmp_path, name))[case]
        assert result.rate == pytest.approx(rate, rel=1e-5)
    assert 1 / result.headline.value == pytest.approx(14968.41)


def test_a_barrier_has_no_size(tmp_path: Path) -> None:
    (result,) = summarise(stored(tmp_path, "osu_barrier_full.txt", shape=Shape(2)))
    assert result.case == "collectives/barrier/blocking"
    assert result.bytes is None


def test_several_files_of_one_benchmark_are_launches_with_an_interval(tmp_path: Path) -> None:
    for number in range(3):
        shutil.copy(OUTPUTS / "osu_latency.txt", tmp_path / f"{number}.txt")
    imported = import_files([tmp_path / f"{i}.txt" for i in range(3)], "id", [], "0.1.0")
    path = recorded.write(tmp_path / "id.jsonl", imported.lines)
    result = by_case(read_run(path))["pingpong/8B"]
    assert result.launches == (0, 1, 2)
    assert [Path(source.file).name for source in read_run(path).header.imported] == [
        "0.txt",
        "1.txt",
        "2.txt",
    ]


def test_a_table_that_comes_again_in_a_file_is_another_launch(tmp_path: Path) -> None:
    text = (OUTPUTS / "osu_latency.txt").read_text("utf-8")
    twice = tmp_path / "twice.txt"
    twice.write_text(text + text, encoding="utf-8")
    imported = import_files([twice, OUTPUTS / "osu_bw.txt"], "id", [], "0.1.0")
    launches = {line["study"]: set() for line in imported.lines[1:]}
    for line in imported.lines[1:]:
        launches[line["study"]].add(line["launch"])
    assert launches == {"pingpong": {0, 1}, "bandwidth": {2}}
    assert len(imported.lines[0]["imported"]) == 3


def test_what_no_study_measures_is_left_out_and_counted() -> None:
    imported = take("osu_latency.txt", "osu_bw_persistent.txt")
    assert imported.unknown == {"bandwidth persistent": 4}
    with pytest.raises(RecordError, match="no result of a study that transrank knows"):
        take("osu_bw_persistent.txt")


def test_what_is_not_understood_is_told_beside_what_is(tmp_path: Path) -> None:
    path = tmp_path / "osu.txt"
    path.write_text(
        "# OSU OpenSHMEM Put Test v7.4\n# Size          Latency (us)\n"
        "1                       0.08\n2                       0.09\n"
    )
    with pytest.raises(RecordError, match="found: openshmem put") as refused:
        import_files([path], "id", [], "0.1.0")
    for known in ("latency", "bi-directional bandwidth", "allreduce", "mpi_put latency"):
        assert known in refused.value.hint


def test_pairs_are_half_of_the_ranks_that_the_user_gives(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the output of multi latency does not state"):
        take("osu_multi_lat.txt")
    result = by_case(stored(tmp_path, "osu_multi_lat.txt", shape=Shape(4)))["multi-pingpong/2/8B"]
    assert result.imb_mean == 0.91e-6
    assert result.bytes_counted == 16


def test_imb_names_the_pairs_that_ran_at_once(tmp_path: Path) -> None:
    run = stored(tmp_path, "imb_multi.txt")
    assert by_case(run)["multi-pingpong/2/64B"].imb_mean == 6.78e-6
    assert {case.shape.ranks for case in run.cases} == {4}


def test_bidirectional_rates_count_both_directions(tmp_path: Path) -> None:
    results = by_case(stored(tmp_path, "osu_put_bibw.txt"))
    put = results["one-sided/put/post/allocated/64/both-ways/8B"]
    assert put.rate == pytest.approx(168.17e6)
    assert put.bytes_counted == 16


def test_operations_completed_all_at_once_are_left_out() -> None:
    rma = take("imb_rma.txt")
    aggregate = {"unidir_put": 4, "unidir_get": 4, "bidir_put": 4, "compare_and_swap": 1}
    other_words = {"accumulate": 8, "get_accumulate": 8, "fetch_and_op": 2}
    assert rma.unknown == aggregate | other_words
    epochs = {line["axes"]["epoch"] for line in rma.lines[1:]}
    assert epochs == {"flush"}
    assert {line["axes"]["epoch"] for line in take("imb_ext.txt").lines[1:]} == {"fence"}


def test_the_share_that_osu_prints_is_ours(tmp_path: Path) -> None:
    run = stored(tmp_path, "osu_ineighbor_alltoall.txt")
    results = by_case(run)
    name = "overlap/neighbor_alltoall/nonblocking/{}/8B"
    alone, computation, together = (
        results[name.format(part)].imb_mean for part in ("alone", "computation", "together")
    )
    assert (alone, computation, together) == (2205.83e-6, 2821.14e-6, 4239.56e-6)
    assert (alone + computation - together) / alone == pytest.approx(0.3570, abs=1e-4)
    assert results["neighborhood/ring/neighbor_alltoall/nonblocking/8B"].imb_mean == alone
    assert {case.shape for case in run.cases} == {Shape(3)}


def test_imb_prints_the_times_that_an_overlap_is_made_of(tmp_path: Path) -> None:
    results = by_case(stored(tmp_path, "imb_nbc.txt"))
    name = "overlap/reduce_scatter/nonblocking/{}/4KiB"
    assert results[name.format("alone")].imb_mean == 31.43e-6
    assert results[name.format("computation")].imb_mean == 16.99e-6
    assert results[name.format("together")].imb_mean == 20.29e-6
    assert results["collectives/allreduce/nonblocking/float/4KiB"].imb_mean is not None


def test_a_pipe_is_read_and_one_that_nobody_writes_to_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = (OUTPUTS / "osu_latency.txt").read_bytes()
    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(pipe.write_bytes, text)
        assert import_files([pipe], "id", [], "0.1.0").suite == "OSU"
        assert written.result() == len(text)
    monkeypatch.setattr(jsonlines, "PIPE_SECONDS", 0.1)
    with pytest.raises(RecordError, match="no process writes to this pipe"):
        import_files([pipe], "id", [], "0.1.0")
    with pytest.raises(RecordError, match="not a regular file"):
        import_files([Path("/dev/zero")], "id", [], "0.1.0")


def test_suites_are_not_mixed() -> None:
    with pytest.raises(UsageError, match="is of OSU") as refused:
        take("imb_pingpong.txt", "osu_latency.txt")
    assert refused.value.hint == "import IMB and OSU as two runs, then compare them"


def test_a_file_of_neither_suite_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("8 0.81\n", encoding="utf-8")
    with pytest.raises(RecordError, match="neither IMB nor OSU output"):
        import_files([other], "id", [], "0.1.0")
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        import_files([tmp_path / "none.txt"], "id", [], "0.1.0")


@pytest.mark.parametrize(
    ("suite", "benchmark", "case"),
    [
        ("IMB", "pingping", "pingping/64B"),
        ("IMB", "exchange", "exchange/64B"),
        ("IMB", "reduce", "collectives/reduce/blocking/float/fixed/64B"),
        ("IMB", "ibcast_pure", "collectives/bcast/nonblocking/fixed/64B"),
        ("IMB", "ialltoallv", "collectives/alltoallv/nonblocking/64B"),
        ("IMB", "reduce_scatter", "collectives/reduce_scatter/blocking/float/64B"),
        ("IMB", "uniband", "bandwidth/64/64B"),
        ("IMB", "pingponganysource", "pingpong/any/64B"),
        ("IMB", "window", None),
        ("OSU", "all-to-all personalized exchange latency", "collectives/alltoall/blocking/64B"),
        ("OSU", "broadcast latency", "collectives/bcast/blocking/fixed/64B"),
        ("OSU", "non-blocking allgather latency", "collectives/allgather/nonblocking/64B"),
        ("OSU", "gatherv persistent latency", "collectives/gatherv/persistent/fixed/64B"),
        ("OSU", "reduce latency", "collectives/reduce/blocking/double/fixed/64B"),
        ("OSU", "cuda latency", None),
        ("OSU", "neighborhood allgather latency", None),
    ],
)
def test_benchmarks_have_the_names_of_our_cases(
    suite: str, benchmark: str, case: str | None
) -> None:
    datatype = "double" if suite == "OSU" else None
    found = meaning_of(suite, Reading(0, benchmark, 2, 64, 1e-6, datatype=datatype))
    assert (found.case if found else None) == case


def test_older_titles_are_recognised() -> None:
    text = "# OSU MPI Latency Test v5.7.1\n# Size          Latency (us)\n8   1.25\n"
    (reading,) = osu.read(text).readings
    assert (reading.benchmark, reading.seconds) == ("latency", 1.25e-6)
    assert osu.read(text).version == "5.7.1"
    older = "#    Intel (R) MPI Benchmark Suite V3.2, MPI-1 part\n"
    assert imb.recognises(older)
    assert imb.read(older).version == "V3.2"


ALL = "".join(path.read_text("utf-8") for path in sorted(OUTPUTS.iterdir()))
WORDS = st.sampled_from(["8", "0.81", "-1", "nan", "1e999", "9" * 40, "#bytes", "", "Fail", "²"])


@given(st.data())
def test_spoilt_output_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(ALL)))
    part = ALL[begin : begin + 3000]
    for _ in range(data.draw(st.integers(0, 6))):
        place = data.draw(st.integers(0, len(part)))
        part = part[:place] + data.draw(WORDS) + part[place + 1 :]
    path = tmp_path_factory.getbasetemp() / "spoilt.txt"
    path.write_text(part, encoding="utf-8")
    try:
        imported = import_files([path], "id", [], "0.1.0", shape=Shape(2))
    except (RecordError, UsageError):
        return
    read_run(recorded.write(path.with_suffix(".jsonl"), imported.lines))
