# SPDX-License-Identifier: BSD-3-Clause
"""One table in all its forms: the same values, each form its own way."""

import csv
import io
import json
from dataclasses import dataclass

import jinja2
import pytest
from rich.console import Console

from transrank.lab.stats.estimate import Estimate
from transrank.lab.view import kinds
from transrank.lab.view.csv_text import as_csv
from transrank.lab.view.json_text import as_json
from transrank.lab.view.kinds import BYTES, DASH, ERROR, INTERVAL, SECONDS, VALUE, WORDS
from transrank.lab.view.markdown import as_markdown
from transrank.lab.view.table import Column, Row, Table, field, labelled
from transrank.lab.view.terminal import print_table


@dataclass
class Case:
    name: str
    size: int
    time: Estimate | None


CASES = [
    Case("a|b", 8, Estimate(1.5e-6, 1.4e-6, 1.6e-6)),
    Case("wide words of a name that is long", 65536, None),
]
COLUMNS = (
    Column("case", WORDS, lambda case: case.name, "case"),
    Column("size", BYTES, lambda case: case.size, "bytes"),
    Column("median", VALUE, lambda case: case.time),
    Column("±", ERROR, lambda case: case.time, optional=True),
    Column("95 % interval", INTERVAL, lambda case: case.time),
    field("seconds", lambda case: case.time and case.time.value),
    Column("never", SECONDS, lambda case: None),
)
TABLE = Table("Times", COLUMNS, CASES)


def printed(table: Table, width: int = 80) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        print_table(console, table)
    return captured.get().splitlines()


def test_programs_get_the_values_of_the_named_columns():
    records = TABLE.records()
    assert records[0] == {"case": "a|b", "bytes": 8, "seconds": 1.5e-6}
    assert json.loads(as_json(records)) == records
    rows = list(csv.reader(io.StringIO(as_csv(records))))
    assert rows[0] == ["case", "bytes", "seconds"]
    assert [row[2] for row in rows[1:]] == ["1.5e-06", ""]


def test_people_get_texts_and_a_column_without_any_value_is_left_out():
    shown = TABLE.shown()
    assert [column.heading for column in shown.columns] == [
        *("case", "size", "median", "±", "95 % interval")
    ]
    assert shown.texts()[0] == ["a|b", "8 B", "1.50 µs", "6.7 %", "1.40 to 1.60 µs"]
    assert shown.texts()[1][2:] == ["", "", ""]
    assert TABLE.rows[1].cells[2:4] == ("–", "–")


def test_a_terminal_aligns_numbers_to_the_right_and_leaves_out_what_is_optional():
    title, heading, first, second = printed(TABLE.shown())
    assert title == "Times"
    assert heading.index("size") + 4 == first.index("8 B") + 3 == second.index("64 KiB") + 6
    assert "±" in heading
    narrow = printed(TABLE.shown(), 55)
    assert "±" not in narrow[1]
    assert len(narrow) > 4  # the long name takes two lines
    assert max(map(len, narrow)) <= 55


def test_markdown_escapes_bars_and_tells_the_side():
    caption, blank, heading, rules, first, *_ = as_markdown(TABLE)
    assert (caption, blank) == ("Times", "")
    assert heading.split(" | ")[1] == "size"
    assert rules == "| :-- | --: | --: | --: | --: |"
    assert first.startswith("| a\\|b | 8 B | ")


def test_html_escapes_words_and_marks_numbers_and_states():
    loader = jinja2.PackageLoader("transrank.lab.view", "")
    environment = jinja2.Environment(autoescape=True, loader=loader)
    environment.filters["prose"] = str
    table = Table("c", (Column("<b>", WORDS), Column("n")), [Row(("<i>", "1"), "wide"), ("x", 2)])
    html = environment.get_template("table.html.j2").module.table(table)
    assert '<th scope="col">&lt;b&gt;</th><th scope="col" class="n">n</th>' in html
    assert '<tr class="wide"><td class="w">&lt;i&gt;</td><td>1</td></tr>' in html
    assert '<tr><td class="w">x</td><td>2</td></tr>' in html


def test_a_label_comes_first_and_the_item_has_the_state():
    pairs = [("before", CASES[0]), ("after", CASES[1])]
    table = labelled("", Column("run", WORDS), COLUMNS[:2], pairs, lambda case: case.name)
    assert [row.cells for row in table.rows] == [
        ("before", "a|b", "8 B"),
        ("after", "wide words of a name that is long", "64 KiB"),
    ]
    assert table.rows[0].state == "a|b"


@pytest.mark.parametrize(
    ("low", "high", "page", "terminal"),
    [
        (8.23e-7, 8.41e-7, "823 to 841 ns", "823–841 ns"),
        (9.5e-7, 1.2e-6, "950 ns to 1.20 µs", "950 ns–1.20 µs"),
        (1e-6, 1e-6, "1.00 µs", "1.00–1.00 µs"),
    ],
)
def test_the_unit_of_both_ends_is_written_once(low, high, page, terminal):
    estimate = Estimate(low, low, high)
    assert INTERVAL.text(estimate) == kinds.range_text(low, high) == page
    assert DASH.text(estimate) == terminal


def test_an_estimate_without_an_interval_has_none_in_any_form():
    assert [kind.text(Estimate(1.0)) for kind in (INTERVAL, DASH, ERROR)] == [None] * 3
