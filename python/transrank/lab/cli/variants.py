# SPDX-License-Identifier: BSD-3-Clause
"""The variants of `transrank versus`: settings, each NAME=VALUE, and the launcher for them."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from transrank import installation
from transrank.errors import UsageError
from transrank.lab.launch import launchers
from transrank.lab.launch.launcher import Capacity, Launcher
from transrank.lab.reference.tables import read_table
from transrank.lab.survey import variables
from transrank.lab.tune import library, note

# Settings that are not environment variables.
RUNNER, MPIEXEC, LAUNCHER, TUNING = "runner", "mpiexec", "launcher", "tuning"
ALLTOALL = "alltoall"
# Fujitsu MPI's parameter (MCA) that makes it use one of its algorithms, as a variable of all ranks.
FUJITSU_ALLTOALL = "OMPI_MCA_coll_select_alltoall_algorithm"
# A Python environment says where its runner is by the others, so that comes last.
FILES = (MPIEXEC, TUNING, RUNNER)
OWN = (*FILES, LAUNCHER, ALLTOALL)
A_RUNNER = f"{RUNNER} is a transrank-run, or the Python environment where it is installed"
# What a Python environment says of itself: which of its variants serves, and where that lies.
WHERE = "from transrank import installation; print(installation.runner())"


@dataclass(frozen=True)
class Variant:
    """One of the two, `a` or `b`, by its settings; `added` are those of the environment."""

    name: str
    settings: tuple[str, ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    runner: Path | None = None
    mpiexec: Path | None = None
    launcher_text: str | None = None

    def launcher(self, capacity: Capacity) -> Launcher:
        """Return the launcher of this variant.

        Raises UsageError or LaunchError: the launcher or the mpiexec does not exist.
        """
        return replace(self._bare_launcher(capacity), added=dict(self.added), runner=self.runner)

    def _bare_launcher(self, capacity: Capacity) -> Launcher:
        built = installation.build_of(self.runner) if self.runner else None
        if self.launcher_text is not None:
            chosen = launchers.choose(self.launcher_text, capacity)
            return replace(chosen, mpi=built.mpi_kind) if built else chosen
        mpiexec = self.mpiexec
        if mpiexec is None and self.runner is not None:
            mpiexec = installation.mpiexec_of(self.runner)
        if mpiexec is None:
            return launchers.default_launcher(capacity)
        return launchers.for_mpiexec(mpiexec, capacity)


def parse(name: str, words: Sequence[str], launcher: str | None = None) -> Variant:
    """Read the settings of a variant; `launcher` is the default launcher of both variants.

    Raises UsageError: a word is not a setting, a name is given twice, two settings exclude each
    other, or the MPI cannot have one.
    Raises RecordError: a tuning file is not one.
    """
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII):
            raise UsageError(
                f"--{name} '{word}' is not NAME=VALUE",
                f"e.g. --{name} MPIR_CVAR_CH4_SHM_POSIX_EAGER=iqueue, or {RUNNER}=PATH",
            )
        if key in values:
            raise UsageError(f"--{name} {key} is given twice", "leave out one of them")
        close = difflib.get_close_matches(key.lower(), OWN, n=1, cutoff=0.85)
        if close and key not in (*OWN, "MPIEXEC"):
            raise UsageError(
                f"--{name} {key}: there is no such setting", f"did you mean {close[0]}={value}?"
            )
        values[key] = value
    for key in FILES:
        if key in values:
            values[key] = str(_file(name, key, values))
    if launcher is not None and LAUNCHER not in values and MPIEXEC not in values:
        values[LAUNCHER] = launcher
    if LAUNCHER in values and MPIEXEC in values:
        raise UsageError(
            f"--{name}: {LAUNCHER} and {MPIEXEC} exclude each other", "leave out one of them"
        )
    if ALLTOALL in values:
        _check_alltoall(name, values)
    return Variant(
        name,
        tuple(f"{key}={value}" for key, value in values.items()),
        tuple(_environment(values).items()),
        Path(values[RUNNER]) if RUNNER in values else None,
        Path(values[MPIEXEC]) if MPIEXEC in values else None,
        values.get(LAUNCHER),
    )


def refuse_unknown(variant: Variant) -> None:
    """Refuse a variable that the MPI library does not know: the variants would be the same.

    Raises UsageError: naming the variable, and one that is spelt alike.
    """
    names = [word.partition("=")[0] for word in variant.settings]
    for name, close in variables.unknown(names, variant.runner):
        raise UsageError(
            f"--{variant.name} {name}: the MPI library has no such setting",
            f"did you mean {close}?" if close else "`transrank list settings` prints them",
        )


def _file(name: str, key: str, values: Mapping[str, str]) -> Path:
    path = Path(values[key]).absolute()
    if key == RUNNER and path.is_dir():
        path = _runner_in(name, path, values)
    if not path.is_file() or (key != TUNING and not os.access(path, os.X_OK)):
        what = "file" if key == TUNING else "executable program"
        raise UsageError(
            f"--{name} {key}: {path} is not {'a' if key == TUNING else 'an'} {what}",
            A_RUNNER
            if key == RUNNER
            else f"give the path of {'the tuning file' if key == TUNING else 'the mpiexec'}",
        )
    return path


def _runner_in(name: str, environment: Path, values: Mapping[str, str]) -> Path:
    python = environment / "bin" / "python"
    why = f"there is no {python}"
    if python.exists():
        settings = _environment(values)
        if MPIEXEC in values:
            settings["MPIEXEC"] = values[MPIEXEC]
        try:
            asked = subprocess.run(
                [python, "-I", "-c", WHERE],
                env=os.environ | settings,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            why = str(error)
        else:
            if asked.returncode == 0:
                return Path(asked.stdout.strip())
            why = (asked.stderr.strip().splitlines() or [f"it ended with {asked.returncode}"])[-1]
    raise UsageError(
        f"--{name} {RUNNER}: {environment} is not a Python environment with transrank: {why}",
        A_RUNNER,
    )


def _check_alltoall(name: str, values: dict[str, str]) -> None:
    """Refuse what Fujitsu MPI does not have, and an MPI that cannot be it, which is an Open MPI."""
    known = [row["algorithm"] for row in read_table("fugaku_alltoall_algorithms.csv")]
    if values[ALLTOALL] not in known:
        raise UsageError(
            f"--{name} {ALLTOALL}: Fujitsu MPI has no '{values[ALLTOALL]}'",
            f"known: {', '.join(known)}",
        )
    runner = values.get(RUNNER)
    built = installation.build_of(Path(runner)) if runner else installation.build()
    if built is not None and built.mpi_kind != "openmpi":
        raise UsageError(
            f"--{name} {ALLTOALL} is for Fujitsu MPI, and this transrank was built with another "
            f"MPI ({built.mpi_kind})",
            "`transrank list studies` prints the algorithms that alltoall-algorithms measures here",
        )


def _environment(values: Mapping[str, str]) -> dict[str, str]:
    found = {key: value for key, value in values.items() if key not in OWN}
    if ALLTOALL in values:
        found[FUJITSU_ALLTOALL] = values[ALLTOALL]
    if TUNING in values:
        path = Path(values[TUNING])
        known = note.read(path)
        tuned = library.library(known.name, known.ranks, known.ranks_per_node)
        found |= tuned.environment(path)
    return found
