# SPDX-License-Identifier: BSD-3-Clause
"""Records of more ranks than a case lists: real ones of few, and one of more than a machine has."""

import json

import numpy as np
import pytest

from support import commands, recorded
from support.commands import pingpong
from transrank.lab.store import spread
from transrank.lab.store.records import read_run

RANKS = 110_592


def of_many_ranks(microseconds: float) -> list[recorded.Line]:
    """Allreduces of the ranks of a whole machine."""
    shape = {"ranks": RANKS, "ranks_per_node": 48}
    return [
        line
        for size in (8, 64)
        for line in pingpong(
            size,
            microseconds,
            study="collectives",
            case=f"collectives/allreduce/blocking/float/{size}B",
            axes={"operation": "allreduce", "form": "blocking", "type": "float", "bytes": size},
            clocks="all",
            shape=shape,
            ranks=None,
            over_ranks=recorded.over_ranks(RANKS),
        )
    ]


def test_every_verb_that_reads_a_record_reads_one_of_many_ranks(store):
    one = store.keep("20261120-000000-aaaa", *of_many_ranks(40))
    other = store.keep("20261121-000000-bbbb", *of_many_ranks(44))
    result = store.json(f"show {one}")["results"][0]
    assert result["imb_mean_seconds"] == pytest.approx(1e-6 * (RANKS + 1) / 2)
    assert result["imb_low_seconds"] == pytest.approx(1e-6)
    assert result["imb_high_seconds"] == pytest.approx(1e-6 * RANKS)
    assert "110,592 ranks" in store.run(f"show {one}").stdout
    assert store.run(f"compare {one} {other}").status == 1
    rows = store.csv(f"export {one}")
    assert [row["ranks"] for row in rows] == [str(RANKS)] * 2
    samples = store.csv(f"export {one} --samples")
    assert len(samples) == 2 * 3 * 10
    page = store.path / "report.html"
    assert store.run(f"report {one} -o {page}").status == 0
    assert "allreduce" in page.read_text(encoding="utf-8")


def test_a_line_is_as_long_however_many_ranks_there_are():
    rng = np.random.default_rng(18)
    lengths = []
    for ranks in (1000, RANKS):
        columns = ("median", "minimum", "mean", "mean_of_all")
        times = {name: rng.lognormal(-10, 0.1, ranks) for name in columns}
        lengths.append(len(json.dumps(spread.members(times))))
    assert max(lengths) < 4096
    assert abs(lengths[0] - lengths[1]) < 200


def test_ranks_beyond_those_to_be_listed_are_summed_up_as_numpy_does(tmp_path):
    finished = commands.transrank(
        "measure sendrecv launch contention -n 4 --oversubscribe --sizes 64 --list-ranks "
        "3 --launches 1 --count 3 --axis stamp=plain --axis traffic=none",
        store=tmp_path,
    )
    finished.check()
    (path,) = tmp_path.glob("*.jsonl")
    cases = {case.study: case for case in read_run(path).cases}
    assert cases["contention"].ranks is not None  # a study that compares ranks
    for study in ("sendrecv", "launch"):
        assert cases[study].ranks is None
        found = cases[study].over_ranks
        assert found.ranks == 4
        for times in (found.median, found.minimum, found.mean):
            assert times.count == 4
            by_rank = np.zeros(4)
            by_rank[list(times.fastest.ranks)] = times.fastest.seconds
            expected = spread.spread(by_rank)
            assert times.first == by_rank[0]
            assert times.mean == pytest.approx(expected["mean"])
            assert times.quantiles == pytest.approx(expected["quantiles"])
            assert times.slowest.seconds.tolist() == expected["slowest"]["seconds"]
            assert by_rank[list(times.slowest.ranks)].tolist() == times.slowest.seconds.tolist()
    assert commands.transrank(f"show {path}", store=tmp_path).check().stdout
