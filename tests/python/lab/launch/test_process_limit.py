# SPDX-License-Identifier: BSD-3-Clause
"""What is said where the limit of processes leaves no place for the ranks."""

from __future__ import annotations

import os
import resource
import sys

import pytest

from transrank.errors import LaunchError
from transrank.lab.launch import process_limit
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.launchers import Hydra
from transrank.lab.store.records import Shape
from transrank.lab.survey.probe import probe

UNCOUNTED_USER = 54321


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a user who runs nothing here but a shell, and may run six processes."""
    monkeypatch.setattr(process_limit, "_running", lambda: 1)
    monkeypatch.setattr(os, "getuid", lambda: UNCOUNTED_USER)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (6, 6))


def hydra(nodes: int = 1) -> Hydra:
    return Hydra(Capacity(nodes, 4), "mpich", "/nowhere/mpiexec")


@pytest.mark.usefixtures("one_process")
def test_more_ranks_than_may_be_started_are_refused_before_the_launch():
    words = "4 ranks and mpiexec are 6 processes more; this user runs 1 here, threads included, and"
    with pytest.raises(LaunchError, match=words) as error:
        probe(hydra(), Shape(4, 0), {})
    assert "ulimit -u" in str(error.value.hint)


@pytest.mark.usefixtures("one_process")
def test_ranks_that_may_be_started_pass():
    process_limit.check(hydra(), Shape(3, 0))
    process_limit.check(hydra(nodes=2), Shape(4, 0))


def test_no_limit_counts_for_root(monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    process_limit.check(hydra(), Shape(4, 0))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_own_processes_are_counted_with_their_threads():
    assert process_limit._running() >= 1
