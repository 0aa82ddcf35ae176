# SPDX-License-Identifier: BSD-3-Clause
"""The record schema, compiled: the JSON file is the only statement of what a line may hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema

import transrank

# Files of earlier versions hold nothing that this one does not know.
VERSION = 2
READABLE = (1, 2)
KINDS = ("header", "planned", "launch", "case", "event")

# A list of numbers longer than this, the most items that the schema asks of any list, is
# represented by a few of its values when it is checked.
_LONGEST_CHECKED_LIST = 9
_LARGEST_INTEGER = 2**63 - 1
_NONE = type(None)


class Mismatch(ValueError):
    """A line that the schema does not allow; the message says where in the line and why."""


def schema_path() -> Path:
    """The schema in the source tree, where this file lies in one, or in the installed package."""
    name = f"record-v{VERSION}.json"
    tree = Path(__file__).resolve().parents[4] / "schema"
    installed = [Path(folder) / "schema" for folder in transrank.__path__]
    # The tree first: an editable installation also has a copy, as old as the last build.
    for folder in (tree, *installed):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"{name} is neither in {tree} nor in the package {installed[0]}")


@cache
def load_schema() -> dict[str, Any]:
    """The schema itself."""
    schema: dict[str, Any] = json.loads(schema_path().read_text("utf-8"))
    return schema


@cache
def _validator(kind: str) -> Callable[[Any], Any]:
    schema = load_schema()
    # One kind at a time: the failure of a `oneOf` would not say which rule was broken.
    one_kind = {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}
    compiled: Callable[[Any], Any] = fastjsonschema.compile(one_kind, use_default=False)
    return compiled


def check(line: Any) -> None:
    """Check one parsed line against the schema.

    Lists of numbers are checked by their smallest, least positive, largest and least integral
    value, which decide every rule that the schema has for the items of such lists; so a line with
    100,000 samples costs four passes in C.

    Raises
    ------
    Mismatch
        when the schema does not allow the line, or a number in it is not finite.
    """
    if not isinstance(line, dict):
        raise Mismatch("it is not a JSON object")
    kind = line.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Mismatch(f"its kind is {_shown(kind)}; known: {', '.join(KINDS)}")
    try:
        _validator(kind)(_shrunk(line, kind))
    except fastjsonschema.JsonSchemaValueException as error:
        raise Mismatch(_message(error, kind)) from None


def _shrunk(value: Any, path: str) -> Any:
    """A copy of `value` in which long lists of numbers are represented by a few of them."""
    if isinstance(value, dict):
        return {name: _shrunk(item, f"{path}.{name}") for name, item in value.items()}
    if isinstance(value, list):
        if len(value) > _LONGEST_CHECKED_LIST and set(map(type, value)) <= {int, float, _NONE}:
            numbers = [number for number in value if number is not None]
            missing = [None] * min(len(value) - len(numbers), _LONGEST_CHECKED_LIST)
            return missing + (_representatives(numbers, path) if numbers else [])
        return [_shrunk(item, path) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise Mismatch(f"{path} holds a number that is not finite")
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        raise Mismatch(f"{path} holds an integer that does not fit in 64 bits")
    return value


def _representatives(numbers: list[Any], path: str) -> list[Any]:
    least = min(filter((0.0).__lt__, numbers), default=numbers[0])
    extremes = [_shrunk(number, path) for number in (min(numbers), max(numbers), least)]
    fraction = next((n for n in numbers if type(n) is float and not n.is_integer()), extremes[0])
    return [*extremes, fraction] + extremes[:1] * (_LONGEST_CHECKED_LIST - 3)


def _message(error: fastjsonschema.JsonSchemaValueException, kind: str) -> str:
    message = str(error.message).replace("data", kind, 1)
    if error.rule == "not":  # the schema's only one
        message = message.replace("must NOT match a disallowed definition", "must be 0 or a time")
    if "must be valid" in message or error.rule in ("additionalProperties", "required"):
        return message
    return f"{message}, not {_shown(error.value)}"


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value)
    except ValueError:  # an integer of more digits than Python converts
        return "a number too long to print"
    return text if len(text) <= 60 else f"{text[:57]}..."
