# SPDX-License-Identifier: BSD-3-Clause
"""Run one launcher command: bounded in time, nothing left behind, its words kept.

The launcher gets a process group of its own, so that Ctrl-C reaches transrank alone, which then
ends the job in order: TERM, a few seconds of grace, KILL. Launchers put their ranks into sessions
of their own (Hydra does), and a killed launcher orphans them; every process of a launch therefore
carries a mark in its environment, by which what is left of it on this host is found and ended, and
the shared memory of its ranks removed. Ranks on other hosts end by the launcher, or by the runner's
own watchdog.
"""

from __future__ import annotations

import os
import secrets
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from transrank.errors import LaunchError
from transrank.lab.launch import left_overs

MARK = "TRANSRANK_LAUNCH_MARK"
GRACE_SECONDS = 3.0
# How long a launch may take to end after a message that can only be its last: a launcher whose link
# to another host is cut waits forever for the processes there to end.
DYING_SECONDS = 3.0
# How long output is still read after the launcher itself has ended: orphans may hold the pipes.
DRAIN_SECONDS = 1.0
TICK_SECONDS = 1.0
TAIL_LINES = 200


@dataclass(frozen=True)
class Outcome:
    """How a launch ended.

    `status` is the exit status, negative for the signal that ended the launcher itself. `tail` has
    the last lines of stderr, and of stdout without the lines that were taken.
    """

    command: tuple[str, ...]
    status: int
    seconds: float
    timed_out: bool
    tail: tuple[str, ...]
    log: Path | None

    @property
    def ok(self) -> bool:
        """Whether the launcher ended by itself and with status 0."""
        return self.status == 0 and not self.timed_out


class Log:
    """Everything a launch says, in a file that appears with the first word of it.

    A full disk must not end a launch: what cannot be written is kept in the tail alone.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)

    @property
    def path(self) -> Path | None:
        """The file, if there is one."""
        return self._path if self._file is not None else None

    def add(self, line: str) -> None:
        """Keep one line, without its newline."""
        if line.strip():
            self.tail.append(line)
        elif self._file is None:
            return  # glued lines of several ranks leave empty ones behind
        if self._path is None:
            return
        try:
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = _opened(self._path)
            self._file.write((line + "\n").encode("utf-8", "surrogateescape"))
        except OSError:
            self._path = None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _opened(path: Path) -> IO[bytes]:
    """A file to append to; a link is not followed: whose it is in a shared folder is not known."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o666), "ab", buffering=0)


class _Stream:
    """A pipe whose bytes arrive in pieces and leave as lines."""

    def __init__(self, pipe: IO[bytes], take_line: Callable[[str], object]) -> None:
        self._pipe = pipe
        self._take_line = take_line
        self._rest = b""
        os.set_blocking(pipe.fileno(), False)

    def read(self) -> bool:
        """Hand on what has arrived; False when the pipe has ended."""
        piece = os.read(self._pipe.fileno(), 1 << 16)
        self._hand_on(piece)
        return bool(piece)

    def finish(self) -> None:
        """Hand on a last line that lacks its newline."""
        if self._rest:
            self._hand_on(b"\n")

    def _hand_on(self, piece: bytes) -> None:
        *whole, self._rest = (self._rest + piece).split(b"\n")
        for line in whole:
            self._take_line(line.decode("utf-8", "replace").rstrip("\r"))


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    timeout_seconds: float,
    take_line: Callable[[str], bool] = lambda line: False,
    tick: Callable[[], None] = lambda: None,
    is_last_word: Callable[[str], bool] = lambda line: False,
    log: Path | None = None,
) -> Outcome:
    """Run `command` to its end and return how it ended.

    Parameters
    ----------
    environment
        the whole environment of the launcher.
    timeout_seconds
        after this time the launch is ended; `Outcome.timed_out` says so.
    take_line
        gets every line of stdout and says whether it took it; the others go to the log.
    tick
        called about once a second, however much the launch says: what it does shares the machine
        with the ranks.
    is_last_word
        whether a line of stderr says that the launch cannot go on: it is then ended when it does
        not end by itself within DYING_SECONDS.
    log
        the file for stderr and what was not taken of stdout; not created for a silent launch.

    Raises LaunchError: the command cannot be started at all.
    """
    mark = f"{os.getpid()}-{secrets.token_hex(8)}"
    started = time.monotonic()
    words = Log(log)
    memory = left_overs.Watch(lambda: _marked(mark))

    def look() -> None:
        tick()
        memory.look()

    try:
        # An interrupt may come while the launcher runs but is not known yet: its mark is.
        process = _start(command, {**environment, MARK: mark})
        try:
            timed_out = not _follow(
                process, started + timeout_seconds, take_line, look, is_last_word, words
            )
        finally:
            if process.poll() != 0:  # ranks may live on without their launcher
                memory.look_again()
            _end(process)
    finally:
        _end_marked(mark)
        memory.remove()
        words.close()
    return Outcome(
        command=tuple(command),
        status=process.returncode,
        seconds=time.monotonic() - started,
        timed_out=timed_out,
        tail=tuple(words.tail),
        log=words.path,
    )


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as cause:
        reason = getattr(cause, "strerror", None) or str(cause)
        raise LaunchError(
            f"cannot start {command[0]}: {reason}",
            "name a launcher that exists: --launcher or TRANSRANK_LAUNCHER",
        ) from cause


def _follow(
    process: subprocess.Popen[bytes],
    deadline: float,
    take_line: Callable[[str], bool],
    tick: Callable[[], None],
    is_last_word: Callable[[str], bool],
    words: Log,
) -> bool:
    """Pass the output on until the launcher has ended; False when the deadline came first.

    A launch that was dying when its time came has ended as well.
    """
    assert process.stdout is not None
    assert process.stderr is not None

    def offer(line: str) -> None:
        if not take_line(line):
            words.add(line)

    dying: float | None = None

    def listen(line: str) -> None:
        nonlocal dying
        words.add(line)
        if dying is None and is_last_word(line):
            dying = time.monotonic() + DYING_SECONDS

    streams = {
        process.stdout: _Stream(process.stdout, offer),
        process.stderr: _Stream(process.stderr, listen),
    }
    with selectors.DefaultSelector() as selector:
        for pipe, stream in streams.items():
            selector.register(pipe, selectors.EVENT_READ, stream)
        drained: float | None = None
        ticked = time.monotonic()
        while selector.get_map():
            now = time.monotonic()
            if drained is None and process.poll() is not None:
                drained = now + DRAIN_SECONDS
            limit = min(deadline, dying or deadline) if drained is None else drained
            if now >= limit:
                break
            for key, _ in selector.select(min(TICK_SECONDS, limit - now)):
                if not key.data.read():
                    selector.unregister(key.fileobj)
            if time.monotonic() - ticked >= TICK_SECONDS:
                tick()
                ticked = time.monotonic()
    for stream in streams.values():
        stream.finish()
    return _wait(process, min(deadline, dying or deadline)) or dying is not None


def _wait(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the launcher's process group if it still runs: TERM, grace, KILL."""
    if process.poll() is None:
        for number, patience in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, None)):
            _signal_group(process.pid, number)
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


def _end_marked(mark: str) -> None:
    """End the processes on this host that carry `mark`."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in _marked(mark):
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                continue
        patience = time.monotonic() + GRACE_SECONDS
        while _marked(mark) and time.monotonic() < patience:
            time.sleep(0.05)


def _marked(mark: str) -> list[int]:
    needle = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            # A zombie's environment is empty: it needs no ending.
            if needle in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found
