# SPDX-License-Identifier: BSD-3-Clause
"""What a stub says, by name; as a program, a C++ header with that of STUB in HEADER.

    python tools/docstrings.py STUB HEADER

So what `help` shows of the compiled module is what type checkers and the documentation have.
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


def main(stub: str, header: str) -> None:
    """Write the header."""
    text = Path(stub).read_text("utf-8")
    lines = "\n".join(
        f'    {{"{name}", R"stub({words})stub"}},' for name, words in docstrings(text).items()
    )
    made = HEADER.format(stub=Path(stub).name, program=Path(__file__).name, lines=lines)
    Path(header).write_text(made, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
