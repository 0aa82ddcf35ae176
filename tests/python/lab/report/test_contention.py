# SPDX-License-Identifier: BSD-3-Clause
"""The question about contention: its words and figures are those of the timings."""

import re
from collections.abc import Callable
from typing import Any

from python.lab.report.synthetic import Survey, context
from transrank.lab.report.questions import contention as question
from transrank.lab.report.questions.question import Question
from transrank.lab.stats.contention import Pair, parse_pairs
from transrank.lab.store.records import Run

SIZE = 64 << 20
INSIDE = ("0-1+4-5", "0-2+4-6", "0-3+4-7", "1-2+5-6", "1-3+5-7", "2-3+6-7")
EACH = ("none", "0-4", "1-5", "2-6", "3-7", "0-4+1-5+2-6+3-7")


def farther(pairs: tuple[Pair, ...], domain: int) -> float:
    """The link hangs at domain 0; 3, 1 and 2 are the farther from it in this order."""
    way = {0: 0.0, 3: 0.01, 1: 0.02, 2: 0.03}
    (pair,) = [pair for pair in pairs if domain in pair] or [None]
    if pair is None:
        return 0.09
    between = 0.18 if pair[1] - pair[0] == 4 else 0.1
    return between + max(way[one % 4] for one in pair)


def seconds(pairs: tuple[Pair, ...], domain: int) -> float:
    """Of two nodes whose links to the network hang at domains 0 and 4."""
    active = {one for pair in pairs for one in pair}
    if len(pairs) == 4:
        return 0.7
    if domain in active:
        return 0.18
    return 0.12 if domain in (0, 4) and active - {0, 4} else 0.09


def survey_of(
    traffics: tuple[str, ...],
    ranks: int = 48,
    domain_ranks: int = 6,
    model: Callable[[tuple[Pair, ...], int], float] = seconds,
    launches: int = 3,
) -> Survey:
    survey = Survey(launches=launches)
    for traffic in traffics:
        before = len(survey.lines)
        axes = {"domain_ranks": domain_ranks, "traffic": traffic, "bytes": SIZE}
        pairs = parse_pairs(traffic)
        slowest = max(model(pairs, domain) for domain in range(ranks // domain_ranks))
        survey.measured("contention", axes, slowest, SIZE, ranks, ranks // 2)
        for line in survey.lines[before:]:
            line["timing"] = "own"
            line["ranks"]["median"] = [
                model(pairs, rank // domain_ranks) * float(survey.random.lognormal(0, 0.01))
                for rank in range(ranks)
            ]
    return survey


def asked(run: Run) -> Question:
    return question.ask(context(run))


def rows(made: Question, figure: str) -> list[dict[str, Any]]:
    (panel,) = next(one for one in made.figures if one.name == figure).panels
    return list(panel.spec["data"]["values"])


def test_the_answer_names_who_is_disturbed_by_whom(written):
    text = " ".join(asked(written(survey_of(EACH))).answer)
    for pair in ("1↔5", "2↔6", "3↔7"):
        times = r"\(1\.3\d? times \(1\.[1-3]\d* to 1\.[3-5]\d*\) the control\)"
        disturbed = rf"domains 0 {times} and 4 {times}"
        assert re.search(f"While {pair} exchange messages, {disturbed} are disturbed", text)
    assert "No other domain was found to be disturbed by 0↔4." in text
    assert re.search(
        r"64 MiB, 48 ranks, 24 per node, domains of 6: a receive takes (89|9\d)[.\d]* ms", text
    )
    together = r"With all pairs at once it takes [67]\d\d ms \([^)]*\), [78]\.\d+ times \([^)]*\)"
    assert re.search(rf"{together} as long as in the control: 4\.\d+ GB/s pass", text)


def test_where_nobody_is_disturbed_nobody_is_said_to_be(written):
    def apart(pairs: tuple[Pair, ...], domain: int) -> float:
        return 0.18 if any(domain in pair for pair in pairs) else 0.12

    text = " ".join(asked(written(survey_of(EACH, model=apart))).answer)
    assert "No other domain was found to be disturbed by 0↔4, 1↔5, 2↔6 and 3↔7." in text
    assert "disturbed." not in text.replace(text[text.index("No other") :], "")


def test_one_launch_disturbs_nobody_and_has_no_slow_link(written):
    made = asked(written(survey_of(EACH, launches=1)))
    text = " ".join(made.answer)
    assert "a receive takes" in text
    assert "disturbed" not in text
    assert " times " not in text
    links = tuple(f"{i}-{j}" for i in range(3) for j in range(i + 1, 3))

    def one_slow(pairs: tuple[Pair, ...], _: int) -> float:
        return 0.5 if (0, 2) in pairs else 0.1

    for launches, slow in ((1, False), (3, True)):
        one = asked(written(survey_of(links, 3, 1, one_slow, launches)))
        assert any("is slow" in sentence for sentence in one.answer) is slow


def test_the_bars_are_the_blocks_of_the_published_figure(written):
    made = asked(written(survey_of(EACH)))
    bars = rows(made, "contention-0-bars")
    assert len(bars) == len(EACH) * 8
    heading = [bar["t"][0] for bar in bars[::8]]
    blocks = ["control", "0↔4", "1↔5", "2↔6", "3↔7", "all pairs"]
    assert heading == [f"{block}, domain 0" for block in blocks]
    assert all(bar["l"] <= bar["v"] <= bar["h"] for bar in bars)
    heat = rows(made, "contention-0-heat")
    assert len(heat) == (len(EACH) - 2) * 8  # not of all pairs at once
    assert {cell["w"] for cell in heat if cell["r"] == "0↔4" and cell["c"] in "04"} == {
        cell["w"] for cell in heat if cell["w"].startswith("(") and cell["r"] == "0↔4"
    }
    assert [one.name for one in made.figures] == ["contention-0-bars", "contention-0-heat"]


def test_blocks_are_in_the_order_of_the_bandwidth_measured_within_a_node(written):
    made = asked(written(survey_of((*EACH[:-1], *INSIDE), model=farther)))
    single = r"and 1[78]\d to 2[01]\d ms while a single pair of domains exchanges"
    assert re.search(single, made.answer[0])
    bars = rows(made, "contention-0-bars")
    blocks = ["control", "0↔4", "3↔7", "1↔5", "2↔6"]  # nothing that stays within nodes
    assert [bar["t"][0] for bar in bars[::8]] == [f"{block}, domain 0" for block in blocks]
    caption = next(one.caption for one in made.figures if one.name == "contention-0-bars")
    assert re.search(
        r"domain 0, whose messages are fastest, .* within a node \(\d+ MB/s with 3", caption
    )
    heat = rows(made, "contention-0-heat")
    assert {cell["r"] for cell in heat} == {*blocks[1:], "0↔1+4↔5", "0↔2+4↔6", "0↔3+4↔7",
        "1↔2+5↔6", "1↔3+5↔7", "2↔3+6↔7"}  # fmt: skip


def test_a_matrix_of_links_is_drawn_from_both_sides(written):
    pairs = tuple(f"{i}-{j}" for i in range(4) for j in range(i + 1, 4))
    made = asked(written(survey_of(pairs, ranks=4, domain_ranks=1)))
    cells = {(cell["r"], cell["c"]): cell["v"] for cell in rows(made, "contention-0-links")}
    assert len(cells) == 12
    assert all(cells[a, b] == cells[b, a] for a, b in cells)


def test_a_run_without_contention_is_not_asked(small_run):
    assert question.ask(context(small_run)) is None
