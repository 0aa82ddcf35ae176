# SPDX-License-Identifier: BSD-3-Clause
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.lab import units


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0), ("64", 64), ("64B", 64), ("64KiB", 65536), ("4MiB", 4194304),
        ("2GiB", 2147483648), ("100kB", 100000), ("3MB", 3000000), ("1GB", 1000000000),
        ("9223372036854775807", 2**63 - 1),
    ],
)  # fmt: skip
def test_a_size_is_read_with_its_unit(text, size):
    assert units.parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("64K", "64KiB (powers of 1024) or 64kB (powers of 1000)"),
        ("1m", "1MiB (powers of 1024) or 1MB (powers of 1000)"),
        ("7G", "7GiB (powers of 1024) or 7GB (powers of 1000)"), ("64kib", "KiB, MiB"),
        ("-1", "at least 0"), ("", "starts with no whole number"), ("1.5MiB", "KiB, MiB"),
        ("9223372036854775808", "does not fit in 64 bits"),
        ("9007199254740992MiB", "does not fit in 64 bits"), ("٣", "starts with no whole number"),
    ],
)  # fmt: skip
def test_a_size_that_is_none_is_refused_with_its_text_and_what_to_write(text, says):
    with pytest.raises(ValueError, match=re.escape(says)) as refused:
        units.parse_size(text)
    assert f"'{text}'" in str(refused.value)


@given(st.integers(0, 2**63 - 1))
def test_format_size_is_the_inverse_of_parse_size(size):
    assert units.parse_size(units.format_size(size)) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10), ("200ms", 0.2), ("50us", 5e-5), ("50µs", 5e-5), ("50μs", 5e-5), ("7ns", 7e-9),
        ("1.5 s", 1.5), ("2min", 120), ("1h", 3600), (".5s", 0.5), ("1e-3s", 1e-3),
    ],
)  # fmt: skip
def test_a_duration_is_read_with_its_unit(text, seconds):
    assert units.parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize("text", ["10", "s", "", "0s", "1e999s", "10 parsecs", "-1s", "nan s"])
def test_a_duration_that_is_none_is_refused_with_its_text(text):
    with pytest.raises(ValueError, match=re.escape(f"'{text}'")):
        units.parse_duration(text)


def test_a_duration_without_unit_is_told_the_units():
    with pytest.raises(ValueError, match="write 10s, 10ms or 10us"):
        units.parse_duration("10")


@pytest.mark.parametrize(("text", "share"), [("2%", 0.02), ("0.5 %", 0.005), ("150%", 1.5)])
def test_a_percentage_is_a_fraction(text, share):
    assert units.parse_percent(text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.02", "write 2%"), ("5", "write 5%"), ("2‰", "such as 2%"), ("x", "such as 2%"),
        ("-1%", "such as 2%"), ("1e999%", "finite"),
    ],
)  # fmt: skip
def test_a_percentage_that_is_none_is_refused_with_what_to_write(text, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        units.parse_percent(text)


@given(st.text(max_size=12))
def test_any_other_text_is_a_value_error_and_nothing_else(text):
    for parse in (units.parse_size, units.parse_duration, units.parse_percent):
        said, value = "", 0.0
        try:
            value = parse(text)
        except ValueError as refused:
            said = str(refused)
        assert math.isfinite(value)
        assert said == "" or f"'{text}'" in said


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (8.32e-7, "832 ns"), (1.82e-5, "18.2 µs"), (1e-6, "1.00 µs"),
        (9.996e-4, "1.00 ms"), (9.994e-4, "999 µs"), (0.0123, "12.3 ms"), (1, "1.00 s"),
        (4911.2, "4910 s"), (2.5e-10, "0.250 ns"), (-3e-6, "-3.00 µs"), (math.nan, "–"),
        (math.inf, "–"),
    ],
)  # fmt: skip
def test_a_time_has_three_significant_digits(seconds, text):
    assert units.format_seconds(seconds) == text


@given(st.floats(1e-9, 900))
def test_a_time_as_people_read_it_is_the_time_to_half_a_percent(seconds):
    text = units.format_seconds(seconds)
    assert units.parse_duration(text) == pytest.approx(seconds, rel=0.005)
    assert re.fullmatch(r"\d\.\d\d|\d\d\.\d|\d{3}", text.split()[0])


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"), (64, "64 B"), (65536, "64 KiB"), (100000, "100,000 B"), (3 << 30, "3 GiB"),
        (3.2e9, "2.98 GiB"), (1000001, "977 KiB"), (1.5, "1.50 B"),
    ],
)  # fmt: skip
def test_a_size_is_exact_while_it_is_short(size, text):
    assert units.format_bytes(size) == text


@pytest.mark.parametrize(
    ("size", "text"), [(9248, "9,248 B"), (65536, "64 KiB"), (933408, "912 KiB"), (2**30, "1 GiB")]
)
def test_an_amount_is_rounded_from_ten_kib_on(size, text):
    assert units.format_amount(size) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(5.3e9, "5.30 GB/s"), (15.2e6, "15.2 MB/s"), (0, "0 GB/s"), (2e12, "2.00 TB/s")],
)
def test_a_rate_is_in_powers_of_ten(rate, text):
    assert units.format_rate(rate) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.011, "1.1 %"), (0.12, "12 %"), (0.0995, "10 %"), (0.0002, "0.02 %"), (0, "0 %"),
        (-0.05, "-5.0 %"),
    ],
)  # fmt: skip
def test_a_share_is_shown_as_a_percentage(share, text):
    assert units.format_percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (75, "75 s"), (120, "2 min"), (3900, "1 h 05 min")]
)
def test_a_wait_is_told_to_no_false_precision(seconds, text):
    assert units.format_wait(seconds) == text
