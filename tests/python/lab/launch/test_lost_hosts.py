# SPDX-License-Identifier: BSD-3-Clause
"""Words of launchers that lost a host name it, with the ranks that were there."""

import socket

import pytest

from transrank.lab.launch import lost_hosts

PLACEMENT = {"hosts": ["node0", "node1", "node2"], "rank_host": [0, 0, 1, 1, 2]}


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (
            "ssh: connect to host node1 port 22: No route to host",
            "the launcher cannot reach node1, where ranks 2, 3 were to run: No route to host",
        ),
        (
            "ssh: Could not resolve hostname node9: Name or service not known",
            "the launcher cannot reach node9: Name or service not known",
        ),
        (
            "Connection to node2 closed by remote host.",
            "the launcher has lost node2, where rank 4 ran",
        ),
        (
            "  Remote daemon: [prterun-node0-17@0,1] on node node1",
            "the launcher has lost node1, where ranks 2, 3 ran",
        ),
    ],
)
def test_a_host_that_is_named_is_told_with_its_ranks(words, cause):
    found = lost_hosts.explain(["something before", words, "something after"], PLACEMENT)
    assert found[0] == cause


def test_where_no_host_is_named_all_but_the_launcher_s_own_may_be_lost(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "node0")
    words = ["[mpiexec@node0] control_cb (pmiserv_cb.c:280): assert (!closed) failed"]
    found = lost_hosts.explain(words, PLACEMENT)
    assert found[0] == "the launcher has lost one of node1 (ranks 2, 3), node2 (rank 4)"
    two = {"hosts": ["node0", "node1"], "rank_host": [0, 1]}
    assert lost_hosts.explain(words, two) == (
        "the launcher has lost node1 (rank 1)",
        "is the host still up?",
    )
    assert lost_hosts.explain(words, None) == (
        "the launcher has lost one of its hosts",
        "is the host still up?",
    )


def test_a_launcher_that_ends_before_ssh_is_heard_has_not_reached_another_host(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "node0")
    words = ["[mpiexec@node0] ui_cmd_cb (pmiserv_pmci.c:51): Launch proxy failed."]
    two = {"hosts": ["node0", "node1"], "rank_host": [0, 0, 1, 1]}
    assert lost_hosts.explain(words, two) == (
        "the launcher cannot reach node1, where ranks 2, 3 were to run",
        "is the host up? ssh node1 true",
    )
    found = lost_hosts.explain(words, PLACEMENT)
    assert found[0] == "the launcher cannot reach one of node1 (ranks 2, 3), node2 (rank 4)"
    assert lost_hosts.explain(words, None) == (
        "the launcher cannot reach one of its hosts",
        "are all hosts up?",
    )


def test_other_failures_are_not_about_hosts():
    assert lost_hosts.explain(["rank 3 was killed", "mpiexec exited with 9"], PLACEMENT) is None
