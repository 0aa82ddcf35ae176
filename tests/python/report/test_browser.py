# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser: figures drawn, curves toggled, values read, every width and theme."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from python.report.synthetic import Survey, advected
from transrank import units
from transrank.report.page import render_report
from transrank.stats.summary import summarise
from transrank.store.records import read_run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from transrank.store.records import Run

CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")

# A browser in a container, as root, that stays off the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
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
        page.heard = heard  # type: ignore[attr-defined]
        return page

    yield open_it
    for context in contexts:
        context.close()


def draw_all(page: Page) -> None:
    """Scroll every figure into view, as a reader does, and wait until all are live."""
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
    assert box is not None
    for step in (-2, 0):
        panel.hover(position={"x": box["width"] * across + step, "y": box["height"] / 2})


def test_all_figures_are_drawn_and_nothing_is_fetched_or_complained_of(
    open_page: Callable[..., Page], report: Path
) -> None:
    page = open_page()
    draw_all(page)
    assert page.heard == [report.as_uri()]  # type: ignore[attr-defined]
    drawings = page.locator(".drawing.live > div > svg, .drawing.live svg.marks")
    assert drawings.count() == page.locator(".drawing").count() > 10
    for drawing in drawings.all():
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 150
        assert box["height"] > 50
        marks = drawing.locator("g[class*='mark-line'] path, g[class*='mark-rect'] path, path[d]")
        assert any(len(mark.get_attribute("d") or "") > 8 for mark in marks.all()[:40])


def test_a_key_hides_its_curve_and_shows_it_again(open_page: Callable[..., Page]) -> None:
    page = open_page()
    modes = figure(page, "send-modes")
    panel = modes.locator(".drawing").first
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
    assert panel.locator("[stroke='var(--series-1)']").count() > 0, "other curves stay"

    bsend.locator("input").focus()
    page.keyboard.press("Space")
    playwright.expect(panel.locator(f"[stroke='{color}']")).to_have_count(before)


def test_published_curves_can_be_hidden_too(open_page: Callable[..., Page]) -> None:
    page = open_page()
    panel = figure(page, "message-time").locator(".drawing").first
    dashed = panel.locator("path[stroke='var(--published)']")
    assert dashed.count() == 1
    figure(page, "message-time").locator(".key label", has_text="Fugaku, 2 ranks").click()
    playwright.expect(dashed).to_have_count(0)


def test_pointing_at_a_figure_reads_its_curves(
    open_page: Callable[..., Page], small_run: Run
) -> None:
    page = open_page()
    panel = figure(page, "message-time").locator(".drawing").first
    point_at(panel, 0.8)

    tip = page.locator(".tip")
    tip.wait_for(state="visible")
    text = tip.inner_text()
    size = text.splitlines()[0].strip()
    (result,) = (
        each
        for each in summarise(small_run)
        if each.study == "pingpong" and each.bytes and units.format_bytes(each.bytes) == size
    )
    assert result.headline is not None
    assert f"{units.format_seconds(result.headline.value)} (" in text
    assert "2 ranks" in text
    assert "Fugaku" in text

    figure(page, "message-time").locator(".key label", has_text="Fugaku, 2 ranks").click()
    point_at(panel, 0.7)
    tip.wait_for(state="visible")
    assert "Fugaku" not in tip.inner_text(), "a hidden curve is not read"

    page.mouse.move(2, 2)
    tip.wait_for(state="hidden")


def test_the_tip_never_leaves_the_window(open_page: Callable[..., Page]) -> None:
    page = open_page(PHONE)
    draw_all(page)  # so that no figure above becomes live, and moves this one, in between
    panel = figure(page, "send-modes").locator(".drawing").first
    for across in (0.25, 0.6, 0.9):
        point_at(panel, across)
        page.locator(".tip").wait_for(state="visible")
        tip = page.locator(".tip").bounding_box()
        assert tip is not None
        assert tip["x"] >= 0
        assert tip["x"] + tip["width"] <= PHONE[0]


def luminance(color: str) -> float:
    channels = [int(value) / 255 for value in re.findall(r"\d+", color)[:3]]
    return sum(w * c**2.2 for w, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
@pytest.mark.parametrize("scripts", [True, False])
def test_page_and_figures_follow_the_theme(
    open_page: Callable[..., Page], scheme: str, is_dark: bool, scripts: bool
) -> None:
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


def test_paper_is_white_whatever_the_theme(open_page: Callable[..., Page]) -> None:
    page = open_page(scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    background = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--page')"
    )
    assert background.strip() == "#ffffff"


@pytest.mark.parametrize("scripts", [True, False])
def test_captions_are_read_without_scrolling(open_page: Callable[..., Page], scripts: bool) -> None:
    page = open_page(PHONE, scripts=scripts)
    captions = page.locator("caption span").all()
    assert len(captions) > 2
    for caption in captions:
        box = caption.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE[0]


def test_cells_of_a_field_are_squares_on_every_page(
    open_page: Callable[..., Page], report: Path
) -> None:
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
        assert box is not None
        assert box["width"] == pytest.approx(box["height"], abs=1)
        assert box["width"] <= PHONE[0]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_scrolls_down_only(open_page: Callable[..., Page], scripts: bool) -> None:
    page = open_page(PHONE, scripts=scripts)
    if scripts:
        draw_all(page)
    for fold in page.locator("details summary").all():
        fold.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    if scripts:
        for drawing in page.locator(".drawing svg.marks").all():
            box = drawing.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= PHONE[0]


def test_live_figures_fit_a_window_that_changes(open_page: Callable[..., Page]) -> None:
    page = open_page(DESK)
    drawing = figure(page, "message-time").locator(".drawing").first
    wide = drawing.locator("svg.marks").bounding_box()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert wide is not None
    page.wait_for_function(
        "before => document.querySelector(\"[data-panel='message-time/0'] svg.marks\")"
        ".getBoundingClientRect().width < before - 50",
        arg=wide["width"],
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_without_scripts_figures_and_tables_are_there(
    open_page: Callable[..., Page], small_run: Run
) -> None:
    page = open_page(scripts=False)
    drawings = page.locator(".drawing > svg")
    assert drawings.count() == page.locator(".drawing").count() > 10
    for drawing in drawings.all():
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 150
        assert box["height"] > 50
    assert page.locator(".key input:visible").count() == 0
    assert page.locator("button:visible").count() == 0
    page.locator("summary", has_text="All numbers of pingpong").click()
    table = page.locator("details:has-text('All numbers of pingpong') table").first
    assert table.is_visible()
    stored = sum(result.study == "pingpong" for result in summarise(small_run))
    assert table.locator("tbody tr").count() == stored


def test_the_data_can_be_saved(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page()
    with page.expect_download() as download:
        page.locator("#save-data").click()
    saved = tmp_path / "data.json"
    download.value.save_as(saved)
    assert saved.read_text("utf-8") == page.locator("#transrank-data").text_content()
