# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

import pytest

from support import suites
from support.commands import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Beside it stand the outputs of other suites."""
    suites.written(tmp_path, *suites.OUTPUTS)
    return Store(tmp_path / "runs")


def test_the_id_of_the_run_is_printed_and_its_label_finds_it(store):
    answer = store.run("import", store.beside("imb_several.txt"), "--label", "old").check()
    (path,) = store.path.iterdir()
    assert answer.stdout == f"{path.stem}\n"
    assert f"17 results of IMB from 1 file (1 launch) stored in {path}" in answer.stderr
    shown = store.run("show old").check()
    assert "old, IMB 2021.11" in shown.stdout
    assert "mean" in shown.stdout.splitlines()[4]


def test_ranks_are_asked_for_where_the_output_lacks_them(store):
    store.run("import", store.beside("osu_alltoall.txt")).fails(
        2, "does not state the number of ranks", "add -n RANKS"
    )
    assert not store.path.exists()
    store.run("import -n 8 --ranks-per-node 4", store.beside("osu_alltoall.txt")).check()
    assert "collectives/alltoall/blocking, 8 ranks, 4 per node" in store.run("show").stdout


def test_what_is_left_out_and_a_store_that_cannot_be_written_are_told(store, tmp_path):
    answer = store.run(
        "import", store.beside("osu_latency.txt"), store.beside("osu_bw_persistent.txt")
    ).check()
    assert "warning: 3 results of 'bandwidth persistent' are left out" in answer.stderr
    store.path = tmp_path / "file"
    store.path.write_text("in the way", encoding="utf-8")
    store.run("import", store.beside("imb_pingpong.txt")).fails(4, "cannot be written")


def test_two_suites_are_compared(store):
    store.run("import", store.beside("imb_pingpong.txt"), "--label", "imb")
    store.run("import", store.beside("osu_latency.txt"), "--label", "osu")
    answer = store.run("compare imb osu --fail-on never").check()
    assert "unclear: fewer than 3 launches on a side give no interval" in answer.stdout
    assert "source: IMB 2021.11 / OSU 7.4" in answer.stderr
