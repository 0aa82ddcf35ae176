# SPDX-License-Identifier: BSD-3-Clause
"""What layouts say of themselves: boxes, help, and words for what they cannot be made from."""

import ast
import re
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docstrings import docstrings
from hypothesis import given, settings

import transrank
from python.route.grids import any_grids, numbered
from transrank import _core, misfits
from transrank._core import BlockGrid, Distribution, Rows

STUB = Path(transrank.__file__).with_name("_core.pyi")


@settings(max_examples=50)
@given(any_grids())
def test_a_box_cuts_what_a_rank_owns_out_of_the_whole_grid(case):
    ranks, extents, grid = case
    for rank in range(ranks):
        owned: list[Any] = [np.empty(0, int)] * len(extents)
        if (at := grid.coordinates(rank)) is not None:
            pieces = zip(grid.dimensions, at, strict=True)
            owned = [np.array(dimension.owned[part], int) for dimension, part in pieces]
        if all(len(indices) == 0 or np.ptp(indices) < len(indices) for indices in owned):
            cut = numbered(extents)[grid.layout.box(rank)]
            whole = numbered(extents)[np.ix_(*owned)]
            assert cut.shape == whole.shape
            assert (cut == whole).all()


@settings(max_examples=50)
@given(any_grids())
def test_the_extents_of_a_rank_are_those_of_its_part_in_each_dimension(case):
    ranks, extents, grid = case
    for rank in range(ranks):
        has_part = grid.coordinates(rank) is not None
        positions = grid.positions(rank, halo=True) if has_part else [[]] * len(extents)
        assert grid.layout.local_extents(rank) == tuple(map(len, positions))


@pytest.mark.parametrize("halo", [0, 1])
def test_an_empty_part_is_empty_only_where_the_grid_is_divided(halo):
    boundaries = np.array([0, 4, 4, 8])
    for at, shape in ((0, (0, 11)), (1, (11, 0)), (2, (0, 11))):
        divided = Distribution.even(11, 1), Distribution.irregular(boundaries)
        around = [(halo, halo, True)] * 2
        if at == 2:  # without a table: fewer indices than parts
            divided = (divided[0], Distribution.even(1, 2))
        grid = BlockGrid(divided if at == 1 else divided[::-1], halo=around)
        wanted = tuple(length + 2 * halo if length else 0 for length in shape)
        assert grid.local_extents(1) == wanted
        whole = np.ones([11 if length else 8 for length in shape])
        own = np.zeros(shape)
        own[...] = whole[grid.box(1)]
        assert grid.units(1) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([8, 8],), "distributions is [8, 8]; give a Distribution for each dimension"),
        ((8,), "distributions is 8; give a Distribution for each dimension, such as"),
        ({"halo": 1}, "halo is 1; give a tuple for each dimension, of the cells before a block"),
        ({"halo": [1]}, "halo is [1]; give a tuple for each dimension"),
        ({"halo": [(1, 1)]}, "halo is [(1, 1)]; give a tuple for each dimension"),
        ({"halo": (1, 1, True)}, "halo is (1, 1, True); give a tuple for each dimension"),
        ({"memory_order": "C"}, "memory_order is 'C'; give the numbers of the dimensions"),
        ({"ranks": 3}, "ranks is 3; give the rank of each block"),
        ({"ranks": [0.5] * 99}, "0.5,...; give the rank of each block"),
        ({"ranks": "µ" * 99}, "µ...; give the rank of each block"),
    ],
)
def test_wrong_types_are_answered_in_words(arguments, words):
    named = arguments if isinstance(arguments, dict) else {}
    given = [[Distribution.even(8, 1)]] if named else arguments
    with pytest.raises(TypeError, match=re.escape(words)):
        BlockGrid(*given, **named)


AXIS = [Distribution.even(8, 2)]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: BlockGrid(AXIS, hallo=[]),
            "BlockGrid.__init__() got an unexpected keyword argument 'hallo'; did you mean 'halo'?",
        ),
        (
            lambda: BlockGrid(AXIS, zzz=1),
            "BlockGrid.__init__() got an unexpected keyword argument 'zzz'; it takes: "
            "distributions, part_order, memory_order, halo, ranks",
        ),
        (lambda: BlockGrid(), "BlockGrid.__init__(): missing a required argument: 'distributions'"),
        (lambda: BlockGrid(AXIS, []), "BlockGrid.__init__(): too many positional arguments"),
        (lambda: BlockGrid(AXIS, part_order=3), "part_order is 3; give 'C' or 'F'"),
        (lambda: BlockGrid(AXIS).box("0"), "BlockGrid.box(): rank is '0'; give an integer"),
        (lambda: Distribution.even(8, extent=2), "multiple values for argument 'extent'"),
        (lambda: Distribution.even(8, part=2), "'part'; did you mean 'parts'?"),
        (lambda: Distribution.even(8, 2.5), "Distribution.even(): parts is 2.5; give an integer"),
        (lambda: Distribution.even(2**70, 2), "give an integer of 64 bits"),
        (lambda: Distribution.even(8, 2**40), "of another type: extent = 8, parts = 1099511627776"),
        (lambda: AXIS[0].owned(), "Distribution.owned(): missing a required argument: 'part'"),
        (lambda: transrank.Rows.fixed(3, lngth=2), "'lngth'; did you mean 'length'?"),
        (lambda: transrank.Numbering(None, 3), "comm is None; give an mpi4py.MPI.Comm"),
        (lambda: _core.Route.load(3), "Route.load(): path is 3; give a path"),
        (lambda: _core.Leg(0, np.zeros(6)), "segments is an array of float64 of shape (6,); give"),
        (lambda: _core.halo(0, 1, AXIS[0]), "; give a BlockGrid"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_as_python_does(call, words):
    with pytest.raises(TypeError, match=re.escape(words)) as error:
        call()
    assert "\n" not in str(error.value)


def test_every_function_of_the_stub_names_a_keyword_that_it_does_not_have():
    for function, signature in misfits._signatures().items():
        if function.startswith("Bound."):
            continue
        given = reduce(getattr, function.split("."), _core)
        # A method is looked up in its class: None stands for the object.
        own = [None] if type(given).__name__ == "nb_method" else []
        for name in signature.parameters:
            with pytest.raises(TypeError) as error:
                given(*own, **{f"{name}_": 1})
            hint = f"{name}_'; did you mean '{name}'?"
            assert str(error.value) == f"{function}() got an unexpected keyword argument '{hint}"


def test_sequences_of_any_kind_make_a_grid_whose_pieces_may_be_no_box():
    grid = BlockGrid(
        (Distribution.even(8, 2),), halo=((np.int64(1), 0, False),), ranks=np.array([3, 1])
    )
    assert grid.local_extents(1) == (5,)
    assert grid.box(3) == (slice(0, 4),)
    grid = BlockGrid([Distribution.block_cyclic(8, 2, 1)])
    with pytest.raises(ValueError, match="rank 0 owns 4 ranges of dimension 0"):
        grid.box(0)


def test_a_halo_that_was_forgotten_is_refused_and_one_of_width_0_moves_nothing():
    forgotten = BlockGrid([Distribution.even(8, 1)])
    with pytest.raises(ValueError, match="no halo, so nothing would move; make it with halo="):
        _core.halo(0, 1, forgotten)
    for periodic in (False, True):
        route = _core.halo(0, 1, BlockGrid([Distribution.even(8, 1)], halo=[(0, 0, periodic)]))
        assert (route.sends, route.receives, route.source_extent) == ([], [], 8)


LISTS = [[0, 3, 3, 8], (0, 3, 3, 8), np.array([0, 3, 3, 8], "i4"), np.array([0, 3, 3, 8], "u1")]


@pytest.mark.parametrize("numbers", [*LISTS, np.array([0, 9, 3, 9, 3, 9, 8, 9])[::2]])
def test_lists_of_integers_in_any_form_make_distributions_and_rows(numbers):
    made = Distribution.irregular(numbers)
    assert [made.ranges(part).tolist() for part in range(3)] == [[[0, 3]], [], [[3, 8]]]
    assert Rows.from_offsets(numbers).units == 8
    assert Rows.variable(numbers).units == 14
    assert Rows.bounded(numbers, 9).units == 36


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([0, 0.5, 8], TypeError, "is a list of float64; give integers"),
        (None, ValueError, "has shape (); give a one-dimensional list"),
        ([[0, 8]], ValueError, "has shape (1, 2); give a one-dimensional list"),
        ([0, 2**70], TypeError, "is a list of object; give integers"),
        ([True, False], TypeError, "is a list of bool; give integers"),
    ],
)
def test_what_is_no_list_of_integers_is_answered_in_words(values, error, words):
    for name, make in {
        "boundaries": Distribution.irregular,
        "offsets": Rows.from_offsets,
        "lengths": Rows.variable,
    }.items():
        with pytest.raises(error, match=re.escape(f"the list of {name} {words}")):
            make(values)


YES = [True, np.True_, 1, np.int8(1), np.array(True)]
NO = [False, np.False_, 0, np.uint64(0), np.array(0)]


@pytest.mark.parametrize(
    ("flag", "periodic"), [(it, True) for it in YES] + [(it, False) for it in NO]
)
def test_flags_in_any_form_make_a_grid_periodic(flag, periodic):
    grid = BlockGrid([Distribution.even(8, 2)], halo=[(np.int8(1), np.uint16(1), flag)])
    assert grid == BlockGrid([Distribution.even(8, 2)], halo=[(1, 1, periodic)])
    numbers = np.array([[1, 1, bool(flag)]])
    assert grid == BlockGrid([Distribution.even(8, 2)], halo=numbers)


@pytest.mark.parametrize("flag", [2, -1, None, "yes", 1.0, [True], np.array([True, False])])
def test_what_is_no_flag_is_answered_in_words(flag):
    words = re.escape(f"halo[0][2] is {flag!r}; give True or False")
    with pytest.raises(TypeError, match=words):
        BlockGrid([Distribution.even(8, 2)], halo=[(1, 1, flag)])


def test_help_says_what_the_stub_says():
    stub = STUB.read_text("utf-8")
    shown = {"Distribution", "BlockGrid", "Rows", "Route", "Leg", "LegStatistics"}
    said = {name: words for name, words in docstrings(stub).items() if name.split(".")[0] in shown}
    for name, words in said.items():
        assert words in reduce(getattr, name.split("."), _core).__doc__, name
    public = {
        f"{cls.name}.{method.name}"
        for cls in ast.parse(stub).body
        if isinstance(cls, ast.ClassDef) and cls.name in shown
        for method in cls.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    }
    assert public - said.keys() == set()
    assert "halo: Sequence[tuple[int, int, bool]] = ()" in BlockGrid.__init__.__doc__


def test_a_grid_shows_its_words():
    grid = BlockGrid([Distribution.even(8, 2), Distribution.even(6, 1)])
    assert repr(grid) == f"<BlockGrid: {'; '.join(grid.words())}>"
    assert "dimension 0: 8 indices in 2 parts" in repr(grid)
