# SPDX-License-Identifier: BSD-3-Clause
"""No test leaves processes behind."""

import os
import sys
import time
from pathlib import Path

import pytest

from support.bounded import run_bounded


def running(command_line_part: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if command_line_part.encode() in command and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found


def test_a_program_that_ends_gives_its_status_and_output():
    program = "import os, sys; print(os.environ['WORD']); print('no', file=sys.stderr); sys.exit(3)"
    finished = run_bounded([sys.executable, "-c", program], timeout=30, env={"WORD": "yes"})
    assert (finished.status, finished.stdout, finished.stderr) == (3, "yes\n", "no\n")
    with pytest.raises(AssertionError, match="ended with 3"):
        finished.check()


def test_hanging_ranks_end_with_their_launcher(mpiexec, tmp_path):
    # Ranks that ignore SIGTERM, found by a word of their own on the command line.
    mark = f"hanging-{tmp_path}"
    program = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('ready', flush=True); time.sleep(600)"
    )
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match="still running after 3 s") as caught:
        mpiexec.run(2, sys.executable, "-c", program, mark, timeout=3)
    assert "ready" in str(caught.value)
    assert time.monotonic() - begin < 60
    assert running(mark) == []


def test_a_child_in_a_session_of_its_own_ends_too(tmp_path):
    mark = f"hanging-{tmp_path}"
    program = (
        "import subprocess, sys, time;"
        "wait = [sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]];"
        "subprocess.Popen(wait, start_new_session=True); time.sleep(600)"
    )
    with pytest.raises(TimeoutError, match="still running after 2 s"):
        run_bounded([sys.executable, "-c", program, mark], timeout=2, env={})
    assert running(mark) == []
