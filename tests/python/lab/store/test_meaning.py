# SPDX-License-Identifier: BSD-3-Clause
"""What is imported or published has the names that transrank-run gives its own cases."""

from dataclasses import replace

import pytest

from support.suites import OUTPUTS
from transrank.lab.reference.tables import machine
from transrank.lab.store.suites import imb, osu
from transrank.lab.store.suites.meaning import Meaning, meaning_of
from transrank.lab.study import catalogue

ON_REQUEST = {
    "collectives": ("--axis", "datatype=float,double,int8", "--memory", "1GiB"),
    "one-sided": (
        *("--axis", "window=allocated,created,dynamic", "--axis", "word=uint64,uint32,uint8"),
        *("--axis", "epoch=flush,fence,post,lock,flush-local,lock-all", "--sizes", "0..4MiB"),
        *("--axis", "direction=one-way,both-ways"),
    ),
    "bandwidth": ("--sizes", "0..4MiB"),
    "bidirectional-bandwidth": ("--sizes", "0..4MiB"),
    "message-rate": ("--axis", "pairs=1,2"),
    "multi-pingpong": ("--axis", "pairs=1,2"),
    "overlap": (
        *("--axis", "operation=allreduce,alltoall,bcast,reduce_scatter,neighbor_alltoall"),
        *("--sizes", "0..4MiB"),
    ),
    "neighborhood": ("--sizes", "0..4MiB"),
    "pingpong": ("--axis", "match=exact,any"),
    "pingping": ("--axis", "match=exact,any"),
    "send-modes": ("--sizes", "0..4MiB"),
}


def listed(study: str, *arguments: str) -> set[str]:
    """The cases of a study on four ranks, those on request included."""
    request = [*arguments, "--study", study]
    return {case.case for case in catalogue.list_cases(request, 4)}


def meanings(name: str) -> list[Meaning]:
    """Of the results of an output that a study measures, on two ranks where it names none."""
    suite = imb if name.startswith("imb") else osu
    readings = suite.read(OUTPUTS[name]).readings
    found = (meaning_of(suite.SUITE, replace(r, ranks=r.ranks or 2)) for r in readings)
    return [meaning for meaning in found if meaning is not None]


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_imported_case_is_a_case_of_the_runner(name):
    cases: dict[str, set[str]] = {}
    for meaning in meanings(name):
        cases.setdefault(meaning.study, set()).add(meaning.case)
    for study, found in cases.items():
        assert found <= listed(study, *ON_REQUEST.get(study, ()))


@pytest.mark.parametrize("study", machine("fugaku").studies)
def test_a_published_case_has_the_axes_of_ours(study):
    known = catalogue.find(study)
    for point in machine("fugaku").of_study(study):
        for name, value in point.axes.items():
            assert name in ("bytes", "job_shape") or value in known.axes[name]


LAST = {
    "osu_put_latency": "one-sided/put/flush/allocated/1/64KiB",
    "osu_put_latency_pscw": "one-sided/put/post/created/1/64B",
    "osu_put_latency_lock_all": "one-sided/put/lock-all/dynamic/1/64B",
    "osu_put_latency_flush_local": "one-sided/put/flush-local/allocated/1/64B",
    "osu_put_bibw": "one-sided/put/post/allocated/64/both-ways/64B",
    "osu_get_bw": "one-sided/get/flush/allocated/64/64KiB",
    "osu_get_latency_lock": "one-sided/get/lock/created/1/1KiB",
    "osu_get_latency_fence": "one-sided/get/fence/allocated/1/64B",
    "osu_acc_latency": "one-sided/accumulate/flush/allocated/1/uint8/64B",
    "osu_get_acc_latency": "one-sided/get-accumulate/lock/created/1/uint8/64B",
    "osu_fop_latency": "one-sided/fetch-and-op/flush/allocated/1/uint8/1B",
    "osu_cas_latency": "one-sided/compare-and-swap/flush/allocated/1/uint8/1B",
    "osu_latency_persistent": "send-modes/persistent/64B",
    "osu_multi_lat": "multi-pingpong/1/4MiB",
    "osu_neighbor_alltoallv": "neighborhood/ring/neighbor_alltoallv/blocking/64B",
    "osu_ineighbor_alltoall": "overlap/neighbor_alltoall/nonblocking/together/64B",
    "osu_reduce_scatter_block": "collectives/reduce_scatter_block/blocking/float/64B",
    "osu_iallreduce": "overlap/allreduce/nonblocking/together/1MiB",
    "imb_rma": "one-sided/compare-and-swap/flush/created/1/uint32/4B",
}


@pytest.mark.parametrize(("name", "case"), LAST.items())
def test_the_last_result_of_an_output_is_a_case(name, case):
    assert meanings(name)[-1].case == case
