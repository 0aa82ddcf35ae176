# SPDX-License-Identifier: BSD-3-Clause
"""Draws terminal.svg: a command with `--color always`, and what it printed, as in terminal.txt.

Usage: python docs/images/terminal.py
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from drawing import framed

SESSION = Path(__file__).with_suffix(".txt")
# Pixels of a character and of a line.
ACROSS, DOWN = 8.4, 19
LEFT, TOP = 16, 50
# What codes of a terminal are called in STYLE; 0 ends all of them.
KINDS = {"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow", "36": "cyan"}
STYLE = """
  .paper { fill: #1b1f24 } .dot { fill: #59636e }
  text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d6dbe1;
    white-space: pre }
  .bold { font-weight: 700; fill: #ffffff } .dim { fill: #9aa4ae } .red { fill: #ff7b72 }
  .green { fill: #56d364 } .yellow { fill: #e3b341 } .cyan { fill: #76e3ea }
"""


def pieces(line: str) -> list[tuple[int, str, str]]:
    """(column, text, classes) of what stands in a line between codes, without blanks around it."""
    column = 0
    kinds: set[str] = set()
    found = []
    for words, codes in re.findall(r"([^\x1b]*)(?:\x1b\[([\d;]*)m)?", line):
        classes = " ".join(sorted(kinds))
        found += [
            (column + piece.start(), piece[0], classes)
            for piece in re.finditer(r"\S+(?: \S+)*", words)
        ]
        column += len(words)
        for code in filter(None, codes.split(";")):
            kinds = set() if code == "0" else kinds | {KINDS[code]}
    return found


def picture() -> str:
    lines = SESSION.read_text("utf-8").rstrip().splitlines()
    parts = [f'<circle cx="{22 + 18 * dot}" cy="20" r="5.5" class="dot"/>' for dot in range(3)]
    for number, line in enumerate(lines):
        for column, words, kinds in pieces(line):
            place = f'x="{LEFT + ACROSS * column:g}" y="{TOP + DOWN * number}"'
            width = f'textLength="{ACROSS * len(words):g}"'
            parts.append(f'<text {place} {width} class="{kinds}">{escape(words)}</text>')
    size = (round(2 * LEFT + 80 * ACROSS), TOP + DOWN * len(lines))
    return framed(size, "A terminal: transrank versus, with its verdicts in color", STYLE, parts)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), "utf-8")
