# SPDX-License-Identifier: BSD-3-Clause
"""Every public name has a page, and every page says what a caller must know."""

import re
from pathlib import Path

import pytest
from declarations import Declaration, declarations
from reference_pages import (
    Page,
    collective,
    elsewhere,
    errors,
    pages,
    searched,
    text_of,
)

ROOT = Path(__file__).parents[2]
C_HEADER = (ROOT / "cpp" / "c" / "transrank" / "transrank.h").read_text("utf-8")
MODULE = (ROOT / "fortran" / "transrank.f90").read_text("utf-8")
LANGUAGES = ["cpp", "c", "fortran"]


def of(language: str) -> list[Page]:
    return [page for page in pages() if page.language == language]


def names(language: str) -> set[str]:
    return {it.name for page in of(language) for it in page.declared}


def calls(language: str) -> list[tuple[Page, Declaration]]:
    return [(page, it) for page in of(language) for it in page.declared if it.kind == "function"]


def test_every_name_of_the_c_header_has_a_page():
    functions = re.findall(r"^(?:int|const char\*) (transrank_\w+)\(", C_HEADER, re.MULTILINE)
    types = re.findall(r"^(?:typedef struct|enum) (transrank_\w+)", C_HEADER, re.MULTILINE)
    wanted = {name for name in functions + types if not name.endswith("_f")}
    assert len(wanted) > 70
    assert wanted <= names("c")
    texts = "".join(text_of(page) for page in of("c"))
    constants = set(re.findall(r"^ +(TRANSRANK_\w+)", C_HEADER, re.MULTILINE))
    assert {name for name in constants if name not in texts} == set()


def test_every_name_of_the_fortran_module_has_a_page():
    types = re.split(r"^    type(?=[,:])", MODULE, flags=re.MULTILINE)[1:]
    wanted = {
        f"{name[1]}%{bound}"
        for text in types
        if (name := re.search(r"public :: (\w+)\n", text))
        for bound in re.findall(r"(?:generic|procedure) :: (\w+) =>", text.split("end type")[0])
    }
    assert len(wanted) > 40
    assert wanted <= names("fortran")
    texts = "".join(text_of(page) for page in of("fortran"))
    public = re.findall(r"public :: (transrank_\w+)(?:, (transrank_\w+))?", MODULE)
    assert {name for both in public for name in both if name not in texts} == set()


def test_every_header_that_programs_include_has_pages():
    umbrella = (ROOT / "cpp" / "transrank" / "transrank.hpp").read_text("utf-8")
    wanted = set(re.findall(r'#include "(transrank/\S+\.hpp)"', umbrella))
    assert wanted <= {it.header for page in of("cpp") for it in page.declared}
    for header in {it.header for page in of("cpp") for it in page.declared}:
        text = (ROOT / "cpp" / header).read_text("utf-8")
        types = re.findall(r"^(?:class|struct|enum class) (\w+)[^;{]*\{", text, re.MULTILINE)
        assert {*types} <= {name.rpartition("::")[2] for name in names("cpp")}, header


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_in_a_table_of_its_guide(language):
    guide = (ROOT / "docs" / f"{language}.md").read_text("utf-8")
    tables = re.findall(rf"^```\{{names\}} {language} (.*)", guide, re.MULTILINE)
    wanted = [place for table in tables for place in table.split()]
    lost = [
        page.name
        for page in of(language)
        if not page.declared[0].header.endswith(tuple(f"/{place}" for place in wanted))
        and not page.name.startswith(tuple(wanted))
    ]
    assert lost == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_says_whether_it_is_collective_and_what_it_raises(language):
    assert len(calls(language)) > 40
    for page, it in calls(language):
        assert errors(it, language), f"{it.name}: name what it throws, or that it throws nothing"
        text = text_of(page)
        assert f"**Collective:** {collective(it)}\n* **Errors:** {errors(it, language)}" in text


# These take a communicator and are a rank's own.
ALONE = {
    *("transrank::array::GhostUpdate::is_of", "transrank::discovery::Numbering::check_made_for"),
    *("transrank::mpi::Call::Call", "transrank::mpi::balance_of"),
    "transrank::redistribution::Redistribution::Redistribution",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_calls_with_a_communicator_are_collective(language):
    given = re.compile(r"\b(MPI_Comm|Communicator&|intent\(in\) ::) comm\b")
    wrong = [
        it.name
        for _, it in calls(language)
        if it.name not in ALONE and given.search(it.text) and not it.is_collective
    ]
    assert wrong == []
    if language == "c":
        assert all(it.is_collective == ("MPI_Comm" in it.text) for _, it in calls("c"))


# What every page of the language explains, or a type that has a page does.
COMMON = re.compile(
    r"(MPI_Comm|MPI_Fint|Communicator&|integer.*) comm$| (self|stat|errmsg|keep_alive|text)$"
    r"|options$|transrank_\w+\*\* |type\(transrank_"
)


def arguments(it: Declaration, language: str) -> list[tuple[str, str]]:
    """Type and name of each."""
    if language == "fortran":
        lines = re.findall(r"^ +(\S.*?) :: (.*)$", it.text, re.MULTILINE)
        return [(kind, one) for kind, some in lines for one in re.findall(r"(\w+)(?:\(|,|$)", some)]
    text = re.sub(r"^template <.*?>\n", "", it.text, flags=re.DOTALL)
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    text = re.sub(r" = (\{\}|[^,(){};]+)", "", text)
    short = re.escape(it.name.rpartition("::")[2])
    inside = re.search(rf"(?<![\w:]){short}\(((?:[^()]|\([^()]*\))*)\)", text)
    assert inside, it.name
    return re.findall(r"([^,()]*?[ &*])(\w+)\s*(?:,|$)", " ".join(inside[1].split()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_argument_is_explained(language):
    docs = {it.name: it.doc for page in pages() for it in page.declared}
    types = {page.name.rpartition("::")[2] for page in of(language)}
    unexplained, known = [], 0
    for page, it in calls(language):
        words = it.doc + docs.get(it.twin, "")
        if language != "c":
            words += "".join(one.doc for one in page.declared)
        for kind, name in arguments(it, language):
            bare = re.sub(r"const |[&* ]", "", kind).rpartition("::")[2]
            known += 1
            is_common = COMMON.search(f"{kind.strip()} {name}") or bare in types
            if not is_common and not re.search(rf"(?<![\w.:]){name}(?!\w)", words):
                unexplained.append(f"{it.name}: {kind} {name}")
    assert unexplained == []
    assert known > 100


def test_every_page_has_an_example():
    assert [page.name for page in pages() if "\nIn `" not in text_of(page)] == []


def test_fortran_has_what_c_has():
    functions = {it.name for _, it in calls("c")}
    twins = {it.twin for _, it in calls("fortran")}
    rest = {name for name in functions - twins if not name.endswith("_free")}
    # `errmsg`, what the module calls for what it finds wrong itself, `ghost_pull` with `places`.
    assert rest == {
        *("transrank_error_text", "transrank_refuse", "transrank_route_shapes"),
        "transrank_route_ghost_pull_at",
    }


def test_what_people_search_leads_to_a_page():
    texts = {page.name: text_of(page) for page in pages()}
    for name in ("transrank::grid::Grid", "transrank_route_halo", "transrank_route"):
        assert "ghost cell exchange" in texts[name], name


SAMPLE = """
namespace transrank::layout {

/// Of a page. Throws std::invalid_argument when it is torn,
/// or wet.
class Page final : public Paper {
public:
    /// Collective. Reads `lines` of it; "};" is no end.
    Page(MPI_Comm comm, std::vector<int> lines = {}, const char* text = "};")
        : lines_{std::move(lines)}, text_(text) {}
    Page(Page&&) noexcept;
    Page& operator=(const Page&) = default;
    /// How many, and how many at most.
    [[nodiscard]] int lines() const noexcept { return {}; }
    [[nodiscard]] int most() const noexcept;

    [[nodiscard]] int bare() const noexcept;

private:
    /// Nobody's.
    void hidden();
};

// No comment of a name.
using Names = std::function<void(int)>;
/// Two.
struct Pair {
    int one = 1;  ///< the first
};
}  // namespace transrank::layout
"""


def test_the_reader_finds_what_is_public_with_its_comment():
    read = {
        it.name.removeprefix("transrank::layout::"): it for it in declarations(SAMPLE, "it.hpp")
    }
    assert [*read] == [
        "Page",
        "Page::Page",
        "Page::lines",
        "Page::most",
        "Page::bare",
        "Names",
        "Pair",
    ]
    assert read["Page"].text == "class Page final : public Paper;"
    assert read["Page"].doc.endswith("torn,\nor wet.")
    assert read["Page::Page"].text.endswith('const char* text = "};");')
    assert read["Page::Page"].is_collective
    assert read["Page::most"].doc == read["Page::lines"].doc != ""
    assert read["Page::bare"].doc == read["Names"].doc == ""
    assert (read["Pair"].kind, read["Names"].kind) == ("type", "value")
    assert "///< the first" in read["Pair"].text
    assert errors(read["Page::Page"], "cpp") == "`mpi::AgreedError`"
    assert errors(read["Page::bare"], "cpp") == "none"


def test_a_name_of_python_leads_to_the_same_elsewhere_and_is_found_by_other_words():
    links = elsewhere("transrank.route.halo")
    assert list(links) == LANGUAGES
    assert "</reference/c/transrank_route_halo>" in links["c"]
    assert "halo exchange" in searched("transrank.Grid")
