# SPDX-License-Identifier: BSD-3-Clause
"""transrank versus: two variants of the same cases, measured alternately."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transrank.errors import RecordError, UsageError
from transrank.lab.cli import measure, options, output
from transrank.lab.cli.measure import axis_options, rewrite

if TYPE_CHECKING:
    from transrank.lab.cli.execution import Site
    from transrank.lab.cli.variants import Variant
    from transrank.lab.store.records import Run
    from transrank.lab.survey.driver import Driver

__all__ = ["add_options", "axis_options", "rewrite", "run"]

NAMES = ("a", "b")
RUN_SECONDS = 120.0
EPILOG = """\
Launches of A and B alternate: A B, B A, A B and so on. Each pair of launches
gives a ratio, the time of B divided by the time of A. Slow changes in the
machine's speed affect both times alike, so the ratio hardly changes. Pairs are
added until the 95% interval of each case's ratio is as narrow as --precision
requires, or until the time limit is reached (--time, default: 2 minutes). With
--launches N, there are N pairs. Verdicts and exit status are determined as in
`transrank compare`. However, a busy machine does not make cases unclear here:
it slows both variants.

NAME=VALUE sets an environment variable of all ranks, or is one of
  tuning=FILE      use a file that `transrank tune` has written
  launcher=TEXT    like --launcher, but for this variant only
  runner=PATH      use another transrank-run (the program that measures), and
                   the mpiexec of its MPI; PATH is the path of transrank-run, or
                   of a Python environment in which transrank is installed
  mpiexec=PATH     use another mpiexec
  alltoall=NAME    use an MPI_Alltoall algorithm of Fujitsu MPI, e.g. blacc6d
If neither --a nor --b is given, A and B are the same, and all differences are
noise.

examples:
  transrank versus pingpong collectives --sizes 8,64KiB --operation allreduce \\
    -n 2 --b MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling
  transrank versus pingpong --b runner=../candidate/.venv
  transrank versus latest                   print the verdicts again

A and B are stored as two runs, RUN-a and RUN-b. To print the times of B:
  transrank show RUN-b
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Measure the same cases alternately with two MPI settings or builds, A and B, and print "
        "which variant is faster."
    )
    parser.epilog = EPILOG
    measure.add_selection_options(
        parser, "studies to run; or an earlier run of versus, to print its verdicts again"
    )
    for name in NAMES:
        parser.add_argument(
            f"--{name}",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help=f"setting of variant {name.upper()} (see below); may be repeated",
        )
    options.add_gate_options(parser, "`transrank compare --help`")
    measure.add_resume_options(parser)
    measure.add_measuring_options(parser)
    options.add_output_options(
        parser,
        output="record files: -o x.jsonl writes x-a.jsonl and x-b.jsonl (default: new files in "
        "--store)",
    )
    parser.set_defaults(prepare=False, dry_run=False, probed=None)


def run(arguments: argparse.Namespace) -> int:
    """Measure both variants, or finish a run, and answer by the exit status."""
    from transrank.lab.store import runs

    measure.refuse_contradictions(arguments)
    if arguments.resume:
        measure.refuse_what_is_settled(arguments)
        paths = find_pair(_find_either(arguments.resume, arguments.store))
        _finish(paths, arguments)
    elif (earlier := _earlier(arguments)) is not None:
        paths = earlier
    else:
        paths = _measure(arguments)
        name = runs.name_of(paths[1], arguments.store)
        output.note(f"done; to print this again: transrank versus {name}")
    return _verdict(paths, arguments)


def find_pair(path: Path) -> tuple[Path, Path]:
    """Return the records of A and B from that of either.

    Raises RecordError: the other record is missing.
    Raises UsageError: it is another run.
    """
    from transrank.lab.store.records import read_run

    versus = read_run(path).header.versus
    if versus is None:
        raise UsageError(
            f"{path.stem} is not a run of transrank versus", "transrank compare takes any two runs"
        )
    other = path.with_name(f"{versus.other}{path.suffix}")
    if not other.is_file():
        raise RecordError(
            f"the other variant of {path} is missing: {other} does not exist",
            "keep both records in the same folder",
        )
    return (path, other) if versus.variant == NAMES[0] else (other, path)


def _find_either(text: str, store: Path | None) -> Path:
    """Return the record that a user means, by its name or by the common part of both names."""
    from transrank.lab.cli.results import find

    try:
        return find(text, store)
    except RecordError:
        try:
            return find(f"{text}-{NAMES[0]}", store)
        except RecordError:
            pass
        raise


def _earlier(arguments: argparse.Namespace) -> tuple[Path, Path] | None:
    """Return the records if a run is named in place of a study."""
    from transrank.lab.study import catalogue

    if len(arguments.study) != 1 or arguments.study[0] in catalogue.studies():
        return None
    (word,) = arguments.study
    try:
        path = _find_either(word, arguments.store)
    except RecordError:
        if word.startswith("latest") or os.sep in word:
            raise
        return None  # probably a misspelt study
    return find_pair(path)


def _measure(arguments: argparse.Namespace) -> tuple[Path, Path]:
    from transrank.lab.cli import execution
    from transrank.lab.cli.variants import parse, refuse_unknown
    from transrank.lab.store.records import from_json, sole_writer
    from transrank.lab.store.settings import Settings
    from transrank.lab.survey.estimate import Costs
    from transrank.lab.survey.further import Further
    from transrank.lab.survey.plan import make_plan
    from transrank.lab.survey.versus import naming

    variants = [parse(name, getattr(arguments, name), arguments.launcher) for name in NAMES]
    for variant in variants:
        refuse_unknown(variant)
    sites = _sites(variants)
    wish = execution.Wish(measure.selections(arguments), run_seconds=RUN_SECONDS)
    request = execution.request_of(arguments, sites[0], wish)
    records = _new_records(arguments)
    shape = make_plan(request)[0].shape
    probes = []
    for name, site, record in zip(NAMES, sites, records, strict=True):
        with naming(name):
            probes.append(execution.probe(site, shape, record))
    cautions = [
        caution
        for site, probed in zip(sites, probes, strict=True)
        for caution in execution.cautions(site, make_plan(request), probed, records[0])
    ]
    execution.warn(list(dict.fromkeys(cautions)))
    with ExitStack() as stack:
        drivers = []
        for i, variant in enumerate(variants):
            plan, header = execution.planned(request, sites[i], probes[i], records[i], arguments)
            _add_variant(header, variant, records[1 - i])
            execution.begin(records[i], header, arguments)
            stack.enter_context(sole_writer(records[i]))
            costs = Costs(probes[i].seconds, request.settings.case_seconds)
            further = Further(plan, from_json(Settings, header["options"]))
            drivers.append(
                execution.driver(records[i], plan, sites[i], costs, set(), arguments, further)
            )
        _watch(*drivers)
    return records


def _sites(variants: Sequence[Variant]) -> list[Site]:
    from transrank.lab.cli import execution

    facts, capacity = execution.facts_and_capacity()
    return [execution.Site(facts, variant.launcher(capacity)) for variant in variants]


def _new_records(arguments: argparse.Namespace) -> tuple[Path, Path]:
    from transrank.lab.cli import execution

    whole = execution.new_record(arguments)
    a, b = (whole.with_name(f"{whole.stem}-{name}{whole.suffix}") for name in NAMES)
    for record in (a, b):
        if record.exists():
            raise execution.exists(record, arguments)
    return a, b


def _add_variant(header: dict[str, Any], variant: Variant, other: Path) -> None:
    from transrank.lab.survey.lines import printable

    settings = [printable(word) for word in variant.settings]
    header["versus"] = {"variant": variant.name, "other": other.stem, "settings": settings}
    if "label" in header:
        header["label"] += f"-{variant.name}"


def _finish(paths: tuple[Path, Path], arguments: argparse.Namespace) -> None:
    from transrank.lab.cli import execution
    from transrank.lab.cli.variants import parse
    from transrank.lab.stats.cores import states_of
    from transrank.lab.store import records
    from transrank.lab.survey.further import Further

    with ExitStack() as stack:
        for path in paths:
            stack.enter_context(records.sole_writer(path))
        runs = [execution.open_again(path) for path in paths]
        if all(map(execution.lacks_nothing, runs)):
            output.note(f"{paths[1].stem} is complete: all its cases are finished")
            return
        variants = [parse(name, getattr(arguments, name), arguments.launcher) for name in NAMES]
        _check_given_again(runs, variants, arguments)
        sites = _sites(variants)
        for run, site in zip(runs, sites, strict=True):
            execution.refuse_crowds(arguments, site, [planned.shape for planned in run.plan])
        drivers = []
        for run, site in zip(runs, sites, strict=True):
            costs = execution.resumed(run, site, arguments)
            assert run.header.options is not None
            further = Further(run.header.plan, run.header.options, states_of(run))
            further.take(run.cases)
            done = records.finished_cases(run)
            spent = sum(map(execution.spent_seconds, runs))
            drivers.append(
                execution.driver(run.path, run.plan, site, costs, done, arguments, further, spent)
            )
        _watch(*drivers)


def _check_given_again(
    runs: Sequence[Run], variants: Sequence[Variant], arguments: argparse.Namespace
) -> None:
    """Refuse to resume variants by what their records say alone: a setting may be a program."""
    from transrank.lab.stats.pairs import are_paired
    from transrank.lab.survey.lines import printable

    if not are_paired(*runs):
        raise RecordError(
            f"{runs[0].path} and {runs[1].path} do not name each other as variants",
            "keep the records of a pair together, unchanged",
        )
    recorded = [run.header.versus.settings if run.header.versus else () for run in runs]
    given = [tuple(map(printable, variant.settings)) for variant in variants]
    if any(sorted(one) != sorted(other) for one, other in zip(recorded, given, strict=True)):
        pairs = zip(NAMES, recorded, strict=True)
        words = [word for name, each in pairs for text in each for word in (f"--{name}", text)]
        raise UsageError(
            f"{runs[1].path.stem} was measured with {shlex.join(words) or 'no settings'}, and "
            "settings are not taken from a file",
            "if they are the right ones, give them again: "
            + shlex.join(["transrank", "versus", "--resume", arguments.resume, *words]),
        )


def _watch(a: Driver, b: Driver) -> None:
    """Let both alternate."""
    from transrank.lab.cli import execution
    from transrank.lab.survey.versus import taking_turns

    both = taking_turns(a, b)
    both.announce = lambda waiting, most: output.note(
        f"{execution.how_many(waiting)}, each with A and with B; "
        f"{execution.how_long(waiting, most)}; results go to {a.record} and {b.record}"
    )
    execution.watch(both)


def _verdict(paths: tuple[Path, Path], arguments: argparse.Namespace) -> int:
    from transrank.lab.cli import compare

    named = {"baseline": str(paths[0]), "candidate": str(paths[1])}
    unused: dict[str, Any] = {"store": None, "case": [], "nodes": None, "output": None}
    return compare.run(argparse.Namespace(**{**vars(arguments), **named, **unused}))
