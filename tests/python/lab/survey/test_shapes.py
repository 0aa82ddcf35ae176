# SPDX-License-Identifier: BSD-3-Clause
"""Which numbers of ranks are measured where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.errors import UsageError
from transrank.lab.launch import launchers
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.launchers import Hydra, Srun
from transrank.lab.store.records import Shape
from transrank.lab.survey.shapes import default_shapes, refuse_crowds, shapes


def hydra(nodes: int, cores: int) -> Hydra:
    return Hydra(Capacity(nodes, cores), "mpich", "mpiexec")


def test_every_combination_that_there_are_nodes_for_is_taken_and_others_are_told():
    found, left_out = shapes([2, 4, 8], [1, 2], hydra(nodes=4, cores=8))
    assert found == (Shape(2, 1), Shape(4, 1), Shape(2, 2), Shape(4, 2), Shape(8, 2))
    (words, hint), *others = left_out
    assert (words, others) == ("8 ranks, 1 per node: needs 8 nodes and this job has 4 nodes", [])
    assert "more nodes" in hint
    found, left_out = shapes([2, 8], [4], hydra(nodes=2, cores=8))
    assert found == (Shape(8, 4),)
    assert left_out == (("2 ranks, 4 per node: fewer ranks than fit a node", "-n 4 or more"),)
    with pytest.raises(UsageError, match="needs 4 nodes and this job has 1 node"):
        shapes([4], [1], hydra(nodes=1, cores=8))
    template = launchers.choose("srun -n {ranks} -N {nodes}", Capacity(1, 2))
    assert shapes([8], [2], template) == ((Shape(8, 2),), ())


def test_nodes_are_swept_within_and_between():
    assert default_shapes(hydra(1, 12), quick=False) == tuple(map(Shape, (2, 4, 8, 12)))
    assert default_shapes(hydra(1, 12), quick=True) == (Shape(2), Shape(12))
    assert default_shapes(hydra(1, 2), quick=False) == (Shape(2),)
    assert default_shapes(hydra(1, 1), quick=True) == (Shape(2),)
    assert default_shapes(hydra(8, 16), quick=True) == (
        Shape(2, 2),
        Shape(2, 1),
        Shape(8, 1),
        Shape(128, 16),
    )


@given(st.integers(1, 100), st.integers(1, 256), st.booleans())
def test_defaults_always_fit_except_for_the_two_ranks_that_mpi_needs(nodes, cores, quick):
    capacity = Capacity(nodes, cores)
    found = default_shapes(hydra(nodes, cores), quick)
    assert len(set(found)) == len(found)
    for shape in found:
        assert capacity.fits(shape)
        assert shape.ranks == 2 or not capacity.oversubscribed(shape)


@pytest.mark.parametrize(
    ("shape", "nodes", "says"),
    [
        (Shape(2048), 1, "2,048 ranks: 2,048 ranks on 2 cores of a node are more than 4 for each"),
        (Shape(9), 1, "9 ranks: 9 ranks on 2 cores"),
        (Shape(17), 2, "17 ranks: 9 ranks on 2 cores"),
        (Shape(18, 9), 2, "18 ranks, 9 per node: 9 ranks on 2 cores"),
    ],
)
def test_more_ranks_than_four_for_each_core_are_refused(shape, nodes, says):
    with pytest.raises(UsageError, match=says) as refused:
        refuse_crowds([Shape(2), shape], hydra(nodes, 2), False, {})
    assert "--oversubscribe" in (refused.value.hint or "")
    assert f"-n {8 * nodes} is the most" in (refused.value.hint or "")


def test_four_ranks_for_each_core_and_any_where_cores_are_not_known_are_taken():
    refuse_crowds([Shape(8), Shape(8, 8)], hydra(1, 2), False, {})
    refuse_crowds([Shape(16), Shape(16, 8)], hydra(2, 2), False, {})
    one = Capacity(1, 2)
    srun = Srun(one, "mpich", "srun")
    refuse_crowds([Shape(64)], launchers.choose("srun -n {ranks}", one), False, {})
    refuse_crowds([Shape(64)], srun, False, {})
    refuse_crowds([Shape(64)], hydra(1, 2), False, {"HYDRA_HOST_FILE": "hosts"})
    with pytest.raises(UsageError, match="64 ranks on 2 cores"):
        refuse_crowds([Shape(64)], srun, True, {})
