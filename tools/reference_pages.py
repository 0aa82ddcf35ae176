# SPDX-License-Identifier: BSD-3-Clause
"""A page for each name of the library in C++, C and Fortran, from what its headers say.

Members of a class, and procedures of a Fortran type, are on its page. Pages are Markdown for MyST.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from textwrap import dedent

from declarations import Declaration, of_header
from fortran_module import of_module

ROOT = Path(__file__).parents[1]
# What people search who do not know our names.
SEARCHED = {
    "halo|Grid": ("halo exchange", "ghost cell exchange", "stencil communication"),
    "ghost|Ghost|Transformer": ("ghost cell exchange", "halo exchange", "gather and scatter"),
    "edistribut": ("redistribution of arrays", "transposing a distributed array"),
    "lltoall": ("all-to-all", "transposing a distributed array"),
    "xchange": ("persistent communication", "nonblocking communication"),
    "emory|shared": ("shared memory",),
}
LANGUAGES = {"cpp": "C++", "c": "C", "fortran": "Fortran"}
PROGRAMS = {
    "cpp": ("examples/*.cpp", "tests/cpp/*/*.cpp", "cpp/transrank/*/*.cpp", "cpp/c/*.cpp"),
    "c": ("examples/c/*.c", "tests/c/*.c"),
    "fortran": ("examples/fortran/*.f90", "tests/fortran/*.f90"),
}
STANDARD = r"std::(?:\w+_error|invalid_argument|out_of_range|bad_alloc)"
EXCEPTION = re.compile(rf"\b(?:\w+::)*(?:\w*Error|Misuse|BrokenExchange|{STANDARD})\b")


@dataclass(eq=False)
class Page:
    """A name that no class has, and what it has itself."""

    language: str
    name: str
    declared: list[Declaration] = field(default_factory=list)

    @property
    def link(self) -> str:
        short = self.name.removeprefix("transrank::").replace("::", "-")
        return f"/reference/{self.language}/{short}.md"


@cache
def pages() -> list[Page]:
    """Of the headers that docs/cpp.md names, of transrank.h and of the Fortran module."""
    guide = (ROOT / "docs" / "cpp.md").read_text("utf-8")
    tables = re.findall(r"^```\{names\} cpp (.*)", guide, re.MULTILINE)
    headers = [f"transrank/{header}" for table in tables for header in table.split()]
    declared = {
        "cpp": [it for header in headers for it in of_header(ROOT, header)],
        "c": [it for it in of_header(ROOT, "transrank/transrank.h") if not it.name.endswith("_f")],
        "fortran": list(of_module(ROOT)),
    }
    found: dict[tuple[str, str], Page] = {}
    for language, every in declared.items():
        types = {it.name for it in every if it.kind == "type"}
        for it in every:
            parts = re.split("(::|%)", it.name)
            owners = ["".join(parts[:n]) for n in range(1, len(parts), 2)]
            name = next((owner for owner in owners if owner in types), it.name)
            found.setdefault((language, name), Page(language, name)).declared.append(it)
    return list(found.values())


def collective(it: Declaration) -> str:
    """Whether every rank must make the call."""
    if it.is_collective:
        return "yes, over the communicator"
    return "in some cases, see above" if "Collective" in it.doc else "no"


def errors(it: Declaration, language: str) -> str:
    """What a call raises; empty where its header does not say so."""
    raised = [f"`{name}`" for name in dict.fromkeys(EXCEPTION.findall(it.doc))]
    if language == "cpp":
        raised += ["as the one named above"] if re.search(r"Throws (also|as)\b", it.doc) else []
        if it.is_collective and not any("AgreedError" in name for name in raised):
            raised.insert(0, "`mpi::AgreedError`")
        is_safe = re.search(r"\b(noexcept|constexpr)\b|\bconst;$", it.text)
        is_safe = is_safe or re.search(r"[Tt]hrows\s+nothing", it.doc)
        return ", ".join(raised) or ("none" if is_safe else "")
    if "errmsg" not in it.text and not it.text.startswith("int "):
        return "none"
    kind = "AGREED" if it.is_collective else "ARGUMENT"
    named = re.findall(r"TRANSRANK_ERROR_\w+|transrank_error_\w+", it.doc)
    status = f"TRANSRANK_ERROR_{kind}" if language == "c" else f"transrank_error_{kind.lower()}"
    return ", ".join(f"`{name}`" for name in dict.fromkeys([status, *named]))


def key(it: Declaration) -> str:
    """The same in all languages for what is the same."""
    return key_of(it.twin or it.name)


def key_of(name: str) -> str:
    """The key of a name of any language, Python's included."""
    words = re.split(r"::|%|\.", name.removeprefix("transrank_"))[-2:]
    joined = words[-1] if words[-1][:1].isupper() else "_".join(words)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", joined).lower()


@cache
def places() -> dict[str, list[tuple[str, str]]]:
    """The names and links of what has a key, and of each page by the last part of its name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for page in pages():
        found.setdefault(page.name.rpartition("::")[2], []).append((page.name, page.link))
        for it in page.declared:
            found.setdefault(key(it), []).append((it.name, page.link))
    return found


def related(page: Page, it: Declaration) -> str:
    """Links to the types that it names, and to what is the same in another language."""
    found: dict[str, str] = {}
    space = page.name.removesuffix(page.name.rpartition("::")[2])
    for word in re.findall(r"(?:\w+::)*[A-Z]\w+|transrank_\w+", it.text):
        named = [
            (name not in (space + word, f"transrank::{word}"), link)
            for name, link in places().get(word.rpartition("::")[2], [])
            if f"/{page.language}/" in link
        ]
        found |= {f"`{word}`": link for _, link in sorted(named)[:1]}
    for name, link in places()[key(it)]:
        language = link.split("/")[2]
        if language != page.language:
            found |= {f"`{name}` in {LANGUAGES[language]}": link}
    shown = [f"[{label}]({link})" for label, link in found.items() if link != page.link]
    return f"* **See also:** {', '.join(shown)}" if shown else ""


def elsewhere(name: str) -> dict[str, str]:
    """A reference of Sphinx for each language that has the same as this name of Python."""
    found: dict[str, str] = {}
    for there, link in places().get(key_of(name), []):
        label = f"{there} in {LANGUAGES[link.split('/')[2]]}"
        found.setdefault(link.split("/")[2], f":doc:`{label} <{link.removesuffix('.md')}>`")
    return found


def searched(name: str) -> list[str]:
    """What people search who do not know this name."""
    return [word for it, words in SEARCHED.items() if re.search(it, name) for word in words]


@cache
def programs(language: str) -> list[tuple[str, str]]:
    paths = [path for place in PROGRAMS[language] for path in sorted(ROOT.glob(place))]
    return [(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in paths]


def example(page: Page, name: str) -> str:
    """A statement of a tested program that uses the name; of the library, for what has a page."""
    owner, _, short = name.replace("%", "::").rpartition("::")
    called = rf"[.%>]{re.escape(short)}\(" if page.name != name else rf"(?<![.%>\w]){short}\b"
    constants = re.findall(r"\bTRANSRANK_\w+|\btransrank_\w+(?= = )", page.declared[0].text)
    called = "|".join([called, *constants])
    found: list[str] = []
    for path, text in programs(page.language):
        is_own = path.startswith("cpp/")
        if found and is_own:
            break
        is_of_all = owner == "transrank_object"  # from which the types of Fortran are derived
        is_met = is_of_all or owner.rpartition("::")[2] in text
        if page.name == name or (is_met and not is_own):
            found += uses(path, text, called, page.language)
    return next((it for it in found if "CHECK" not in it and "THROW" not in it), "".join(found[:1]))


def uses(path: str, text: str, called: str, language: str) -> Iterator[str]:
    """Each statement of a function that has what is called, with the line above it."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if re.search(called, line) and re.match(r"  (?! *(//|!|(end )?subroutine|use))", line):
            ends = (j for j in range(i, len(lines)) if lines[j].rstrip()[-1:] not in ",(&=")
            shown = dedent("\n".join(lines[i - 1 : next(ends, i) + 1]))
            yield f"In `{path}`:\n```{language}\n{shown}\n```"


@cache
def text_of(page: Page) -> str:
    """Synopsis, words, facts and example of each name."""
    index = [f"single: {word}; {page.name}" for word in searched(page.name)]
    index += [f"single: {it.name}" for it in page.declared]
    parts = [f"---\norphan: true\n---\n# {page.name}"]
    include = f'#include "{page.declared[0].header}"'
    parts.append("`use transrank`" if page.language == "fortran" else f"`{include}`")
    parts.append("```{eval-rst}\n.. index::\n   " + "\n   ".join(dict.fromkeys(index)) + "\n```")
    for it in page.declared:
        is_next = it.name != page.name and f"## {it.name}" not in parts
        parts += [f"## {it.name}"] if is_next else []
        parts += [f"```{page.language}\n{it.text}\n```", it.doc]
        facts = f"* **Collective:** {collective(it)}\n* **Errors:** {errors(it, page.language)}\n"
        parts.append((facts if it.kind == "function" else "") + related(page, it))
        parts.append(example(page, it.name) if is_next or it is page.declared[0] else "")
    return "\n\n".join(part for part in parts if part) + "\n"


def write(folder: Path) -> None:
    """Write those pages that have changed, and remove those of names that are gone."""
    texts = {folder / page.link.removeprefix("/reference/"): text_of(page) for page in pages()}
    for language in PROGRAMS:
        (folder / language).mkdir(parents=True, exist_ok=True)
        for path in {*(folder / language).glob("*.md")} - {*texts}:
            path.unlink()
    for path, text in texts.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
