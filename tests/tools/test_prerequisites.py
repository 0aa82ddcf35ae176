# SPDX-License-Identifier: BSD-3-Clause
"""A machine that lacks something is told what, and which package has it."""

import sys
from pathlib import Path

import pytest

from support.bounded import Finished, run_bounded

SCRIPT = Path(__file__).parent.parent.parent / "tools" / "prerequisites.sh"


def check(
    python: str = sys.executable, cxx: str = "g++", env: dict[str, str] | None = None
) -> Finished:
    return run_bounded([SCRIPT, python, cxx], timeout=30, env=env or {})


@pytest.fixture
def crippled(tmp_path: Path) -> dict[str, str]:
    """An environment whose Python runs the tmp_path's sitecustomize first, and that has no uv."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "env", "g++", "head", "as"):
        (programs / name).symlink_to(Path("/usr/bin") / name)
    return {"PYTHONPATH": str(tmp_path), "PATH": str(programs)}


def test_this_machine_can_build():
    finished = check().check()
    assert finished.stderr == ""


def test_a_missing_python_or_compiler_is_named():
    finished = check(python="python9.9")
    assert finished.status == 1
    assert "finds no 'python9.9'" in finished.stderr
    assert "apt-get install python3 python3-dev python3-venv" in finished.stderr
    finished = check(cxx="g++-99")
    assert finished.status == 1
    assert "finds no 'g++-99' (Debian, Ubuntu: apt-get install g++)" in finished.stderr
    finished = check(python="python9.9", cxx="g++-99")
    assert len(finished.stderr.splitlines()) == 2


def test_missing_headers_are_named(tmp_path, crippled):
    (tmp_path / "sitecustomize.py").write_text(
        "import sysconfig; sysconfig.get_path = lambda *_: '/nowhere'"
    )
    finished = check(env=crippled)
    assert finished.status == 1
    assert "finds no Python.h (Debian, Ubuntu: apt-get install python3-dev)" in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_a_missing_venv_module_is_named(tmp_path, crippled):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['ensurepip'] = None")
    finished = check(env=crippled)
    assert finished.status == 1
    assert "apt-get install python3-venv" in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_an_old_compiler_is_named_with_its_version(tmp_path):
    old = tmp_path / "c++"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "g++ 4.8.5" && exit\nexit 1\n')
    old.chmod(0o755)
    finished = check(cxx=str(old))
    assert finished.status == 1
    assert "is g++ 4.8.5" in finished.stderr
