# SPDX-License-Identifier: BSD-3-Clause
"""The shared transports under ThreadSanitizer, with ranks as threads over one mapping."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "threads"
CORE = Path(__file__).parents[2] / "cpp"
SOURCES = [
    "memory/copy_kernels",
    "memory/core_cache",
    "memory/doorbell",
    "memory/futex",
    "memory/instruction_set",
    "memory/run_kernels",
    "memory/shared_pool",
    "memory/shared_segment",
    "route/route",
    "transport/breakage",
    "transport/control_block",
    "transport/field_offer",
    "transport/moves",
    "transport/portions",
    "transport/repeated_moves",
    "transport/runs",
    "transport/scatter",
    "transport/shared_direct",
    "transport/shared_peer",
    "transport/shared_staged",
]
COMPILER = os.environ.get("CXX", "g++")
# ThreadSanitizer knows no fences; those of the doorbell guard a wake-up, not data.
FLAGS = ["-std=c++20", "-O1", "-g", "-fsanitize=thread", "-Wno-tsan"]


def build(folder: Path, *defines: str) -> Path:
    """Compile the program and what it needs of the library, file by file on the cores there are."""
    sources = [HERE / "shared_transports.cpp", *(CORE / "transrank" / f"{s}.cpp" for s in SOURCES)]
    objects = [folder / f"{source.stem}.o" for source in sources]
    includes = [f"-I{HERE / 'stand_in'}", f"-I{CORE}"]

    def compile_one(source: Path, target: Path) -> None:
        command = [COMPILER, *FLAGS, *defines, *includes, "-c", str(source), "-o", str(target)]
        subprocess.run(command, check=True, timeout=150)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, sources, objects))
    program = folder / "shared_transports"
    subprocess.run([COMPILER, *FLAGS, *map(str, objects), "-o", str(program)], check=True)
    return program


def run(program: Path) -> subprocess.CompletedProcess[str]:
    # Its shadow memory has fixed places, which newer kernels may have given to something else.
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    done = subprocess.run(
        [*fixed, str(program)],
        env={**os.environ, "TSAN_OPTIONS": "exitcode=66"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("this kernel leaves ThreadSanitizer no place for its shadow memory")
    return done


@pytest.fixture(scope="module", autouse=True)
def _compiler(tmp_path_factory: pytest.TempPathFactory) -> None:
    source = tmp_path_factory.mktemp("probe") / "probe.cpp"
    source.write_text("int main() {}\n")
    if shutil.which(COMPILER) is None:
        pytest.skip(f"there is no compiler {COMPILER}")
    done = subprocess.run(
        [COMPILER, "-fsanitize=thread", str(source), "-o", str(source.with_suffix(""))],
        capture_output=True,
    )
    if done.returncode != 0:
        pytest.skip(f"{COMPILER} cannot link with ThreadSanitizer")


def test_no_two_ranks_race(tmp_path: Path) -> None:
    done = run(build(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "every epoch of every rank was right\n"


def test_a_flag_read_without_acquiring_is_reported(tmp_path: Path) -> None:
    done = run(build(tmp_path, "-DTRANSRANK_SEEDED_RACE"))
    assert done.returncode == 66
    assert "data race" in done.stderr
