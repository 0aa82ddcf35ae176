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
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from hypothesis import strategies as st

import transrank
from python.spmd import MPI, WORLD, main, property_test
from support.trials import trials
from transrank import BlockGrid, Distribution
from transrank import route as routes
from transrank.exchange.exchange import Options

RANK, RANKS = WORLD.rank, WORLD.size
HANGING_SECONDS = 30.0
HANG_STATUS = 77
ROWS = 4
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


def grid(along: int = 0, halo: int = 0) -> BlockGrid:
    parts = [RANKS if dimension == along else 1 for dimension in range(2)]
    return BlockGrid([even(count) for count in parts], halo=[(halo, halo, True)] * 2)


def ring(first: int = 0) -> transrank.Route:
    return routes.ghost_pull(WORLD, even(), ROWS * ((RANK + 1) % RANKS) + first + np.arange(2))


def transformer(*, mapped: bool = True) -> transrank.ArrayTransformer:
    made = transrank.ArrayTransformer(WORLD, np.arange(float(ROWS)))
    if mapped:
        made.create_global_mapping()
        made.create_ghost_mapping([0, 1])
    return made


def exchange(route: Any, fields: Any, **options: Any) -> None:
    transrank.Exchange(route, WORLD, fields, **options).run()


def redistribution(source: Any, destination: Any, **options: Any) -> None:
    made = transrank.Redistribution(WORLD, source, destination, **options)
    made.store((transrank.zeros(made.source_shape()), transrank.zeros(made.destination_shape())))
    made.run()


def store(**options: Any) -> None:
    made = transrank.Redistribution(WORLD, grid(0), grid(1))
    made.store(**options)
    made.run()


def along(**given: Any) -> None:
    made = transrank.Redistribution.along(WORLD, **given)
    made.store(tuple(np.zeros(shape) for shape in SHAPES))


def with_options(name: str) -> Call:
    def call(**options: Any) -> None:
        getattr(transformer(), name)(**options)

    return call


def of_transformer(name: str, *, mapped: bool = True) -> Call:
    return lambda **arguments: getattr(transformer(mapped=mapped), name)(**arguments)


def update(*, back: bool) -> None:
    """With ghosts whose place among the ghosts is that of their rows."""
    made = transformer(mapped=False)
    made.create_global_mapping()
    made.create_ghost_mapping(ROWS * ((RANK + 1) % RANKS) + np.arange(2))
    (made.init_persistent_push("assign") if back else made.init_persistent_pull()).run()


def fit(father: Any) -> None:
    made = transrank.ArrayTransformer(WORLD, father)
    made.create_global_mapping()
    made.create_ghost_mapping([0, 1])
    made.fit_son()


def borrow(other: Any) -> None:
    made = transformer(mapped=False)
    made.borrow_mapping(other)
    made.pull_once()


def numbered() -> transrank.ArrayTransformer:
    made = transformer(mapped=False)
    made.create_global_mapping()
    return made


def numbered_elsewhere() -> transrank.ArrayTransformer:
    made = numbered()
    made.create_ghost_mapping([1, 2])
    return made


def saved() -> Path:
    routes.save(WORLD, ring(), HERE / "saved")
    return HERE / "saved"


def dataset() -> xarray.Dataset:
    return xarray.Dataset({"wind": (("y", "x"), np.zeros(SHAPES[0]))})


def cells(divided: int = 0) -> transrank.Grid:
    parts = (1, RANKS) if divided else (RANKS, 1)
    return transrank.Grid(WORLD, (ROWS * RANKS, ROWS * RANKS), halo=1, parts=parts)


def mesh() -> transrank.Ghosts:
    return transrank.Ghosts(WORLD, ROWS, [0, 1])


ONES = [1] * RANKS
BLOCKS = {
    "send": np.arange(2.0 * RANKS),
    "receive": np.zeros(2 * RANKS),
    "algorithm": "auto",
    "choices": None,
    "radix": 2,
    "window": 8,
    "leaders": 2,
    "ranks_per_node": None,
    "torus": (),
}
BINDING = {"transport": "auto", "push_below_bytes": 5, "longest_message_bytes": 100}
SHAPES = ((ROWS, ROWS * RANKS), (ROWS * RANKS, ROWS))

# Each collective call with what every rank passes, unless it is the one that passes something else.
CALLS: dict[str, tuple[Call, Callable[[], Arguments]]] = {
    "Numbering": (
        lambda owned, table: transrank.Numbering(WORLD, owned, table),
        lambda: {"owned": ROWS, "table": False},
    ),
    "route.ghost_pull": (
        lambda **given: routes.ghost_pull(WORLD, **given),
        lambda: {"owners": even(), "ghosts": [0, 1], "begin": 1, "extent": 5},
    ),
    "route.ghost_pull of a numbering": (
        lambda **given: routes.ghost_pull(WORLD, **given),
        lambda: {"owners": transrank.Numbering(WORLD, RANK), "ghosts": [0], "begin": 1},
    ),
    "route.ghost_push": (
        lambda **given: routes.ghost_push(WORLD, **given),
        lambda: {"owners": even(), "rows": [0, 1], "targets": [0, RANKS - 1], "begin": 1},
    ),
    "route.ghost_push of a numbering": (
        lambda **given: routes.ghost_push(WORLD, **given),
        lambda: {
            "owners": transrank.Numbering(WORLD, RANK + 1),
            "rows": [0],
            "targets": [0],
            "begin": 1,
        },
    ),
    "route.lists": (
        lambda **given: routes.lists(WORLD, **given),
        lambda: {"source": np.arange(ROWS) + ROWS * RANK, "destination": [0, 1]},
    ),
    "route.alltoall": (lambda units: routes.alltoall(WORLD, units), lambda: {"units": 2}),
    "route.alltoallv": (
        lambda **given: routes.alltoallv(WORLD, **given),
        lambda: {
            "send_counts": ONES,
            "receive_counts": ONES,
            "send_displacements": range(RANKS),
            "receive_displacements": range(RANKS),
        },
    ),
    "route.halo": (
        lambda **given: routes.halo(WORLD, **given),
        lambda: {"grid": grid(halo=1), "corners": True},
    ),
    "route.redistribution": (
        lambda **given: routes.redistribution(WORLD, **given),
        lambda: {"source": grid(0), "destination": grid(1), "fill_halo": False},
    ),
    "route.save": (
        lambda **given: routes.save(WORLD, **given),
        lambda: {"route": ring(), "place": HERE / "new"},
    ),
    "route.load": (lambda place: routes.load(WORLD, place), lambda: {"place": saved()}),
    "Exchange": (
        exchange,
        lambda: {
            "route": ring(),
            "fields": (np.arange(float(ROWS)), np.zeros(2)),
            "operation": "add",
            "dimensions": 1,
            **BINDING,
        },
    ),
    "Exchange in place": (
        lambda route: exchange(route, np.zeros(grid(halo=1).local_extents(RANK)), dimensions=2),
        lambda: {"route": routes.halo(WORLD, grid(halo=1))},
    ),
    "Alltoall": (lambda **given: transrank.Alltoall(WORLD, **given).run(), lambda: dict(BLOCKS)),
    "alltoall": (lambda **given: transrank.alltoall(WORLD, **given), lambda: dict(BLOCKS)),
    "Redistribution": (
        redistribution,
        lambda: {"source": grid(0), "destination": grid(1), "fill_halo": False, "numbering": "C"},
    ),
    "Redistribution of lists": (
        redistribution,
        lambda: {"source": np.arange(ROWS) + ROWS * RANK, "destination": [RANK], "numbering": "F"},
    ),
    "Redistribution.store": (
        store,
        lambda: {"fields": tuple(np.zeros(shape) for shape in SHAPES), "transport": "message"},
    ),
    "Redistribution.along": (
        along,
        lambda: {
            "route": routes.redistribution(WORLD, grid(0), grid(1)),
            "source": grid(0),
            "destination": grid(1),
        },
    ),
    "Redistribution.bind": (
        lambda **given: transrank.Redistribution(WORLD, grid(0), grid(1)).bind(**given).run(),
        lambda: {"source": dataset(), "dimensions": ["y", "x"]},
    ),
    "Redistribution.redistribute": (
        lambda **given: transrank.Redistribution(WORLD, grid(0), grid(1)).redistribute(**given),
        lambda: {"source": dataset(), "dimensions": ["y", "x"]},
    ),
    "ArrayTransformer": (
        lambda **given: transrank.ArrayTransformer(WORLD, **given),
        lambda: {"father": np.zeros(ROWS), "son": None},
    ),
    "ArrayTransformer.set_father_son": (
        of_transformer("set_father_son"),
        lambda: {"father": np.zeros((ROWS, 2)), "son": np.zeros((2, 2))},
    ),
    "ArrayTransformer.create_global_mapping": (
        lambda father: transrank.ArrayTransformer(WORLD, father).create_global_mapping(),
        lambda: {"father": transrank.ParArray.variable([1, 2])},
    ),
    "ArrayTransformer.create_ghost_mapping": (
        lambda **given: numbered().create_ghost_mapping(**given),
        lambda: {"pulled": [0, 1], "targets": None},
    ),
    "ArrayTransformer.create_ghost_mapping by pushing": (
        lambda **given: numbered().create_ghost_mapping(**given),
        lambda: {"pulled": [0, 1], "targets": [0, 0]},
    ),
    "ArrayTransformer.use_route": (
        lambda route: numbered().use_route(route),
        lambda: {"route": ring()},
    ),
    "ArrayTransformer.borrow_mapping": (borrow, lambda: {"other": transformer()}),
    "ArrayTransformer.fit_son": (fit, lambda: {"father": np.zeros(ROWS)}),
    "ArrayTransformer.init_persistent_pull": (
        with_options("init_persistent_pull"),
        lambda: dict(BINDING),
    ),
    "ArrayTransformer.init_persistent_push": (
        with_options("init_persistent_push"),
        lambda: {"operation": "add", **BINDING},
    ),
    "ArrayTransformer.init_persistent_pull and _push": (update, lambda: {"back": False}),
    "ArrayTransformer.pull_once": (with_options("pull_once"), lambda: dict(BINDING)),
    "ArrayTransformer.push_once": (
        with_options("push_once"),
        lambda: {"operation": "max", **BINDING},
    ),
}

CALLS |= {
    "Grid": (
        lambda **given: transrank.Grid(WORLD, **given),
        lambda: {
            "shape": (ROWS, ROWS * RANKS),
            "halo": 1,
            "periodic": True,
            "parts": [1, RANKS],
            "components_first": False,
        },
    ),
    "Grid.halo": (lambda arrays: cells().halo(arrays), lambda: {"arrays": cells().zeros()}),
    "Grid.update": (lambda arrays: cells().update(arrays), lambda: {"arrays": cells().zeros()}),
    "Grid.to": (
        lambda **given: cells().to(**given),
        lambda: {"other": cells(1), "array": cells().zeros(), "out": cells(1).zeros()},
    ),
    "Grid.gather": (
        lambda **given: cells().gather(**given),
        lambda: {"array": cells().zeros(), "root": 1},
    ),
    "Grid.scatter": (
        lambda **given: cells().scatter(**given),
        lambda: {"whole": np.zeros(cells().shape), "root": 1, "out": cells().zeros()},
    ),
    "Ghosts": (
        lambda **given: transrank.Ghosts(WORLD, **given),
        lambda: {"owned": ROWS, "wanted": [0, 1]},
    ),
    "Ghosts.halo": (lambda arrays: mesh().halo(arrays), lambda: {"arrays": mesh().zeros()}),
    "Ghosts.update": (lambda arrays: mesh().update(arrays), lambda: {"arrays": mesh().zeros()}),
    "Ghosts.add": (lambda arrays: mesh().add(arrays), lambda: {"arrays": mesh().zeros()}),
}

OTHER_BINDING = {"transport": "message", "push_below_bytes": 6, "longest_message_bytes": 101}
OTHER_BLOCKS = {
    "receive": None,
    "algorithm": "pairwise",
    "choices": HERE / "choices",
    "radix": 3,
    "window": 9,
    "leaders": 3,
    "ranks_per_node": 1,
    "torus": (RANKS,),
}

# What one rank passes instead: of the same type, and in itself as good. Made by all ranks.
OTHERS: dict[str, Callable[[], Arguments]] = {
    "Numbering": lambda: {"table": True},
    "route.ghost_pull": lambda: {"owners": Distribution.block_cyclic(ROWS * RANKS, RANKS, 2)},
    "route.ghost_pull of a numbering": lambda: {"owners": transrank.Numbering(WORLD, 2 * RANK)},
    "route.ghost_push": lambda: {"owners": Distribution.block_cyclic(ROWS * RANKS, RANKS, 2)},
    "route.ghost_push of a numbering": lambda: {"owners": transrank.Numbering(WORLD, RANK + 2)},
    "route.alltoall": lambda: {"units": 3},
    "route.halo": lambda: {"grid": grid(halo=2), "corners": False},
    "route.redistribution": lambda: {
        "source": grid(1),
        "destination": BlockGrid([even(1), even()], memory_order=(0, 1)),
        "fill_halo": True,
    },
    "route.save": lambda: {"route": ring(1)},
    "Exchange": lambda: {
        "route": ring(1),
        "fields": (np.zeros(ROWS, "f4"), np.zeros(2, "f4")),
        "operation": "max",
        **OTHER_BINDING,
    },
    "Exchange in place": lambda: {"route": routes.halo(WORLD, grid(halo=1)).transposed()},
    "Alltoall": lambda: dict(OTHER_BLOCKS),
    "alltoall": lambda: dict(OTHER_BLOCKS),
    "Redistribution": lambda: {
        "source": grid(1),
        "destination": BlockGrid([even(1), even()], memory_order=(0, 1)),
        "fill_halo": True,
        "numbering": "F",
    },
    "Redistribution of lists": lambda: {"destination": grid(0), "numbering": "C"},
    "Redistribution.store": lambda: {
        "fields": tuple(np.zeros(shape, "f4") for shape in SHAPES),
        "transport": "shared-staged",
    },
    "Redistribution.along": lambda: {
        "route": routes.redistribution(WORLD, grid(0), grid(1)).transposed(),
        "source": BlockGrid([even(), even(1)], memory_order=(0, 1)),
        "destination": None,
    },
    "Redistribution.bind": lambda: {"source": dataset().astype("f4"), "dimensions": ["x", "y"]},
    "Redistribution.redistribute": lambda: {
        "source": dataset().astype("f4"),
        "dimensions": ["x", "y"],
    },
    "ArrayTransformer.create_ghost_mapping": lambda: {"targets": [0, 0]},
    "ArrayTransformer.create_ghost_mapping by pushing": lambda: {"targets": None},
    "ArrayTransformer.use_route": lambda: {"route": ring(1)},
    "ArrayTransformer.borrow_mapping": lambda: {"other": numbered_elsewhere()},
    "ArrayTransformer.fit_son": lambda: {"father": np.zeros(ROWS, "f4")},
    "ArrayTransformer.init_persistent_pull": lambda: dict(OTHER_BINDING),
    "ArrayTransformer.init_persistent_push": lambda: {"operation": "max", **OTHER_BINDING},
    "ArrayTransformer.init_persistent_pull and _push": lambda: {"back": True},
    "ArrayTransformer.pull_once": lambda: dict(OTHER_BINDING),
    "ArrayTransformer.push_once": lambda: {"operation": "add", **OTHER_BINDING},
}

OTHERS |= {
    "Grid": lambda: {
        "shape": (ROWS, ROWS * RANKS + 1),
        "halo": 2,
        "periodic": False,
        "parts": [RANKS, 1],
        "components_first": True,
    },
    "Grid.halo": lambda: {"arrays": cells().zeros(dtype="f4")},
    "Grid.update": lambda: {"arrays": cells().zeros(2)},
    "Grid.to": lambda: {
        "other": cells(),
        "array": cells().zeros(dtype="f4"),
        "out": cells(1).zeros(2),
    },
    "Grid.gather": lambda: {"array": cells().zeros(dtype="f4"), "root": 0},
    "Grid.scatter": lambda: {"root": 0, "out": cells().zeros(2)},
    **{f"Ghosts.{name}": lambda: {"arrays": mesh().zeros(2)} for name in ("halo", "update", "add")},
}

# Arguments that are the rank's own, as docs/exchange.md says: lists and counts of its rows, its
# arrays, and where its files lie.
OWN = {
    "Numbering": {"owned"},
    "route.ghost_pull": {"ghosts", "begin", "extent"},
    "route.ghost_push": {"rows", "targets", "begin"},
    "route.lists": {"source", "destination"},
    "route.alltoallv": {
        *("send_counts", "receive_counts", "send_displacements", "receive_displacements")
    },
    "route.save": {"place"},
    "route.load": {"place"},
    "Exchange": {"dimensions"},
    "Alltoall": {"send"},
    "alltoall": {"send"},
    "Redistribution of lists": {"source"},
    "Grid.scatter": {"whole"},
    "Ghosts": {"owned", "wanted"},
    "ArrayTransformer": {"father", "son"},
    "ArrayTransformer.set_father_son": {"father", "son"},
    "ArrayTransformer.create_global_mapping": {"father"},
    "ArrayTransformer.create_ghost_mapping": {"pulled"},
}


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


NUMBERS = st.one_of(
    st.sampled_from(
        [0, -1, 1, 2**31 - 1, 2**31, 2**62, 2**63 - 1, 2**63, -(2**63), 2**70, 10**4000]
    ),
    st.integers(-3, 9),
    st.integers(),
)
NAMES = st.sampled_from(
    [
        *("auto", "message", "shared-direct", "bruck", "linear-bounded", "mpi", "torus-3d", "min"),
        *("assign", "C", "F", "async", "sync", "per-run", "none", "\udc80\ud800", "a\0b", "a\nb"),
    ]
)
ARRAYS = st.sampled_from(
    [
        np.zeros(0),
        np.zeros(()),
        np.zeros(ROWS, "f4"),
        np.zeros(ROWS, ">f8"),
        np.zeros(ROWS, "m8[s]"),
        np.zeros(ROWS, object),
        np.zeros(ROWS, [("a\udc80", "f8"), ("b", "i1")]),
        np.zeros(2 * ROWS)[::2],
        np.zeros((ROWS, 3)).T,
        np.ma.zeros(ROWS),
        read_only(np.zeros(2 * RANKS)),
        np.arange(ROWS),
        np.zeros(ROWS, "u8") + np.uint64(2**64 - 1),
        np.float64(3),
        np.int64(1),
    ]
)
RAISING = st.sampled_from(
    [
        *(Raising(kind("on purpose")) for kind in (ValueError, KeyboardInterrupt, SystemExit)),
        Raising(Unspeakable()),
        Raising(MemoryError()),
        Raising(OSError("\udc80 \0 \n " + "long " * 300_000)),
    ]
)
LAYOUTS = st.sampled_from(
    [
        even(),
        even(RANKS + 3),
        Distribution.block_cyclic(ROWS * RANKS, RANKS, 2),
        Distribution.even(2**62, RANKS),
        grid(1),
        grid(0, halo=ROWS),
        grid(0, halo=ROWS + 1),
        BlockGrid([even()]),
        transrank.ParArray.fixed(ROWS),
        transrank.ParArray.variable([1, 2, 3, 4]),
        transrank.ParArray.bounded([1, 2, 3, 4], 5),
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
    argument = draw(st.sampled_from(sorted(NAMES_OF_ARGUMENTS[call])))
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


NAMES_OF_ARGUMENTS = {name: good().keys() for name, (_, good) in CALLS.items()}


@property_test(cases(), examples=trials(40))
def test_what_one_rank_passes_works_or_is_refused_by_all(case: Case) -> None:
    call, good = CALLS[case.call]
    with ended_when_hanging(case):
        arguments = good()
        if case.rank == RANK:
            arguments[case.argument] = case.value
        everywhere = WORLD.allgather(outcome(call, arguments))
    told = {words for words in everywhere if words != "interrupted"}
    assert len(told) == 1, everywhere
    works = told == {"works"} and "interrupted" not in everywhere
    assert works or told.pop().startswith("refused: "), everywhere


def test_what_every_rank_is_to_pass_works() -> None:
    for name, (call, good) in CALLS.items():
        assert outcome(call, good()) == "works", name


def own(call: str) -> set[str]:
    """Those of the call, and of the call that it is a variant of."""
    return OWN.get(call, set()) | OWN.get(call.split(" ")[0], set())


def test_an_argument_in_which_one_rank_differs_is_refused_by_all() -> None:
    pairs = 0
    for name, others in OTHERS.items():
        call, good = CALLS[name]
        for argument in others():
            for bad in range(RANKS):
                with ended_when_hanging((name, argument, bad)):
                    arguments, other = good(), others()[argument]
                    if bad == RANK:
                        arguments[argument] = other
                    told = set(WORLD.allgather(outcome(call, arguments)))
                assert len(told) == 1, (name, argument, told)
                assert told.pop().startswith("refused: "), (name, argument)
            pairs += 1
    assert pairs >= 87, pairs


def parameters(thing: Any) -> set[str]:
    """The names of its parameters, without those that all have."""
    try:
        signature = inspect.signature(thing)
    except ValueError:  # compiled: the signature is the documentation's first line
        words = re.findall(r"(\w+):", thing.__init__.__doc__.splitlines()[0])
        return {*words} - {"comm", "self"}
    names = {*signature.parameters} - {"comm", "self"}
    return (names - {"options"}) | (Options.__annotations__.keys() if "options" in names else set())


def test_every_argument_is_in_the_table() -> None:
    for name, thing in collective_calls().items():
        rows = [row for row in CALLS if row.split(" ")[0] == name]
        told = set().union(*(own(row) | OTHERS.get(row, dict)().keys() for row in rows))
        assert parameters(thing) - told == set(), name
    for row in CALLS:
        assert NAMES_OF_ARGUMENTS[row] - own(row) - OTHERS.get(row, dict)().keys() == set(), row


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


def test_every_collective_call_is_in_the_table() -> None:
    collective = collective_calls().keys()
    assert {"Exchange", "Numbering", "route.save", "Redistribution.along"} <= collective
    assert collective - {name.split(" ")[0] for name in CALLS} == set()


main(globals())
late = [(name, call, good()) for name, (call, good) in CALLS.items()]
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
