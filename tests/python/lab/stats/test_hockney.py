# SPDX-License-Identifier: BSD-3-Clause
"""Lines through curves of known latency and cost per byte, and exponents of power laws."""

from collections.abc import Callable

import numpy as np
import pytest

from transrank.lab.reference.machine import read_table
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.growth import exponent_of
from transrank.lab.stats.hockney import pieces
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import Shape

SIZES = [1, 10, 100, 1000, 3000, 10_000, 30_000, 100_000]


def curve(
    seconds: Callable[[int], float], launches: int = 6, lacking: tuple[int, ...] = ()
) -> list[CaseResult]:
    """Launches scatter by a percent; `lacking` sizes have the first one alone."""
    rng = np.random.default_rng(3)
    speeds = rng.lognormal(0, 0.01, launches)
    found = []
    for size in SIZES:
        taken = range(1 if size in lacking else launches)
        medians = tuple(Estimate(seconds(size) * speeds[launch]) for launch in taken)
        found.append(
            CaseResult(
                "send-modes",
                f"send-modes/send/{size}B",
                {"routine": "send", "bytes": size},
                Shape(2),
                "ok",
                launches=tuple(taken),
                launch_medians=medians,
            )
        )
    return found


def affine(latency: float, per_byte: float) -> Callable[[int], float]:
    return lambda size: latency + per_byte * size


def test_a_line_is_found_and_what_is_none_says_how_far_it_lies_off():
    (piece,) = pieces(curve(affine(1e-6, 2e-10)), [])
    assert (piece.first, piece.last) == (1, 100_000)
    for found, true in ((piece.latency, 1e-6), (piece.per_byte, 2e-10)):
        assert found.value == pytest.approx(true, rel=0.02)
        assert found.low <= true <= found.high
    assert piece.misfit < 0.02
    (piece,) = pieces(curve(lambda size: 1e-6 * size**0.5), [])
    assert piece.misfit > 0.1


def test_each_side_of_a_break_has_a_line_of_its_own():
    def stepped(size: int) -> float:
        return affine(1e-6, 2e-10)(size) if size < 3000 else affine(4e-6, 1e-10)(size)

    below, beyond = pieces(curve(stepped), [3000])
    assert (below.last, beyond.first) == (1000, 3000)
    assert below.latency.value == pytest.approx(1e-6, rel=0.02)
    assert beyond.latency.value == pytest.approx(4e-6, rel=0.02)
    assert beyond.per_byte.value == pytest.approx(1e-10, rel=0.02)


def test_a_line_needs_three_sizes_and_launches():
    assert len(pieces(curve(affine(1e-6, 2e-10), launches=3), [])) == 1
    assert pieces(curve(affine(1e-6, 2e-10), launches=2), []) == []
    assert [piece.last for piece in pieces(curve(affine(1e-6, 2e-10)), [10_000])] == [3000]
    (piece,) = pieces(curve(affine(1e-6, 2e-10), lacking=(100,)), [])
    assert piece.per_byte.value == pytest.approx(2e-10, rel=0.02)
    assert pieces(curve(affine(1e-6, 2e-10), lacking=(1, 100, 1000)), []) == []


def test_the_exponent_of_a_power_law_is_found():
    found = exponent_of([(n, 3 * n**1.7) for n in (2.0, 8.0, 32.0, 128.0)])
    assert found.value == pytest.approx(1.7)
    assert found.low == pytest.approx(1.7)
    assert found.high == pytest.approx(1.7)
    with pytest.raises(ValueError, match="2 points"):
        exponent_of([(1, 1), (2, 2)])
    rows = read_table("esmf_store_times.csv")
    times = [(float(row["processors"]), float(row["total_ms"])) for row in rows[2:]]
    assert 1.6 < exponent_of(times).value < 2


def test_the_interval_holds_the_exponent_in_nineteen_of_twenty_cases():
    random = np.random.default_rng(5)
    numbers = 2.0 ** np.arange(2, 12)
    held = 0
    for _ in range(400):
        found = exponent_of(
            list(zip(numbers, numbers**0.5 * random.lognormal(0, 0.1, 10), strict=True))
        )
        held += found.low <= 0.5 <= found.high
    assert 0.91 < held / 400 < 0.985
