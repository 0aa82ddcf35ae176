# SPDX-License-Identifier: BSD-3-Clause
"""Output of the suites' own binaries, printed on two ranks of one machine, read as runs."""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import recorded, suites
from support.suites import OUTPUTS
from support.trials import trials
from transrank.errors import RecordError, UsageError
from transrank.lab import units
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store import jsonlines
from transrank.lab.store.importing import ImportedRun, import_files
from transrank.lab.store.lines import Shape
from transrank.lab.store.records import Run, read_run, write_lines
from transrank.lab.store.suites import imb, osu
from transrank.lab.store.suites.meaning import meaning_of
from transrank.lab.store.suites.reading import Reading


@pytest.fixture
def take(tmp_path: Path) -> Callable[..., ImportedRun]:
    """Import these outputs of suites as one run."""

    def taken(*names: str, shape: Shape | None = None) -> ImportedRun:
        paths = suites.written(tmp_path, *names)
        return import_files(paths, "id", ["transrank"], "0.1.0", None, shape)

    return taken


@pytest.fixture
def stored(tmp_path: Path, take: Callable[..., ImportedRun]) -> Callable[..., Run]:
    """Import them, and read the record that this makes."""

    def read(*names: str, shape: Shape | None = None) -> Run:
        path = tmp_path / "id.jsonl"
        write_lines(path, take(*names, shape=shape).lines)
        return read_run(path)

    return read


def import_text(path: Path, text: str, shape: Shape | None = None) -> ImportedRun:
    path.write_text(text, encoding="utf-8")
    return import_files([path], "id", [], "0.1.0", shape=shape)


def by_case(run: Run) -> dict[str, CaseResult]:
    return {result.case: result for result in summarise(run)}


def test_imb_pingpong_is_read_to_the_last_digit(stored):
    run = stored("imb_pingpong")
    results = by_case(run)
    assert len(results) == 4
    assert results["pingpong/4MiB"].imb_mean == 381.81e-6
    assert results["pingpong/8B"].imb_mean == 0.81e-6
    assert results["pingpong/0B"].rate is None
    assert run.cases[0].shape == Shape(2)
    assert run.cases[0].imported.repetitions == 1000
    (source,) = run.header.imported
    assert (source.suite, source.version) == ("IMB", "2021.11")
    assert source.command == "IMB-MPI1 PingPong"


def test_the_rate_that_imb_prints_is_ours(stored):
    results = by_case(stored("imb_several"))
    checked = 0
    for reading in imb.read(OUTPUTS["imb_several"]).readings:
        if reading.bytes_per_second and reading.bytes >= 64:
            result = results[f"{reading.benchmark}/{units.format_size(reading.bytes)}"]
            # IMB divides by the slowest rank's time, printed with two decimals.
            assert result.rate == pytest.approx(reading.bytes_per_second, rel=0.02)
            checked += 1
    assert checked == 4


def test_imb_shapes_and_datatypes_are_cases_of_their_own(stored):
    run = stored("imb_several")
    studies = {(result.study, result.axes.get("operation")) for result in summarise(run)}
    assert studies == {
        ("pingpong", None),
        ("sendrecv", None),
        ("collectives", "allreduce"),
        ("collectives", "bcast"),
        ("collectives", "barrier"),
    }
    assert {case.launch for case in run.cases} == {0}
    run = stored("imb_np4_groups")
    shapes = {(case.study, case.shape.ranks) for case in run.cases}
    assert shapes == {("sendrecv", 2), ("sendrecv", 4), ("collectives", 2), ("collectives", 4)}
    assert {case.launch for case in run.cases} == {0}
    two = by_case(run)["collectives/allreduce/blocking/float/32B"]
    assert two.imb.low < two.imb.mean < two.imb.high


def test_what_imb_left_out_is_skipped_with_its_reason(stored):
    results = by_case(stored("imb_out_of_memory"))
    left_out = results["collectives/alltoall/blocking/256KiB"]
    assert left_out.status == "skipped"
    assert left_out.reason.startswith("out-of-mem.; needed X=")
    measured = results["collectives/alltoall/blocking/128KiB"]
    assert measured.imb_mean == 459.25e-6
    # One block of 128 KiB to each of two ranks.
    assert measured.bytes_counted == 2 * 131072


def test_osu_tables_have_their_mean_whatever_columns_stand_beside_it(stored):
    results = by_case(stored("osu_latency"))
    assert len(results) == 6
    assert results["pingpong/1MiB"].imb_mean == 71.81e-6
    assert results["pingpong/1MiB"].shape == Shape(2)
    run = stored("osu_allreduce_float_full", shape=Shape(2, 1))
    result = by_case(run)["collectives/allreduce/blocking/float/4B"]
    assert (result.imb.low, result.imb.mean, result.imb.high) == (0.36e-6, 0.42e-6, 0.48e-6)
    assert run.cases[0].imported.repetitions == 1000
    assert run.cases[0].shape == Shape(2, 1)


def test_osu_percentile_columns_do_not_shift_the_mean(take):
    first = take("osu_allreduce_percentiles", shape=Shape(2)).lines[1]
    # MPI has no sum of MPI_CHAR: what OSU reduces by default is nearest to int8.
    assert first["case"] == "collectives/allreduce/blocking/int8/1B"
    assert (first["imported"]["mean"], first["imported"]["maximum"]) == (0.83e-6, 0.96e-6)


def test_what_is_not_one_run_of_a_known_study_is_refused_or_counted(take):
    says = r"float_full\.txt: the output of allreduce latency does not state"
    with pytest.raises(UsageError, match=says) as refused:
        take("osu_allreduce_float_full")
    assert refused.value.hint == "add -n RANKS"
    assert take("osu_allreduce_float_full", shape=Shape(1)).lines
    assert take("osu_latency", "osu_bw_persistent").unknown == {"bandwidth persistent": 3}
    with pytest.raises(RecordError, match="no result of a study that transrank knows"):
        take("osu_bw_persistent")
    with pytest.raises(UsageError, match="is of OSU") as refused:
        take("imb_pingpong", "osu_latency")
    assert refused.value.hint == "import IMB and OSU as two runs, then compare them"


def test_a_failed_row_is_a_failed_case_and_a_file_of_neither_suite_refused(tmp_path):
    text = re.sub("^(8 .*)Pass", r"\1Fail", OUTPUTS["osu_latency_validated"], flags=re.MULTILINE)
    cases = {line["case"]: line for line in import_text(tmp_path / "spoilt", text).lines[1:]}
    assert cases["pingpong/4B"]["status"] == "ok"
    assert cases["pingpong/8B"]["status"] == "failed"
    assert cases["pingpong/8B"]["reason"] == "its validation failed"
    with pytest.raises(RecordError, match="neither IMB nor OSU output"):
        import_text(tmp_path / "notes.txt", "8 0.81\n")
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        import_files([tmp_path / "none.txt"], "id", [], "0.1.0")


def test_osu_rates_become_times_and_a_barrier_has_no_size(stored):
    for name, case, rate in (
        ("osu_bw", "bandwidth/64/1MiB", 16025.76e6),
        ("osu_bibw", "bidirectional-bandwidth/64/1MiB", 33569.03e6),
        ("osu_mbw_mr", "message-rate/1/1MiB", 15695.51e6),
    ):
        result = by_case(stored(name))[case]
        assert result.rate == pytest.approx(rate, rel=1e-5)
    assert 1 / result.headline.value == pytest.approx(14968.41)
    (result,) = summarise(stored("osu_barrier_full", shape=Shape(2)))
    assert result.case == "collectives/barrier/blocking"
    assert result.bytes is None


def test_tables_of_one_benchmark_are_launches(tmp_path):
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for path in paths:
        path.write_text(OUTPUTS["osu_latency"])
    imported = import_files(paths, "id", [], "0.1.0")
    run = read_run(recorded.write(tmp_path / "id.jsonl", imported.lines))
    assert by_case(run)["pingpong/8B"].launches == (0, 1, 2)
    assert [source.file for source in run.header.imported] == [*map(str, paths)]
    (other,) = suites.written(tmp_path, "osu_bw")
    twice = tmp_path / "twice.txt"
    twice.write_text(2 * OUTPUTS["osu_latency"])
    imported = import_files([twice, other], "id", [], "0.1.0")
    launches = {(line["study"], line["launch"]) for line in imported.lines[1:]}
    assert launches == {("pingpong", 0), ("pingpong", 1), ("bandwidth", 2)}
    assert len(imported.lines[0]["imported"]) == 3


def test_what_is_not_understood_is_told_beside_what_is(tmp_path):
    text = (
        "# OSU OpenSHMEM Put Test v7.4\n# Size          Latency (us)\n"
        "1                       0.08\n2                       0.09\n"
    )
    with pytest.raises(RecordError, match="found: openshmem put") as refused:
        import_text(tmp_path / "osu.txt", text)
    for known in ("latency", "bi-directional bandwidth", "allreduce", "mpi_put latency"):
        assert known in refused.value.hint


def test_a_row_without_its_number_is_lost_with_a_word():
    rows = "8  1.2\n16  garbage\n32"
    output = osu.read(f"# OSU MPI Latency Test v7.4\n# Size   Latency (us)\n{rows}")
    assert [reading.bytes for reading in output.readings] == [8]
    assert output.lost == ("16  garbage", "32")


def test_pairs_are_half_of_the_ranks_unless_imb_names_them(stored):
    with pytest.raises(UsageError, match="the output of multi latency does not state"):
        stored("osu_multi_lat")
    result = by_case(stored("osu_multi_lat", shape=Shape(4)))["multi-pingpong/2/8B"]
    assert result.imb_mean == 0.91e-6
    assert result.bytes_counted == 16
    run = stored("imb_multi")
    assert by_case(run)["multi-pingpong/2/64B"].imb_mean == 6.78e-6
    assert {case.shape.ranks for case in run.cases} == {4}


def test_rates_count_both_directions_and_overlaps_have_their_times(stored):
    results = by_case(stored("osu_put_bibw"))
    put = results["one-sided/put/post/allocated/64/both-ways/8B"]
    assert put.rate == pytest.approx(168.17e6)
    assert put.bytes_counted == 16
    run = stored("osu_ineighbor_alltoall")
    results = by_case(run)
    name = "overlap/neighbor_alltoall/nonblocking/{}/8B"
    alone, computation, together = (
        results[name.format(part)].imb_mean for part in ("alone", "computation", "together")
    )
    assert (alone, computation, together) == (2205.83e-6, 2821.14e-6, 4239.56e-6)
    assert (alone + computation - together) / alone == pytest.approx(0.3570, abs=1e-4)
    assert results["neighborhood/ring/neighbor_alltoall/nonblocking/8B"].imb_mean == alone
    assert {case.shape for case in run.cases} == {Shape(3)}
    results = by_case(stored("imb_nbc"))
    name = "overlap/reduce_scatter/nonblocking/{}/4KiB"
    assert results[name.format("alone")].imb_mean == 31.43e-6
    assert results[name.format("computation")].imb_mean == 16.99e-6
    assert results[name.format("together")].imb_mean == 20.29e-6
    assert results["collectives/allreduce/nonblocking/float/4KiB"].imb_mean is not None


def test_operations_completed_all_at_once_are_left_out(take):
    rma = take("imb_rma")
    aggregate = {"unidir_put": 1, "unidir_get": 1, "bidir_put": 1, "compare_and_swap": 1}
    other_words = dict.fromkeys(("accumulate", "get_accumulate", "fetch_and_op"), 2)
    assert rma.unknown == aggregate | other_words
    assert {line["axes"]["epoch"] for line in rma.lines[1:]} == {"flush"}
    assert {line["axes"]["epoch"] for line in take("imb_ext").lines[1:]} == {"fence"}


def test_a_pipe_is_read_and_one_that_nobody_writes_to_is_given_up(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = OUTPUTS["osu_latency"].encode()
    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(pipe.write_bytes, text)
        assert import_files([pipe], "id", [], "0.1.0").suite == "OSU"
        assert written.result() == len(text)
    monkeypatch.setattr(jsonlines, "PIPE_SECONDS", 0.1)
    with pytest.raises(RecordError, match="no process writes to this pipe"):
        import_files([pipe], "id", [], "0.1.0")
    with pytest.raises(RecordError, match="not a regular file"):
        import_files([Path("/dev/zero")], "id", [], "0.1.0")


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
def test_benchmarks_have_the_names_of_our_cases(suite, benchmark, case):
    datatype = "double" if suite == "OSU" else None
    found = meaning_of(suite, Reading(0, benchmark, 2, 64, 1e-6, datatype=datatype))
    assert (found.case if found else None) == case


def test_older_titles_are_recognised():
    text = "# OSU MPI Latency Test v5.7.1\n# Size          Latency (us)\n8   1.25\n"
    (reading,) = osu.read(text).readings
    assert (reading.benchmark, reading.seconds) == ("latency", 1.25e-6)
    assert osu.read(text).version == "5.7.1"
    older = "#    Intel (R) MPI Benchmark Suite V3.2, MPI-1 part\n"
    assert imb.recognises(older)
    assert imb.read(older).version == "V3.2"


ALL = "\n".join(OUTPUTS.values())
WORDS = st.sampled_from(["8", "0.81", "-1", "nan", "1e999", "9" * 40, "#bytes", "", "Fail", "²"])


@given(st.data())
def test_spoilt_output_is_read_or_refused(tmp_path_factory, data):
    begin = data.draw(st.integers(0, len(ALL)))
    part = ALL[begin : begin + 3000]
    for _ in range(data.draw(st.integers(0, 6))):
        place = data.draw(st.integers(0, len(part)))
        part = part[:place] + data.draw(WORDS) + part[place + 1 :]
    path = tmp_path_factory.getbasetemp() / "spoilt"
    path.write_text(part, encoding="utf-8")
    try:
        imported = import_files([path], "id", [], "0.1.0", shape=Shape(2))
    except (RecordError, UsageError):
        return
    read_run(recorded.write(path.with_suffix(".jsonl"), imported.lines))


LATENCY = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n8    1.00\n"
PINGPONG = """\
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         1.50         5.33
"""


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("\ufeff" + LATENCY, {"pingpong/8B": 1.0}),
        (PINGPONG, {"pingpong/8B": 1.5}),
        (
            LATENCY + "3 more processes have sent help# OSU MPI Bandwidth Test v5.8\n"
            "# Size      Bandwidth (MB/s)\n1   5.00\n",
            {"pingpong/8B": 1.0, "bandwidth/64/1B": 0.2},
        ),
        (
            LATENCY + "  # OSU MPI-CUDA Latency Test v5.8\n  # Size   Latency (us)\n  8   101.00\n",
            {"pingpong/8B": 1.0},
        ),
        (
            "# OSU MPI Non-blocking Barrier Latency Test v5.6.3\n\n"
            "       Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n"
            "              8.85              5.04              4.02              5.04\n",
            {"collectives/barrier/nonblocking": 4.02},
        ),
        (PINGPONG.replace("PingPong", "Scan"), {"collectives/scan/blocking/float/8B": 1.5}),
        (
            "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"
            "# Benchmarking Multi-PingPong\n"
            "# ( 3 groups of 2 processes each running simultaneous )\n"
            "   Group   #bytes #repetitions      t[usec]   Mbytes/sec\n"
            "       0        8         1000         1.00         8.00\n"
            "       1        8         1000         9.00         0.89\n"
            "       2        8         1000         2.00         4.00\n",
            {"multi-pingpong/3/8B": 9.0},
        ),
    ],
)
def test_what_other_people_keep_of_an_output_is_read_as_what_it_is(tmp_path, text, cases):
    imported = import_text(tmp_path / "output.txt", text, Shape(4))
    found = {line["case"]: line["imported"]["mean"] * 1e6 for line in imported.lines[1:]}
    assert found == pytest.approx(cases)


def test_pairs_of_all_ranks_at_once_are_not_those_of_two_alone(tmp_path):
    text = "#    Intel(R) MPI Benchmarks 2021.11, IMB-P2P part\n" + PINGPONG
    with pytest.raises(RecordError, match="found: imb-p2p pingpong"):
        import_text(tmp_path / "output.txt", text)


def test_both_suites_in_one_file_are_refused(tmp_path):
    with pytest.raises(RecordError, match="output of IMB and OSU in one file"):
        import_text(tmp_path / "output.txt", LATENCY + PINGPONG)


def test_a_launch_that_prints_a_table_twice_is_one_launch(tmp_path):
    again = PINGPONG.replace("1.50", "2.50")
    (line,) = import_text(tmp_path / "output.txt", PINGPONG + again).lines[1:]
    assert line["imported"]["mean"] == pytest.approx(2.0e-6)
    assert line["imported"]["repetitions"] == 2000
    banner = "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"
    both = import_text(tmp_path / "output.txt", banner + PINGPONG + banner + again).lines[1:]
    assert [line["launch"] for line in both] == [0, 1]


def test_few_ranks_of_a_large_job_have_no_number_per_node(tmp_path):
    shape = Shape(64, 32)
    allreduce = LATENCY.replace("Latency Test", "Allreduce Latency Test")
    (all_ranks,) = import_text(tmp_path / "output.txt", allreduce, shape).lines[1:]
    assert all_ranks["shape"] == {"ranks": 64, "ranks_per_node": 32}
    (two,) = import_text(tmp_path / "output.txt", LATENCY, shape).lines[1:]
    assert two["shape"] == {"ranks": 2, "ranks_per_node": 0}


PREFIXES = ("", "0: ", "[0] ", "[1,0]<stdout>:", "2026-11-25 10:00:00.123 ", "> ", "   ", "\x1b[0m")
# With these rows and no others.
ROW = re.compile(r"\s*\d+(?:\s+[\d.]+)+\s*")


def values_of(text: str) -> set[tuple[object, ...]]:
    return {(one.benchmark, one.ranks, one.bytes, one.seconds) for one in imb.read(text).readings}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("imb_pingpong", "imb_several", "imb_np4_groups")),
            st.sampled_from(PREFIXES),
            st.integers(0, 200),
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=trials(50), deadline=None)
def test_whatever_is_cut_prefixed_and_mixed_no_value_has_a_wrong_name_and_no_row_is_lost(parts):
    whole, rows, known = "", 0, set()
    for name, prefix, cut in parts:
        lines = OUTPUTS[name].splitlines()
        known |= values_of(OUTPUTS[name])
        kept = lines[: max(len(lines) - cut, 1)]
        rows += sum(ROW.fullmatch(line) is not None for line in kept)
        whole += "".join(f"{prefix}{line}\n" for line in kept)
    assert values_of(whole) <= known
    output = imb.read(whole)
    assert len(output.readings) + len(output.lost) == rows
