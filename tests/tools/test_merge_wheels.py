# SPDX-License-Identifier: BSD-3-Clause
"""Wheels for several MPIs become one, which says the newest glibc that it needs."""

import subprocess
import sys
import zipfile
from pathlib import Path

import merge_wheels

INFO = "transrank-1.2.3.dist-info"


def wheel_for(mpi: str, folder: Path, glibc: str, python: str = "same") -> Path:
    folder.mkdir()
    path = folder / "transrank-1.2.3-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("transrank/__init__.py", python)
        elf = b"\x7fELF\0GLIBC_2.3.4\0" + f"GLIBC_{glibc}\0".encode()
        archive.writestr(f"transrank/variants/{mpi}/bin/transrank-run", elf)
        archive.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-linux_x86_64\n\n")
        archive.writestr(
            f"{INFO}/METADATA", "Metadata-Version: 2.1\nName: transrank\nVersion: 1.2.3\n"
        )
        archive.writestr(f"{INFO}/RECORD", f"of {mpi}")
    return path


def test_wheels_become_one_that_pip_installs(tmp_path, capsys):
    wheels = [
        wheel_for("mpich", tmp_path / "a", "2.17"),
        wheel_for("openmpi", tmp_path / "b", "2.27"),
    ]
    merged = []
    for folder in ("once", "again"):
        assert merge_wheels.main([*map(str, wheels), str(tmp_path / folder)]) == 0
        merged += (tmp_path / folder).glob("*.whl")
    assert "mpich, openmpi" in capsys.readouterr().out
    assert {path.name for path in merged} == {"transrank-1.2.3-py3-none-manylinux_2_27_x86_64.whl"}
    assert len({path.read_bytes() for path in merged}) == 1
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", target, merged[0]], check=True)
    assert {path.name for path in (target / "transrank" / "variants").iterdir()} == {
        "mpich",
        "openmpi",
    }
    assert "Tag: py3-none-manylinux_2_27_x86_64\n" in (target / INFO / "WHEEL").read_text()


def test_wheels_that_differ_elsewhere_are_refused(tmp_path, capsys):
    wheels = [
        wheel_for("mpich", tmp_path / "a", "2.17"),
        wheel_for("openmpi", tmp_path / "b", "2.17", python="other"),
    ]
    assert merge_wheels.main([*map(str, wheels), str(tmp_path / "merged")]) == 1
    assert "transrank/__init__.py" in capsys.readouterr().err
