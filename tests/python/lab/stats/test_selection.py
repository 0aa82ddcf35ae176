# SPDX-License-Identifier: BSD-3-Clause
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.stats.selection import BASES, select
from transrank.lab.store.lines import DISTURBED, LATE, STOLEN, WARM_UP, Samples, from_json

FLAGS = st.lists(st.integers(0, 15), min_size=1, max_size=30)
STATE = CoreState(latency_seconds=50e-9, work_seconds=10e-6)


def samples(flags: list[int]) -> Samples:
    return from_json(Samples, recorded.case(seconds=[1e-6] * len(flags), flags=flags)["samples"])


def rounds(*cores: tuple[float | None, float], each: int = 4) -> Samples:
    """Rounds of `each` samples, with the cores so many ns apart and work of so many µs."""
    line = recorded.case(
        seconds=[1e-6] * each * len(cores),
        rounds=[each] * len(cores),
        core_latency_seconds=[None if ns is None else ns * 1e-9 for ns, _ in cores],
        core_work_seconds=[us * 1e-6 for _, us in cores],
    )
    return from_json(Samples, line["samples"])


def test_warm_up_and_disturbed_samples_do_not_count():
    found = select([samples([WARM_UP, 0, DISTURBED, 0, STOLEN, 0, LATE, 0, 0, 0, WARM_UP | LATE])])
    assert found.counted[0].nonzero()[0].tolist() == [1, 3, 5, 7, 8, 9]
    assert (found.taken, found.kept, found.basis) == (9, pytest.approx(6 / 9), "clean")


@pytest.mark.parametrize("flags", [[DISTURBED] * 10, [DISTURBED] * 8 + [0] * 2])
def test_a_launch_with_too_few_clean_samples_is_left_out_beside_enough_others(flags):
    found = select([samples([0] * 10)] * LEAST_LAUNCHES + [samples(flags)])
    assert [bool(mask.any()) for mask in found.counted] == [True] * LEAST_LAUNCHES + [False]
    assert found.basis == "clean"


def test_where_too_few_are_clean_all_samples_count_and_that_is_said():
    found = select([samples([WARM_UP] + [0] * 9), samples([DISTURBED] * 10)])
    assert [int(mask.sum()) for mask in found.counted] == [9, 10]
    assert found.basis == "all"
    found = select([samples([DISTURBED] * 100 + [0] * 5)])
    assert found.counted[0].all()
    assert found.basis == "all"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_samples_without_a_flag_are_nothing_to_warn_of(count):
    found = select([samples([0] * count)])
    assert found.counted[0].all()
    assert found.basis == "clean"


def test_samples_count_where_there_is_nothing_else_or_no_state():
    assert select([samples([WARM_UP])]).counted[0].all()
    assert select([rounds((50, 10), (250, 20))]).kept == 1


def test_rounds_in_the_state_of_the_cores_count_or_any_where_too_few_launches_met_it():
    launch = rounds((50, 10), (250, 10), (50, 12), (None, 10), (40.1, 9), (62, 10.3), (39, 10))
    found = select([launch] * 3, STATE)
    counted = found.counted[0].reshape(-1, 4)
    assert counted.all(axis=1).tolist() == counted.any(axis=1).tolist()
    assert counted.any(axis=1).tolist() == [True, False, False, False, True, True, False]
    assert found.basis == "clean"
    near, far = rounds((50, 10)), rounds((250, 10))
    found = select([near, near, far, far], STATE)
    assert found.basis == "any cores"
    assert found.kept == 1
    assert select([near, near, near, far], STATE).basis == "clean"


@given(st.lists(FLAGS, min_size=1, max_size=5))
def test_some_sample_always_counts_and_flagged_ones_only_in_need(launches):
    found = select([samples(flags) for flags in launches])
    assert any(mask.any() for mask in found.counted)
    assert found.basis in BASES
    for mask, flags in zip(found.counted, launches, strict=True):
        chosen = [flag for flag, counts in zip(flags, mask, strict=True) if counts]
        warm = [flag for flag in flags if not flag & WARM_UP]
        if found.basis == "all":
            assert chosen == (warm or flags)
        else:
            assert not any(flag & ~WARM_UP for flag in chosen)
            assert not (warm and any(flag & WARM_UP for flag in chosen))
