# SPDX-License-Identifier: BSD-3-Clause
"""A page taken apart: its elements checked for balance, its tables, texts and embedded JSON."""

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "hr", "img"}


@dataclass
class Table:
    """A table's caption, or the summary it is folded under, with its rows of texts."""

    name: str
    rows: list[list[str]] = field(default_factory=list)


class Page(HTMLParser):
    """Reads a report; raises AssertionError where elements do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Table] = []
        self.scripts: dict[str, str] = {}
        self.headings: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self._summary = ""
        self._script = ""
        self.feed(html)
        self.close()
        assert self._open == [], self._open

    @property
    def text(self) -> str:
        """Everything that a reader sees, spaces made equal."""
        return " ".join(" ".join(self.words).split())

    def json(self, name: str) -> Any:
        return json.loads(self.scripts[name])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag in VOID:
            return
        self._open.append(tag)
        if tag == "table":
            self.tables.append(Table(self._summary))
        elif tag == "tr":
            self.tables[-1].rows.append([])
        elif tag in ("td", "th"):
            self.tables[-1].rows[-1].append("")
        elif tag == "caption":
            self.tables[-1].name = ""
        elif tag in ("h1", "h2", "h3"):
            self.headings.append("")
        elif tag == "summary":
            self._summary = ""
        elif tag == "script":
            self._script = dict(attrs).get("id") or f"script-{len(self.scripts)}"
            self.scripts[self._script] = ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> without its beginning"
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self._open:
            self.scripts[self._script] += data
            return
        if "style" in self._open:
            return
        self.words.append(data)
        inside = set(self._open)
        if inside & {"td", "th"}:
            self.tables[-1].rows[-1][-1] += data
        elif "caption" in inside:
            self.tables[-1].name += data
        elif "summary" in inside:
            self._summary += data
        elif inside & {"h1", "h2", "h3"}:
            self.headings[-1] += data
