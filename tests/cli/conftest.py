# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

import pytest

from support.commands import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A folder without runs."""
    return Store(tmp_path)
