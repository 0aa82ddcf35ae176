# SPDX-License-Identifier: BSD-3-Clause
"""The store of runs: its directory, the names of runs, and finding one by a user's text."""

from __future__ import annotations

import difflib
import os
import re
import secrets
import shlex
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transrank.errors import RecordError
from transrank.lab.store.jsonlines import LONGEST_LINE_BYTES, loads, open_file
from transrank.lab.units import counted

if TYPE_CHECKING:
    from transrank.lab.store.records import Run

_SUFFIX = ".jsonl"
# Letters of a mistyped name that are compared with the names of runs.
MOST_COMPARED = 80
_LATEST = re.compile(r"latest(?:~(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in the store, by the first line of its file."""

    run: str
    path: Path
    label: str | None
    created: str
    source: str


def store_directory() -> Path:
    """$TRANSRANK_STORE, else $XDG_DATA_HOME/transrank, else ~/.local/share/transrank.

    Raises RecordError: the user has no home directory, and names no store.
    """
    chosen = os.environ.get("TRANSRANK_STORE")
    if chosen:
        return _expanded(Path(chosen))
    data_home = os.environ.get("XDG_DATA_HOME")
    # The XDG specification: a relative path there is invalid and ignored.
    base = Path(data_home or "")
    if not base.is_absolute():
        base = Path("~/.local/share")
    return _expanded(base) / "transrank"


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # no HOME, and no such user
        raise RecordError(
            f"{path}: there is no such home directory",
            "name a store with --store or TRANSRANK_STORE",
        ) from None


def new_run_id(now: datetime | None = None) -> str:
    """An id that sorts by time of day (UTC) and does not collide: 20261120-123456-ab12."""
    moment = now or datetime.now(timezone.utc)
    return f"{moment:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def run_path(run: str, store: Path | None = None) -> Path:
    """The file of the run called `run`, which need not exist yet."""
    return (store or store_directory()) / f"{run}{_SUFFIX}"


def name_of(path: Path, store: Path | None = None) -> str:
    """The shortest word by which `find_run` finds a record file: its id when it lies in the store.

    A `store` that was named must be named again; outside of it a path does without.
    """
    inside = store is None and path.suffix == _SUFFIX and _is_stored(path)
    return path.stem if inside else str(path)


def _is_stored(path: Path) -> bool:
    try:
        return path.absolute().parent == store_directory().absolute()
    except RecordError:
        return False


def resume_command(run: Run, store: Path | None = None) -> str:
    """The command that measures what a run lacks: the verb that began it."""
    verb = "survey" if "survey" in run.header.command[1:2] else "measure"
    verb = "versus" if run.header.versus else verb
    return shlex.join(["transrank", verb, "--resume", name_of(run.path, store)])


def list_runs(store: Path | None = None) -> list[StoredRun]:
    """The runs in the store, the oldest first; files whose header cannot be read are left out."""
    directory = store or store_directory()
    found = [_read_entry(path) for path in sorted(directory.glob(f"*{_SUFFIX}"))]
    return sorted((run for run in found if run is not None), key=lambda run: (run.created, run.run))


def _read_entry(path: Path) -> StoredRun | None:
    try:
        with open_file(path) as file:
            header = loads(file.readline(LONGEST_LINE_BYTES))
        if header.get("kind") != "header":
            return None
        label = header.get("label")
        return StoredRun(
            run=path.stem,
            path=path,
            label=label if isinstance(label, str) else None,
            created=str(header.get("created", "")),
            source=_source(header),
        )
    except (OSError, ValueError, AttributeError, TypeError, KeyError, RecursionError, MemoryError):
        return None


def _source(header: dict[str, Any]) -> str:
    """The MPI library, or the suite whose output was imported."""
    for file in header.get("imported", ())[:1]:
        return f"{file.get('suite')} {file.get('version')}"
    library = (header.get("mpi") or {}).get("library")
    return library if isinstance(library, str) else "unknown"


def with_label(text: str, runs: list[StoredRun]) -> list[str]:
    """The ids of the runs that `find_run` has to choose from by this label, the oldest first."""
    if _LATEST.fullmatch(text) or any(run.run == text for run in runs):
        return []
    return [run.run for run in runs if run.label == text]


def find_run(text: str, store: Path | None = None, runs: list[StoredRun] | None = None) -> Path:
    """The record file that a user means.

    Parameters
    ----------
    text
        `latest`, `latest~2` (two before the latest), a run id or a beginning of one that fits no
        other, a label (of several runs with it, the latest), or the path of a file.
    runs
        the runs of the store, if they have been listed.

    Raises RecordError: naming the runs that would do.
    """
    runs = list_runs(store) if runs is None else runs
    latest = _LATEST.fullmatch(text)
    if latest:
        return _latest(runs, int(latest.group(1) or 0), store)
    if exact := [run for run in runs if run.run == text]:
        return exact[0].path
    if labelled := [run for run in runs if run.label == text]:
        return labelled[-1].path
    if _is_file(text):
        return Path(text)
    begun = [run for run in runs if text and run.run.startswith(text)]
    if len(begun) == 1:
        return begun[0].path
    if begun:
        raise RecordError(
            f"'{text}' is ambiguous: {len(begun)} runs begin with it: {_names(begun)}",
            "give more of the name",
        )
    if _is_path(text):
        if Path(text).exists():
            return Path(text)  # whoever reads it says what is wrong with it
        raise RecordError(f"{text}: no such file", "transrank list prints the stored runs")
    known = ["latest", *(name for run in runs for name in (run.run, run.label) if name)]
    close = difflib.get_close_matches(text[:MOST_COMPARED], known, n=1, cutoff=0.6)
    meant = f"did you mean '{close[0]}'? " if close else ""
    raise RecordError(
        f"no run is called '{text}'",
        f"{meant}stored in {store or store_directory()}: {_names(runs)}; "
        "--label NAME gives a run a name when it is measured or imported"
        if runs
        else _EMPTY,
    )


_EMPTY = "nothing is stored yet; `transrank survey` measures, `transrank import` reads OSU and IMB"


def _is_path(text: str) -> bool:
    """Whether the text names a file: no id or label looks like that."""
    return os.sep in text or text.endswith(_SUFFIX)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _latest(runs: list[StoredRun], back: int, store: Path | None) -> Path:
    if back < len(runs):
        return runs[-1 - back].path
    if not runs:
        raise RecordError(f"no run is stored in {store or store_directory()}", _EMPTY)
    raise RecordError(
        f"latest~{back} does not exist: {counted(len(runs), 'run is stored', 'runs are stored')}",
        f"the oldest is latest~{len(runs) - 1}",
    )


def _names(runs: list[StoredRun]) -> str:
    shown = [f"{run.run} ({run.label})" if run.label else run.run for run in runs[-5:]]
    return ", ".join(shown) if len(runs) <= 5 else f"..., {', '.join(shown)}"
