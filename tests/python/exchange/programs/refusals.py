# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""What is wrong on one rank when an exchange is bound is the same error on every rank."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import transrank
from python.exchange.ring import UNITS, Ring, route
from python.spmd import WORLD, main, same_everywhere
from transrank import _core
from transrank.mpi import MPI


class OnDevice:
    """What an array in the memory of a GPU says of itself, by either protocol."""

    def __init__(self, protocol: str) -> None:
        if protocol == "cuda":
            self.__cuda_array_interface__ = {"shape": (UNITS,), "typestr": "<f8", "version": 3}
        else:
            self.__dlpack_device__ = lambda: (10, 0)


def read_only() -> np.ndarray:
    array = np.zeros(UNITS)
    array.flags.writeable = False
    return array


def good(**changes: Any) -> dict[str, Any]:
    arguments = {"route": route(), "fields": (np.zeros(UNITS), np.full(UNITS, -1.0))}
    return arguments | changes


def pair(source: Any = None, destination: Any = None) -> dict[str, Any]:
    return good(
        fields=(
            np.zeros(UNITS) if source is None else source,
            np.zeros(UNITS) if destination is None else destination,
        )
    )


OBJECTS = np.zeros(UNITS, dtype=object)
# What the bad rank passes, and what every rank must be told.
WRONG: list[tuple[Callable[[], dict[str, Any]], str]] = [
    (lambda: pair(source=[0.0] * UNITS), "the source is a list, not a NumPy array"),
    (lambda: good(fields=OBJECTS), "holds references to Python objects"),
    (lambda: pair(destination=np.zeros(UNITS, np.float32)), "they must be the same"),
    (lambda: pair(destination=np.zeros((UNITS, 2))), "they must be the same"),
    (lambda: pair(destination=as_strided(np.zeros(1), (UNITS,), (0,))), "share memory"),
    (lambda: pair(destination=read_only()), "the destination is read-only"),
    (lambda: pair(source=np.zeros(UNITS - 1)), "holds 3 units along its first 1 dimension"),
    (lambda: pair(source=np.zeros((2, UNITS))), "dimension, but the route needs 4 or more"),
    (lambda: pair(source=np.zeros((UNITS, 0))), "they must be the same"),
    (lambda: good(fields=np.zeros((UNITS, 0))), "have a size of 0 bytes"),
    (lambda: pair(source=np.float64(3)), "is a numpy.float64, not a NumPy array"),
    (lambda: good(fields=np.array(3.0)), "has 0 dimensions, fewer than dimensions=1"),
    (lambda: pair(source=np.ma.zeros(UNITS)), "is a masked array"),
    (lambda: pair(source=OnDevice("cuda")), "in the memory of a device (GPU)"),
    (lambda: pair(destination=OnDevice("dlpack")), "in the memory of a device (GPU)"),
    (lambda: good(fields=(np.zeros(UNITS),) * 3), "field 0 is a tuple of 3"),
    (lambda: good(fields=np.zeros(UNITS, ">f8"), operation="add"), "can only be assigned"),
    (lambda: good(fields=np.zeros(UNITS, bool), operation="add"), "booleans cannot be added"),
    (lambda: good(fields=np.zeros(UNITS, complex), operation="min"), "complex128 has no order"),
    (lambda: good(operation="multiply"), "unknown operation 'multiply'; known: assign, add, min"),
    (lambda: good(transport="pigeon"), "unknown transport 'pigeon'; known: auto, self-copy"),
    (lambda: good(route="north"), "a Route is needed, not a str"),
    (lambda: good(dimensions=0), "dimensions is 0; give an integer of at least 1"),
    (lambda: good(push_below_bytes=-1), "push_below_bytes is -1"),
    (lambda: good(longest_message_bytes="1"), "cannot be interpreted as an integer"),
    (lambda: good(longest_message_bytes=0), "longest_message_bytes is 0; it must be at least 1"),
    (
        lambda: good(route=_core.Route(0, WORLD.size + 1, 0, 0, [], [])),
        f"a route made for rank 0 of {WORLD.size + 1} is bound on rank",
    ),
]
# Right by themselves, but not what the other ranks pass.
DIFFERENT: list[tuple[Callable[[], dict[str, Any]], str]] = [
    (lambda: good(fields=[pair()["fields"], pair()["fields"]]), "binds 2 fields, rank 0 1"),
    (lambda: pair(*np.zeros((2, UNITS), np.int64)), "with units of shape () of int64, rank 0"),
    (lambda: pair(*np.zeros((2, UNITS, 1))), "with units of shape (1,) of float64, rank 0"),
    (lambda: good(operation="max"), "operation max, rank 0"),
    (lambda: good(transport="message"), "transport message, rank 0"),
    (lambda: good(longest_message_bytes=9), "longest_message_bytes 9, rank 0"),
]


def words_of_refusal(bad_rank: int, make: Callable[[], dict[str, Any]]) -> str:
    arguments = make() if bad_rank == WORLD.rank else good()
    try:
        transrank.Exchange(arguments.pop("route"), WORLD, arguments.pop("fields"), **arguments)
    except transrank.AgreedError as error:
        return str(error)
    return "not refused"


def check_refused(bad_rank: int, make: Callable[[], dict[str, Any]], says: str) -> None:
    words = words_of_refusal(bad_rank, make)
    assert same_everywhere(words), words
    assert says in words, f"{says!r} is not in {words!r}"


def test_what_is_wrong_on_one_rank_is_the_same_error_on_every_rank_and_names_it():
    assert words_of_refusal(0, good) == "not refused"
    for bad_rank in range(WORLD.size):
        for make, says in WRONG:
            check_refused(bad_rank, make, says)
    last = WORLD.size - 1
    fields = [(np.zeros(UNITS), np.zeros(UNITS)), (np.zeros(UNITS), read_only())]
    check_refused(last, lambda: good(fields=fields), f"field 1 on rank {last}: the destination is")


def test_what_differs_between_ranks_or_is_no_communicator_is_refused():
    for bad_rank in range(1, WORLD.size):
        for make, says in DIFFERENT:
            check_refused(bad_rank, make, says)
    with pytest.raises(TypeError, match="an mpi4py intracommunicator is needed, not NoneType"):
        transrank.Exchange(route(), None, np.zeros(UNITS))
    with pytest.raises(ValueError, match="the communicator is MPI_COMM_NULL"):
        transrank.Exchange(route(), MPI.Intracomm(), np.zeros(UNITS))


def test_nothing_is_written_and_the_communicator_goes_on():
    ring = Ring()
    ring.write()
    ring.destination[...] = -1
    bad = ring.destination[:1] if WORLD.rank == WORLD.size - 1 else ring.destination
    with pytest.raises(transrank.AgreedError, match="holds 1 units"):
        transrank.Exchange(route(), WORLD, (ring.source, bad))
    assert (ring.destination == -1).all()
    ring.bind().run()
    assert ring.has_arrived()


main(globals())
