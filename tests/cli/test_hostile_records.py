# SPDX-License-Identifier: BSD-3-Clause
"""What stands in a record supplies no program, argument, setting or path to those who resume it."""

import json
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from support import commands, recorded
from support.commands import run_quietly
from transrank import installation
from transrank.lab.cli import execution
from transrank.lab.cli.__main__ import main
from transrank.lab.launch import process
from transrank.lab.machine.facts import read_facts
from transrank.lab.store.lines import Header, PlannedLaunch

EVIL = "evil-7f3a"
TEXTS = (f"sh -c 'touch {EVIL}; echo {{ranks}}'", f"../../{EVIL}", f"runner=/opt/{EVIL}")
LISTS = (
    [f"LD_PRELOAD=/opt/{EVIL}.so"],
    ["--study", "pingpong", "--only", f"/opt/{EVIL}", "--count", "1"],
    [f"--record=/opt/{EVIL}", "--seed", "1"],
    ["--axis", f"x={EVIL}\n--only", "--stamp", "init"],
    [f"launch/{EVIL}"],
)
Started = list[tuple[list[str], Mapping[str, str]]]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The header of a run that measured nothing yet, with every field that a header may have."""
    path = tmp_path_factory.mktemp("prepared") / "run.jsonl"
    options = ("--sizes", "8,64", "-n", "2", "--launches", "2", "--label", "night", "--seed", "1")
    commands.measure("pingpong", *options, "--prepare", "-o", path, store=path.parent).check()
    header: dict[str, Any] = json.loads(path.read_text())
    header["machine"].setdefault("map", {})
    header["plan"][0].setdefault("part", False)
    header["versus"] = {"variant": "a", "other": "run-b", "settings": ["FOO=1"]}
    return header


@pytest.fixture
def alone(prepared: dict[str, Any]) -> dict[str, Any]:
    """The same of a run that is no variant."""
    return {name: value for name, value in prepared.items() if name != "versus"}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, prepared: dict[str, Any]) -> Started:
    """The launches that were started, which a stub answers: the first one well, others not."""
    found: Started = []

    def run(command: Sequence[str], **options: Any) -> process.Outcome:
        found.append((list(command), options["environment"]))
        probing = "--probe" in command
        if probing:
            options["take_line"](
                json.dumps({k: prepared[k] for k in ("mpi", "placement", "clock")})
            )
        return process.Outcome(tuple(command), 0 if probing else 1, 0.1, False, (), None)

    monkeypatch.setattr(process, "run", run)
    facts = read_facts(os.environ, load_seconds=0.01)
    monkeypatch.setattr(execution, "read_facts", lambda _: facts)  # it watches the load for long
    real = subprocess.Popen.__init__

    def popen(self: Any, args: Any, *more: Any, **options: Any) -> None:
        words = [args] if isinstance(args, str) else [str(word) for word in args]
        added = {**(options.get("env") or {}), "PYTEST_CURRENT_TEST": ""}
        assert EVIL not in repr((words, added))
        real(self, args, *more, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", popen)
    return found


def texts_in(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all texts, and of all lists of texts."""
    if isinstance(value, str):
        yield place
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts_in(item, (*place, key))
    elif isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            yield place
        for number, item in enumerate(value[:1]):
            yield from texts_in(item, (*place, number))


def changed(header: dict[str, Any], place: Sequence[Any], value: Any) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(header))
    holder: Any = copy
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    return copy


def hostile(header: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for place in texts_in(header):
        *_, last = holder = [header]
        for key in place:
            last = last[key]
            holder.append(last)
        for value in TEXTS if isinstance(last, str) else LISTS:
            yield f"{place}: {value}", changed(header, place, value)


def write(folder: Path, header: dict[str, Any], name: str = "run.jsonl") -> Path:
    path = folder / name
    path.write_text(json.dumps(header) + "\n")
    return path


def test_the_tested_header_has_every_field_that_a_record_may_have(prepared):
    for kind, line in ((Header, prepared), (PlannedLaunch, prepared["plan"][0])):
        assert {field.name for field in fields(kind)} - {"imported"} == set(line) - {"kind"}


def without_only(
    one: tuple[list[str], Mapping[str, str]], folder: Path
) -> tuple[list[str], Mapping[str, str]]:
    """A launch without the option that names transrank's own list of the cases that are left."""
    command, environment = one
    if "--only" in command:
        place = command.index("--only")
        assert Path(command[place + 1]).parent.parent == folder
        command = command[:place] + command[place + 2 :]
    return command, environment


def test_no_field_of_a_record_is_used_to_start_something(alone, started, tmp_path, monkeypatch):
    """Whatever is changed, no more is started than for the run as it is, and nothing else."""
    monkeypatch.chdir(tmp_path)
    survey = ["survey", "--resume", str(write(tmp_path, alone)), "--no-report"]
    assert run_quietly(survey)[0] == 3
    genuine = list(started)
    assert len(genuine) == 2
    for what, line in hostile(alone):
        started.clear()
        write(tmp_path, line)
        status, said = run_quietly(survey)
        assert status in (2, 3, 4), f"{what}: {said}"
        assert "Traceback" not in said, what
        assert [without_only(one, tmp_path) for one in started] == genuine[: len(started)], what
        assert not [path for path in tmp_path.rglob("*") if EVIL in path.name], what


def test_no_field_of_two_variants_is_used_to_start_something(
    prepared, started, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    settings = ["--a", "FOO=1", "--b", "FOO=1"]

    def resume(line: dict[str, Any]) -> tuple[int, str]:
        other = {**line, "run": "run-b", "versus": {**line["versus"], "variant": "b"}}
        other["versus"]["other"] = "run-a"
        path = write(tmp_path, line, "run-a.jsonl")
        write(tmp_path, other, "run-b.jsonl")
        return run_quietly(["versus", "--resume", str(path), *settings])

    header = {**prepared, "run": "run-a"}
    assert resume(header)[0] == 3
    started.clear()
    settings.clear()
    status, said = resume(header)
    assert (status, started) == (2, [])
    assert "--a FOO=1 --b FOO=1" in " ".join(said.split())


@pytest.mark.parametrize(
    "text", [TEXTS[0], f"/opt/{EVIL} -n {{ranks}}", f"env X={EVIL} mpiexec -n {{ranks}}", EVIL]
)
def test_a_launcher_that_a_record_names_must_be_given_again(text, alone, started, tmp_path):
    path = write(tmp_path, changed(alone, ("options", "launcher"), text))
    for more in ([], ["--dry-run"]):
        status, said = run_quietly(["measure", "--resume", str(path), *more])
        assert (status, started) == (2, [])
        assert f"--launcher {shlex.quote(text)}" in " ".join(said.split())


def test_a_launcher_of_this_installation_or_given_again_is_used(alone, started, tmp_path):
    assert alone["options"]["launcher"] in ("hydra", "openmpi")
    assert run_quietly(["measure", "--resume", str(write(tmp_path, alone))])[0] == 3
    assert {command[0] for command, _ in started} == {str(installation.mpiexec())}
    started.clear()
    path = write(tmp_path, changed(alone, ("options", "launcher"), TEXTS[0]))
    status, said = run_quietly(["measure", "--resume", str(path), "--launcher", "mine -n {ranks}"])
    assert status == 3, said
    assert [command[0] for command, _ in started] == ["mine", "mine"]
    assert "--launcher 'mine -n {ranks}'" in " ".join(said.split())


def test_far_more_ranks_than_cores_are_resumed_only_on_request(alone, started, tmp_path):
    shape = {"ranks": 100_000, "ranks_per_node": 0}
    path = write(tmp_path, changed(alone, ("plan", 0, "shape"), shape))
    status, said = run_quietly(["measure", "--resume", str(path)])
    assert (status, started) == (2, [])
    assert "--oversubscribe" in said


def test_a_report_is_named_after_the_file_not_after_what_stands_in_it(
    tmp_path, monkeypatch, prepared
):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(folder, {**prepared, "run": f"../{EVIL}"})
    assert run_quietly(["report", "run.jsonl"])[0] == 0
    assert sorted(path.name for path in tmp_path.rglob("*.html")) == ["run.html"]
    assert (folder / "run.html").is_file()


@pytest.mark.parametrize(
    "text", [f"8; touch {EVIL}", f"$(touch {EVIL})", f"`{EVIL}`", f"'|{EVIL}&"]
)
def test_what_a_dry_run_prints_of_a_record_is_quoted(text, alone, started, tmp_path, capsys):
    header = changed(alone, ("plan", 0, "cases"), [text, "pingpong/8B"])
    header = changed(header, ("plan", 0, "arguments"), ["--study", text, "--seed", "1"])
    path = write(tmp_path, header)
    failed = recorded.case(8, case="pingpong/8B", launch=0)
    path.write_text(path.read_text() + json.dumps(failed) + "\n")
    assert main(["measure", "--resume", str(path), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    words = list(shlex.shlex(printed, posix=True, punctuation_chars=True))
    assert words.count(text) == 2
    assert not {word for word in words if set(word) & set(";&|()`") and word != text}
    assert started == []
