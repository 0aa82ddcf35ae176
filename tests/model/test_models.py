# SPDX-License-Identifier: BSD-3-Clause
"""The protocols of shared memory under the model checker Spin, and that the checks can fail."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

MODELS = Path(__file__).parents[2] / "docs" / "model"
# What each model says must make its check fail.
WEAKENING = re.compile(r"^//   -D(\w+) ", re.MULTILINE)

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed"),
]


def errors(folder: Path, model: Path, *defines: str) -> int:
    """Return the number of errors that an exhaustive search finds: a deadlock is one."""
    subprocess.run(
        ["spin", "-a", *(f"-D{define}" for define in defines), str(model)],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=60,
    )
    subprocess.run(["cc", "-O1", "-o", "pan", "pan.c"], cwd=folder, check=True, timeout=120)
    done = subprocess.run(
        ["./pan", "-m100000"], cwd=folder, check=True, capture_output=True, text=True, timeout=120
    )
    found = re.search(r"errors: (\d+)", done.stdout)
    assert found is not None, done.stdout
    assert "error: max search depth too small" not in done.stdout
    return int(found[1])


def weakenings() -> list[tuple[Path, str]]:
    return [
        (model, define)
        for model in sorted(MODELS.glob("*.pml"))
        for define in WEAKENING.findall(model.read_text())
    ]


@pytest.mark.parametrize("model", sorted(MODELS.glob("*.pml")), ids=lambda path: path.stem)
def test_nothing_is_lost_and_nothing_deadlocks(model, tmp_path):
    assert errors(tmp_path, model) == 0


@pytest.mark.parametrize(("model", "weakening"), weakenings())
def test_every_part_of_a_protocol_is_needed(model, weakening, tmp_path):
    assert errors(tmp_path, model, weakening) > 0


def test_every_model_says_what_must_make_it_fail():
    assert {model.stem for model, _ in weakenings()} == {"doorbell", "flags", "portions"}
    assert len(weakenings()) == 4 + 8 + 7
