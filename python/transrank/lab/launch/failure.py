# SPDX-License-Identifier: BSD-3-Clause
"""Why a launch failed, in words: from its exit status and its output."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from pathlib import Path

from transrank.installation import REBUILD
from transrank.lab.launch import shared_memory
from transrank.lab.launch.noise import without_noise
from transrank.lab.launch.process import Outcome
from transrank.lab.units import format_wait

SHOWN_LINES = 3
OWN_WORDS = "transrank-run: "

# (what the output shows, what it means, what to do), the most telling first.
CAUSES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"No space left on device|ENOSPC"), "the disk is full", "free some space"),
    (re.compile(r"Disk quota exceeded|EDQUOT"), "the disk quota is used up", "free some space"),
    (
        re.compile(r"File too large|EFBIG"),
        "the record file may not grow further",
        "raise the limit: ulimit -f",
    ),
    (
        re.compile(r"unsupported PMI version|PMI server not found|PMI1? ?_?Init failed"),
        "the launcher belongs to another MPI than transrank-run",
        "leave out --launcher, and unset MPIEXEC and TRANSRANK_LAUNCHER: "
        "the mpiexec of the MPI that transrank was built with is then used",
    ),
    (
        re.compile(r"error while loading shared libraries: (\S+)"),
        "transrank-run does not find {0}",
        "load the MPI that transrank was built with, or install transrank again",
    ),
    (
        re.compile(r"transrank-run: unknown or incomplete option '([^']+)'"),
        "transrank-run was built from another version: it does not know {0}",
        REBUILD,
    ),
    (
        re.compile(r"not enough slots|There are not enough slots"),
        "the launcher has fewer slots than ranks",
        "ask for fewer ranks, or for a larger job",
    ),
    (
        re.compile(r"more processes than the ppr|conflict and try again"),
        "the launcher has too few nodes for that many ranks",
        "ask for more ranks per node, or for a larger job",
    ),
    (
        re.compile(
            r"execvp error on file (.+?) \(|unable to (?:launch|access).*?Executable: (\S+)"
        ),
        "the launcher cannot start {0}",
        "is it visible on every node? transrank doctor",
    ),
    (
        re.compile(r"Resource temporarily unavailable|EAGAIN"),
        "no further process or thread may be started",
        "raise the limit of processes: ulimit -u, or that of the container (pids)",
    ),
    (
        re.compile(r"PMIx server's listener thread failed to start"),
        "the launcher found the files of a killed job that had its process number",
        "start it again; or remove ompi.* of jobs that no longer run from the temporary folder",
    ),
    (
        re.compile(r"Out of memory|oom-kill|Cannot allocate memory|bad_alloc"),
        "memory ran out",
        "lower --memory",
    ),
)
RANK_SIGNAL = re.compile(
    r"EXIT STRING: .*\(signal (\d+)\)|exited on\s+signal (\d+)|terminated by signal (\d+)"
)
RANK_NUMBER = re.compile(r"process rank (\d+)|task (\d+)")
# Slurm names signals by their description; the first task it reports ended the others.
SLURM_TASK = re.compile(r"task (\d+): (Killed|Segmentation fault|Bus error|Aborted)")
SLURM_SIGNALS = {
    "Killed": signal.SIGKILL,
    "Segmentation fault": signal.SIGSEGV,
    "Bus error": signal.SIGBUS,
    "Aborted": signal.SIGABRT,
}


def is_last_word(line: str) -> bool:
    """Whether a line is the runner's own word that a launch cannot go on."""
    return OWN_WORDS in line and "made no progress" in line


def known_cause(text: str) -> tuple[str, str | None] | None:
    """Return what words mean that a system, an MPI or a launcher is known for, and what to do."""
    if shared_memory.REFUSED.search(text):
        return (
            f"MPI could not make the memory that ranks share: {shared_memory.described()}",
            shared_memory.advice(),
        )
    for pattern, meaning, advice in CAUSES:
        found = pattern.search(text)
        if found:
            return meaning.format(*(group for group in found.groups() if group)), advice
    return None


def explain(outcome: Outcome, lost_host: tuple[str, str] | None = None) -> tuple[str, str | None]:
    """Return what ended a launch, and what to do about it if that is clear.

    `lost_host` is what the launcher's words mean for a host, if anything: it counts unless the
    runner has said more itself.
    """
    text = "\n".join(outcome.tail)
    known = known_cause(text)
    if known is not None:
        return known
    own = [line for line in outcome.tail if OWN_WORDS in line]
    if lost_host is not None and not own:
        return lost_host
    if outcome.timed_out:
        return (
            f"it was ended after {format_wait(outcome.seconds)} without an end in sight",
            "a rank or a link may hang; look at its output",
        )
    killed = _killed_rank(text)
    if killed and not own:
        who, number = killed
        return f"{who} was killed by {_signal(number)}", _after_signal(number)
    if own:
        return own[-1].split(OWN_WORDS, 1)[1].strip(), None
    return _by_status(outcome)


def _killed_rank(text: str) -> tuple[str, int] | None:
    """Return which rank was killed, as far as the output says, and by which signal."""
    task = SLURM_TASK.search(text)
    if task:
        return f"rank {task[1]}", SLURM_SIGNALS[task[2]]
    killed = RANK_SIGNAL.search(text)
    if killed is None:
        return None
    rank = RANK_NUMBER.search(text)
    who = f"rank {rank[1] or rank[2]}" if rank else "a rank"
    return who, int(next(group for group in killed.groups() if group))


def _by_status(outcome: Outcome) -> tuple[str, str | None]:
    program = Path(outcome.command[0]).name if outcome.command else "the launcher"
    if outcome.status < 0:
        return f"{program} was killed by {_signal(-outcome.status)}", None
    if 128 < outcome.status < 128 + signal.NSIG:
        number = outcome.status - 128
        return f"{program} exited with {outcome.status} ({_signal(number)}?)", _after_signal(number)
    if outcome.status == 0:
        return f"{program} ended as if all were well", None
    return f"{program} exited with {outcome.status}", None


def last_words(outcome: Outcome, count: int = SHOWN_LINES) -> list[str]:
    """Return the last informative lines of the output."""
    return without_noise(outcome.tail)[-count:]


def where(outcome: Outcome) -> str:
    """Return where the whole output lies, as the end of a message; empty when there was none."""
    return f"; its output: {outcome.log}" if outcome.log is not None else ""


def said(lines: Sequence[str]) -> str:
    """Return lines as a quotation in a message of one line."""
    return " | ".join(line.strip() for line in lines)


def _signal(number: int) -> str:
    try:
        return f"signal {number}, {signal.Signals(number).name}"
    except ValueError:
        return f"signal {number}"


def _after_signal(number: int) -> str | None:
    if number == signal.SIGKILL:
        return "a user killed it, or the kernel for lack of memory: see dmesg; --memory"
    if number == signal.SIGBUS:
        return (
            f"it may have found shared memory full; {shared_memory.described()}: "
            f"{shared_memory.advice()}"
        )
    return None
