# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of errors, and the exit status of the command line for each."""

from __future__ import annotations


class Failure(Exception):
    """A failure that the user can act on: shown as one line, never as a traceback.

    Parameters
    ----------
    message
        what is wrong, with the values and the place.
    hint
        what to do about it.
    """

    status = 1

    def __init__(self, message: str, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if status is not None:
            self.status = status

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} hint: {self.hint}"


class UsageError(Failure):
    """The command line asks for something that does not exist or makes no sense."""

    status = 2


class LaunchError(Failure):
    """The MPI run failed: there is no launcher, a rank was killed, or a runner ended early."""

    status = 3


class RecordError(Failure):
    """Results are missing, unreadable or cannot be written."""

    status = 4
