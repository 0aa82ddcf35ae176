# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the sources are printed as they are, and their ghosts in our units."""

import pytest

from transrank.lab.reference.tables import machine, machines
from transrank.lab.report.source_tables import source_tables
from transrank.lab.view.table import NOTHING


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_rows_of_the_tables_are_whole(known):
    tables = list(source_tables(known))
    assert tables or known.name == "xt6"
    assert all(len(row.cells) == len(table.columns) for table in tables for row in table.rows)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gs", ("16", "1", "6", "583 MB/s", "9.33 GB/s", NOTHING)),
        ("gs", ("32", "1", "20", "305 MB/s", "9.76 GB/s", "2")),
        ("thtj", ("2,800", "50", "120", "410 kB/s", "1.15 GB/s", "14,400")),
        ("jaguar", ("2,048", "32.5729", "22.762", "55.3349", "418.9372")),
        ("fugaku", ("4x6x16", "384", "1", "small-torus")),
    ],
)
def test_numbers_are_those_of_the_source(name, row):
    rows = [each.cells for table in source_tables(machine(name)) for each in table.rows]
    assert row in [cells[: len(row)] for cells in rows]
