# SPDX-License-Identifier: BSD-3-Clause

import pytest

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.least_time import least_time
from transrank.lab.stats.placed import Placed
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import Shape

NODE, APART, MIXED = Placed(2, 1, 2), Placed(2, 2, 1), Placed(3, 2, 2)


def result(study, size, seconds, placed=NODE, messages=1):
    """A case that moves so many messages of a size."""
    return CaseResult(
        *(study, f"{study}/{size}B", {"bytes": size}, Shape(2, 0), "ok"),
        headline=Estimate(seconds),
        placed=placed,
        bytes_counted=float(size * messages),
    )


WITHIN = [
    result("pingpong", 8, 10e-6),
    result("bandwidth", 8, 2e-6),
    result("bandwidth", 1 << 20, 1e-3),
    result("fan", 64, 1e-6, messages=2),
]
BETWEEN = [
    result("pingpong", 8, 50e-6, APART),
    result("bandwidth", 8, 8e-6, APART),
    result("bandwidth", 1 << 20, 10e-3, APART),
]


def plan(within=(0, 0, 0), between=(0, 0, 0), **more):
    """Of two ranks: messages, bytes out and bytes in of the second; the first receives nothing."""
    sides = {"within_nodes": within, "between_nodes": between}
    names = ("messages", "bytes_out", "bytes_in")
    one, two = (
        {side: dict(zip(names, values, strict=True)) for side, values in rank.items()}
        for rank in (dict.fromkeys(sides, (0, 0, 0)), sides)
    )
    totals = {
        side: {"messages": n, "chain": 0, **more.get(side, {})} for side, (n, *_) in sides.items()
    }
    return {"ranks": [one, two], **totals}


@pytest.mark.parametrize(
    ("planned", "seconds", "why"),
    [
        (plan((1, 8, 8)), 10e-6, "latency within a node"),
        (plan((1, 8, 8), (1, 8, 8)), 50e-6, "latency between nodes"),
        # The fan's messages take half a microsecond each, the least of all.
        (plan((100, 800, 8)), 50e-6, "100 messages within a node, 500 ns each"),
        (plan((1, 10**6, 8)), 953.7e-6, "moves 977 KiB within a node, at 1.05 GB/s"),
        (plan((1, 8, 10**6)), 953.7e-6, "moves"),
        (plan((1, 10**6, 8), (1, 10**6, 8)), 9.537e-3, "between nodes, at 105 MB/s"),
        (
            plan((1, 8, 8), (1, 8, 8), within_nodes={"chain": 3}, between_nodes={"chain": 2}),
            130e-6,
            "3 within a node and 2 between nodes",
        ),
    ],
)
def test_the_longest_of_what_a_plan_takes_at_least_is_the_bound(planned, seconds, why):
    bound = least_time(planned, [*WITHIN, *BETWEEN, result("pingpong", 8, 1e-9, MIXED)])
    assert bound.seconds == pytest.approx(seconds, rel=1e-3)
    assert why in bound.why
    assert not bound.missing


def test_what_is_not_measured_is_missing_only_where_something_moves():
    assert least_time(plan((1, 8, 8)), BETWEEN).missing == {
        "within_nodes": ["pingpong", "bandwidth"]
    }
    unknown = result("bandwidth", 8, 1e-9, placed=None)
    bound = least_time(plan((1, 8, 8), (1, 8, 8)), [*WITHIN, BETWEEN[0], unknown])
    assert bound.missing == {"between_nodes": ["bandwidth"]}
    assert bound.seconds == pytest.approx(50e-6)
    assert least_time(plan(), []).seconds is None
    # Short messages do not tell how fast long ones are.
    short = least_time(plan((1, 10**6, 8)), [WITHIN[0], WITHIN[1]])
    assert short.missing == {"within_nodes": ["bandwidth"]}
    assert short.seconds == pytest.approx(10e-6)
    # No message is longer than what a rank moves, so the rate of longer ones does not count.
    middle = [*WITHIN, result("bandwidth", 32768, 100e-6)]
    assert least_time(plan((1, 16384, 8)), middle).seconds == pytest.approx(50e-6)
