# SPDX-License-Identifier: BSD-3-Clause
"""Documents with tables in them as JSON."""

from __future__ import annotations

import json
import math
from typing import Any


def as_json(value: Any) -> str:
    """Return JSON that any reader accepts: numbers that are not finite become null."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
