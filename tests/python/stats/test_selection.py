# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import recorded
from transrank.stats.selection import LEAST_CLEAN, LEAST_SHARE, select
from transrank.store.lines import DISTURBED, LATE, STOLEN, WARM_UP, Samples

FLAGS = st.lists(st.integers(0, 15), min_size=1, max_size=30)


def samples(flags: list[int]) -> Samples:
    return Samples.from_json(recorded.case(seconds=[1e-6] * len(flags), flags=flags)["samples"])


def test_warm_up_and_disturbed_samples_do_not_count() -> None:
    (chosen,), all_used = select(
        [samples([WARM_UP, 0, DISTURBED, 0, STOLEN, 0, LATE, 0, 0, 0, WARM_UP | LATE])]
    )
    assert chosen.used.nonzero()[0].tolist() == [1, 3, 5, 7, 8, 9]
    assert (chosen.taken, chosen.clean) == (9, 6)
    assert not all_used


def test_a_wholly_disturbed_launch_is_left_out_beside_clean_ones() -> None:
    selections, all_used = select([samples([0] * 10), samples([DISTURBED] * 10)])
    assert [chosen.any_used for chosen in selections] == [True, False]
    assert not all_used


def test_few_clean_samples_of_a_launch_count_alone_where_others_have_more() -> None:
    selections, all_used = select([samples([0] * 10), samples([DISTURBED] * 10 + [0])])
    assert selections[1].used.sum() == 1
    assert not all_used


def test_where_hardly_any_sample_is_clean_all_count_and_that_is_said() -> None:
    (chosen,), all_used = select([samples([WARM_UP, 0, 0, DISTURBED, DISTURBED])])
    assert chosen.used.tolist() == [False, True, True, True, True]
    assert all_used


def test_a_rare_clean_sample_is_no_basis_where_ranks_share_cores() -> None:
    (chosen,), all_used = select([samples([DISTURBED] * 100 + [0] * 5)])
    assert chosen.used.all()
    assert all_used


def test_few_samples_without_a_flag_are_nothing_to_warn_of() -> None:
    (chosen,), all_used = select([samples([0, 0, 0])])
    assert chosen.used.all()
    assert not all_used


def test_warm_up_counts_where_there_is_nothing_else() -> None:
    (chosen,), _ = select([samples([WARM_UP])])
    assert chosen.used.all()


@given(st.lists(FLAGS, min_size=1, max_size=5))
def test_some_sample_always_counts_and_flagged_ones_only_in_need(launches: list[list[int]]) -> None:
    selections, all_used = select([samples(flags) for flags in launches])
    assert any(chosen.any_used for chosen in selections)
    clean = sum(chosen.clean for chosen in selections)
    taken = sum(chosen.taken for chosen in selections)
    assert all_used == (clean < taken and clean < max(LEAST_CLEAN, LEAST_SHARE * taken))
    assert sum(int(chosen.used.sum()) for chosen in selections) == (taken if all_used else clean)
