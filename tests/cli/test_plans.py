# SPDX-License-Identifier: BSD-3-Clause
"""`transrank plan` against owners of single cells, and against what bound exchanges say."""

import itertools
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from support import recorded
from support.commands import pingpong
from support.trials import seed, trials


def blocks(extents, parts, order="C"):
    """The rank of each cell of a grid in even blocks."""
    places = [
        np.repeat(np.arange(p), [len(part) for part in np.array_split(np.arange(n), p)])
        for n, p in zip(extents, parts, strict=True)
    ]
    return np.ravel_multi_index(np.meshgrid(*places, indexing="ij"), parts, order=order)


def halo_cells(owners, rank, widths, periodic, star):
    """The cells of the halo of a rank, as numbers of the grid; some may be there twice."""
    own = np.argwhere(owners == rank)
    low, high = own.min(axis=0), own.max(axis=0)
    reach = [range(a - w, b + w + 1) for a, b, w in zip(low, high, widths, strict=True)]
    for cell in itertools.product(*reach):
        outside = sum(not a <= i <= b for i, a, b in zip(cell, low, high, strict=True))
        beyond = [not 0 <= i < n for i, n in zip(cell, owners.shape, strict=True)]
        there = all(wraps or not out for wraps, out in zip(periodic, beyond, strict=True))
        if there and outside and not (star and outside > 1):
            yield np.ravel_multi_index(cell, owners.shape, mode="wrap")


def check(found, needed, owner, per_node, cell_bytes):
    """Compare a plan with the cells that each rank needs, and the rank that has each cell."""
    moved = Counter((int(owner(cell)), rank) for rank, cells in enumerate(needed) for cell in cells)
    pairs = {pair: count for pair, count in moved.items() if pair[0] != pair[1]}
    for row in found["ranks"]:
        rank = row["rank"]
        for way, mine in (("sends", 0), ("receives", 1)):
            expected = {pair[1 - mine]: n for pair, n in moved.items() if pair[mine] == rank}
            told = {each["peer"]: each["bytes"] for each in row[way]}
            assert told == {peer: n * cell_bytes for peer, n in expected.items()}
        assert row["messages"] == sum(source == rank for source, _ in pairs)
        assert row["bytes_kept"] == moved[rank, rank] * cell_bytes
    for side, is_between in (("within_nodes", False), ("between_nodes", True)):
        here = {
            p: n for p, n in pairs.items() if (p[0] // per_node != p[1] // per_node) == is_between
        }
        distinct = {
            (rank // per_node, cell)
            for rank, cells in enumerate(needed)
            for cell in cells
            if (int(owner(cell)), rank) in here
        }
        assert found[side]["messages"] == len(here)
        assert found[side]["bytes"] == sum(here.values()) * cell_bytes
        assert found[side]["distinct_bytes"] == len(distinct) * cell_bytes


def random_parts(rng, extents):
    return [int(rng.integers(1, min(n, 4) + 1)) for n in extents]


def shown(numbers):
    return "x".join(map(str, numbers))


def test_random_halos_are_those_of_single_cells(store):
    rng = np.random.default_rng(seed())
    for _ in range(trials(25)):
        extents = rng.integers(3, 9, rng.integers(1, 4)).tolist()
        parts = random_parts(rng, extents)
        widths = [int(rng.integers(0, n // p + 1)) for n, p in zip(extents, parts, strict=True)]
        periodic = rng.integers(0, 2, len(extents)).tolist()
        star, per_node = bool(rng.integers(2)), int(rng.integers(1, 6))
        owners = blocks(extents, parts)
        found = store.json(
            f"plan halo {shown(extents)} --parts {shown(parts)} --halo {shown(widths)} --bytes 4 "
            f"--ranks-per-node {per_node} {'--star' if star else ''} "
            + (
                f"--periodic {','.join(str(d) for d, p in enumerate(periodic) if p)}"
                * any(periodic)
            )
        )
        ranks = range(math.prod(parts))
        needed = [list(halo_cells(owners, rank, widths, periodic, star)) for rank in ranks]
        check(found, needed, owners.reshape(-1).__getitem__, per_node, 4)


def test_random_redistributions_are_those_of_single_cells(store):
    rng = np.random.default_rng(seed())
    for _ in range(trials(15)):
        extents = rng.integers(1, 12, rng.integers(1, 4)).tolist()
        source, target = (random_parts(rng, extents) for _ in range(2))
        per_node = int(rng.integers(1, 6))
        found = store.json(
            f"plan redistribute {shown(extents)} --from {shown(source)} --to {shown(target)} "
            f"--fields 3 --ranks-per-node {per_node}"
        )
        before, after = (blocks(extents, parts, "F").reshape(-1) for parts in (source, target))
        needed = [np.flatnonzero(after == row["rank"]).tolist() for row in found["ranks"]]
        check(found, needed, before.__getitem__, per_node, 24)


def test_random_ghosts_are_those_of_single_rows(store, tmp_path):
    rng = np.random.default_rng(seed())
    for trial in range(trials(10)):
        owned = rng.integers(0, 20, rng.integers(2, 7))
        owner = np.repeat(np.arange(len(owned)), owned)
        if not len(owner):
            continue
        lists = [rng.integers(0, len(owner), rng.integers(0, 40)) for _ in owned]
        names = [
            str(tmp_path / f"{trial}-{rank}{'.npy' * (rank % 2)}") for rank in range(len(owned))
        ]
        for name, wanted in zip(names, lists, strict=True):
            if name.endswith(".npy"):
                np.save(name, wanted)
            else:
                Path(name).write_text(" ".join(map(str, wanted)))
        per_node = int(rng.integers(1, 4))
        found = store.json(
            f"plan ghosts {' '.join(names)} --owned {','.join(map(str, owned))} --bytes 24 "
            f"--ranks-per-node {per_node}"
        )
        needed = [
            [row for row in set(wanted.tolist()) if owner[row] != rank]
            for rank, wanted in enumerate(lists)
        ]
        check(found, needed, owner.__getitem__, per_node, 24)
        sizes = [24 * (n + len(rows)) for n, rows in zip(owned.tolist(), needed, strict=True)]
        assert [row["array_bytes"] for row in found["ranks"]] == sizes


PROGRAM = """
import sys, numpy as np, transrank
from mpi4py import MPI
comm = MPI.COMM_WORLD
grid = transrank.Grid(comm, (16, 12), halo=2, periodic=(False, True))
mesh = transrank.Ghosts(comm, 5 + comm.rank, np.arange(2 * comm.rank, 2 * comm.rank + 9))
transrank.route.save(comm, mesh.route, sys.argv[1])
for what in (grid, mesh):
    told = comm.gather(what.halo(what.zeros()).explain())
    if comm.rank == 0:
        print(*told, sep="\\n---\\n", end="\\n===\\n")
"""


@pytest.mark.parametrize("ranks", [2, 4])
def test_bound_exchanges_move_what_is_planned(store, mpiexec, tmp_path, ranks):
    saved = tmp_path / "routes"
    (tmp_path / "program.py").write_text(PROGRAM)
    words = (ranks, sys.executable, "-m", "mpi4py", tmp_path / "program.py", saved)
    told = mpiexec.run(*words).check().stdout.split("\n===\n")
    plans = f"plan halo -n {ranks} --halo 2 16x12 --periodic 1", f"plan ghosts {saved}"
    for text, words in zip(told, plans, strict=False):
        rows = store.json(words)["ranks"]
        for row, explained in zip(rows, text.split("\n---\n"), strict=True):
            moved = {each["peer"]: [each["bytes"], 0] for each in row["sends"]}
            for each in row["receives"]:
                moved.setdefault(each["peer"], [0, 0])[1] = each["bytes"]
            # Of each peer its number, bytes out, bytes in, and more.
            lines = (
                line.replace("itself", str(row["rank"])).split() for line in explained.splitlines()
            )
            listed = {int(line[0]): line[1:3] for line in lines if line and line[0].isdecimal()}
            assert {peer: [int(out), int(back)] for peer, (out, back) in listed.items()} == moved


@pytest.mark.parametrize(
    ("name", "steps", "messages", "blocks_sent"),
    [
        ("linear", 1, 383, 383),
        ("pairwise", 383, 383, 383),
        ("double-spread", 192, 383, 383),
        ("bruck", 9, 9, 1600),
        ("recursive-doubling", 10, 6, 1770),
    ],
)
def test_algorithms_send_what_the_page_of_alltoalls_says(store, name, steps, messages, blocks_sent):
    (found,) = store.json(f"plan alltoall --ranks 384 --bytes 1 --algorithm {name}")
    rows = found["ranks"]
    assert (found["steps"], len(rows)) == (steps, 384)
    # The page gives means over ranks.
    assert sum(row["messages"] for row in rows) // 384 == messages
    assert sum(row["bytes_out"] for row in rows) // 384 == blocks_sent
    assert found["bytes_that_change_processor"] == sum(row["bytes_in"] for row in rows)


def test_all_algorithms_bring_at_least_the_distinct_blocks_to_other_nodes(store):
    words = "plan alltoall --ranks 10 --bytes 8 --ranks-per-node 4"
    found = {plan["algorithm"]: plan for plan in store.json(words)}
    assert "two-process" not in found
    ways = {name: plan["between_nodes"] for name, plan in found.items()}
    assert {way["distinct_bytes"] for way in ways.values()} == {8 * (2 * 4 * 6 + 2 * 8)}
    assert all(way["bytes"] >= way["distinct_bytes"] for way in ways.values())
    # A leader of each node sends one message to each of the others, of each block once.
    assert ways["node-leader"]["messages"] == 6
    assert (
        ways["node-leader"]["bytes"] == ways["linear"]["bytes"] == ways["linear"]["distinct_bytes"]
    )
    # From a rank to its leader, from node to node, and on.
    assert (found["node-leader"]["within_nodes"]["chain"], ways["node-leader"]["chain"]) == (2, 1)
    printed = store.run(words).stdout
    assert [line.split()[0] for line in printed.splitlines()][1:-1] == list(found)
    assert "512 B have to go between nodes" in printed


def test_the_least_time_and_what_is_missing_for_it_are_said(store):
    launches = [recorded.launch(number) for number in range(3)]
    store.keep("20261120-000001-aaaa", *launches, *pingpong(8, 10.0), label="speeds")
    words = "plan alltoall --ranks 4 --bytes 8 --algorithm bruck --ranks-per-node"
    said = store.run(f"{words} 2 --on speeds")
    assert "the latency within a node is 10.0 µs" in said.stdout
    errors = " ".join(said.stderr.split())
    assert (
        "speeds lacks cases of bandwidth within a node. hint: transrank measure bandwidth -n 2"
        in errors
    )
    assert "transrank measure pingpong bandwidth -n 2 --ranks-per-node 1" in errors
    # Of two steps the second waits for the first.
    (found,) = store.json(f"{words} 4 --on speeds")
    assert found["at_least_seconds"] == pytest.approx(20e-6, rel=0.01)
    store.run(f"{words} 2 --on nosuch").fails(4, "nosuch")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("halo 8x8 --halo 1", "`plan halo` lacks --ranks or --parts hint: e.g. transrank plan"),
        ("", "needs what to plan: redistribute, halo, ghosts, alltoall hint: e.g. transrank plan"),
        ("halo --halo 1 --ranks 4", "`plan halo` lacks --grid"),
        ("halo 8x8 -n 4", "`plan halo` lacks --halo hint: e.g. transrank plan halo 512x512x512"),
        ("halo 8x8 --ranks 5 --parts 2x2 --halo 1", "--parts 2x2 are 4 parts for 5 ranks"),
        ("halo 8,8 --parts 2x2 --halo 1", "--grid 8,8"),
        ("halo 8x8 --parts 2 --halo 1", "the grid has 2 dimensions"),
        ("halo 8x8 --parts 2x2 --halo x", "is no list of numbers"),
        ("halo 8x8 --parts 2x2 --halo 5", "5"),
        ("halo 8x8 --parts 2x2 --halo 1 --periodic 2", "--periodic 2 is no dimension of 8x8"),
        ("halo 8x8 --parts 2x2 --halo 1 --owned 3", "does not take --owned hint: it takes --grid"),
        ("halo 8x8 --parts 2x2 --halo 1 --on latest", "--on needs --ranks-per-node"),
        ("halo 1x2x3x4x5x6x7 --ranks 2 --halo 1", "up to 6 dimensions"),
        ("halo 1000000x1000000 --parts 40000x40000 --halo 1", "is too long"),
        ("halo 1000000x1000000 --parts 100000x100000 --halo 1", "2147483647 parts"),
        ("halo 1099511627776x1099511627776 --parts 1x1 --halo 1", "64 bits"),
        ("redistribute 8 --from 2 --to 3 --rank 0 --ranks-per-node 1", "--rank plans one rank"),
        ("redistribute 8 8 --from 2 --to 3", "does not take '8 8'"),
        ("alltoall --bytes 8", "`plan alltoall` lacks --ranks"),
        ("alltoall --ranks 2000000000", "too many blocks to count"),
        ("alltoall --ranks 4 --bytes 4000000GiB", "is too long"),
        ("alltoall --ranks 4 --algorithm fast", "unknown alltoall algorithm 'fast'"),
        ("alltoall --ranks 4 --algorithm two-process", "only for 1 or 2 ranks"),
        ("ghosts", "`plan ghosts` lacks FILE"),
        ("ghosts nosuch --owned 3", "nosuch is no list of indices"),
        ("ghosts words.txt --owned 3", "words.txt is no list of indices"),
        ("ghosts far.txt --owned 3", "99"),
        ("ghosts huge.txt --owned 3", "huge.txt is no list of indices"),
        ("ghosts far.txt --owned 3,3", "--owned has 2 numbers for 1 files"),
        ("ghosts far.txt --owned -1", "--owned"),
        ("ghosts far.txt", "lists of ghosts need --owned"),
        ("ghosts .", "cannot read route file"),
    ],
)
def test_plans_that_make_no_sense_are_refused(store, monkeypatch, tmp_path, words, says):
    monkeypatch.chdir(tmp_path)
    for name, text in (("words", "1 two"), ("far", "99"), ("huge", f"1 {2**70}")):
        (tmp_path / f"{name}.txt").write_text(text)
    said = store.run(f"plan {words}").fails(2)
    assert says in " ".join(said.stderr.split())


def test_thousands_of_ranks_have_extremes(store):
    words = "plan halo 4096x4096x4096 --parts 16x16x16 --halo 1 --periodic all --ranks-per-node 64"
    printed = " ".join(store.run(words).stdout.split())
    assert "messages 26 (rank 0) 26 (rank 0) 26 (rank 0)" in printed
    assert "128 MiB of arrays" not in printed
    # A plane of 256 x 256 cells to either side, 12 edges and 8 corners.
    moved = 4096 * 8 * (6 * 256**2 + 12 * 256 + 8)
    assert f"{moved / 2**30:.1f} GiB move to another rank" in printed
