# SPDX-License-Identifier: BSD-3-Clause
"""What a reader would paste works: every fenced block of README and docs is run, or says why not.

Python blocks of a page are one program, as they stand, on two ranks. Blocks of C++, C and Fortran
stand in a program of examples/, which the tests of the packages build and run. Commands are run,
and those of transrank parsed, run or not. What is not run stands below `<!-- not run: why -->`.
"""

import re
import runpy
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ONE_THREAD
from support.bounded import run_bounded
from transrank.lab.cli import __main__ as frame

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]
RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.md"))
PAGES = [*TEXTS, *sorted((ROOT / "docs").glob("*.md")), *RECIPES]
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]+) -->\n)?"
    r"^```(?P<language>[^\s`]*)[^\n`]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: str
    language: str
    text: str
    why_not: str | None

    @property
    def id(self) -> str:
        return f"{self.page}: {self.text.splitlines()[0] if self.text else ''}"


def blocks_of(page: Path) -> list[Block]:
    name, text = page.relative_to(ROOT).as_posix(), page.read_text("utf-8")
    return [
        Block(name, found["language"], found["text"], found["why"])
        for found in FENCE.finditer(text)
    ]


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def blocks(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def each(chosen: list[Block]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", chosen, ids=[block.id for block in chosen])


def commands(block: Block) -> list[list[str]]:
    """The simple commands of a block, without what is set before them or where output goes."""
    found: list[list[str]] = []
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        found.append([])
        for word in words:
            if set(word) <= set("();<>|&"):
                found.append([])
            elif found[-1] or not re.match(r"\w+=", word):
                found[-1].append(word)
    return [command for command in found if command]


def test_every_block_says_what_it_is():
    known = {"python", "cpp", "c", "fortran", "cmake", "sh", "text"}
    others = [
        it.id for it in BLOCKS if it.language not in known and not it.language.startswith("{")
    ]
    assert others == []
    texts = [page.read_text("utf-8") for page in PAGES]
    assert sum(text.count("<!-- not run:") for text in texts) == sum(
        block.why_not is not None for block in BLOCKS
    )


def program(page: str) -> str:
    """What a reader pastes of a page: all of its Python."""
    return "\n".join(block.text for block in blocks("python") if block.page == page)


PROGRAMS = sorted({block.page for block in blocks("python") if block.why_not is None})
OF_RECIPES = [page for page in PROGRAMS if page.startswith("docs/recipes/")]
RUNS = [
    *(([page], 2) for page in PROGRAMS if page not in OF_RECIPES),
    *((OF_RECIPES, ranks) for ranks in (1, 2, 3, 4)),
]


@pytest.mark.parametrize(
    ("pages", "ranks"),
    RUNS,
    ids=[f"{it[0][0] if len(it[0]) == 1 else 'docs/recipes'}-{it[1]}" for it in RUNS],
)
def test_the_python_of_a_page_is_a_program(pages, ranks, mpiexec, tmp_path):
    names = []
    for number, page in enumerate(pages):
        names.append(tmp_path / f"program{number}.py")
        names[-1].write_text(program(page), "utf-8")
    one_by_one = "import runpy, sys; [runpy.run_path(it) for it in sys.argv[1:]]"
    words = [sys.executable, "-m", "mpi4py", "-c", one_by_one, *names]
    outcome = mpiexec.run(ranks, *words).check()
    if pages == ["README.md"]:
        # Ranks write their lines and the ends of these apart, so that some may share a line.
        lines = sorted(re.findall(r"rank \d: before my first row lies rank \d", outcome.stdout))
        assert lines == re.findall(r"^# (rank .*)$", program("README.md"), re.MULTILINE)


@each([block for block in blocks("python") if block.why_not is not None])
def test_python_that_is_not_run_compiles(block):
    compile(block.text, block.id, "exec")


@each([it for name in ("cpp", "c", "fortran") for it in blocks(name) if it.why_not is None])
def test_what_is_compiled_stands_in_a_program_that_is_built_and_run(block):
    def lines(text: str) -> list[str]:
        return [line.strip() for line in text.splitlines() if line.strip()]

    places = {"cpp": "*.cpp", "c": "c/*.c", "fortran": "fortran/*.f90"}
    sources = (ROOT / "examples").glob(places[block.language])
    programs = [lines(path.read_text("utf-8")) for path in sources]
    includes = {line for line in lines(block.text) if line.startswith("#include")}
    rest = "\n".join(line for line in lines(block.text) if line not in includes)
    assert any(rest in "\n".join(program) and includes <= set(program) for program in programs)


@each(blocks("cmake"))
def test_cmake_is_that_of_the_project_that_is_built(block):
    projects = [path.read_text("utf-8") for path in (ROOT / "examples").glob("**/CMakeLists.txt")]
    texts = [re.sub(r"transrank_examples|\$\{program\}", "my_solver", it) for it in projects]
    lines = [{line.strip() for line in text.splitlines()} for text in texts]
    assert any(set(block.text.splitlines()) <= project for project in lines)


@each(blocks("sh"))
def test_commands_are_such(block):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for program, *rest in commands(block):
        if program == "transrank":
            frame.parse(rest)
        elif program == "make":
            assert set(rest) <= set(targets)
        elif program == "mpiexec" and "python" in rest:
            assert "-m mpi4py" in " ".join(rest)
        for name in rest:
            if re.fullmatch(r"(examples|benchmarks)/\S+", name):
                assert (ROOT / name).exists(), name


@each([block for block in blocks("sh") if block.why_not is None])
def test_commands_run(block, tmp_path):
    for folder in ("benchmarks", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    run_bounded(
        ["bash", "-euc", block.text], timeout=120, env={**ONE_THREAD, "PATH": path}, cwd=tmp_path
    ).check()


def test_an_error_of_one_rank_ends_a_job_that_is_started_as_the_pages_say(mpiexec, tmp_path):
    texts = [*PAGES, *(ROOT / "examples").glob("*.py")]
    started = re.compile(r"mpiexec[^`\n]* python (?!-m mpi4py)[^`\n]*")
    assert [found for path in texts for found in started.findall(path.read_text("utf-8"))] == []
    program = tmp_path / "program.py"
    (text,) = (it.text for it in blocks("python") if it.page == "README.md")
    program.write_text(text.replace("grid = ", "1 / MPI.COMM_WORLD.rank; grid = ", 1), "utf-8")
    outcome = mpiexec.run(2, sys.executable, "-m", "mpi4py", program)
    assert outcome.status != 0
    assert "ZeroDivisionError" in outcome.stderr


def test_the_readme_is_short_and_the_tagline_the_same_everywhere():
    tagline = (ROOT / "README.md").read_text("utf-8").splitlines()[2]
    places = [
        *("pyproject.toml", "CITATION.cff", "codemeta.json"),
        *("docs/index.md", "python/transrank/__init__.py"),
    ]
    assert [place for place in places if tagline not in (ROOT / place).read_text("utf-8")] == []
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 90


def test_the_times_of_the_readme_were_measured():
    rows = [row for row in (ROOT / "README.md").read_text("utf-8").splitlines() if "halo of" in row]
    measured = (ROOT / "benchmarks" / "results" / "halo.txt").read_text("utf-8")
    for row in rows:
        subarrays, packed, own, shared = re.findall(r"[\d.]+ [mµ]s", row)
        for pair in ((subarrays, own), (subarrays, shared), (packed, own), (packed, shared)):
            assert " / ".join(pair) in measured
    assert len(rows) == 3


@pytest.mark.parametrize(
    ("page", "language", "most"), [("README.md", "python", 5), ("docs/cmake.md", "cpp", 12)]
)
def test_the_first_halo_is_short(page, language, most):
    (text,) = (it.text for it in blocks(language) if it.page == page)
    beside = re.compile(r"\s*(#|import |from |$)")  # includes, comments, output
    assert len([line for line in text.splitlines() if not beside.match(line)]) <= most


IMAGES = ROOT / "docs" / "images"
DRAWN = sorted(set(IMAGES.glob("*.py")) - {IMAGES / "drawing.py"})


@pytest.mark.parametrize("program", DRAWN, ids=lambda path: path.stem)
def test_a_picture_is_what_its_program_draws(program, monkeypatch):
    monkeypatch.syspath_prepend(IMAGES)
    drawn = runpy.run_path(str(program))["picture"]()
    assert program.with_suffix(".svg").read_text("utf-8") == drawn


@pytest.mark.parametrize("name", ["accuracy", "speed"])
def test_the_tables_of_a_page_are_what_the_benchmarks_printed(name, monkeypatch):
    monkeypatch.syspath_prepend(IMAGES)
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    assert runpy.run_path(str(IMAGES / f"{name}.py"))["page"](page) == page


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_each_language_of_a_recipe_becomes_a_tab(page):
    labelled = runpy.run_path(str(ROOT / "docs" / "language_tabs.py"))["LABELLED"]
    labels = re.findall(r"^\*(Python|C\+\+|C|Fortran)\*$", page.read_text("utf-8"), re.MULTILINE)
    assert [found[0] for found in labelled.findall(page.read_text("utf-8"))] == labels


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text("utf-8")):
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target
