# SPDX-License-Identifier: BSD-3-Clause
"""How busy a machine is, from counters that change between two looks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from python.lab.machine import trees
from transrank.lab.machine.files import Files
from transrank.lab.machine.load import Load, read_load

TICKS = os.sysconf("SC_CLK_TCK")


def look_twice(root: Path, before: dict[str, str], after: dict[str, str]) -> Load:
    trees.plant(root, before)
    return read_load(Files(root), 1.0, sleep=lambda _: trees.plant(root, after) and None)


def stat(user: int, idle: int, steal: int = 0) -> str:
    return f"cpu  {user} 0 0 {idle} 0 0 0 {steal} 0 0\ncpu0 1 0 0 0\ncpu1 1 0 0 0\nintr 5\n"


def process(name: str, ticks: int) -> str:
    return f"77 ({name}) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0\n"


def test_one_core_of_two_in_use_counts_as_one(tmp_path):
    load = look_twice(
        tmp_path, {"proc/stat": stat(100, 100)}, {"proc/stat": stat(100 + TICKS, 100 + TICKS)}
    )
    assert load.busy_cores == 1.0
    assert load.stolen == 0.0


def test_time_that_the_hypervisor_took_is_told(tmp_path):
    load = look_twice(
        tmp_path, {"proc/stat": stat(0, 0)}, {"proc/stat": stat(0, 3 * TICKS, steal=TICKS)}
    )
    assert load.stolen == 0.25


def test_the_busiest_process_is_named_whatever_its_name_contains(tmp_path):
    before = {"proc/stat": stat(0, 0), "proc/77/stat": process("a) R (b", 10)}
    after = {"proc/stat": stat(TICKS, 0), "proc/77/stat": process("a) R (b", 10 + TICKS)}
    (busiest,) = look_twice(tmp_path, before, after).busiest
    assert (busiest.pid, busiest.name, busiest.cores) == (77, "a) R (b", 1.0)


def test_no_counters_mean_no_statement(tmp_path):
    load = look_twice(tmp_path, {}, {})
    assert load == Load(None, None, None, None, ())


def test_a_busy_loop_on_this_machine_is_found():
    command = [
        sys.executable,
        "-c",
        "import time\nend = time.time() + 20\nwhile time.time() < end: pass",
    ]
    with subprocess.Popen(command) as loop:
        time.sleep(0.2)
        load = read_load(Files(), 0.5)
        loop.kill()
    assert load.busy_cores > 0.3
