# SPDX-License-Identifier: BSD-3-Clause
"""Blocks from every rank to every rank: moved once, or bound to arrays and moved many times."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from os import PathLike, fsencode
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transrank import _core
from transrank.agreement import agree_on, require_communicator
from transrank.exchange.bound import Bound
from transrank.exchange.exchange import check_flag
from transrank.exchange.fields import Forms, check_is_array, form_of

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

Array: TypeAlias = NDArray[Any]


class Alltoall(Bound):
    """An alltoall bound to its arrays, like MPI_Alltoall_init, with a choice of algorithms.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Creating an alltoall is collective over it.
    send
        one block for each rank, in rank order: the length of the first dimension is a multiple of
        the number of ranks. The array is C-contiguous, of any type without Python objects.
    receive
        one block from each rank, with the shape and type of `send`; without it, received blocks
        replace the blocks in `send`.
    algorithm
        ``auto``, or a name from `alltoall_algorithms()`. ``auto`` is the first of these that
        applies:

        * the algorithm that the file `choices` gives for blocks of this length
        * ``on-node-direct``, if all ranks share memory and send from arrays that transrank has
          allocated
        * ``on-node-direct``, if all ranks share memory and each has a core, unless ``mpi`` was
          measured to be clearly faster for blocks of about this length
        * ``pairwise``, if the MPI library counts in 32 bits and a block, or the offset of a block,
          has 2 GiB or more
        * ``mpi``
    choices
        for ``auto``: the path of a file of choices that ``transrank tune --for transrank`` wrote;
        rank 0 reads it. By default, the environment variable ``TRANSRANK_ALLTOALL_CHOICES`` of rank
        0 gives the path.
    radix, window, leaders
        parameters of the algorithms ``bruck``, ``linear-bounded`` and ``node-leaders``.
    ranks_per_node
        the number of consecutive ranks that share a node, for the node-aware algorithms; detected
        by default.
    torus
        the lengths of the torus that the ranks fill, for the torus-aware algorithms; the first
        length belongs to the coordinate that varies fastest. By default, they are the factors of
        the number of ranks that are closest to each other.
    any_memory
        whether arrays are passed to each start: any arrays with the shape and type of `send` and
        `receive`. The arrays given here are then not kept. Without `receive` here, received blocks
        replace sent blocks in every start.

    Raises
    ------
    AgreedError
        on every rank, before anything has moved, when an argument is invalid on any rank, or
        differs between ranks although it must be the same.

    Notes
    -----
    ``bruck`` is the algorithm of Bruck et al., IEEE Transactions on Parallel and Distributed
    Systems 8 (1997), 1143-1156. docs/alltoall.md describes all algorithms.
    """

    _unbound = "this alltoall has been closed; bind a new one"

    def __init__(
        self,
        comm: Intracomm,
        send: Array,
        receive: Array | None = None,
        algorithm: str = "auto",
        *,
        choices: str | PathLike[str] | None = None,
        radix: int = 2,
        window: int = 8,
        leaders: int = 2,
        ranks_per_node: int | None = None,
        torus: Sequence[int] = (),
        any_memory: bool = False,
    ) -> None:
        require_communicator(comm)
        target = send if receive is None else receive

        def check() -> tuple[list[str], tuple[str, tuple[int, int, int, int], list[int], bool]]:
            if not isinstance(algorithm, str):
                raise TypeError(f"the algorithm is a {type(algorithm).__name__}, not a name")
            algorithm.encode()  # what the compiled module can take
            _check_arrays(comm, send, target)
            numbers = (
                _int(radix),
                _int(window),
                _int(leaders),
                0 if ranks_per_node is None else _int(ranks_per_node),
            )
            path = "" if choices is None else fsencode(choices).decode()
            lengths = [_int(length) for length in torus]
            given = check_flag("any_memory", any_memory)
            return [f"blocks of {send.dtype}"], (path, numbers, lengths, given)

        path, numbers, lengths, given = agree_on(comm, "calls alltoall with", check)
        block_bytes = send.nbytes // comm.size
        bound = _core.Alltoall(
            comm, send, target, block_bytes, algorithm, path, *numbers, lengths, given
        )
        super().__init__(bound)
        self._algorithm = bound.algorithm
        self._forms = Forms(form_of(send), form_of(target))

    @property
    def algorithm(self) -> str:
        """The name of the algorithm in use."""
        return self._algorithm

    def start(self, send: Array | None = None, receive: Array | None = None) -> None:
        """Begin to move blocks, without waiting. Not collective, but all ranks must start.

        If the alltoall was made with `any_memory`, `send` and `receive` are the arrays to send from
        and to receive into; they are kept alive until the next start. Without `receive`, received
        blocks replace the blocks in `send`.

        Raises ValueError or TypeError when these arrays cannot be moved; the alltoall is then
        neither started nor broken. Raises Misuse, and breaks the alltoall for the other ranks too,
        when the alltoall is already started, or when a bound array has been resized or made
        read-only.
        """
        if send is None:
            super().start()
        else:
            self._open.start_with(self._given(send, receive))

    def run(self, send: Array | None = None, receive: Array | None = None) -> None:
        """Start the alltoall, unless an interrupt has left it under way, and wait for it.

        `send` and `receive` have the same meaning as for `start`. With the algorithm ``mpi``, `run`
        is a call of MPI_Alltoall, for which MPI libraries are tuned. All ranks must then make the
        same call: either all call `run`, or all call `start`. Unlike `start` and `wait`, the call
        of MPI_Alltoall does not return if a peer has ended or never calls it. Raises the same
        exceptions as `start` and `wait`.
        """
        if send is None:
            super().run()
        else:
            self._run_with(self._given(send, receive))

    def _given(self, send: Array, receive: Array | None) -> list[tuple[Array, Array]]:
        pair = (send, send if receive is None else receive)
        self._forms.check("this alltoall", pair)
        return [pair]

    def __repr__(self) -> str:
        return f"<Alltoall by {self.algorithm}>"


def alltoall(
    comm: Intracomm,
    send: Array,
    receive: Array | None = None,
    algorithm: str = "auto",
    *,
    choices: str | PathLike[str] | None = None,
    radix: int = 2,
    window: int = 8,
    leaders: int = 2,
    ranks_per_node: int | None = None,
    torus: Sequence[int] = (),
) -> None:
    """Collective. Send each rank its block of `send`, and receive all ranks' blocks in `receive`.

    The call makes an `Alltoall` with these arguments and runs it once. `Alltoall` describes the
    parameters and the errors. In a loop, make an `Alltoall` once and run it in each iteration,
    which costs less: in each call of `alltoall`, the ranks must agree on the arguments first.
    """
    Alltoall(
        comm,
        send,
        receive,
        algorithm,
        choices=choices,
        radix=radix,
        window=window,
        leaders=leaders,
        ranks_per_node=ranks_per_node,
        torus=torus,
    ).run()


def _int(value: int) -> int:
    number = index(value)
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{number} is out of range for an alltoall; it must fit in 32 bits")
    return number


def _check_arrays(comm: Intracomm, send: Array, receive: Array) -> None:
    for verb, array in (("send from", send), ("receive into", receive)):
        what = f"the array to {verb} on rank {comm.rank}"
        check_is_array(what, array)
        if array.dtype.hasobject:
            raise TypeError(
                f"{what} holds references to Python objects, which are not valid on another rank"
            )
        if not array.flags.c_contiguous:
            raise ValueError(f"{what} is not C-contiguous; give a copy")
        if array.ndim == 0 or array.shape[0] % comm.size != 0:
            raise ValueError(
                f"{what}, of shape {array.shape}, does not hold one block for each of {comm.size} "
                "ranks; the length of its first dimension must be a multiple of that"
            )
    if (send.shape, send.dtype) != (receive.shape, receive.dtype):
        raise ValueError(
            f"rank {comm.rank} sends {send.dtype} of shape {send.shape} and receives "
            f"{receive.dtype} of shape {receive.shape}; they must be the same"
        )
    if not receive.flags.writeable:
        raise ValueError(f"the array to receive into on rank {comm.rank} is read-only")
    if send is not receive and send.size > 0 and np.may_share_memory(send, receive):
        raise ValueError(
            f"the array to receive into on rank {comm.rank} overlaps the one to send from; leave "
            "it out to replace the blocks that are sent"
        )
