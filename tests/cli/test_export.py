# SPDX-License-Identifier: BSD-3-Clause
import csv
import io
import sys
from pathlib import Path

import pytest

from support import recorded
from support.commands import Store, disturbed, pingpong

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    window = recorded.case(
        8, study="bandwidth", case="bandwidth/64/8B", axes={"window": 64, "bytes": 8}
    )
    lines = [*pingpong(1024, 2.0), recorded.barrier(), window, recorded.skipped(4096)]
    found.keep("20261120-000000-aaaa", *lines)
    return found


def test_results_become_csv_on_stdout(store):
    rows = store.csv("export latest")
    assert [row["study"] for row in rows] == ["pingpong", "pingpong", "collectives", "bandwidth"]
    assert rows[2]["axis_operation"] == "barrier"
    assert rows[3]["axis_window"] == "64"
    assert float(rows[0]["kept"]) == 1.0
    assert rows[1]["reason"] == "needs 3 GiB"


def test_samples_become_csv_with_their_flags_and_rounds(store):
    lines = [recorded.case(8, seconds=[1e-6, 2e-6, 3e-6], flags=[1, 0, 2], rounds=[2, 1])]
    store.keep("20261121-000000-bbbb", *lines)
    rows = store.csv("export latest --samples")
    assert [(row["round"], row["seconds"], row["flags"]) for row in rows] == [
        ("0", "1e-06", "1"),
        ("0", "2e-06", "0"),
        ("1", "3e-06", "2"),
    ]


def test_a_file_that_would_be_neither_csv_nor_parquet_is_refused(store):
    target = store.path / "run.xlsx"
    answer = store.run(f"export latest -o {target}")
    assert (answer.status, target.exists()) == (2, False)
    assert "--format csv" in answer.stderr
    assert store.run(f"export latest -o {target} --format csv").status == 0
    assert target.read_text().startswith("study,case,")


@pytest.mark.parametrize("arguments", [[], ["--samples"]])
def test_parquet_holds_what_csv_holds(store, tmp_path, arguments):
    target = tmp_path / "run.parquet"
    answer = store.run(f"export latest -o {target}", *arguments)
    assert (answer.status, answer.stdout) == (0, "")
    assert f"rows written to {target}" in answer.stderr
    stored = parquet.read_table(target).to_pylist()
    text = store.run("export latest", *arguments).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(stored) == len(rows) > 3
    for one, other in zip(stored, rows, strict=True):
        assert {name: "" if value is None else str(value) for name, value in one.items()} == other


def test_cases_are_picked_for_samples_too(store):
    text = store.run("export latest --samples --case 'bandwidth/*'").stdout
    assert {row["case"] for row in csv.DictReader(io.StringIO(text))} == {"bandwidth/64/8B"}


def test_what_parquet_needs_is_told(store, tmp_path, monkeypatch):
    store.run("export latest --format parquet").fails(2, "name a file: -o FILE.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    store.run(f"export latest -o {tmp_path / 'x.parquet'}").fails(
        2, "pip install 'transrank[parquet]'"
    )


@pytest.mark.parametrize("name", ["nosuch/x.parquet", "nosuch/x.csv"])
def test_a_file_that_cannot_be_written_is_told(store, tmp_path, name):
    store.run(f"export latest -o {tmp_path / name}").fails(4, "cannot write", "No such file")


def test_a_full_disk_is_told(store):
    for arguments in (["--format", "csv"], ["--format", "parquet"]):
        store.run("export latest -o /dev/full", *arguments).fails(4, "No space left")
        assert Path("/dev/full").is_char_device()


def test_disturbed_samples_are_in_the_mean_and_percentiles_of_all(store):
    store.keep("20261103-000000-cccc", *disturbed())
    (row,) = store.csv("export 20261103")
    assert float(row["seconds"]) == 1e-6
    assert float(row["mean_of_all_seconds"]) == pytest.approx(1.09e-5)
    assert float(row["p90_of_all_seconds"]) == pytest.approx(1.09e-5)
    assert float(row["p99_of_all_seconds"]) == pytest.approx(1e-4)


def test_domains_become_rows_where_a_study_measures_them(store):
    lines = [
        recorded.case(
            1024,
            launch,
            [seconds] * 3,
            study="contention",
            case="contention/1/none/1024B",
            axes={"domain_ranks": 1, "traffic": "none", "bytes": 1024},
        )
        for launch, seconds in enumerate((1e-3, 3e-3))
    ]
    store.keep("20261121-000000-bbbb", *lines)
    rows = store.csv("export latest --domains")
    assert [(row["domain"], row["values"]) for row in rows] == [("0", "2"), ("1", "2")]
    assert float(rows[0]["mean_seconds"]) == pytest.approx(2e-3)
    assert float(rows[0]["deviation_seconds"]) == pytest.approx(2e-3 / 2**0.5)
    store.run("export 20261120-000000-aaaa --domains").fails(
        2, "only the studies locality and contention measure them"
    )
    assert store.run("export latest --domains --samples").status == 2
