# SPDX-License-Identifier: BSD-3-Clause
"""What a stub says, by name; as a program, a C++ header with that of STUB in HEADER.

    python tools/docstrings.py STUB HEADER

So what `help` shows of the compiled module is what type checkers and the documentation have, and
errors in calls name the same arguments.
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

HEADER = """// Made of {stub} by {program}.
#pragma once

#include <string_view>
#include <utility>

namespace transrank::bindings {{
inline constexpr std::pair<std::string_view, const char*> stub_docstrings[] = {{
{lines}
}};

struct StubParameter {{
    std::string_view function;
    std::string_view name;
    std::string_view type;
    bool keyword_only;
    bool required;
}};
inline constexpr StubParameter stub_parameters[] = {{
{parameters}
}};
}}  // namespace transrank::bindings
"""


def docstrings(stub: str) -> dict[str, str]:
    """Of each class, method (``Class.method``) and function that has one."""
    found: dict[str, str] = {}

    def visit(parent: ast.Module | ast.ClassDef, prefix: str) -> None:
        for node in parent.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                words = ast.get_docstring(node)
                if words:
                    found[prefix + node.name] = inspect.cleandoc(words)
                if isinstance(node, ast.ClassDef):
                    visit(node, f"{prefix}{node.name}.")

    visit(ast.parse(stub), "")
    return found


def parameters(stub: str) -> list[tuple[str, str, str, bool, bool]]:
    """Of each function that is not overloaded: function, name, type, keyword-only?, required?

    A first row without a name stands for the function itself.
    """
    found = []
    tree = ast.parse(stub)
    scopes = [("", tree.body)]
    scopes += [(f"{node.name}.", node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
    for prefix, body in scopes:
        functions = [node for node in body if isinstance(node, ast.FunctionDef)]
        names = [node.name for node in functions]
        for node in functions:
            given = node.args
            plain = [(each, False) for each in given.args if each.annotation]
            required = [True] * (len(plain) - len(given.defaults)) + [False] * len(given.defaults)
            required += [default is None for default in given.kw_defaults]
            keywords = [(each, True) for each in given.kwonlyargs]
            if names.count(node.name) == 1:
                found.append((prefix + node.name, "", "", False, False))
                found += [
                    (prefix + node.name, each.arg, ast.unparse(each.annotation), late, needed)
                    for (each, late), needed in zip(plain + keywords, required, strict=True)
                    if each.annotation
                ]
    return found


def main(stub: str, header: str) -> None:
    """Write the header."""
    text = Path(stub).read_text("utf-8")
    lines = "\n".join(
        f'    {{"{name}", R"stub({words})stub"}},' for name, words in docstrings(text).items()
    )
    rows = "\n".join(
        f'    {{"{function}", "{name}", R"stub({type_})stub", {late:d}, {required:d}}},'
        for function, name, type_, late, required in parameters(text)
    )
    made = HEADER.format(
        stub=Path(stub).name, program=Path(__file__).name, lines=lines, parameters=rows
    )
    Path(header).write_text(made, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
