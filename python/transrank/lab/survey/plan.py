# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a run: every launch, with its shape, its cases and its arguments, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transrank.errors import UsageError
from transrank.lab.store.records import PlannedLaunch, Shape
from transrank.lab.store.settings import Settings
from transrank.lab.study import catalogue
from transrank.lab.study import launch as launch_study
from transrank.lab.study.catalogue import ListedCase, Study
from transrank.lab.survey import contention

Lister = Callable[[Sequence[str], int], list[ListedCase]]


@dataclass(frozen=True)
class Selection:
    """What one launch measures: studies that share the same sizes and axes."""

    studies: tuple[str, ...]
    sizes: str | None = None
    axes: tuple[tuple[str, str], ...] = ()
    # Not all of the cases that these select.
    part: bool = False

    def arguments(self) -> list[str]:
        """Return the selecting options of transrank-run."""
        found = ["--study", ",".join(self.studies)]
        if self.sizes is not None:
            found += ["--sizes", self.sizes]
        for name, values in self.axes:
            found += ["--axis", f"{name}={values}"]
        return found


Row = tuple[Shape, Selection, list[ListedCase]]


@dataclass(frozen=True)
class Request:
    """What the user asks for: the selections and, for each, its shapes."""

    selections: tuple[Selection, ...]
    shapes: tuple[Shape, ...]
    settings: Settings = field(default_factory=Settings)
    # Studies whose ranks are few are measured once per placement of these, not in every shape.
    repeat_small_studies: bool = True
    # All ranks of every shape share a node.
    one_node: bool = False
    # Few cases of many studies share a launch: starting one takes longer than measuring a case.
    packed: bool = False
    # How many ranks share a memory domain, by shape: the domains of the study `contention`.
    ranks_per_domain: Mapping[Shape, int] = field(default_factory=dict)


def select(
    names: Sequence[str], sizes: str | None, axes: Mapping[str, str]
) -> tuple[Selection, ...]:
    """Give each study the restrictions that concern it, and join the studies that have the same.

    Raises UsageError: an unknown study, or a restriction of an axis that no study has.
    """
    chosen = [catalogue.find(name) for name in dict.fromkeys(names)]
    for name in axes:
        if not any(name in study.axes for study in chosen):
            known = sorted({axis for study in chosen for axis in study.axes})
            raise UsageError(
                f"no axis '{name}' in {', '.join(study.name for study in chosen)}",
                f"known: {', '.join(known)}" if known else "these studies have sizes only",
            )
    if sizes is not None and not any(study.sizes for study in chosen):
        raise UsageError(f"--sizes: {', '.join(study.name for study in chosen)} has no sizes")
    return join(
        Selection(
            (study.name,),
            sizes if study.sizes else None,
            tuple((name, values) for name, values in axes.items() if name in study.axes),
        )
        for study in chosen
    )


def join(selections: Iterable[Selection]) -> tuple[Selection, ...]:
    """Let studies with the same restrictions share a launch."""
    joined: dict[tuple[object, ...], Selection] = {}
    for one in selections:
        # The launch study has launches of its own.
        own = one.studies if catalogue.find(one.studies[0]).driven_from_outside else None
        key = (one.sizes, one.axes, own)
        before = joined[key].studies if key in joined else ()
        joined[key] = Selection(before + one.studies, one.sizes, one.axes)
    return tuple(joined.values())


def make_plan(
    request: Request, list_cases: Lister = catalogue.list_cases
) -> tuple[PlannedLaunch, ...]:
    """Return the launches in the order in which they run.

    Shapes and selections take turns within each repetition, so that a drift of the machine is
    spread over all of them. The launch number is unique in the plan.

    Raises UsageError: nothing at all is selected, nothing of it can be measured, or the runner
    refuses it.
    """
    settings = request.settings
    rows: list[Row] = []
    for shape in request.shapes:
        of_shape: list[Row] = []
        for selection in with_domains(request.selections, request.ranks_per_domain.get(shape)):
            chosen = _fitting(selection, shape, request)
            cases = _cases(chosen, shape, settings, list_cases) if chosen else []
            if chosen and cases:
                of_shape.append((shape, chosen, cases))
        rows += _packed(of_shape, settings, list_cases) if request.packed else of_shape
    if not rows:
        raise UsageError(
            "no case is left to be measured", "fewer restrictions, or more ranks: --ranks"
        )
    listed = [case for _, _, cases in rows for case in cases]
    if all(case.reason is not None for case in listed):
        raise UsageError(
            f"every case would be skipped: {listed[0].case} {listed[0].reason}",
            "other sizes or axes, more ranks (-n), or more memory (--memory)",
        )
    return tuple(
        PlannedLaunch(
            launch=repetition * len(rows) + place,
            shape=shape,
            cases=tuple(case.case for case in cases),
            arguments=_arguments(selection, replace(settings, seed=seed)),
            part=selection.part,
        )
        for repetition in range(settings.launches)
        for seed in [(settings.seed + repetition) % 2**63]
        for place, (shape, selection, cases) in enumerate(rows)
    )


def _packed(rows: Sequence[Row], settings: Settings, list_cases: Lister) -> list[Row]:
    """Let rows of a shape share a launch if studies without restrictions have all their cases."""
    apart = [row for row in rows if row[1].studies == (launch_study.NAME,)]
    together = [row for row in rows if row not in apart]
    if len(together) < 2:
        return list(rows)
    shape = together[0][0]
    chosen = {case.case for _, _, cases in together for case in cases}
    studies = tuple(dict.fromkeys(name for _, one, _ in together for name in one.studies))
    whole = Selection(studies, part=True)
    cases = [c for c in _cases(whole, shape, settings, list_cases) if c.case in chosen]
    return [(shape, whole, cases), *apart] if len(cases) == len(chosen) else list(rows)


def with_domains(
    selections: Sequence[Selection], ranks_per_domain: int | None
) -> tuple[Selection, ...]:
    """Set the ranks per domain of `contention` where the user names none.

    It then has a launch of its own: no other study has that axis.
    """
    given: list[Selection] = []
    for one in selections:
        left_open = contention.STUDY in one.studies and contention.AXIS not in dict(one.axes)
        if ranks_per_domain is None or not left_open:
            given.append(one)
            continue
        others = tuple(name for name in one.studies if name != contention.STUDY)
        if others:
            given.append(Selection(others, one.sizes, one.axes))
        axes = (*one.axes, (contention.AXIS, str(ranks_per_domain)))
        given.append(Selection((contention.STUDY,), one.sizes, axes))
    return tuple(given)


def _fitting(selection: Selection, shape: Shape, request: Request) -> Selection | None:
    """Leave out the studies of which a smaller shape measures the same."""
    if request.repeat_small_studies:
        return selection
    smaller = [other for other in request.shapes if other.ranks < shape.ranks]
    kept = tuple(
        name
        for name in selection.studies
        if not any(
            _same_ranks(catalogue.find(name), other, shape, request.one_node) for other in smaller
        )
    )
    return Selection(kept, selection.sizes, selection.axes) if kept else None


def _same_ranks(study: Study, fewer: Shape, more: Shape, one_node: bool) -> bool:
    """Whether in both shapes as many ranks take part in the study, placed alike."""
    ranks = study.most_ranks
    if not 0 < ranks <= fewer.ranks:
        return False
    return one_node or _nodes_filled(ranks, fewer) == _nodes_filled(ranks, more)


def _nodes_filled(ranks: int, shape: Shape) -> int | None:
    """On how many nodes the first ranks of a shape are; None: as the launcher likes."""
    return -(-ranks // shape.ranks_per_node) if shape.ranks_per_node else None


def _arguments(selection: Selection, settings: Settings) -> tuple[str, ...]:
    if selection.studies == (launch_study.NAME,):
        count = str(settings.count or settings.job_starts)
        others = settings.arguments(only=["list_ranks", "seed"])
        return (*selection.arguments(), "--count", count, *others)
    return (*selection.arguments(), *settings.arguments())


def _cases(
    selection: Selection, shape: Shape, settings: Settings, list_cases: Lister
) -> list[ListedCase]:
    if selection.studies == (launch_study.NAME,):
        cases = launch_study.cases(dict(selection.axes))
        return [ListedCase(launch_study.NAME, case) for case in cases]
    deciding = settings.arguments(only=["cache", "memory_bytes"])
    return list_cases([*selection.arguments(), *deciding], shape.ranks)
