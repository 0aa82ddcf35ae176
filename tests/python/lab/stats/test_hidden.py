# SPDX-License-Identifier: BSD-3-Clause
"""What computation hides, from made-up cases of the study `overlap`."""

import pytest

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.hidden import PARTS, find_hidden
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import Shape


def case(part: str, launches: dict[int, float]) -> CaseResult:
    return CaseResult(
        study="overlap",
        case=f"overlap/allreduce/nonblocking/{part}/64KiB",
        axes={"operation": "allreduce", "form": "nonblocking", "part": part, "bytes": 65536},
        shape=Shape(2),
        status="ok",
        headline=Estimate(next(iter(launches.values()))),
        launches=tuple(launches),
        launch_medians=tuple(map(Estimate, launches.values())),
    )


def test_the_share_is_that_of_each_launch_and_its_interval_over_launches():
    alone, computation = {0: 10.0, 1: 20.0, 2: 10.0}, {0: 10.0, 1: 22.0, 2: 10.0}
    together = {0: 15.0, 1: 32.0, 2: 14.0}  # 0.5, 0.5 and 0.6
    (hidden,) = find_hidden(map(case, PARTS, (alone, computation, together)))
    assert (hidden.operation, hidden.form, hidden.bytes) == ("allreduce", "nonblocking", 65536)
    assert hidden.share.value == pytest.approx(0.5333, abs=1e-4)
    assert hidden.share.low == pytest.approx(0.3899, abs=1e-4)
    assert hidden.share.high == pytest.approx(0.6768, abs=1e-4)


def test_a_share_needs_all_parts_and_three_launches_that_have_them():
    three = {0: 1.0, 1: 1.0, 2: 1.0}
    (hidden,) = find_hidden(map(case, PARTS, (three, three, {0: 1.0, 1: 1.0, 3: 9.0})))
    assert hidden.share is None
    times = {0: 1.0, 1: 1.0, 2: 1.0}
    assert find_hidden([case("alone", times), case("together", times)]) == []
