# SPDX-License-Identifier: BSD-3-Clause
"""What the headers of the library declare, and the `///` comments above it.

A reader of our own style, not of C++: it needs no compiler, no MPI and no package, and reads C too.
One comment serves the declarations that follow it without an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<macro>^[ \t]*#(?:\\\n|[^\n])*)"
    r"|\"(?:\\.|[^\"\\])*\"|(?P<empty>\n[ \t]*(?=\n))|.",
    re.DOTALL | re.MULTILINE,
)
ACCESS = re.compile(r"\s*(public|private|protected):$")
UNSEEN = re.compile(
    r"^class \w+;|^using [\w:]+::\w+;"
    r"|\b(?:friend|static_assert|operator(?!\[)|override)\b|~|= (?:default|delete);|^(\w+)\(\1&&\)"
)


@dataclass(frozen=True)
class Declaration:
    """`kind` is "function", "type" or "value"; `text` is how it is declared, without a body."""

    kind: str
    name: str  # with the namespaces and classes around it
    text: str
    doc: str
    header: str
    twin: str = ""  # of Fortran: the function of C that it calls

    @property
    def is_collective(self) -> bool:
        return self.doc.startswith("Collective.")


@dataclass
class Statement:
    doc: str
    code: str  # without what is in braces behind it
    body: str
    whole: str


def statements(text: str) -> Iterator[Statement]:
    """Those of one level, with their comments."""
    doc: list[str] = []
    fresh = False  # whether the comment has no declaration yet
    begin, body, position, depth = -1, (0, 0), 0, 0
    while found := TOKEN.match(text, position):
        sign, position = found[0], found.end()
        if begin < 0 and (found["comment"] or "").startswith("///"):
            if not sign.startswith("///<"):
                doc, fresh = [*(doc if fresh else []), sign[3:]], True
            continue
        if begin < 0 and (found["empty"] or found["macro"]):
            doc = []
        if found["comment"] or found["macro"] or (begin < 0 and not sign.strip()):
            continue
        begin = found.start() if begin < 0 else begin
        depth += (sign in "([") - (sign in ")]")
        if sign == "{" and depth == 0:
            end = closing(text, position)
            body, position = (position - 1, end), end
            rest = text[end:].lstrip()
            ended = rest[:1] not in (";", ",", "{") and not text[begin:].startswith("typedef")
        else:
            ended = (sign == ";" and depth == 0) or bool(ACCESS.match(text[begin:position]))
        if ended:
            indent = begin - text.rfind("\n", 0, begin) - 1
            whole, code = (
                re.sub(rf"^ {{0,{indent}}}", "", text[begin:end], flags=re.MULTILINE)
                for end in (position, body[0] if body[1] else position)
            )
            code = code.rstrip("; \n")
            yield Statement(dedent("\n".join(doc)).strip(), code, text[slice(*body)][1:-1], whole)
            begin, body, fresh = -1, (0, 0), False


def closing(text: str, position: int) -> int:
    """The place behind the brace that ends what began before `position`."""
    depth = 1
    while depth:
        found = TOKEN.match(text, position)
        assert found
        position = found.end()
        depth += (found[0] == "{") - (found[0] == "}")
    return position


def without_templates(code: str) -> str:
    while (shorter := re.sub(r"<[^<>]*>", "", code)) != code:
        code = shorter
    return re.sub(r"^template\s*|\[\[.*?\]\]\s*", "", code.strip())


def declarations(
    text: str, header: str, scope: str = "", is_open: bool = True
) -> Iterator[Declaration]:
    """The public ones of a header, in its order."""
    for it in statements(text):
        code = without_templates(it.code)
        name = f"{scope}::" if scope else ""
        if access := ACCESS.match(it.whole):
            is_open = access[1] == "public"
        elif found := re.match(r"(?:namespace ([\w:]+)|extern \"C\")$", code):
            yield from declarations(it.body, header, name + found[1] if found[1] else scope)
        elif not is_open or UNSEEN.search(it.whole[: len(it.code) + 1]):
            continue
        elif found := re.match(r"(?:typedef )?(class|struct|enum)(?: class)? (\w+)", code):
            inside = list(declarations(it.body, header, name + found[2], found[1] != "class"))
            whole = found[1] == "enum" or not any(one.kind == "function" for one in inside)
            shown = it.whole if whole else it.code + ";"
            yield Declaration("type", name + found[2], shown, it.doc, header)
            yield from () if whole else inside
        elif found := re.match(r"[^=]*?(operator\[\]|\w+)\s*\(", code):
            shown = re.sub(r"(\)(?: noexcept)?)\s+:\s.*", r"\1", it.code, flags=re.DOTALL)
            yield Declaration("function", name + found[1], shown + ";", it.doc, header)
        elif found := re.search(r"(?s)(\w+)(?:\s*=.*)?$", it.body if code == "enum" else code):
            yield Declaration("value", name + found[1], it.whole, it.doc, header)


def of_header(root: Path, header: str) -> list[Declaration]:
    """Of a header, named as programs include it."""
    folder = "cpp/c" if header.endswith(".h") else "cpp"
    return list(declarations((root / folder / header).read_text("utf-8"), header))
