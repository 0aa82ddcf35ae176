# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.errors import RecordError
from transrank.lab.stats.placed import taking_part
from transrank.lab.stats.summary import summarise_case
from transrank.lab.store import lines, spread
from transrank.lab.store.lines import Case, from_json, line_from_json
from transrank.lab.store.records import read_run

NONE = float("nan")
# A few different times, so that many are equal; None of a rank that has no part in the case.
TIMES = st.lists(
    st.sampled_from([NONE, 1e-6, 2e-6, 3e-6]) | st.floats(1e-9, 1e3), min_size=1, max_size=60
).filter(lambda times: not all(map(np.isnan, times)))


def read(line: recorded.Line) -> Case:
    line_from_json(line)
    return from_json(Case, line)


@given(times=TIMES, root=st.booleans(), of_all=st.booleans())
def test_a_case_says_the_same_whether_ranks_are_listed_or_not(times, root, of_all):
    by_rank = np.array(times)
    if root:
        by_rank[0] = 5e-6
    columns = {name: by_rank * 2**i for i, name in enumerate(("median", "minimum", "mean"))}
    if of_all:
        columns["mean_of_all"] = by_rank * 8
    line = recorded.case(ranks=None, clocks="root" if root else "all")
    cases = [
        read(line | spread.members(columns, most_listed))
        for most_listed in (by_rank.size, by_rank.size - 1)
    ]
    listed, spread_out = cases
    assert (listed.over_ranks, spread_out.ranks) == (None, None)
    assert taking_part(listed) == taking_part(spread_out) == by_rank.size
    results = [summarise_case([case]) for case in cases]
    imb = [result.imb for result in results]
    for one, other in zip(*((i.mean, i.low, i.high) for i in imb if i), strict=True):
        assert one == pytest.approx(other, rel=1e-12)
    first, second = (replace(result, imb=None, launch_imb=()) for result in results)
    assert first == second


@given(TIMES)
def test_a_spread_is_that_of_the_list(times):
    by_rank = np.array(times)
    known = by_rank[~np.isnan(by_rank)]
    found = spread.spread(by_rank)
    assert found["count"] == known.size
    assert found["mean"] == pytest.approx(known.mean())
    assert found["quantiles"][0] == known.min()
    assert found["quantiles"][4] == pytest.approx(np.median(known))
    assert found["quantiles"][-1] == known.max()
    for name, order in (("fastest", np.sort(known)), ("slowest", np.sort(known)[::-1])):
        extremes = found[name]
        assert extremes["seconds"] == order[:4].tolist()
        assert by_rank[extremes["ranks"]].tolist() == extremes["seconds"]
        assert len(set(extremes["ranks"])) == len(extremes["ranks"])


def test_probabilities_are_those_of_the_schema():
    percents = ", ".join(f"{100 * p:g}" for p in spread.PROBABILITIES[:-1])
    assert f"at {percents} and 100 %" in " ".join(str(lines.Spread.__doc__).split())
    said = msgspec.json.schema(lines.Spread)["$defs"]["Spread"]["properties"]["quantiles"]
    assert said["minItems"] == said["maxItems"] == len(spread.PROBABILITIES)


def test_a_case_whose_only_counting_rank_has_no_time_is_refused(tmp_path):
    times = recorded.over_ranks(300)
    times["mean"] = {**times["mean"], "first": None}
    line = recorded.case(ranks=None, over_ranks=times, clocks="root")
    path = recorded.write(tmp_path / "run.jsonl", [recorded.header(), line])
    with pytest.raises(RecordError, match=r"over_ranks\.mean has no rank whose clock counts"):
        read_run(path)
