# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx: writes the pages of names, lists them at a directive `names`, and links to them."""

import re
from pathlib import Path

import reference_pages
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Names(SphinxDirective):
    """A table of the names of a language in some headers, or with some beginnings."""

    required_arguments = 1
    optional_arguments = 30

    def run(self) -> list[Node]:
        language, *wanted = self.arguments
        pages = [page for page in reference_pages.pages() if page.language == language]
        rows = ["| name | collective | what it is |", "|---|---|---|"]
        for place in wanted:
            for page in pages:
                it = page.declared[0]
                if it.header.endswith(f"/{place}") or it.name.startswith(place):
                    calling = "yes" if it.is_collective else ""
                    rows.append(f"| [`{it.name}`]({page.link}) | {calling} | {first(page)} |")
        return self.parse_text_to_nodes("\n".join(rows))


def first(page: reference_pages.Page) -> str:
    """The first sentence after "Collective.", and what the page has besides."""
    words = re.sub(r"^(Not c|C)ollective\. ", "", " ".join(page.declared[0].doc.split()))
    short = [re.split("::|%", it.name)[-1] for it in page.declared if it.name != page.name]
    members = ", ".join(f"`{name}`" for name in dict.fromkeys(short))
    said = re.split(r"(?<=[.:]) ", words)[0].rstrip(":.") + "." * bool(words)
    return (f"{said} Has: {members}" if members else said).replace("|", "\\|")


def lead_elsewhere(
    _app: Sphinx, what: str, name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Append to a docstring of Python its links to other languages, and words to search for."""
    links = reference_pages.elsewhere(name)
    if what in ("class", "function", "method") and links:
        lines += ["", f"**See also:** {', '.join(links.values())}"]
    if what in ("class", "function"):
        short = name.removeprefix("transrank.")
        words = reference_pages.searched(name)
        lines += ["", *(f".. index:: single: {word}; {short}" for word in words), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")  # has the event of docstrings
    app.add_directive("names", Names)
    folder = Path(__file__).parent / "reference"
    app.connect("autodoc-process-docstring", lead_elsewhere, priority=600)  # after napoleon (500)
    app.connect("builder-inited", lambda _: reference_pages.write(folder))
    return {"parallel_read_safe": True}
