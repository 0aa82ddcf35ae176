# SPDX-License-Identifier: BSD-3-Clause
"""What catalogues, citations and packagers read says what pyproject.toml says."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
CODEMETA = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
SPACK = sorted((ROOT / "examples" / "harnesses" / "spack").glob("packages/*/package.py"))


def of_project(name: str) -> str:
    (found,) = re.findall(rf'^{name} = "(.*)"$', PROJECT, re.MULTILINE)
    return found


@pytest.mark.parametrize("name", ["version", "license"])
def test_citation_and_codemeta_say_what_the_project_says(name):
    (cited,) = re.findall(rf"^{name}: (.*)$", CITATION, re.MULTILINE)
    assert cited == of_project(name)
    assert CODEMETA[name].removeprefix("https://spdx.org/licenses/") == of_project(name)


def test_keywords_are_those_of_the_project():
    (words,) = re.findall(r"^keywords = (\[.*\])$", PROJECT, re.MULTILINE)
    assert CODEMETA["keywords"] == json.loads(words)
    (cited,) = re.findall(r"^keywords: \[(.*)\]$", CITATION, re.MULTILINE)
    assert set(cited.split(", ")) <= set(json.loads(words))


@pytest.mark.parametrize("package", SPACK, ids=lambda path: path.parent.name)
def test_spack_asks_for_the_versions_that_the_project_asks_for(package):
    minima = dict(re.findall(r'"([\w-]+)>=([\d.]+)"', PROJECT))
    minima["python"] = of_project("requires-python").removeprefix(">=")
    asked = re.findall(r'"(?:py-)?([\w-]+)@([\d.]+):"', package.read_text("utf-8"))
    assert asked
    assert {name: minima[name] for name, _ in asked} == dict(asked)


def test_spack_has_a_package_of_the_library_and_one_of_python():
    assert [path.parent.name for path in SPACK] == ["py_transrank", "transrank"]
