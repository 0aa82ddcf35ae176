# SPDX-License-Identifier: BSD-3-Clause
"""Locality: the published table leads to the published conclusions; stray pages do not count."""

import numpy as np
import pytest

from transrank.lab.reference.tables import machine
from transrank.lab.stats import locality
from transrank.lab.stats.locality import Worker
from transrank.lab.store.lines import Case, Memory, Ranks, Shape

LINKS = {
    "local": "own",
    "neighbour_die_same_processor": "neighbor",
    "counterpart_die_other_processor": "counterpart",
    "diagonal_die_other_processor": "diagonal",
}


def case(
    memory: str,
    seconds: list[float],
    toucher: list[int],
    link: list[str],
    elsewhere: list[int] | None = None,
    launch: int = 0,
) -> Case:
    ranks = len(seconds)
    domain = [2 * rank // ranks for rank in range(ranks)]
    values = np.array(seconds)
    return Case(
        study=locality.STUDY,
        case=f"locality/triad/{memory}/100",
        axes={"kernel": "triad", "arrangement": memory, "order": 100},
        launch=launch,
        shape=Shape(ranks),
        status="ok",
        ranks=Ranks(values, values, values),
        memory=Memory(
            toucher=tuple(toucher),
            domain=tuple(domain),
            package=(0,) * ranks,
            data_domain=tuple(domain[one] for one in toucher),
            link=tuple(link),
            pages=(256,) * ranks,
            pages_elsewhere=tuple(elsewhere or (0,) * ranks),
            pages_unknown=(0,) * ranks,
        ),
    )


def test_the_published_times_give_the_published_conclusions():
    xt6 = machine("xt6")
    values: dict[str, list[float]] = {link: [] for link in LINKS.values()}
    for point in xt6.points:
        if point.axes["figure"] == 3:
            values[LINKS[str(point.axes["locality"])]].append(point.seconds)
    assert [len(times) for times in values.values()] == [12, 4, 4, 4]
    by_link = {link: np.array(times) for link, times in values.items()}
    own, *others = by_link.values()
    assert max(locality.p_value(own, each) for each in others) < 0.01
    chance = locality.p_value(by_link["neighbor"], by_link["counterpart"])
    assert chance == pytest.approx(0.57, abs=0.01)


def test_own_and_away_make_the_whole_matrix():
    cases = [
        case("own", [1.0, 1.1, 2.0, 2.1], [0, 1, 2, 3], ["own"] * 4),
        case("away-1", [3.0, 3.2, 4.0, 4.2], [2, 3, 0, 1], ["neighbor"] * 4),
    ]
    (measured,) = locality.localities(cases)
    assert locality.matrix(measured) == pytest.approx(
        {(0, 0): 1.05, (0, 1): 3.1, (1, 0): 4.1, (1, 1): 2.05}
    )
    by_link = locality.values_by_link(measured)
    assert sorted(by_link["neighbor"]) == [3.0, 3.2, 4.0, 4.2]


def test_what_was_misplaced_or_skipped_is_left_out_and_told():
    cases = [case("away-1", [3.0, 9.0, 4.0, 4.0], [2, 3, 0, 1], ["neighbor"] * 4, [0, 1, 0, 0])]
    (measured,) = locality.localities(cases)
    assert measured.misplaced == 1
    assert locality.matrix(measured) == pytest.approx({(0, 1): 3.0, (1, 0): 4.0})
    skipped = Case(
        study=locality.STUDY, case="locality/triad/away-1/100",
        axes={"kernel": "triad", "arrangement": "away-1", "order": 100}, launch=0, shape=Shape(2),
        status="skipped", reason="in one memory domain",
    )  # fmt: skip
    (measured,) = locality.localities([case("own", [1.0, 1.0], [0, 1], ["own"] * 2), skipped])
    assert measured.skipped == {"away-1": "in one memory domain"}


def test_ranks_stand_once_sorted_by_the_median_of_their_launches():
    cases = [
        case("own", seconds, [0, 1], ["own"] * 2, launch=launch)
        for launch, seconds in enumerate(([3.0, 1.0], [3.2, 9.0], [9.0, 1.1]))
    ]
    (measured,) = locality.localities(cases)
    shown: list[Worker] = locality.by_time(measured.arrangements["own"])
    assert [(worker.rank, worker.seconds) for worker in shown] == [(1, 1.1), (0, 3.2)]
