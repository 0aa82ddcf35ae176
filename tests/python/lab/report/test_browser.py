# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser: figures drawn, curves toggled, values read, every width and theme."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from python.lab.report.synthetic import Link, Survey, add_point_to_point, advected
from transrank.lab import units
from transrank.lab.report.page import render_report
from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import Run, read_run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH"),
]

# A browser in a container, as root, that stays off the network.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
PHONE, DESK = (360, 740), (1280, 900)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def report(small_page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    path.write_text(small_page, encoding="utf-8")
    return path


@pytest.fixture
def open_page(browser: Browser, report: Path) -> Iterator[Callable[..., Page]]:
    """Open the report; what the console says and what is fetched end up in `page.heard`."""
    contexts = []

    def open_it(size: tuple[int, int] = DESK, scripts: bool = True, scheme: Any = "light") -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=scripts,
            color_scheme=scheme,
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        heard: list[str] = []
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.goto(report.as_uri())
        page.heard = heard
        return page

    yield open_it
    for context in contexts:
        context.close()


def unfold(page: Page) -> None:
    """Open all that is folded, as a reader may."""
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def draw_all(page: Page) -> None:
    """Unfold and scroll every figure into view, and wait until all are live."""
    unfold(page)
    for drawing in page.locator(".drawing").all():
        drawing.scroll_into_view_if_needed()
    page.wait_for_function(
        "document.querySelectorAll('.drawing.live').length"
        " === document.querySelectorAll('.drawing').length"
    )


def figure(page: Page, name: str) -> Locator:
    """A figure, in view and live."""
    found = page.locator(f"figure:has([data-panel='{name}/0'])")
    found.locator(".drawing").first.scroll_into_view_if_needed()
    found.locator(".drawing.live svg").first.wait_for()
    return found


def point_at(panel: Locator, across: float) -> None:
    """Move the pointer to a share of the panel's width, once it lies still."""
    box = panel.bounding_box()
    for step in (-2, 0):
        panel.hover(position={"x": box["width"] * across + step, "y": box["height"] / 2})


def test_all_figures_are_drawn_and_nothing_is_fetched_or_complained_of(open_page, report):
    page = open_page()
    draw_all(page)
    assert page.heard == [report.as_uri()]
    drawings = page.locator(".drawing.live > div > svg, .drawing.live svg.marks")
    assert drawings.count() == page.locator(".drawing").count() > 10
    for drawing in drawings.all():
        box = drawing.bounding_box()
        assert box["width"] > 150
        assert box["height"] > 50
        marks = drawing.locator("g[class*='mark-line'] path, g[class*='mark-rect'] path, path[d]")
        assert any(len(mark.get_attribute("d") or "") > 8 for mark in marks.all()[:40])


def test_a_key_hides_its_curve_and_shows_it_again(open_page):
    page = open_page()
    modes = figure(page, "send-modes")
    panel = modes.locator(".drawing.live").first
    bsend = modes.locator(".key label", has_text="MPI_Bsend")
    color = bsend.locator("input").get_attribute("data-color")
    assert color is not None
    before = panel.locator(f"[stroke='{color}']").count()
    axis = panel.locator("g.role-axis-label").all_inner_texts()
    assert before > 0

    bsend.click()
    playwright.expect(panel.locator(f"[stroke='{color}']")).to_have_count(0)
    assert not bsend.locator("input").is_checked()
    assert panel.locator("g.role-axis-label").all_inner_texts() == axis, "axes stay"
    assert panel.locator("path[stroke='var(--series-1)']").count() > 0, "other curves stay"

    bsend.locator("input").focus()
    page.keyboard.press("Space")
    playwright.expect(panel.locator(f"[stroke='{color}']")).to_have_count(before)


@pytest.fixture
def between_nodes(report: Path) -> tuple[Run, str]:
    """Two ranks on two nodes, as of Fugaku's messages, and the address of its page."""
    survey = Survey()
    add_point_to_point(survey, Link(), (8, 1024, 1 << 16, 1 << 20), ((2, 1),))
    run = read_run(survey.write(report.with_name("between.jsonl")))
    path = report.with_name("between.html")
    path.write_text(render_report([run]), encoding="utf-8")
    return run, path.as_uri()


def test_pointing_at_a_figure_reads_its_curves(open_page, between_nodes):
    page = open_page()
    run, address = between_nodes
    page.goto(address)
    panel = figure(page, "message-time").locator(".drawing").first
    point_at(panel, 0.8)

    tip = page.locator(".tip")
    tip.wait_for(state="visible")
    text = tip.inner_text()
    size = text.splitlines()[0].strip()
    (result,) = (
        each
        for each in summarise(run)
        if each.study == "pingpong" and each.bytes and units.format_bytes(each.bytes) == size
    )
    assert f"{units.format_seconds(result.headline.value)} (" in text
    assert "2 ranks" in text
    assert "Fugaku" in text

    figure(page, "message-time").locator(".key label", has_text="Fugaku, 2 ranks").click()
    point_at(panel, 0.7)
    tip.wait_for(state="visible")
    assert "Fugaku" not in tip.inner_text(), "a hidden curve is not read"

    page.mouse.move(2, 2)
    tip.wait_for(state="hidden")


NARROW = (390, 844)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, NARROW])
def test_the_first_screen_is_seen_at_once(open_page, size, scheme):
    """On a desk all of it, on a phone verdict and first number; nothing is cut or covered."""
    page = open_page(size, scheme=scheme)
    first = page.locator("#first")
    box = first.bounding_box()
    assert box["width"] <= size[0]
    if size == DESK:
        assert box["y"] + box["height"] <= size[1]
    tiles = page.locator(".glance > div").all()
    assert len(tiles) == 5
    boxes = [found for tile in tiles if (found := tile.bounding_box()) is not None]
    assert boxes[0]["y"] + boxes[0]["height"] <= size[1]
    for one, other in itertools.combinations(boxes, 2):
        beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        above = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
        assert beside or above
    shot = page.screenshot(clip={"x": 0, "y": 0, "width": size[0], "height": size[1]})
    assert shot.startswith(b"\x89PNG")
    background = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    for text in ("h1", ".lead", ".glance dd", ".glance small", ".warnings li"):
        for found in page.locator(f"#first {text}").all()[:1]:
            color = luminance(found.evaluate("node => getComputedStyle(node).color"))
            lighter, darker = max(color, background), min(color, background)
            assert (lighter + 0.05) / (darker + 0.05) > 4.5, text


def test_folded_the_page_is_short_and_unfolded_it_has_everything_in_its_whole_width(open_page):
    page = open_page(DESK)
    tables = page.locator("table.numbers")
    assert tables.count() > 10
    assert not any(table.is_visible() for table in tables.all())
    folded = page.evaluate("document.documentElement.scrollHeight")
    questions = page.locator("main > section").count()
    # Half of a row of the grid for each question, and a screen for what stands above them.
    assert folded < DESK[1] + 420 * questions
    section = page.locator("main > section", has_text="How long does a message take?")
    before = section.bounding_box()
    section.locator("summary", has_text="Numbers of pingpong").click()
    assert section.bounding_box()["width"] > 1.8 * before["width"]
    unfold(page)
    assert all(table.is_visible() for table in tables.all())
    assert page.evaluate("document.documentElement.scrollHeight") > 2 * folded


def test_the_tip_never_leaves_the_window(open_page):
    page = open_page(PHONE)
    draw_all(page)  # so that no figure above becomes live, and moves this one, in between
    panel = figure(page, "send-modes").locator(".drawing").first
    for across in (0.25, 0.6, 0.9):
        point_at(panel, across)
        page.locator(".tip").wait_for(state="visible")
        tip = page.locator(".tip").bounding_box()
        assert tip["x"] >= 0
        assert tip["x"] + tip["width"] <= PHONE[0]


def luminance(color: str) -> float:
    channels = [int(value) / 255 for value in re.findall(r"\d+", color)[:3]]
    return sum(w * c**2.2 for w, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
@pytest.mark.parametrize("scripts", [True, False])
def test_page_and_figures_follow_the_theme(open_page, scheme, is_dark, scripts):
    page = open_page(scheme=scheme, scripts=scripts)
    if scripts:
        figure(page, "message-time")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    line = page.locator(".drawing [stroke='var(--series-1)']").first
    label = page.locator(".drawing text").first
    assert (luminance(background) < 0.2) is is_dark
    for color in (
        line.evaluate("node => getComputedStyle(node).stroke"),
        label.evaluate("node => getComputedStyle(node).fill"),
    ):
        assert color.startswith("rgb"), color
        assert (luminance(color) > luminance(background)) is is_dark


def test_paper_is_white_whatever_the_theme(open_page):
    page = open_page(scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    background = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--page')"
    )
    assert background.strip() == "#ffffff"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_scrolls_down_only_and_captions_are_read_without_scrolling(open_page, scripts):
    page = open_page(PHONE, scripts=scripts)
    unfold(page)
    captions = page.locator("caption span").all()
    assert len(captions) > 2
    for caption in captions:
        box = caption.bounding_box()
        assert box["x"] + box["width"] <= PHONE[0]
    if scripts:
        draw_all(page)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    if scripts:
        for drawing in page.locator(".drawing svg.marks").all():
            box = drawing.bounding_box()
            assert box["x"] + box["width"] <= PHONE[0]


def test_cells_of_a_field_are_squares_on_every_page(open_page, report):
    survey = Survey(noise=0.0)
    axes = {"initial": "sin-x", "scheme": "first-order", "velocity": "++", "points": 64}
    axes |= {"processes": "even", "step": "0.4", "transport": "auto"}
    survey.measured("advection-solution", axes, 1e-3, outcome=advected(64, 0.1))
    run = read_run(survey.write(report.with_name("field.jsonl")))
    report.with_name("field.html").write_text(render_report([run]), encoding="utf-8")
    for size in (PHONE, DESK):
        page = open_page(size)
        page.goto(report.with_name("field.html").as_uri())
        field = figure(page, "advection-field").locator(".drawing.live").first
        box = field.locator(".mark-rect").first.bounding_box()
        assert box["width"] == pytest.approx(box["height"], abs=1)
        assert box["width"] <= PHONE[0]


def test_live_figures_fit_a_window_that_changes(open_page):
    page = open_page(DESK)
    drawing = figure(page, "message-time").locator(".drawing").first
    wide = drawing.locator("svg.marks").bounding_box()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.wait_for_function(
        "before => document.querySelector(\"[data-panel='message-time/0'] svg.marks\")"
        ".getBoundingClientRect().width < before - 50",
        arg=wide["width"],
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_without_scripts_figures_and_tables_are_there(open_page, small_run):
    page = open_page(scripts=False)
    drawings = page.locator(".drawing > svg")
    assert drawings.count() == page.locator(".drawing").count() > 10
    unfold(page)
    for drawing in drawings.all():
        box = drawing.bounding_box()
        assert box["width"] > 150
        assert box["height"] > 50
    assert page.locator(".key input:visible").count() == 0
    assert page.locator("button:visible").count() == 0
    table = page.locator("details:has-text('Numbers of pingpong') table").first
    assert table.is_visible()
    stored = sum(result.study == "pingpong" for result in summarise(small_run))
    assert table.locator("tbody tr").count() == stored


def test_the_data_can_be_saved(open_page, tmp_path):
    page = open_page()
    with page.expect_download() as download:
        page.locator("#save-data").click()
    saved = tmp_path / "data.json"
    download.value.save_as(saved)
    assert saved.read_text("utf-8") == page.locator("#transrank-data").text_content()
