# SPDX-License-Identifier: BSD-3-Clause
"""How much of an operation computation hides: the three cases of the study `overlap`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import mean_over
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import Shape

STUDY = "overlap"
PARTS = ("alone", "computation", "together")


@dataclass(frozen=True, slots=True)
class Hidden:
    """An operation of which all three cases were measured.

    `share` is (alone + computation - together) / alone: 1 if the operation costs nothing beside the
    computation, 0 if it costs as much as alone, less if they hinder each other. None if fewer than
    three launches have all three.
    """

    operation: str
    form: str
    bytes: int | None
    shape: Shape
    alone: CaseResult
    computation: CaseResult
    together: CaseResult
    share: Estimate | None


def find_hidden(results: Iterable[CaseResult]) -> list[Hidden]:
    """Compute the share for each operation, form, size and shape, in the order of `results`."""
    found: dict[tuple[str, str, int | None, Shape], dict[str, CaseResult]] = {}
    for result in results:
        if result.study == STUDY and result.headline is not None:
            operation, form = str(result.axes["operation"]), str(result.axes["form"])
            key = (operation, form, result.bytes, result.shape)
            found.setdefault(key, {})[str(result.axes["part"])] = result
    hidden = []
    for key, parts in found.items():
        if parts.keys() >= set(PARTS):
            alone, computation, together = (parts[name] for name in PARTS)
            share = _share([alone, computation, together])
            hidden.append(Hidden(*key, alone, computation, together, share))
    return hidden


def _share(parts: Sequence[CaseResult]) -> Estimate | None:
    """The mean over launches, each with a computation of its own length, and its t interval."""
    medians = [part.by_launch for part in parts]
    common = set.intersection(*(set(each) for each in medians))
    shares = []
    for launch in sorted(common):
        alone, computation, together = (each[launch] for each in medians)
        shares.append((alone + computation - together) / alone)
    return mean_over(shares)
