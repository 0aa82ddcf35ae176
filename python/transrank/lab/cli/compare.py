# SPDX-License-Identifier: BSD-3-Clause
"""transrank compare: a run against another, as a gate, or beside a published machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.cli import domains, options, output, results
from transrank.lab.cli.beside import print_beside
from transrank.lab.reference.tables import machines
from transrank.lab.stats.compare import VERDICTS, Family, Verdict, summarise_family
from transrank.lab.stats.conditions import differences
from transrank.lab.stats.domains import domain_times
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.pairs import are_paired, variant_of
from transrank.lab.stats.summary import run_warnings
from transrank.lab.stats.trust import NOT_MEASURED, is_noise, trust_in
from transrank.lab.stats.two_runs import compare_runs
from transrank.lab.store.records import Run
from transrank.lab.units import format_percent, format_seconds
from transrank.lab.view.kinds import ERROR, NUMBER, SECONDS, VALUE, WORDS, Kind
from transrank.lab.view.markdown import as_markdown
from transrank.lab.view.table import Column, Table, field, labelled

STYLES = {"slower": "bold red", "faster": "green", "unclear": "yellow", "missing": "dim"}
# The exit status where fewer than half of the cases could be judged.
NO_EVIDENCE = 5
SIDES, PARTS = ("baseline", "candidate"), ("mean", "p90", "p99")
RATIO = Kind(lambda estimate: _ratio(estimate.value))
RATIOS = Kind(lambda estimate: _interval(estimate))


def _of_estimate(name: str, value: Callable[[Any], Estimate | None]) -> list[Column]:
    """An estimate for programs: its value and the ends of its interval."""

    def part(attribute: str) -> Callable[[Any], float | None]:
        return lambda v: getattr(value(v), attribute, None)

    ends = (("", "value"), ("_low", "low"), ("_high", "high"))
    return [field(name + end, part(attribute)) for end, attribute in ends]


def _of_tail(side: int, part: str) -> Callable[[Verdict], float | None]:
    return lambda v: getattr(v.tails[side], part) if v.tails else None


COLUMNS = (
    *results.CASE,
    field("statistic", lambda v: v.statistic),
    Column("baseline", VALUE, lambda v: _known(v.baseline) or NOT_MEASURED),
    Column("±", ERROR, lambda v: _known(v.baseline), optional=True),
    Column("candidate", VALUE, lambda v: _known(v.candidate) or NOT_MEASURED),
    Column("±", ERROR, lambda v: _known(v.candidate), optional=True),
    Column("ratio", RATIO, lambda v: _known(v.ratio)),
    Column("95 % interval", RATIOS, lambda v: _known(v.ratio)),
    *_of_estimate("baseline_seconds", lambda v: v.baseline),
    *_of_estimate("candidate_seconds", lambda v: v.candidate),
    *_of_estimate("ratio", lambda v: v.ratio),
    *(
        field(f"{side}_{part}_of_all_seconds", _of_tail(i, part))
        for i, side in enumerate(SIDES)
        for part in PARTS
    ),
    Column("first ranks", NUMBER, lambda v: _first_ranks(v)),
    field("baseline_first_rank_seconds", lambda v: v.first_ranks and v.first_ranks[0]),
    field("candidate_first_rank_seconds", lambda v: v.first_ranks and v.first_ranks[1]),
    Column("verdict", WORDS, lambda v: v.verdict, "verdict", style=STYLES.get),
    field("alone", lambda v: v.alone),
    field("reason", lambda v: v.reason),
)
# Of all samples after warm-up, with --verbose.
TAIL = [
    Column(heading, SECONDS, _of_tail(i, part))
    for part, name in zip(PARTS, ("mean", "P90", "P99"), strict=True)
    for i, heading in enumerate((name, "candidate"))
]
EPILOG = """\
The ratio of a case is its time in CANDIDATE divided by its time in BASELINE,
with a 95% interval. At a threshold of 5%, a case is slower if the whole
interval lies above 1.05, faster if it lies below 1 / 1.05, the same if it lies
in between, and unclear in all other cases. If many cases are compared, a few
look slower by chance. The verdicts are therefore corrected for the number of
cases. A case that is slower only without this correction becomes unclear, and
the output says "slower on its own".
All cases are unclear if the machine was busy during either run. All cases are
also unclear if the two runs lack enough launches in which the cores were
equally fast, and equally far apart.

--fail-on decides when the exit status is 1:
  family    if a case is slower, even after correction for the number of cases
            compared (--case reduces this number)
  slower    if a case is slower without this correction
  unclear   if a case is slower, unclear, or missing in one run
  never     never
With family and slower, unclear and missing cases do not make the exit status 1.
But if fewer than half of the cases could be judged, and none of these is
slower, the exit status is 5. With --pass-unclear, it is 0 instead of 5.

-v adds, for each case, the mean, P90 and P99 of all samples after warm-up. A
case is compared with a published result only if the numbers of ranks are equal,
and either both used one node or both used several nodes.

examples:
  transrank compare before after                      exit status 1 if slower
  transrank compare before after --threshold 10% --fail-on unclear
  transrank compare latest fugaku                     with published results
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Compare two runs case by case, or a run with the published results of a machine."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "baseline",
        metavar="BASELINE",
        help="a run: latest, latest~1, an ID, a label or a record file",
    )
    parser.add_argument(
        "candidate",
        metavar="CANDIDATE",
        help="another run, or a machine from `transrank list machines`",
    )
    options.add_gate_options(parser, "below")
    parser.add_argument(
        "--nodes",
        metavar="N",
        type=options.checked(units.parse_count),
        help="use the times published for N nodes (default: the N closest to the number of nodes "
        "of the run)",
    )
    results.add_case_option(parser)
    options.add_output_options(parser, ("table", "json", "csv", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Compare, and answer by the exit status."""
    published = {machine.name: machine for machine in machines()}
    if arguments.baseline.lower() in published:
        raise UsageError(
            f"{arguments.baseline} is a published machine, which cannot be the baseline",
            f"put the run first: transrank compare {arguments.candidate} {arguments.baseline}",
        )
    if arguments.candidate.lower() in published:
        if arguments.format == "markdown":
            raise UsageError(
                "--format markdown takes two runs, not a published machine", "table, json or csv"
            )
        return print_beside(arguments, published[arguments.candidate.lower()])
    baseline = results.open_run(arguments.baseline, arguments.store)
    candidate = results.open_run(arguments.candidate, arguments.store)
    paired = are_paired(baseline, candidate)
    compared = compare_runs(
        baseline,
        candidate,
        arguments.threshold,
        lambda found: results.select_cases(found, arguments.case),
    )
    ours, theirs, verdicts = compared.baseline, compared.candidate, compared.verdicts
    axes = {result.case: result.axes for result in (*ours, *theirs)}
    family = summarise_family(verdicts, arguments.threshold)
    unlike = differences(baseline, candidate)
    judged = {verdict.case for verdict in verdicts}
    of_domains = [
        domains.by_case(domain_times(record.cases, [one for one in found if one.case in judged]))
        for record, found in ((baseline, ours), (candidate, theirs))
    ]
    rows = Table("", COLUMNS, verdicts)

    def write(console: Console) -> None:
        if paired:
            _print_variants(console, baseline, candidate)
        for name, record, found in (("baseline", baseline, ours), ("candidate", candidate, theirs)):
            grade = results.trust_text(trust_in(record, found))
            output.paragraph(console, Text(f"{name} {_name(record)}, ").append_text(grade))
        console.print()
        _print(console, verdicts, axes, family, arguments.threshold, of_domains)

    if arguments.format == "markdown":
        heading = f"{_name(baseline)} → {_name(candidate)}"
        output.write(_as_markdown(heading, verdicts, axes, family, arguments), arguments.output)
    else:
        output.answer(
            arguments,
            lambda: {
                **_as_json(arguments, baseline.name, candidate.name, family, unlike),
                "verdicts": rows.records(),
                "domains": domains.both_as_rows(*of_domains),
            },
            rows.records,
            write,
        )
    results.flush()
    if not (paired or baseline.header.label or candidate.header.label):
        output.note(
            "neither run has a label; runs are easier to name with one: "
            "transrank measure --label before"
        )
    # Variants are meant to differ.
    for difference in [] if paired else unlike:
        output.warning(
            f"the runs differ: {difference}", "compare runs that differ in one thing only"
        )
    for record, summary in ((baseline, ours), (candidate, theirs)):
        for caution in run_warnings(record, summary):
            output.warning(f"{record.name}: {caution.text}", caution.hint)
    return _status(arguments.fail_on, arguments.pass_unclear, verdicts, family)


def _status(fail_on: str, pass_unclear: bool, verdicts: Sequence[Verdict], family: Family) -> int:
    """The exit status of the gate, with a warning if the table does not show the reason."""
    if fail_on == "never":
        return 0
    slower_alone = [verdict for verdict in verdicts if verdict.alone == "slower"]
    by_chance = [verdict for verdict in slower_alone if verdict.verdict != "slower"]
    if family.counts["slower"] or (slower_alone and fail_on == "slower"):
        if by_chance and fail_on == "slower":
            _warn_of_chance(by_chance, len(verdicts))
        return 1
    open_cases = family.counts["unclear"] + family.counts["missing"]
    if open_cases and fail_on == "unclear":
        return 1
    judged = len(verdicts) - open_cases
    if (judged == 0 or 2 * judged < len(verdicts)) and not pass_unclear:
        output.warning(
            f"{judged} of {len(verdicts)} cases could be judged, which shows nothing (exit status "
            f"{NO_EVIDENCE})",
            "measure longer or on an idle machine, and the same cases in both runs; --threshold "
            "asks for less",
        )
        return NO_EVIDENCE
    if open_cases:
        output.warning(
            f"{open_cases} of {len(verdicts)} cases are unclear or missing: they may or may not "
            "be slower",
            "more launches narrow the intervals; --fail-on unclear gives exit status 1",
        )
    return 0


def _warn_of_chance(slower: Sequence[Verdict], cases: int) -> None:
    names = results.some_of([f"{verdict.case} ({verdict.shape})" for verdict in slower])
    output.warning(
        f"slower on its own, which may be chance among {cases} cases: {names}",
        "measure these again: chance rarely hits the same case twice; --fail-on family lets them "
        "pass",
    )


def _print_variants(console: Console, *runs: Run) -> None:
    for name, run in zip(("baseline", "candidate"), runs, strict=True):
        console.print(Text(f"{name:<9}  {output.one_line(variant_of(run))}"))
    console.print()


def _name(run: Run) -> str:
    header = run.header
    return f"{header.run} ({header.label})" if header.label else header.run


def _print(
    console: Console,
    verdicts: Sequence[Verdict],
    axes: dict[str, Any],
    family: Family,
    threshold: float,
    of_domains: Sequence[domains.Of],
) -> None:
    compared = [verdict for verdict in verdicts if verdict.ratio is not None]
    for group in results.tabulate(compared, axes):
        statistic = " of means" if group.rows[0][1].statistic == "mean" else ""
        output.print_table(console, group.table(COLUMNS, statistic))
        tails = [row for row in group.rows if row[1].tails is not None]
        if output.settings.verbose and tails:
            console.print(Text("all samples after warm-up, baseline and candidate"))
            output.print_table(console, labelled("", Column(""), TAIL, tails))
        domains.print_both(console, group, *of_domains)
        console.print()
    _print_reasons(console, verdicts)
    _print_family(console, family, threshold)


def _counts(family: Family, threshold: float) -> str:
    counts = ", ".join(f"{family.counts[name]} {name}" for name in VERDICTS if family.counts[name])
    return f"{counts or 'nothing to compare'} at {format_percent(threshold)}"


def _print_family(console: Console, family: Family, threshold: float) -> None:
    output.paragraph(console, _counts(family, threshold))
    if family.median_ratio is not None and family.half is not None:
        low, high = family.half
        output.paragraph(
            console,
            f"candidate / baseline, median over cases: {_ratio(family.median_ratio)}; "
            f"middle half of the cases {_ratio(low)}–{_ratio(high)}",
        )
    if family.tail is not None:
        tail = family.tail
        output.paragraph(
            console,
            f"the same for all samples: mean {_ratio(tail.mean)}, P90 {_ratio(tail.p90)}, "
            f"P99 {_ratio(tail.p99)}",
        )
    if family.visible is not None and family.visible_alone is not None:
        output.paragraph(
            console,
            "smallest slowdown that half of the cases could show: "
            f"{format_percent(family.visible)} if all cases have it, "
            f"{format_percent(family.visible_alone)} if only one case has it",
        )


def _known(estimate: Estimate | None) -> Estimate | None:
    """An estimate unless it is noise, which is printed only with --verbose."""
    if estimate is None or (is_noise(estimate) and not output.settings.verbose):
        return None
    return estimate


def _first_ranks(verdict: Verdict) -> str | None:
    """When the first rank of either ran."""
    first = results.if_launch(verdict, verdict.first_ranks)
    return ", ".join(map(format_seconds, first)) if first else None


def _interval(ratio: Estimate) -> str | None:
    if ratio.low is None or ratio.high is None:
        return None
    return f"{_ratio(ratio.low)}–{_ratio(ratio.high)}"


def _ratio(value: float) -> str:
    """Three digits after the point, fewer for large ratios."""
    return f"{value:.3f}" if value < 9.9995 else f"{value:.1f}" if value < 999.95 else ">999"


def _print_reasons(console: Console, verdicts: Sequence[Verdict]) -> None:
    """Name the slower cases, and why others are unclear or missing."""
    slower = [
        f"{verdict.case} ({_ratio(verdict.ratio.value)}, {_interval(verdict.ratio)})"
        for verdict in verdicts
        if verdict.verdict == "slower" and verdict.ratio is not None
    ]
    if slower:
        output.paragraph(console, f"slower: {results.some_of(slower)}")
    found = [(each.verdict, each.reason, each) for each in verdicts if each.reason is not None]
    for name, text in results.reasons(found):
        output.paragraph(console, f"{name}: {text}")


def _as_markdown(
    heading: str,
    verdicts: Sequence[Verdict],
    axes: dict[str, Any],
    family: Family,
    arguments: argparse.Namespace,
) -> str:
    """For a pull request: the verdict, what changed, and below a fold every case."""
    changed = [verdict for verdict in verdicts if verdict.verdict in ("slower", "faster")]
    lines = [f"**{_counts(family, arguments.threshold)}** ({heading})", ""]
    lines += _markdown_tables(changed, axes)
    lines += ["<details><summary>All cases</summary>", "", *_markdown_tables(verdicts, axes)]
    return "\n".join([*lines, "</details>", ""])


def _markdown_tables(verdicts: Sequence[Verdict], axes: dict[str, Any]) -> list[str]:
    compared = [verdict for verdict in verdicts if verdict.ratio is not None]
    groups = results.tabulate(compared, axes)
    return [line for group in groups for line in as_markdown(group.table(COLUMNS))]


def _as_json(
    arguments: argparse.Namespace,
    baseline: str,
    candidate: str,
    family: Family,
    unlike: Sequence[str],
) -> dict[str, Any]:
    return {
        "baseline": baseline,
        "candidate": candidate,
        "threshold": arguments.threshold,
        "counts": dict(family.counts),
        "median_ratio": family.median_ratio,
        "half_of_ratios": family.half,
        "ratio_of_all_samples": asdict(family.tail) if family.tail else None,
        "visible": family.visible,
        "visible_alone": family.visible_alone,
        "unlike": list(unlike),
    }
