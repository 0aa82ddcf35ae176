# SPDX-License-Identifier: BSD-3-Clause
"""What the Fortran module offers, and the `!>` comments above it, as `declarations` of a header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from declarations import Declaration

TYPE = re.compile(r"(?ms)^    type(?:, [^\n]*)? :: (transrank_\w+)\n(.*?)^    end type")
CONSTANT = r" +integer, parameter, public :: (\w+)[^\n]*\n"
CONSTANTS = re.compile(rf"((?: +! [^\n]*\n)+)({CONSTANT}(?:{CONSTANT})*)")
PROCEDURE = re.compile(r"(?ms)^    (subroutine|function) (\w+)\(.*?^    end \1")
BOUND = re.compile(r"((?: +!>.*\n)*) +(?:procedure|generic) :: (\w+) => ((?:.*&\n)*.*)\n")
# The first line of a procedure, which may go on, and those that declare its arguments.
ARGUMENTS = re.compile(r"(?:.*&\n)*.*\n(?:.*\b(?:intent|optional|result)\b.*\n|.*:: text\n)*")
HIDDEN = re.compile(r"(?ms)^ {8}private\n.*|^[^\n]*, private ::[^\n]*\n")


def of_module(root: Path) -> Iterator[Declaration]:
    """Of fortran/transrank.f90: constants, types, their procedures, and those of no type."""
    text = (root / "fortran" / "transrank.f90").read_text("utf-8")
    body = text[text.index("\ncontains\n") :]
    procedures = {found[2]: found[0] for found in PROCEDURE.finditer(body)}
    for comment, constants, first, _ in CONSTANTS.findall(text):
        yield declaration("value", first, constants, comment)
    for found in TYPE.finditer(text):
        data, _, bound = found[2].partition("    contains\n")
        shown = found[0].replace(found[2], HIDDEN.sub("", data))
        yield declaration("type", found[1], shown, above(text[: found.start()]))
        for doc, name, made_by in BOUND.findall(bound):
            made = [procedures[one] for one in re.findall(r"\w+", made_by)]
            yield procedure(f"{found[1]}%{name}", made, doc)
    for name in re.findall(r"\w+", *re.findall(r"^    public :: (.*)$", text, re.MULTILINE)):
        yield procedure(name, [procedures[name]], above(text[: text.index(procedures[name])]))


def above(text: str) -> str:
    """The comment at the end of a text."""
    return "".join(re.findall(r"(?: +!>[^\n]*\n)*\Z", text))


def procedure(name: str, made_by: list[str], doc: str) -> Declaration:
    """One for each list of arguments: the others differ in a kind alone."""
    heads: dict[str, str] = {}
    short = name.rpartition("%")[2]
    for it in made_by:
        head = dedent(ARGUMENTS.findall(it)[0])
        head = re.sub(r"function \w+\(self\) result\((\w+)\)", rf"\1 = self%{short}()", head)
        head = re.sub(r"subroutine \w+\(self(?:, )?", f"call self%{short}(", head)
        heads.setdefault(head[: head.index(")")], head)
    called = re.search(r"(?:finish\(|step\(|status = |text_at\(|if \()c_(\w+)", made_by[0])
    twin = f"transrank_{called[1]}" if called else ""
    return declaration("function", name, "\n".join(heads.values()), doc, twin)


def declaration(kind: str, name: str, text: str, doc: str, twin: str = "") -> Declaration:
    words = dedent(re.sub(r"^ *!>? ?", "", doc, flags=re.MULTILINE)).strip()
    return Declaration(kind, name, dedent(text).strip(), words, "fortran/transrank.f90", twin)
