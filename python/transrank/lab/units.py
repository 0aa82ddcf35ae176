# SPDX-License-Identifier: BSD-3-Clause
"""Seconds, bytes and rates: read from people's text and shown to people.

Files and functions hold seconds and bytes; only these functions turn them into text and back.
Sizes follow the grammar of ``cpp/lab/text/sizes.cpp``, so that an option means the same to
`transrank` and to `transrank-run`.
"""

from __future__ import annotations

import math
import re

_SIZE_UNITS = {
    "": 1,
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
}
_BINARY_UNITS = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
_DURATION_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
}
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_NO_VALUE = "–"
_LARGEST_SIZE = 2**63 - 1
_LARGEST_COUNT = 2**31 - 1


def parse_size(text: str) -> int:
    """Bytes from `64KiB`, `100kB`, `8B` or a bare number.

    Raises ValueError: naming the text; `64K` is refused because it may mean 64,000 or 65,536.
    """
    match = re.match(r"\d+", text, re.ASCII)
    if match is None or len(match.group()) > 19:
        raise ValueError(
            f"'{text}' is not a size: it starts with no whole number of at least 0 "
            "that fits 64 bits"
        )
    number, unit = match.group(), text[match.end() :]
    if unit not in _SIZE_UNITS:
        raise ValueError(f"'{text}' is not a size: {_size_advice(number, unit)}")
    size = int(number) * _SIZE_UNITS[unit]
    if size > _LARGEST_SIZE:
        raise ValueError(f"'{text}' is not a size: it does not fit in 64 bits")
    return size


def _size_advice(number: str, unit: str) -> str:
    if len(unit) == 1 and unit in "KMGkmg":
        prefix = unit.upper()
        decimal = "k" if prefix == "K" else prefix
        return f"say {number}{prefix}iB (powers of 1024) or {number}{decimal}B (powers of 1000)"
    return "write a number and B, KiB, MiB, GiB, kB, MB or GB, or a number of bytes"


def parse_duration(text: str) -> float:
    """Seconds from `10s`, `200ms`, `50us` (or `50µs`), `100ns`, `2min`, `1h`.

    Raises ValueError: naming the text, and the unit to add when it has none.
    """
    stripped = text.strip()
    match = _NUMBER.match(stripped)
    if match is None:
        raise ValueError(f"'{text}' is not a duration: write a number and s, ms or us")
    unit = stripped[match.end() :].strip().replace("μ", "µ")
    if unit == "":
        raise ValueError(f"'{text}' has no unit: write {stripped}s, {stripped}ms or {stripped}us")
    if unit not in _DURATION_UNITS:
        raise ValueError(
            f"'{text}' is not a duration: known units are {', '.join(_DURATION_UNITS)}"
        )
    seconds = float(match.group()) * _DURATION_UNITS[unit]
    if not 0 < seconds < math.inf:
        raise ValueError(f"'{text}' is not a duration: it must be greater than 0 and finite")
    return seconds


def parse_percent(text: str) -> float:
    """The fraction that a percentage means: 0.02 from `2%`.

    Raises ValueError: naming the text, and the percentage that a bare number may have meant.
    """
    stripped = text.strip()
    match = _NUMBER.match(stripped)
    if match is None:
        raise ValueError(f"'{text}' is not a percentage: write a number and %, such as 2%")
    number, unit = float(match.group()), stripped[match.end() :].strip()
    if not math.isfinite(number):
        raise ValueError(f"'{text}' is not a percentage: it must be finite")
    if unit == "":
        meant = f"{number * 100:g}%" if 0 < number < 1 else f"{number:g}%"
        raise ValueError(f"'{text}' has no unit: write {meant}")
    if unit != "%":
        raise ValueError(f"'{text}' is not a percentage: write a number and %, such as 2%")
    return number / 100


def parse_count(text: str) -> int:
    """One count, at least 1."""
    cleaned = text.strip()
    if not re.fullmatch(r"\d{1,10}", cleaned, re.ASCII) or not 1 <= int(cleaned) <= _LARGEST_COUNT:
        raise ValueError(f"'{cleaned}' is not a count; write a whole number of at least 1")
    return int(cleaned)


def parse_precision(text: str) -> float:
    """A precision: a percentage above 0 and at most 100."""
    share = parse_percent(text)
    if not 0 < share <= 1:
        raise ValueError(f"'{text}' is not a valid precision; write e.g. 5% (at most 100%)")
    return share


def is_number(text: str) -> bool:
    """Whether a text, such as a cell of a table, is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def three_digits(value: float) -> str:
    """`value` with three significant digits: 0.0183, 1.83, 18.3, 183, 1830.

    An exponent stands only where a dozen digits or more would.
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else _NO_VALUE
    if not 1e-9 <= abs(value) < 1e12:
        return f"{value:.2e}"
    rounded = float(f"{value:.2e}")
    decimals = 2 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(decimals, 0)}f}"


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    """`value` in the largest unit that leaves at least 1 before the point, after rounding."""
    if not math.isfinite(value):
        return _NO_VALUE
    rounded = abs(float(f"{value:.2e}"))
    # 1e-9 of slack: 1e-6 / 1e-6 may fall short of 1 by rounding.
    factor, name = next(((f, n) for f, n in units if rounded >= f * (1 - 1e-9)), units[-1])
    return f"{three_digits(value / factor)} {name}"


def format_seconds(seconds: float) -> str:
    """A time as people read it: `18.2 µs`, `832 ns`, `0 s`; `–` when it is not finite."""
    if seconds == 0:
        return "0 s"
    return _scaled(seconds, ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")))


def format_wait(seconds: float) -> str:
    """A time to wait for, to no false precision: `8 s`, `2 min`, `1 h 05 min`."""
    if not math.isfinite(seconds) or seconds < 0:
        return _NO_VALUE
    if seconds < 99.5:
        return f"{math.ceil(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def format_size(size_bytes: int) -> str:
    """The exact inverse of `parse_size`, as case names spell it: `64KiB`, `1000B`."""
    for unit in ("GiB", "MiB", "KiB"):
        if size_bytes != 0 and size_bytes % _SIZE_UNITS[unit] == 0:
            return f"{size_bytes // _SIZE_UNITS[unit]}{unit}"
    return f"{size_bytes}B"


def format_bytes(size_bytes: float) -> str:
    """A size as people read it: `64 KiB`, `100,000 B`; past 1 MB rounded, `2.98 GiB`."""
    if not math.isfinite(size_bytes):
        return _NO_VALUE
    whole = int(size_bytes)
    if whole == size_bytes and (abs(whole) < 10**6 or whole % _SIZE_UNITS["MiB"] == 0):
        text = format_size(whole)
        digits = len(text.rstrip("KMGiB"))
        return f"{int(text[:digits]):,} {text[digits:]}"
    return _scaled(size_bytes, _BINARY_UNITS)


def format_amount(size_bytes: float) -> str:
    """As `format_bytes`, but rounded from 10 KiB on: `9,248 B`, `912 KiB`."""
    if size_bytes < 10 * 1024 or size_bytes % 1024 == 0:
        return format_bytes(size_bytes)
    return _scaled(size_bytes, _BINARY_UNITS)


def format_rate(bytes_per_second: float) -> str:
    """A rate in powers of ten, as MPI suites count: `5.30 GB/s`, `15.2 MB/s`."""
    if bytes_per_second == 0:
        return "0 GB/s"
    units = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
    return _scaled(bytes_per_second, units)


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 case`, `3 cases`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def format_spread(fraction: float) -> str:
    """A width or an error as a percentage; of two that differ wildly, intervals span decades."""
    return ">999 %" if fraction > 9.99 else format_percent(fraction)


def format_percent(fraction: float) -> str:
    """A fraction as a percentage: `1.1 %`, `12 %`, `0.02 %`."""
    if not math.isfinite(fraction):
        return _NO_VALUE
    percent = 100 * fraction
    if percent == 0 or abs(percent) >= 9.95:
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if abs(percent) >= 0.095 else f"{percent:.2g} %"
