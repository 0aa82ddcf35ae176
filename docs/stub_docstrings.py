# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx: what the compiled module's classes do is said in the stub that type checkers read."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docstrings import docstrings

import transrank.mpi  # noqa: F401  # loads MPI, with which the compiled module is linked
from transrank import _core

if TYPE_CHECKING:
    from sphinx.application import Sphinx

STUB = Path(__file__).parents[1] / "python" / "transrank" / "_core.pyi"


def show_static_methods(stub: ast.Module) -> None:
    """Let those of compiled classes look like Python's: autodoc takes them for attributes."""
    for cls in stub.body:
        for node in cls.body if isinstance(cls, ast.ClassDef) else []:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                (decorator,) = node.decorator_list
                if isinstance(decorator, ast.Name) and decorator.id == "staticmethod":
                    names: dict[str, Any] = {}
                    code = f"from __future__ import annotations\n{ast.unparse(node)}"
                    exec(code, {"__name__": _core.__name__}, names)  # noqa: S102 - our own stub
                    setattr(getattr(_core, cls.name), node.name, names[node.name])


def setup(app: Sphinx) -> dict[str, bool]:
    """Have compiled names documented in the words of the stub."""
    text = STUB.read_text("utf-8")
    show_static_methods(ast.parse(text))
    known = {f"{_core.__name__}.{name}": words for name, words in docstrings(text).items()}

    def replace(_: Sphinx, __: str, name: str, *rest: Any) -> None:
        lines = rest[-1]
        if name in known:
            lines[:] = known[name].splitlines()

    # Before napoleon (500), which reads the sections.
    app.connect("autodoc-process-docstring", replace, priority=400)
    return {"parallel_read_safe": True}
