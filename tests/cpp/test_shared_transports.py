# SPDX-License-Identifier: BSD-3-Clause
"""The shared transports under ThreadSanitizer, with ranks as threads over one mapping."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "threads"
CORE = Path(__file__).parents[2] / "cpp"
# Compiled as one: none of them has what the second test changes.
TOGETHER = [
    "copy/copy_kernels",
    "copy/core_cache",
    "copy/instruction_set",
    "copy/moves",
    "copy/portions",
    "copy/repeated_moves",
    "copy/runs",
    "copy/view",
    "memory/doorbell",
    "memory/shared_pool",
    "memory/shared_segment",
    "mpi/point_to_point",
    "route/checksum",
    "route/route",
    "route/segment",
]
APART = [
    "copy/run_kernels",
    "copy/run_table",
    "copy/tile_kernels",
    "copy/transposed_runs",
    "route/segments",
    "transport/failure",
    "transport/control_block",
    "transport/shared/scatter",
    "transport/shared/shared_direct",
    "transport/shared/shared_staged",
]
pytestmark = pytest.mark.sanitizer
COMPILER = os.environ.get("CXX", "g++")
# ThreadSanitizer knows no fences; those of the doorbell guard a wake-up, not data.
FLAGS = ["-std=c++20", "-O1", "-g1", "-fsanitize=thread", "-Wno-tsan"]
INCLUDES = [f"-I{HERE / 'stand_in'}", f"-I{CORE}"]
# What has the mistake that the second test seeds, and therefore is compiled for it anew.
SEEDED = "transport/control_block.hpp"

Objects = dict[Path, Path]  # by source


def compiled(sources: Iterable[Path], folder: Path, *defines: str) -> Objects:
    """Compile sources, each by itself, on the cores there are; headers are listed beside it."""
    objects = {source: folder / f"{source.stem}.o" for source in sources}

    def compile_one(source: Path, target: Path) -> None:
        command = [COMPILER, *FLAGS, *defines, *INCLUDES, "-MMD", "-c", source, "-o", target]
        subprocess.run(command, check=True, timeout=150)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, objects.keys(), objects.values()))
    return objects


def linked(objects: Objects, folder: Path) -> Path:
    program = folder / "shared_transports"
    subprocess.run([COMPILER, *FLAGS, *objects.values(), "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Objects:
    """The program and what it needs of the library."""
    folder = tmp_path_factory.mktemp("objects")
    together = folder / "together.cpp"
    together.write_text("".join(f'#include "transrank/{name}.cpp"\n' for name in TOGETHER))
    apart = [CORE / "transrank" / f"{name}.cpp" for name in APART]
    return compiled([HERE / "shared_transports.cpp", together, *apart], folder)


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


def test_no_two_ranks_race(objects, tmp_path):
    done = run(linked(objects, tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "every epoch of every rank was right\n"


def test_a_flag_read_without_acquiring_is_reported(objects, tmp_path):
    seeded = [
        source for source, it in objects.items() if SEEDED in it.with_suffix(".d").read_text()
    ]
    changed = compiled(seeded, tmp_path, "-DTRANSRANK_SEEDED_RACE")
    done = run(linked({**objects, **changed}, tmp_path))
    assert done.returncode == 66
    assert "data race" in done.stderr
