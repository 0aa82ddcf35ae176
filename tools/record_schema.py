# SPDX-License-Identifier: BSD-3-Clause
"""Write schema/record-v2.json, which the classes of transrank.lab.store.lines say."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from transrank.lab.store import lines

SCHEMA = Path(__file__).parent.parent / "schema" / f"record-v{lines.VERSION}.json"
WIDTH = 118
DESCRIPTION = (
    "A record file is JSON Lines. Line 1 is the header; every launch of the native runner appends "
    "one launch line and then one case line per finished case, each flushed as it is written. "
    "Times are seconds, sizes are bytes; integers are written without a fraction. Null is as good "
    "as no field. A later version may have further fields."
)
REFERENCE = "#/$defs/{name}"
# Types of fields that have a definition too; the longest first.
NAMED = ("Time", "Seconds", "Positive", "Count", "Number", "Integer")


def schema() -> dict[str, Any]:
    """Return the schema of one line."""
    types = [*lines.KINDS.values(), lines.Map]
    _, definitions = msgspec.json.schema_components(types, ref_template=REFERENCE)
    named = {name: msgspec.json.schema(getattr(lines, name)) for name in NAMED}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://transrank.invalid/schema/{SCHEMA.name}",
        "title": "One line of a transrank record file",
        "description": DESCRIPTION,
        "oneOf": [_line(name, kind) for name, kind in lines.KINDS.items()],
        "$defs": named | {name: _short(one, named) for name, one in definitions.items()},
    }


def _short(value: Any, named: Mapping[str, Any]) -> Any:
    """With references to what has a name, and without what goes without saying."""
    if isinstance(value, list):
        return [_short(item, named) for item in value]
    if not isinstance(value, dict):
        return value
    for name, one in named.items():
        if one.items() <= value.items():
            rest = {key: item for key, item in value.items() if key not in one}
            return {"$ref": REFERENCE.format(name=name)} | rest
    if isinstance(value.get("description"), str):
        value = value | {"description": " ".join(value["description"].split())}
    return {
        key: _short(item, named)
        for key, item in value.items()
        if (key, item) != ("default", None) and not (key == "title" and "type" in value)
    }


def _line(name: str, kind: type[lines.Line]) -> dict[str, Any]:
    named = {"properties": {"kind": {"const": name}}, "required": ["kind"]}
    rules = [_rule(*rule) for rule in lines.NEEDED.get(name, ())]
    return {"$ref": REFERENCE.format(name=kind.__name__), "allOf": [named, *rules]}


def _rule(condition: Mapping[str, Sequence[str]], needed: Sequence[str]) -> dict[str, Any]:
    """The fields that are needed where others have, or lack, a value."""
    then = {
        "required": list(needed),
        "properties": {name: {"not": {"const": None}} for name in needed},
    }
    if not condition:
        return then
    given = [name for name, values in condition.items() if values]
    allowed = {
        name: {"enum": list(values)} if values else {"const": None}
        for name, values in condition.items()
    }
    return {"if": {"properties": allowed, "required": given}, "then": then}


def laid_out(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON in which what fits stands in one line."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + before + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, list):
        parts = [laid_out(item, indent + 2) for item in value]
    else:
        parts = [
            f"{json.dumps(key)}: {laid_out(item, indent + 2, len(key) + 4)}"
            for key, item in value.items()
        ]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}" + f",\n{inner}".join(parts) + f"\n{' ' * indent}{end}"


def text() -> str:
    """Return the file."""
    return laid_out(schema()) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        SCHEMA.write_text(text(), "utf-8")
    elif SCHEMA.read_text("utf-8") != text():
        sys.exit(f"{SCHEMA} is not what transrank.lab.store.lines says; make schema writes it")
