# SPDX-License-Identifier: BSD-3-Clause
"""The doorbell's protocol under the model checker Spin, and that the check can fail."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

MODEL = Path(__file__).parents[2] / "docs" / "model" / "doorbell.pml"
WEAKENINGS = ["NO_BRINGER_FENCE", "NO_SLEEPER_FENCE", "LOOKS_FIRST", "SLEEPS_BLINDLY"]

pytestmark = pytest.mark.skipif(
    shutil.which("spin") is None, reason="the model checker spin is not installed"
)


def errors(folder: Path, *defines: str) -> int:
    """Return the number of errors that an exhaustive search finds: a deadlock is one."""
    subprocess.run(
        ["spin", "-a", *(f"-D{define}" for define in defines), str(MODEL)],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=60,
    )
    subprocess.run(["cc", "-O1", "-o", "pan", "pan.c"], cwd=folder, check=True, timeout=120)
    done = subprocess.run(
        ["./pan", "-m100000"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = re.search(r"errors: (\d+)", done.stdout)
    assert found is not None, done.stdout
    assert "error: max search depth too small" not in done.stdout
    return int(found[1])


def test_no_wake_up_is_lost_and_nothing_deadlocks(tmp_path: Path) -> None:
    assert errors(tmp_path) == 0


@pytest.mark.parametrize("weakening", WEAKENINGS)
def test_every_part_of_the_protocol_is_needed(weakening: str, tmp_path: Path) -> None:
    assert errors(tmp_path, weakening) > 0
