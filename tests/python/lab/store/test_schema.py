# SPDX-License-Identifier: BSD-3-Clause
import json
from typing import Any

import jsonschema
import pytest
import record_schema
from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.lab.store import lines

EXAMPLES = [
    recorded.header(),
    recorded.header(versus={"variant": "a", "other": "run-b", "settings": ["UCX_TLS=self"]}),
    recorded.imported_header(),
    recorded.launch(),
    recorded.case(seconds=[1e-6] * 40),
    recorded.case(ranks={name: [1e-6, None] for name in ("median", "minimum", "mean")}),
    recorded.case(ranks=None, over_ranks=recorded.over_ranks(300)),
    recorded.case(outcome=recorded.outcome()),
    recorded.event("clocks-checked", launch=0, accuracy_seconds=2e-7),
    recorded.case(timing="one-shot", stop="one-shot", reason="measured once"),
    recorded.skipped(),
    recorded.imported_case(),
    recorded.event(),
    recorded.planned(),
    recorded.cores(),
]
SCHEMA = json.loads(record_schema.SCHEMA.read_text("utf-8"))
# The schema says so: an integer is written without a fraction.
CHECKER = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
)
ORACLE = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=CHECKER)(SCHEMA)


def test_the_schema_is_what_the_classes_say_and_there_is_an_example_of_every_line():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert record_schema.SCHEMA.read_text("utf-8") == record_schema.text()
    assert SCHEMA["$defs"]["Header"]["properties"]["schema"]["enum"] == list(lines.READABLE)
    assert max(lines.READABLE) == lines.VERSION
    assert {line["kind"] for line in EXAMPLES} == lines.KINDS.keys()


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_what_transrank_writes_is_allowed(number):
    line = EXAMPLES[number]
    lines.line_from_json(line)
    ORACLE.validate(line)


PLACES = [
    (number, place) for number, line in enumerate(EXAMPLES) for place in recorded.places(line)
]
SCALARS = [None, True, -1, 0, 0.5, 1, 1.0, 2, 1e300, "", "ok", "imported", "skipped"]
LISTS = [[], [0], [0.5], [1] * 20, [0.5] * 20, [-1] * 20]
MIXED = [[1] * 19 + [odd] for odd in (True, "x", 0.25, None, -0.5)]
VALUES = st.sampled_from([*SCALARS, {}, *LISTS, *MIXED])


def changed(place: tuple[int, tuple[Any, ...]], value: Any, action: str) -> dict[str, Any]:
    """An example with one value replaced, removed, or joined by an unknown one."""
    line: dict[str, Any] = json.loads(json.dumps(EXAMPLES[place[0]]))
    *outer, last = place[1]
    holder: Any = line
    for key in outer:
        holder = holder[key]
    if action == "drop":
        del holder[last]
    elif action == "add" and isinstance(holder, dict):
        holder["surprise"] = value
    else:
        holder[last] = value
    return line


def accepts(line: dict[str, Any]) -> bool:
    try:
        lines.line_from_json(line)
    except lines.Mismatch as refused:
        return "reshape" in str(refused)  # the lengths of what belongs together, no schema says
    return True


@given(place=st.sampled_from(PLACES), value=VALUES, action=st.sampled_from(["set", "drop", "add"]))
def test_the_fast_check_agrees_with_a_full_validator(place, value, action):
    line = changed(place, value, action)
    assert accepts(line) == ORACLE.is_valid(line)


def test_integers_end_where_those_of_64_bits_do():
    lines.line_from_json(recorded.case(verified=2**63 - 1))
    with pytest.raises(lines.Mismatch, match="must be int <= 9223372036854775807"):
        lines.line_from_json(recorded.case(verified=2**63))


@pytest.mark.parametrize("values", [*LISTS, *MIXED], ids=lambda values: repr(values)[-12:])
def test_the_fast_check_of_lists_agrees_with_a_full_validator(values):
    for number, place in PLACES:
        value = EXAMPLES[number]
        for key in place:
            value = value[key]
        if isinstance(value, list):
            line = changed((number, place), values, "set")
            assert accepts(line) == ORACLE.is_valid(line), (place, values)
