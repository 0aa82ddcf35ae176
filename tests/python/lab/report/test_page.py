# SPDX-License-Identifier: BSD-3-Clause
"""The page as a file: complete, self-contained, safe, and with the store's numbers."""

import re

import pytest

from python.lab.report.page_reader import Page
from python.lab.report.synthetic import (
    OPERATIONS,
    Link,
    Survey,
    add_collectives,
    every_study,
    one_case,
)
from support import recorded
from transrank.errors import RecordError
from transrank.lab import units
from transrank.lab.cli.__main__ import main
from transrank.lab.report.page import render_report, write_report
from transrank.lab.stats.summary import summarise
from transrank.lab.stats.trust import without_noise
from transrank.lab.store.records import read_run
from transrank.lab.view.results import record

EVIL = "</script><script>document.title = 'taken'</script><img src=x onerror=\"alert('&')\">"


def test_every_question_is_answered_in_order(small_page):
    assert Page(small_page).headings == [
        "MPI on 2 hosts, 2026-11-20",
        *(["Warnings"] if '<h2 id="beware">' in small_page else []),
        "How long does a message take?",
        "How many bytes per second are transferred?",
        "How many messages per second are transferred?",
        "Which send routine is fastest?",
        "What do collective operations cost?",
        "How fast is memory itself?",
        "How long does a job take to start?",
        "What do the numbers say?",
        "What does alltoall-like cost?",
        "How stable are these numbers?",
        "What is missing or doubtful?",
        "The machine",
        "How was it measured?",
        "How can it be repeated?",
    ]


SHOWN = ("ranks", "median", "IMB mean", "mean of all", "P90 of all", "P99 of all", "launches")


def test_tables_hold_the_numbers_of_the_store(small_page, small_run):
    tables = {table.name: table.rows for table in Page(small_page).tables}
    results = without_noise(summarise(small_run))
    assert len(results) > 100
    for study in {result.study for result in results}:
        heading, *rows = tables[f"Numbers of {study}"]
        shown = sorted(tuple(row[heading.index(name)] for name in SHOWN) for row in rows)
        stored = sorted(
            (
                str(result.shape.ranks),
                units.format_seconds(result.median.value) if result.median else "–",
                units.format_seconds(result.imb_mean) if result.measured else "–",
                *(
                    map(units.format_seconds, (result.tail.mean, result.tail.p90, result.tail.p99))
                    if result.measured and result.tail
                    else "–––"
                ),
                str(len(result.launches)),
            )
            for result in results
            if result.study == study
        )
        assert shown == stored


def test_the_data_of_the_page_are_those_of_the_store_unrounded(small_page, small_run):
    data = Page(small_page).json("transrank-data")
    (run,) = data["runs"]
    rows = {
        (row["case"], row["ranks"], row["ranks_per_node"]): row
        for row in (dict(zip(data["columns"], values, strict=True)) for values in run["rows"])
    }
    results = summarise(small_run)
    assert len(rows) == len(results)
    for result in results:
        row = rows[result.case, result.shape.ranks, result.shape.ranks_per_node]
        assert {name: row[name] for name in record(result) if name != "launches"} == {
            name: value for name, value in record(result).items() if name != "launches"
        }
        assert row["launch_seconds"] == [launch.value for launch in result.launch_medians]


def test_figures_draw_the_values_of_the_store(small_page, small_run):
    panel = Page(small_page).json("transrank-figures")["panels"]["message-time/0"]
    stored = panel["data"]["values"]
    rows = [dict(zip(stored["fields"], row, strict=True)) for row in stored["rows"]]
    drawn = {row["x"]: row["y"] for row in rows if row["k"] in ("case", "wide")}
    expected = {
        result.bytes: result.headline.value
        for result in summarise(small_run)
        if result.study == "pingpong" and result.shape.ranks_per_node == 0 and result.bytes
    }
    assert drawn == pytest.approx(expected, rel=1e-4)


def test_every_panel_of_every_study_has_a_static_drawing_and_a_description(written):
    html = render_report([written(every_study())])
    panels = re.findall(
        r'<div class="drawing" data-panel="([^"]+)" role="img" aria-label="([^"]+)">'
        r"(<svg.*?</svg>)",
        html,
        re.DOTALL,
    )
    assert [name for name, _, _ in panels] == [*Page(html).json("transrank-figures")["panels"]]
    for name, description, svg in panels:
        assert len(description) > 40, name
        assert "<path" in svg, name
        assert "<text" in svg, name


def test_the_page_is_small_and_needs_no_network(small_page):
    page = Page(small_page)
    for tag, name, value in page.attributes:
        if name in ("src", "href", "action", "data") and not value.startswith(("#", "data:")):
            pytest.fail(f"<{tag} {name}={value!r}>")
    css = re.findall(r"<style>(.*?)</style>", small_page, re.DOTALL)
    assert css
    assert not any("url(" in sheet or "@import" in sheet for sheet in css)
    assert "<script src" not in small_page
    assert len(small_page.encode()) < 3e6


def test_foreign_text_stays_text(written):
    survey = Survey(label=EVIL, run="evil")
    survey.measured("pingpong", {"bytes": 8}, 1e-6)
    for size in (8, 64):
        survey.measured(EVIL, {"<axis>": EVIL, "bytes": size}, 1e-6)
    survey.lacking("exchange", {"bytes": 1}, "failed", EVIL)
    command = ["transrank", EVIL]
    run = written(
        survey, command=command, mpi=recorded.MPI | {"library": EVIL}, environment={"A": EVIL}
    )
    other = Survey(label=EVIL + "2", run="evil-2")
    other.measured("pingpong", {"bytes": 8}, 1e-6)

    for runs in ([run], [run, written(other)]):
        html = render_report(runs)
        page = Page(html)
        assert EVIL not in html
        assert "<img" not in html[: html.index("<script")]
        assert EVIL in page.text
        for name in ("transrank-data", "transrank-figures"):
            assert "<" not in page.scripts[name], "it could begin a comment or end the script"
        data = page.json("transrank-data")["runs"][0]
        assert data["command"] == command
        named = [entry for _, name, entry in page.attributes if name == "data-label"]
        assert len(runs) == 1 or EVIL in named
        assert sum(tag == "script" for tag, _, _ in page.attributes) == 4


def test_every_figure_and_table_of_numbers_says_what_share_was_kept(small_page):
    figures = small_page.count("<figcaption>") - small_page.count('class="node"')
    notes = re.findall(r'<p class="notes">(.*?)</p>', small_page, re.DOTALL)
    kept = [note for note in notes if re.search(r"% of [\d,]+ samples are kept\.$", note)]
    assert len(kept) == figures >= 8
    tables = re.findall(r"<table.*?</table>", small_page, re.DOTALL)
    assert all(">kept</th>" in table for table in tables if "95 % interval</th>" in table)
    assert all(">imbalance</th>" in table for table in tables if ">IMB mean</th>" in table)


def test_a_run_of_few_results_says_so(written):
    survey = Survey(launches=1)
    survey.measured("pingpong", {"bytes": 8}, 1e-6, 8)
    text = Page(render_report([written(survey)])).text
    assert "8 B message 1.0" in text
    assert "1 case has a value without an interval." in text
    survey = Survey()
    assert "0 cases" in Page(render_report([written(survey)])).text
    survey.lacking("pingpong", {"bytes": 8}, "skipped", "needs at least 2 ranks")
    text = Page(render_report([written(survey)])).text
    assert "None of 1 case was measured; 1 skipped." in text
    assert "needs at least 2 ranks" in text


def test_imported_means_are_shown_as_means(tmp_path):
    means = {0: 1.05e-6, 8: 1.08e-6, 1024: 2e-6}
    cases = [recorded.imported_case(size, mean=mean) for size, mean in means.items()]
    lines = [recorded.imported_header(suite="IMB"), *cases]
    page = Page(render_report([read_run(recorded.write(tmp_path / "run.jsonl", lines))]))
    assert "imported from 0.txt (IMB 7.4)" in page.text
    heading, *rows = next(t.rows for t in page.tables if t.name == "Numbers of pingpong")
    assert [row[heading.index("mean")] for row in rows] == ["1.05 µs", "1.08 µs", "2.00 µs"]
    assert "median" not in heading


def test_two_runs_stand_side_by_side_on_the_same_page_each_time(two_runs):
    html = render_report(two_runs)
    assert html == render_report(two_runs)
    with pytest.raises(ValueError, match="at least one run"):
        render_report([])
    page = Page(html)
    assert page.headings[0] == "before and after"
    assert "Which run is faster?" in page.headings
    panel = page.json("transrank-figures")["panels"]["message-time/0"]
    color = panel["encoding"]["color"]["scale"]
    measured = [value for value in color["range"] if value != "var(--published)"]
    assert measured == ["var(--series-1)", "var(--series-2)"]
    (numbers,) = (t for t in page.tables if t.name == "Numbers of pingpong")
    assert {row[0] for row in numbers.rows[1:]} == {"before", "after"}


def test_runs_of_one_label_are_told_apart_by_their_ids(written):
    runs = [written(one_case(run=run, label="night")) for run in ("run-1", "run-2")]
    assert Page(render_report(runs)).headings[0] == "night (run-1) and night (run-2)"


def test_the_page_appears_whole_or_not_at_all(written, tmp_path):
    run = written(Survey())
    folder = tmp_path / "folder"
    (folder / "page.html").mkdir(parents=True)
    for page in (tmp_path / "missing" / "page.html", folder / "page.html"):
        with pytest.raises(RecordError, match=r"page\.html: the report cannot be written"):
            write_report([run], page)
    assert [path.name for path in folder.iterdir()] == ["page.html"]


def test_the_command_writes_the_page_and_prints_where(tmp_path, monkeypatch, capsys):
    survey = one_case()
    record = survey.write(tmp_path / f"{survey.run}.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSRANK_STORE", str(tmp_path))

    assert main(["report"]) == 0
    assert capsys.readouterr().out == f"{survey.run}.html\n"
    page = (tmp_path / f"{survey.run}.html").read_text("utf-8")
    assert Page(page).headings[0] == "MPI on node17, 2026-11-20"

    assert main(["report", str(record), "-o", "-"]) == 0
    assert capsys.readouterr().out == page

    assert main(["report", "latest", survey.run]) == 2
    assert "given twice" in capsys.readouterr().err
    assert main(["report", "nothing-such"]) == 4


def test_each_operation_has_its_panel_and_its_drawing_ids_of_its_own(written):
    survey = Survey(launches=2, samples=8)
    add_collectives(survey, Link(), ((2, 0),), OPERATIONS, (0, 8, 1024))
    html = render_report([written(survey)])
    titles = re.findall(r"<h4>([^<]+)</h4>", html)
    assert [name for name, _ in OPERATIONS if name != "barrier"] == titles[: len(OPERATIONS) - 1]
    ids = re.findall(r' id="([^"]+)"', html[: html.index("<script")])
    assert len(ids) == len(set(ids))
