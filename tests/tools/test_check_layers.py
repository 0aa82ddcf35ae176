# SPDX-License-Identifier: BSD-3-Clause
"""The layer check finds what it must and nothing else."""

from pathlib import Path

import check_layers
import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_tree_keeps_its_layers_and_each_knows_those_listed_before_it():
    assert check_layers.violations(ROOT / "cpp") == []
    known: set[str] = set()
    for layer, allowed in check_layers.ALLOWED.items():
        assert (ROOT / "cpp" / layer).is_dir(), layer
        assert allowed <= known, layer
        known.add(layer)


@pytest.mark.parametrize(
    ("include", "problem"),
    [
        ('#include "transrank/route/route.hpp"', "mpi' must not include 'transrank/route'"),
        ('  #  include "lab/study/study.hpp"', "mpi' must not include 'lab/study'"),
        ('#include "error.hpp"', "include our headers as"),
        ('#include "transrank/mpi/error.hpp"', None),
        ('#include "transrank/version.h"', None),
        ("#include <mpi.h>", None),
        ('// see #include "lab/study/study.hpp"', None),
    ],
)
def test_an_include_is_judged_by_its_layer(tmp_path, include, problem):
    (tmp_path / "transrank" / "mpi").mkdir(parents=True)
    (tmp_path / "transrank" / "mpi" / "error.hpp").write_text(f"#pragma once\n{include}\n")
    found = check_layers.violations(tmp_path)
    assert len(found) == (problem is not None)
    if problem is not None:
        assert found[0].startswith(f"{tmp_path}/transrank/mpi/error.hpp:2: ")
        assert problem in found[0]


def test_a_transport_is_named_in_its_own_layer_alone(tmp_path):
    for layer, file, line in [
        ("transrank/transport/own", "by_hand.cpp", '    return {.name = "by-hand"};\n'),
        ("transrank/transport", "other.cpp", 'find("by-hand");\n'),
        ("lab/study", "ghost.cpp", '\nif (entry.name == "by-hand") {}\n'),
        ("lab/study", "other.cpp", '// by-hand, "by-hand-2"\n'),
    ]:
        (tmp_path / layer).mkdir(parents=True, exist_ok=True)
        (tmp_path / layer / file).write_text(line)
    assert check_layers.violations(tmp_path) == [
        f'{tmp_path}/lab/study/ghost.cpp:2: "by-hand" is a name of the table of transports; go by '
        "what its entry says"
    ]


def test_an_unlisted_layer_is_named(tmp_path):
    (tmp_path / "lab" / "extra").mkdir(parents=True)
    (tmp_path / "lab" / "extra" / "new.cpp").touch()
    assert "layer 'lab/extra' is not listed" in check_layers.violations(tmp_path)[0]
