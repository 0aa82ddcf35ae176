# SPDX-License-Identifier: BSD-3-Clause
"""The verb from measuring to a file, with a library whose times are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from transrank.cli import __main__ as frame
from transrank.errors import RecordError, UsageError
from transrank.tune import library, tuning
from transrank.tune.campaign import Campaign
from transrank.tune.choice import Range
from transrank.tune.openmpi import OpenMpi

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from transrank.tune.campaign import Seconds

SIZES = (8, 1024)
NOISE = (1.0, 1.01, 0.99, 1.005, 0.995)


class Times:
    """Stands in for measuring: a time of each variant, alike for all operations and sizes."""

    def __init__(self, **by_variant: float) -> None:
        self.by_variant = {name.replace("_", " "): time for name, time in by_variant.items()}

    def measure(
        self, campaign: Campaign, variants: Mapping[str, Mapping[str, str]]
    ) -> dict[str, Seconds]:
        found: dict[str, Seconds] = {}
        for name in variants:
            times = [self.by_variant.get(name, 20.0) * 1e-6 * noise for noise in NOISE]
            found[name] = {
                operation: {size: list(times) for size in SIZES}
                for operation in campaign.operations
            }
        return found


def tune(monkeypatch: pytest.MonkeyPatch, times: Times, *arguments: str) -> int:
    monkeypatch.setattr(library, "library", OpenMpi)
    monkeypatch.setattr(Campaign, "measure", lambda self, variants: times.measure(self, variants))
    parsed = frame.build_parser().parse_args(["tune", *arguments])
    from transrank.cli import tune as verb

    return verb.run(parsed)


def test_what_is_better_twice_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rules.conf"
    times = Times(default=10, forced_1=5, tuned=5)  # the second algorithm of each
    status = tune(monkeypatch, times, "-n4", "--operations=alltoall,bcast", f"-o{path}")
    assert status == 0
    assert tuning.read(path) == (
        4,
        {"alltoall": (Range(8, 1024, "pairwise"),), "bcast": (Range(8, 1024, "chain"),)},
    )
    told = capsys.readouterr()
    assert "pairwise" in told.out
    assert "faster" in told.out
    assert "dynamic_rules_filename" in told.err
    assert tune(monkeypatch, times, f"--prove={path}") == 0
    assert tune(monkeypatch, Times(default=10, tuned=10), f"--prove={path}") == 1


def test_what_is_not_better_again_is_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "rules.conf"
    times = Times(default=10, forced_1=5, tuned=10)
    assert tune(monkeypatch, times, "-n4", f"-o{path}") == 1
    assert tune(monkeypatch, Times(default=10), "-n4", f"-o{path}") == 1
    assert not path.exists()


def test_wrong_usage_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "rules.conf"
    times = Times(default=10)
    with pytest.raises(UsageError, match="either"):
        tune(monkeypatch, times, "-n4")
    with pytest.raises(UsageError, match="unknown operation 'scan'"):
        tune(monkeypatch, times, "--operations=scan", f"-o{path}")
    with pytest.raises(UsageError, match="one round"):
        tune(monkeypatch, times, "--rounds=1", f"-o{path}")
    with pytest.raises(RecordError):
        tune(monkeypatch, times, f"--prove={path}")
