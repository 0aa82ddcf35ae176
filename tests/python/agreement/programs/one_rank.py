# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""One rank passes something else to a collective call: it works, or all ranks raise one error.

An unknown keyword, or something that is no communicator, cannot be agreed on, and is not drawn.
After MPI_Finalize every call is refused at once.
"""

import inspect
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from hypothesis import strategies as st

import transrank
from python.spmd import MPI, WORLD, main, property_test
from support.trials import trials
from transrank import BlockGrid, Distribution, Numbering, ParArray, Redistribution
from transrank import route as routes
from transrank.exchange.exchange import Options

RANK, RANKS = WORLD.rank, WORLD.size
HANGING_SECONDS = 30.0
HANG_STATUS = 77
ROWS = 4
ONES = [1] * RANKS
SHAPES = ((ROWS, ROWS * RANKS), (ROWS * RANKS, ROWS))
HERE = Path(WORLD.bcast(tempfile.mkdtemp() if RANK == 0 else None, root=0))
os.chdir(HERE)  # any text may become the name of a file

Call = Callable[..., object]
Arguments = dict[str, Any]


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("an error that cannot be told")


class Raising:
    """Raises whatever is asked of it."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __repr__(self) -> str:
        return f"Raising({type(self._error).__name__})"

    def __array__(self, *_: object, **__: object) -> None:
        raise self._error

    __index__ = __len__ = __iter__ = __fspath__ = __bool__ = __array__


def even(parts: int = RANKS) -> Distribution:
    return Distribution.even(ROWS * RANKS, parts)


def cyclic() -> Distribution:
    return Distribution.block_cyclic(ROWS * RANKS, RANKS, 2)


def grid(along: int = 0, halo: int = 0) -> BlockGrid:
    parts = [RANKS if dimension == along else 1 for dimension in range(2)]
    return BlockGrid([even(count) for count in parts], halo=[(halo, halo, True)] * 2)


def on_each() -> BlockGrid:
    return BlockGrid([even(1), even()], memory_order=(0, 1))


def ring(first: int = 0) -> transrank.Route:
    return routes.ghost_pull(WORLD, even(), ROWS * ((RANK + 1) % RANKS) + first + np.arange(2))


def halo() -> transrank.Route:
    return routes.halo(WORLD, grid(halo=1))


def between() -> Redistribution:
    return Redistribution(WORLD, grid(0), grid(1))


def numbered(father: Any = None, ghosts: Any = None) -> transrank.ArrayTransformer:
    """A transformer whose rows have numbers, and ghosts where they are given."""
    father = np.arange(float(ROWS)) if father is None else father
    made = transrank.ArrayTransformer(WORLD, father)
    made.create_global_mapping()
    if ghosts is not None:
        made.create_ghost_mapping(ghosts)
    return made


def transformer() -> transrank.ArrayTransformer:
    return numbered(ghosts=[0, 1])


def cells(divided: int = 0) -> transrank.Grid:
    parts = (1, RANKS) if divided else (RANKS, 1)
    return transrank.Grid(WORLD, (ROWS * RANKS, ROWS * RANKS), halo=1, parts=parts)


def mesh() -> transrank.Ghosts:
    return transrank.Ghosts(WORLD, ROWS, [0, 1])


def dataset() -> xarray.Dataset:
    return xarray.Dataset({"wind": (("y", "x"), np.zeros(SHAPES[0]))})


def saved() -> Path:
    routes.save(WORLD, ring(), HERE / "saved")
    return HERE / "saved"


def on_world(call: Call) -> Call:
    return partial(call, WORLD)


def of(make: Callable[[], Any], method: str) -> Call:
    return lambda **given: getattr(make(), method)(**given)


def exchange(route: Any, fields: Any, **options: Any) -> None:
    transrank.Exchange(route, WORLD, fields, **options).run()


def redistribution(source: Any, destination: Any, **options: Any) -> None:
    made = Redistribution(WORLD, source, destination, **options)
    made.store((transrank.zeros(made.source_shape()), transrank.zeros(made.destination_shape())))
    made.run()


def store(**options: Any) -> None:
    made = between()
    made.store(**options)
    made.run()


def along(**given: Any) -> None:
    Redistribution.along(WORLD, **given).store(tuple(np.zeros(shape) for shape in SHAPES))


def update(*, back: bool) -> None:
    """With ghosts whose place among the ghosts is that of their rows."""
    made = numbered(ghosts=ROWS * ((RANK + 1) % RANKS) + np.arange(2))
    (made.init_persistent_push("assign") if back else made.init_persistent_pull()).run()


def borrow(other: Any) -> None:
    made = transrank.ArrayTransformer(WORLD, np.arange(float(ROWS)))
    made.borrow_mapping(other)
    made.pull_once()


@dataclass(frozen=True)
class Agreed:
    """What every rank passes, and what none may pass alone: of its type, and as good in itself."""

    right: Any
    other: Any


BINDING = {
    "transport": Agreed("auto", "message"),
    "push_below_bytes": Agreed(5, 6),
    "longest_message_bytes": Agreed(100, 101),
    "together": Agreed(False, True),
}
DATASET: Callable[[], Arguments] = lambda: {  # noqa: E731
    "source": Agreed(dataset(), dataset().astype("f4")),
    "dimensions": Agreed(["y", "x"], ["x", "y"]),
}


def blocks() -> Arguments:
    return {
        "send": np.arange(2.0 * RANKS),
        "receive": Agreed(np.zeros(2 * RANKS), None),
        "algorithm": Agreed("auto", "pairwise"),
        "choices": Agreed(None, HERE / "choices"),
        "radix": Agreed(2, 3),
        "window": Agreed(8, 9),
        "leaders": Agreed(2, 3),
        "ranks_per_node": Agreed(None, 1),
        "torus": Agreed((), (RANKS,)),
    }


def bound_blocks() -> Arguments:
    return {**blocks(), "any_memory": Agreed(False, True)}


# Each collective call with its arguments, made by all ranks. One that is not agreed on is the
# rank's own, as docs/exchange.md says: lists and counts of its rows, its arrays, where files lie.
# fmt: off
CALLS: dict[str, tuple[Call, Callable[[], Arguments]]] = {
    "Numbering": (on_world(Numbering), lambda: {"owned": ROWS, "table": Agreed(False, True)}),
    "route.ghost_pull": (on_world(routes.ghost_pull), lambda: {
        "owners": Agreed(even(), cyclic()), "ghosts": [0, 1], "begin": 1, "extent": 5,
    }),
    "route.ghost_pull of a numbering": (on_world(routes.ghost_pull), lambda: {
        "owners": Agreed(Numbering(WORLD, RANK), Numbering(WORLD, 2 * RANK)),
        "ghosts": [0], "begin": 1,
    }),
    "route.ghost_push": (on_world(routes.ghost_push), lambda: {
        "owners": Agreed(even(), cyclic()), "rows": [0, 1], "targets": [0, RANKS - 1], "begin": 1,
    }),
    "route.ghost_push of a numbering": (on_world(routes.ghost_push), lambda: {
        "owners": Agreed(Numbering(WORLD, RANK + 1), Numbering(WORLD, RANK + 2)),
        "rows": [0], "targets": [0], "begin": 1,
    }),
    "route.lists": (on_world(routes.lists), lambda: {
        "source": np.arange(ROWS) + ROWS * RANK, "destination": [0, 1],
    }),
    "route.alltoall": (on_world(routes.alltoall), lambda: {"units": Agreed(2, 3)}),
    "route.alltoallv": (on_world(routes.alltoallv), lambda: {
        **dict.fromkeys(("send_counts", "receive_counts"), ONES),
        **dict.fromkeys(("send_displacements", "receive_displacements"), range(RANKS)),
    }),
    "route.halo": (on_world(routes.halo), lambda: {
        "grid": Agreed(grid(halo=1), grid(halo=2)), "corners": Agreed(True, False),
    }),
    "route.redistribution": (on_world(routes.redistribution), lambda: {
        "source": Agreed(grid(0), grid(1)), "destination": Agreed(grid(1), on_each()),
        "fill_halo": Agreed(False, True),
    }),
    "route.save": (on_world(routes.save), lambda: {
        "route": Agreed(ring(), ring(1)), "place": HERE / "new",
    }),
    "route.load": (on_world(routes.load), lambda: {"place": saved()}),
    "Exchange": (exchange, lambda: {
        "route": Agreed(ring(), ring(1)),
        "fields": Agreed(
            (np.arange(float(ROWS)), np.zeros(2)), (np.zeros(ROWS, "f4"), np.zeros(2, "f4"))
        ),
        "operation": Agreed("add", "max"), "dimensions": 1, **BINDING,
        "others": Agreed([], [(np.zeros(ROWS), np.zeros(2))]), "any_memory": Agreed(False, True),
    }),
    "Exchange in place": (
        lambda route: exchange(route, np.zeros(grid(halo=1).local_extents(RANK)), dimensions=2),
        lambda: {"route": Agreed(halo(), halo().transposed())},
    ),
    "Alltoall": (lambda **given: transrank.Alltoall(WORLD, **given), bound_blocks),
    "alltoall": (on_world(transrank.alltoall), blocks),
    "Redistribution": (redistribution, lambda: {
        "source": Agreed(grid(0), grid(1)), "destination": Agreed(grid(1), on_each()),
        "fill_halo": Agreed(False, True), "numbering": Agreed("C", "F"),
    }),
    "Redistribution of lists": (redistribution, lambda: {
        "source": np.arange(ROWS) + ROWS * RANK, "destination": Agreed([RANK], grid(0)),
        "numbering": Agreed("F", "C"),
    }),
    "Redistribution.store": (store, lambda: {
        "fields": Agreed(*(tuple(np.zeros(it, t) for it in SHAPES) for t in ("f8", "f4"))),
        "transport": Agreed("message", "shared-staged"),
        "others": Agreed([], [tuple(map(np.zeros, SHAPES))]), "any_memory": Agreed(False, True),
        "together": Agreed(False, True),
    }),
    "Redistribution.along": (along, lambda: {
        "route": Agreed(between().route, between().route.transposed()),
        "source": Agreed(grid(0), BlockGrid([even(), even(1)], memory_order=(0, 1))),
        "destination": Agreed(grid(1), None),
    }),
    "Redistribution.bind": (lambda **given: between().bind(**given).run(), DATASET),
    "Redistribution.redistribute": (of(between, "redistribute"), DATASET),
    "ArrayTransformer": (on_world(transrank.ArrayTransformer), lambda: {
        "father": np.zeros(ROWS), "son": None,
    }),
    "ArrayTransformer.set_father_son": (of(transformer, "set_father_son"), lambda: {
        "father": np.zeros((ROWS, 2)), "son": np.zeros((2, 2)),
    }),
    "ArrayTransformer.create_global_mapping": (
        lambda father: transrank.ArrayTransformer(WORLD, father).create_global_mapping(),
        lambda: {"father": ParArray.variable([1, 2])},
    ),
    "ArrayTransformer.create_ghost_mapping": (of(numbered, "create_ghost_mapping"), lambda: {
        "pulled": [0, 1], "targets": Agreed(None, [0, 0]),
    }),
    "ArrayTransformer.create_ghost_mapping by pushing": (
        of(numbered, "create_ghost_mapping"),
        lambda: {"pulled": [0, 1], "targets": Agreed([0, 0], None)},
    ),
    "ArrayTransformer.use_route": (of(numbered, "use_route"), lambda: {
        "route": Agreed(ring(), ring(1)),
    }),
    "ArrayTransformer.borrow_mapping": (borrow, lambda: {
        "other": Agreed(transformer(), numbered(ghosts=[1, 2])),
    }),
    "ArrayTransformer.fit_son": (lambda father: numbered(father, [0, 1]).fit_son(), lambda: {
        "father": Agreed(np.zeros(ROWS), np.zeros(ROWS, "f4")),
    }),
    "ArrayTransformer.init_persistent_pull": (
        of(transformer, "init_persistent_pull"), lambda: BINDING,
    ),
    "ArrayTransformer.init_persistent_push": (of(transformer, "init_persistent_push"), lambda: {
        "operation": Agreed("add", "max"), **BINDING,
    }),
    "ArrayTransformer.init_persistent_pull and _push": (update, lambda: {
        "back": Agreed(False, True),
    }),
    "ArrayTransformer.pull_once": (of(transformer, "pull_once"), lambda: BINDING),
    "ArrayTransformer.push_once": (of(transformer, "push_once"), lambda: {
        "operation": Agreed("max", "add"), **BINDING,
    }),
    "Grid": (on_world(transrank.Grid), lambda: {
        "shape": Agreed((ROWS, ROWS * RANKS), (ROWS, ROWS * RANKS + 1)),
        "halo": Agreed(1, 2), "periodic": Agreed(True, False),
        "parts": Agreed([1, RANKS], [RANKS, 1]), "components_first": Agreed(False, True),
        "together": Agreed(False, True),
    }),
    "Grid.halo": (lambda arrays, others: cells().halo(arrays, others=others), lambda: {
        "arrays": Agreed(cells().zeros(), cells().zeros(dtype="f4")),
        "others": Agreed([], [(cells().zeros(),)]),
    }),
    "Grid.update": (lambda arrays: cells().update(arrays), lambda: {
        "arrays": Agreed(cells().zeros(), cells().zeros(2)),
    }),
    "Grid.to": (of(cells, "to"), lambda: {
        "other": Agreed(cells(1), cells()),
        "array": Agreed(cells().zeros(), cells().zeros(dtype="f4")),
        "out": Agreed(cells(1).zeros(), cells(1).zeros(2)),
    }),
    "Grid.gather": (of(cells, "gather"), lambda: {
        "array": Agreed(cells().zeros(), cells().zeros(dtype="f4")), "root": Agreed(1, 0),
    }),
    "Grid.scatter": (of(cells, "scatter"), lambda: {
        "whole": np.zeros(cells().shape), "root": Agreed(1, 0),
        "out": Agreed(cells().zeros(), cells().zeros(2)),
    }),
    "Ghosts": (on_world(transrank.Ghosts), lambda: {
        "owned": ROWS, "wanted": [0, 1], "together": Agreed(False, True),
    }),
    "Ghosts.halo": (lambda arrays, others: mesh().halo(arrays, others=others), lambda: {
        "arrays": Agreed(mesh().zeros(), mesh().zeros(2)), "others": Agreed([], [(mesh().zeros(),)])
    }),
    **{
        f"Ghosts.{name}": (
            lambda arrays, name=name: getattr(mesh(), name)(arrays),
            lambda: {"arrays": Agreed(mesh().zeros(), mesh().zeros(2))},
        )
        for name in ("update", "add")
    },
}
# fmt: on


def arguments_of(call: str) -> tuple[Arguments, Arguments]:
    """What every rank passes, and what one passes instead of what is agreed on."""
    made = CALLS[call][1]()
    agreed = {name: it for name, it in made.items() if isinstance(it, Agreed)}
    right = {name: it.right for name, it in agreed.items()}
    return made | right, {name: it.other for name, it in agreed.items()}


ARGUMENTS = {call: arguments_of(call)[0].keys() for call in CALLS}


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


EDGES = [0, -1, 1, 2**31 - 1, 2**31, 2**62, 2**63 - 1, 2**63, -(2**63), 2**70, 10**4000]
NUMBERS = st.one_of(st.sampled_from(EDGES), st.integers(-3, 9), st.integers())
NAMES = st.sampled_from(
    [
        *("auto", "message", "shared-direct", "bruck", "linear-bounded", "mpi", "torus-3d", "min"),
        *("assign", "C", "F", "async", "sync", "per-run", "none", "\udc80\ud800", "a\0b", "a\nb"),
    ]
)
TYPES = ("f4", ">f8", "m8[s]", object, [("a\udc80", "f8"), ("b", "i1")])
ARRAYS = st.sampled_from(
    [
        *(np.zeros(ROWS, dtype) for dtype in TYPES),
        *(np.zeros(0), np.zeros(()), np.zeros(2 * ROWS)[::2], np.zeros((ROWS, 3)).T),
        *(np.ma.zeros(ROWS), read_only(np.zeros(2 * RANKS)), np.arange(ROWS)),
        *(np.zeros(ROWS, "u8") + np.uint64(2**64 - 1), np.float64(3), np.int64(1)),
    ]
)
RAISING = st.sampled_from(
    [
        *(Raising(kind("on purpose")) for kind in (ValueError, KeyboardInterrupt, SystemExit)),
        *(Raising(Unspeakable()), Raising(MemoryError())),
        Raising(OSError("\udc80 \0 \n " + "long " * 300_000)),
    ]
)
LAYOUTS = st.sampled_from(
    [
        *(even(), even(RANKS + 3), cyclic(), Distribution.even(2**62, RANKS)),
        *(grid(1), grid(0, halo=ROWS), grid(0, halo=ROWS + 1), BlockGrid([even()])),
        *(ParArray.fixed(ROWS), ParArray.variable([1, 2, 3, 4]), ParArray.bounded([1, 2, 3], 5)),
        transrank.Route(0, RANKS, ROWS, 2, [], []),
        transrank.Route(0, RANKS + 1, 0, 0, [], []),
    ]
)
ONE = st.one_of(
    st.none(), st.booleans(), NUMBERS, NAMES, ARRAYS, RAISING, LAYOUTS,
    st.text(st.characters(blacklist_characters="/")), st.just(HERE / "nothing"),
    st.floats(), st.binary(max_size=8),
)  # fmt: skip
VALUES = st.one_of(
    ONE, st.lists(NUMBERS, max_size=5), st.lists(ONE, max_size=3), st.tuples(ARRAYS, ARRAYS)
)


@dataclass(frozen=True)
class Case:
    rank: int
    call: str
    argument: str
    value: object


@st.composite
def cases(draw: st.DrawFn) -> Case:
    call = draw(st.sampled_from(sorted(CALLS)))
    argument = draw(st.sampled_from(sorted(ARGUMENTS[call])))
    return Case(draw(st.integers(0, RANKS - 1)), call, argument, draw(VALUES))


@contextmanager
def ended_when_hanging(what: object) -> Iterator[None]:
    """End the job, naming what it hangs at."""

    def end() -> None:
        sys.stderr.write(f"rank {RANK} hangs: {what!r:.2000}\n")
        sys.stderr.flush()
        os._exit(HANG_STATUS)

    timer = threading.Timer(HANGING_SECONDS, end)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def outcome(call: Call, arguments: Arguments) -> str:
    try:
        call(**arguments)
    except transrank.AgreedError as error:
        return f"refused: {error}"
    except (KeyboardInterrupt, SystemExit):
        return "interrupted"
    except BaseException as error:
        return f"raised {type(error).__name__}: {error}"
    return "works"


@property_test(cases(), examples=trials(40))
def test_what_one_rank_passes_works_or_is_refused_by_all(case):
    arguments, _ = arguments_of(case.call)
    with ended_when_hanging(case):
        if case.rank == RANK:
            arguments[case.argument] = case.value
        everywhere = WORLD.allgather(outcome(CALLS[case.call][0], arguments))
    told = {words for words in everywhere if words != "interrupted"}
    assert len(told) == 1, everywhere
    works = told == {"works"} and "interrupted" not in everywhere
    assert works or told.pop().startswith("refused: "), everywhere


def test_what_every_rank_is_to_pass_works():
    for name, (call, _) in CALLS.items():
        assert outcome(call, arguments_of(name)[0]) == "works", name


def test_an_argument_in_which_one_rank_differs_is_refused_by_all():
    pairs = [(name, argument) for name in CALLS for argument in arguments_of(name)[1]]
    for name, argument in pairs:
        for bad in range(RANKS):
            with ended_when_hanging((name, argument, bad)):
                arguments, others = arguments_of(name)
                if bad == RANK:
                    arguments[argument] = others[argument]
                told = set(WORLD.allgather(outcome(CALLS[name][0], arguments)))
            assert len(told) == 1, (name, argument, told)
            assert told.pop().startswith("refused: "), (name, argument)
    assert len(pairs) >= 87, len(pairs)


def parameters(thing: Any) -> set[str]:
    """The names of its parameters, without those that all have."""
    try:
        signature = inspect.signature(thing)
    except ValueError:  # compiled: the signature is the documentation's first line
        words = re.findall(r"(\w+):", thing.__init__.__doc__.splitlines()[0])
        return {*words} - {"comm", "self"}
    names = {*signature.parameters} - {"comm", "self"}
    return (names - {"options"}) | (Options.__annotations__.keys() if "options" in names else set())


def test_every_argument_is_in_the_table():
    for name, thing in collective_calls().items():
        rows = [row for row in CALLS if row.split(" ")[0] == name]
        assert parameters(thing) - set().union(*(ARGUMENTS[row] for row in rows)) == set(), name


def is_collective(thing: object) -> bool:
    """Whether its documentation says so, or it takes a communicator."""
    words = thing.__doc__ or ""
    try:
        takes = str(inspect.signature(thing))
    except ValueError:  # compiled: the signature is the documentation's first line
        takes = thing.__init__.__doc__ or ""
    return words.startswith("Collective.") or "(comm:" in takes or ", comm:" in takes


def collective_calls() -> dict[str, Any]:
    public = {
        **{name: getattr(transrank, name) for name in transrank.__all__},
        **{f"route.{name}": getattr(routes, name) for name in routes.__all__},
    }
    for name, thing in [*public.items()]:
        if inspect.isclass(thing):
            members = ((each, getattr(thing, each)) for each in dir(thing) if each[0] != "_")
            public |= {f"{name}.{each}": member for each, member in members}
    return {name: it for name, it in public.items() if callable(it) and is_collective(it)}


def test_every_collective_call_is_in_the_table():
    collective = collective_calls().keys()
    assert {"Exchange", "Numbering", "route.save", "Redistribution.along"} <= collective
    assert collective - {name.split(" ")[0] for name in CALLS} == set()


main(globals())
late = [(name, call, arguments_of(name)[0]) for name, (call, _) in CALLS.items()]
for bound in (
    transrank.Exchange(ring(), WORLD, (np.zeros(ROWS), np.zeros(2)), transport="message"),
    transrank.Alltoall(WORLD, np.zeros(RANKS), np.zeros(RANKS)),
    transformer().init_persistent_pull(transport="message"),
):
    late += [(repr(call), call, {}) for call in (bound.start, bound.run)]
MPI.Finalize()
for name, call, arguments in late:
    told = outcome(call, arguments)
    assert told.startswith("raised Misuse: MPI has been finalized"), f"{name}: {told}"
if RANK == 0:
    shutil.rmtree(HERE)
