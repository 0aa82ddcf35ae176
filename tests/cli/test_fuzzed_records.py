# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a record file holds, every verb that reads it answers or refuses in one line."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import recorded
from support.commands import pingpong, run_quietly
from transrank.lab.cli.__main__ import INTERNAL_ERROR

LINES = [
    recorded.header(label="night"),
    recorded.launch(0),
    *pingpong(8, 1.0),
    recorded.barrier(),
    recorded.case(64, ranks=None, over_ranks=recorded.over_ranks(300)),
    recorded.skipped(4096),
    recorded.event("finished"),
]
IMPORTED = [recorded.imported_header(), recorded.imported_case(8), recorded.imported_case(64)]
VERBS = [
    ["show", "RUN"],
    ["show", "RUN", "--format", "json"],
    ["export", "RUN", "--samples"],
    ["export", "RUN"],
    ["compare", "RUN", "RUN"],
    ["compare", "RUN", "fugaku", "--format", "json"],
    ["list"],
]


EVERY = [LINES, IMPORTED]
PLACES = [
    (which, number, place)
    for which, lines in enumerate(EVERY)
    for number, line in enumerate(lines)
    for place in recorded.places(line)
]
# Values that a schema may well allow and arithmetic may not.
NUMBERS = [0, 0.0, -0.0, 1, 5e-324, 1e-300, 1e300, 1.7e308, 2**31, 2**62, 2**63 - 1, 10**30, -1]
TEXTS = ["", "a", "a/b/c", "\n", "\x1b[31m", "[bold]", "µ" * 300, "\u202e", "launch", "*"]
REMOVED = object()
OTHERS = [REMOVED, None, True, [], {}, [0], [0.0] * 20, [1e308] * 20, [5e-324] * 20]
VALUES = st.sampled_from([*NUMBERS, *TEXTS, *OTHERS])


@given(
    changes=st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=4),
    verb=st.sampled_from(VERBS),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_changed_files_are_answered_or_refused(tmp_path, changes, verb):
    which = changes[0][0][0]
    lines = json.loads(json.dumps(EVERY[which]))
    for (other, number, (*outer, last)), value in changes:
        holder = lines[number] if other == which else {}
        try:
            for key in outer:
                holder = holder[key]
            if value is REMOVED:
                del holder[last]
            else:
                holder[last] = copy.deepcopy(value)  # or it might come to hold itself
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took this place away
    path = recorded.write(tmp_path / "fuzzed.jsonl", lines)
    arguments = [str(path) if word == "RUN" else word for word in verb]
    status, said = run_quietly([*arguments, "--store", str(tmp_path)])
    assert status in (0, 1, 2, 4, 5), said
    assert status != INTERNAL_ERROR
    assert "Traceback" not in said


@pytest.mark.parametrize("scale", [0.0, 5e-324, 1e-300, 1e300])
def test_times_at_the_ends_of_the_number_line_are_shown(tmp_path, scale):
    lines = [
        recorded.case(8, launch=launch, seconds=[scale * (1 + launch)] * 8) for launch in range(3)
    ]
    path = recorded.write(tmp_path / "scaled.jsonl", [recorded.header(), *lines])
    for verb in VERBS:
        arguments = [str(path) if word == "RUN" else word for word in verb]
        status, said = run_quietly([*arguments, "--store", str(tmp_path)])
        assert status in (0, 1, 2, 4, 5), said
