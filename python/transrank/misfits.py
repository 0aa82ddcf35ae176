# SPDX-License-Identifier: BSD-3-Clause
"""Writes error messages for calls of the compiled module whose arguments do not fit.

nanobind would answer with a list of signatures in its own notation. The compiled module asks this
module instead, which reads the names and types of arguments in the stub.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from inspect import Parameter, Signature
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from transrank import _core
from transrank.mpi import MPI

_MOST_SHOWN = 80
# By how the stub writes them: types, and what to give instead of a value of another one.
_TYPES: dict[str, tuple[Any, str]] = {
    "bool": (bool, "a bool"),
    "str": (str, "a str"),
    "str | os.PathLike[str]": ((str, os.PathLike), "a path"),
    "Comm": (MPI.Comm, "an mpi4py.MPI.Comm"),
    "_Order": (str, "'C' or 'F'"),
}


def misfit(name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> str | None:
    """Describe what is wrong with arguments that a function or `Class.method` has refused.

    `arguments` are those after self. The contents of arrays and sequences are not checked. Returns
    None for overloaded functions and for functions that are not in the stub.
    """
    signature = _signatures().get(name)
    if signature is None:
        return None
    known = signature.parameters
    for keyword in (each for each in keywords if each not in known):
        close = get_close_matches(keyword, known, 1)
        names = f"it takes: {', '.join(known)}" if known else "it takes none"
        hint = f"did you mean {close[0]!r}?" if close else names
        return f"{name}() got an unexpected keyword argument {keyword!r}; {hint}"
    try:
        given = signature.bind(*arguments, **keywords).arguments
    except TypeError as error:
        return f"{name}(): {error}"
    for argument, value in given.items():
        if wanted := _wanted(known[argument].annotation, value):
            return f"{name}(): {argument} is {_shown(value)}; give {wanted}"
    values = ", ".join(f"{argument} = {_shown(value)}" for argument, value in given.items())
    return f"{name}(): an argument is out of range or of another type: {values}"


@cache
def _signatures() -> dict[str, Signature]:
    """Of each function and method that is not overloaded."""
    tree = ast.parse(Path(__file__).with_name("_core.pyi").read_text("utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    found: dict[str, Signature] = {}
    for prefix, body in [("", tree.body), *((f"{each.name}.", each.body) for each in classes)]:
        functions = [node for node in body if isinstance(node, ast.FunctionDef)]
        counts = Counter(each.name for each in functions)
        found |= {
            prefix + each.name: _signature(each.args)
            for each in functions
            if counts[each.name] == 1
        }
    return found


def _signature(given: ast.arguments) -> Signature:
    def parameters(
        names: list[ast.arg], defaults: Sequence[ast.expr | None], kind: Any
    ) -> list[Parameter]:
        return [
            Parameter(
                each.arg,
                kind,
                default=Parameter.empty if default is None else default,
                annotation=ast.unparse(each.annotation),
            )
            for each, default in zip(names, defaults, strict=True)
            if each.annotation is not None  # self has none
        ]

    required = [None] * (len(given.args) - len(given.defaults))
    plain = parameters(given.args, [*required, *given.defaults], Parameter.POSITIONAL_OR_KEYWORD)
    return Signature(
        [*plain, *parameters(given.kwonlyargs, given.kw_defaults, Parameter.KEYWORD_ONLY)]
    )


def _wanted(annotation: str, value: Any) -> str:
    """Name what to give instead of a value whose type is certainly wrong; "" for others."""
    if annotation in ("int", "SupportsIndex"):
        try:
            number = index(value)
        except TypeError:
            return "an integer"
        return "" if -(2**63) <= number < 2**63 else "an integer of 64 bits"
    if annotation == "_Integers":
        is_array = isinstance(value, np.ndarray) and value.dtype == np.int64
        right = is_array and value.flags.c_contiguous
        return "" if right else "a contiguous NumPy array of int64"
    own = getattr(_core, annotation, object)
    types, words = _TYPES.get(annotation, (own, f"a {annotation}"))
    return "" if isinstance(value, types) else words


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    whole = repr(value)
    return whole if len(whole) <= _MOST_SHOWN else f"{whole[:_MOST_SHOWN]}..."
