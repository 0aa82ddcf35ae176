# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks and examples without an optional package that they need."""

import sys
from pathlib import Path

import pytest

from support.bounded import run_bounded

ROOT = Path(__file__).parent.parent
BENCHMARKS = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "benchmarks").glob("*.py"))
    if "__main__" in path.read_text("utf-8")
]
# The program, the module that it lacks, and what is to be installed.
NEEDS = [
    *((path, module, "'transrank[lab]'") for path in BENCHMARKS for module in ("rich", "msgspec")),
    ("benchmarks/torus.py", "vl_convert", "'transrank[lab]'"),
    ("benchmarks/fft.py", "mpi4py_fft", "'mpi4py-fft'"),
    ("examples/fft.py", "mpi4py_fft", "'mpi4py-fft'"),
    ("examples/mesh.py", "gmsh", "'gmsh'"),
]


@pytest.mark.parametrize(("program", "module", "packages"), NEEDS)
def test_a_program_that_lacks_a_package_says_in_one_line_what_to_install(
    program, module, packages, tmp_path
):
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules['{module}'] = None\n")
    outcome = run_bounded(
        [sys.executable, ROOT / program], timeout=60, env={"PYTHONPATH": str(tmp_path)}
    )
    assert outcome.status == 2
    assert outcome.stdout == ""
    (line,) = outcome.stderr.splitlines()
    assert module in line
    assert f"; pip install {packages}" in line
