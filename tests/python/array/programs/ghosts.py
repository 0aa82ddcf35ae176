# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""ParArray and ArrayTransformer agree with a serial oracle, for rows of every kind."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import transrank
from python.spmd import WORLD, main, property_test

KINDS = ("fixed", "fixed of the user", "bounded", "variable")
TYPES = ("f8", "i4", "c16", [("id", "<i4"), ("place", "<f8", (2,))])


@dataclass(frozen=True)
class Case:
    """Rows of all ranks, and which of them each rank wants."""

    kind: str
    dtype: Any
    lengths: list[list[int]]  # of each rank's rows
    alignment: int
    wanted: list[list[int]]
    transport: str

    @property
    def all_lengths(self) -> list[int]:
        return [length for mine in self.lengths for length in mine]

    @property
    def begin(self) -> list[int]:
        """The first global row of each rank."""
        counts = [len(mine) for mine in self.lengths]
        return [sum(counts[:rank]) for rank in range(len(counts))]

    @property
    def bound(self) -> int:
        return max(self.all_lengths, default=0) + 1


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from(KINDS))
    length = draw(st.integers(0, 5))
    lengths = st.just(length) if kind.startswith("fixed") else st.integers(0, 5)
    per_rank = [draw(st.lists(lengths, max_size=6)) for _ in range(WORLD.size)]
    extent = sum(len(mine) for mine in per_rank)
    some = st.lists(st.integers(0, extent - 1), max_size=10) if extent else st.just([])
    return Case(
        kind=kind,
        dtype=draw(st.sampled_from(TYPES)),
        lengths=per_rank,
        alignment=draw(st.integers(1, 4)),
        wanted=[draw(some) for _ in range(WORLD.size)],
        transport=draw(st.sampled_from(["auto", "message", "shared-staged"])),
    )


def father_of(case: Case, dtype: Any) -> transrank.ParArray:
    lengths = case.lengths[WORLD.rank]
    if case.kind == "bounded":
        return transrank.ParArray.bounded(lengths, case.bound, dtype, alignment=case.alignment)
    if case.kind == "variable":
        return transrank.ParArray.variable(lengths, dtype, alignment=case.alignment)
    length = next(iter(case.all_lengths), 0)
    if case.kind == "fixed":
        return transrank.ParArray.fixed(len(lengths), length, dtype, alignment=case.alignment)
    return transrank.ParArray.of(np.zeros((len(lengths), length), dtype))


def content(row: int, length: int, dtype: Any) -> NDArray[Any]:
    """What the row of a global index holds."""
    raw = np.random.default_rng([row, length]).integers(0, 99, (length, np.dtype(dtype).itemsize))
    if np.dtype(dtype).kind == "V":
        return raw.astype(np.uint8).view(dtype).reshape(length)
    return raw[:, 0].astype(dtype)


def fill(case: Case, father: transrank.ParArray) -> None:
    for row, length in enumerate(case.lengths[WORLD.rank]):
        father[row][...] = content(case.begin[WORLD.rank] + row, length, father.dtype)


def wrong_ghosts(case: Case, transformer: transrank.ArrayTransformer) -> list[str]:
    wanted, son = transformer.ghosts, transformer.son
    problems = [] if len(son) == len(wanted) else [f"{len(son)} ghosts, not {len(wanted)}"]
    for place, row in enumerate(wanted.tolist()):
        expected = content(row, case.all_lengths[row], son.dtype)
        if son[place].tobytes() != expected.tobytes():
            problems.append(f"ghost {place} holds {son[place]}, row {row} is {expected}")
    return problems


def pulling(case: Case, dtype: Any) -> transrank.ArrayTransformer:
    transformer = transrank.ArrayTransformer(WORLD, father_of(case, dtype))
    transformer.create_global_mapping()
    transformer.create_ghost_mapping(case.wanted[WORLD.rank])
    return transformer


def owner_of(case: Case, row: int) -> int:
    return max(rank for rank in range(WORLD.size) if case.lengths[rank] and case.begin[rank] <= row)


@property_test(cases(), examples=20)
def test_pulled_ghosts_are_the_rows_that_were_asked_for(case):
    transformer = pulling(case, case.dtype)
    transformer.init_persistent_pull(transport=case.transport)
    fill(case, transformer.father)
    problems = []
    for _ in range(2):
        transformer.son.memory.view(np.uint8)[...] = 0
        transformer.start_persistent_pull()
        transformer.wait_persistent_pull()
        problems += wrong_ghosts(case, transformer)
    problems += [] if transformer.ghosts.tolist() == case.wanted[WORLD.rank] else ["other ghosts"]
    assert not problems, problems


@property_test(cases(), examples=15)
def test_pull_and_the_matching_push_make_the_same_ghosts(case):
    pull = pulling(case, case.dtype)
    push = transrank.ArrayTransformer(WORLD, pull.father)
    push.create_global_mapping()
    # Each owner pushes what was pulled from it: by taker, in the order of the taker's list.
    pairs = [
        (row - case.begin[WORLD.rank], taker)
        for taker, wanted in enumerate(case.wanted)
        for row in wanted
        if owner_of(case, row) == WORLD.rank
    ]
    push.create_ghost_mapping([row for row, _ in pairs], [taker for _, taker in pairs])
    fill(case, push.father)
    push.pull_once(transport=case.transport)
    again = transrank.ArrayTransformer(WORLD, push.father)
    again.create_global_mapping()
    again.create_ghost_mapping(push.ghosts)
    again.pull_once(transport=case.transport)
    problems = wrong_ghosts(case, push)
    if sorted(push.ghosts.tolist()) != sorted(case.wanted[WORLD.rank]):
        problems.append("pushed ghosts are not those that were pulled")
    if again.mapping.route != push.mapping.route:
        problems.append("pulling the pushed ghosts makes another route")
    if again.son.memory.tobytes() != push.son.memory.tobytes():
        problems.append("pulling the pushed ghosts gives other ghosts")
    assert not problems, problems


@property_test(cases(), examples=15)
def test_pushing_ones_back_counts_how_often_each_row_was_pulled(case):
    transformer = pulling(case, np.int64)
    transformer.init_persistent_push("add", transport=case.transport)
    transformer.son.memory[...] = 1
    transformer.father.memory[...] = 0
    transformer.start_persistent_push()
    while not transformer.test_persistent_push():
        pass
    asked = [row for wanted in case.wanted for row in wanted]
    problems = []
    for row in range(len(transformer.father)):
        count = asked.count(case.begin[WORLD.rank] + row)
        if (transformer.father[row] != count).any():
            problems.append(f"row {row} was pulled {count} times: {transformer.father[row]}")
    assert not problems, problems


@property_test(st.tuples(cases(), cases()), examples=20)
def test_a_borrowed_mapping_serves_rows_of_another_kind(both):
    lender, other = both
    case = Case(
        kind="variable",
        dtype=other.dtype,
        lengths=[[(3 * row + rank) % 4 for row in range(len(mine))]
                 for rank, mine in enumerate(lender.lengths)],
        alignment=other.alignment,
        wanted=lender.wanted,
        transport=other.transport,
    )  # fmt: skip
    owner = pulling(lender, lender.dtype)
    borrower = transrank.ArrayTransformer(WORLD, father_of(case, case.dtype))
    borrower.borrow_mapping(owner)
    fill(case, borrower.father)
    borrower.pull_once(transport=case.transport)
    problems = wrong_ghosts(case, borrower)
    assert not problems, problems


main(globals())
