# SPDX-License-Identifier: BSD-3-Clause
"""From the options of `survey` and `measure` to a finished record file."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transrank import installation
from transrank.errors import RecordError, UsageError
from transrank.lab.cli import output, results
from transrank.lab.launch import launchers
from transrank.lab.launch.launcher import Capacity, Launcher
from transrank.lab.launch.template import Template
from transrank.lab.machine.facts import Facts, read_facts
from transrank.lab.stats.cores import states_of
from transrank.lab.stats.result import Caution
from transrank.lab.store import records, repetition, runs
from transrank.lab.store.records import PlannedLaunch, Run, Shape, from_json
from transrank.lab.store.settings import OPTIONS, Settings
from transrank.lab.study import catalogue
from transrank.lab.survey import checks, commands, contention, progress, resume, shapes
from transrank.lab.survey import probe as probing
from transrank.lab.survey.checks import Situation
from transrank.lab.survey.driver import Driver
from transrank.lab.survey.estimate import OVERHEAD_SECONDS_PER_CASE, Costs, is_launch_study
from transrank.lab.survey.further import Further
from transrank.lab.survey.lines import event_line, header_line
from transrank.lab.survey.plan import Request, Selection, make_plan
from transrank.lab.survey.probe import Probe
from transrank.lab.units import counted, format_wait

# Of what is free on a node; a rank's, where that is not known.
MEMORY_SHARE = 0.5
MEMORY_BYTES = 1 << 30
# Of any case at most: what is not precise by then has another fault.
MOST_LAUNCHES = 40


@dataclass(frozen=True)
class Wish:
    """What a verb adds to the options: the selected cases, and its own defaults."""

    selections: tuple[Selection, ...]
    max_time_seconds: float = Settings.max_time_seconds
    # Wall-clock time of the run, whatever the number of launches.
    run_seconds: float | None = None
    quick: bool = False
    repeat_small_studies: bool = True
    job_starts: int = Settings.job_starts


@dataclass(frozen=True)
class Site:
    """Where the run takes place."""

    facts: Facts
    launcher: Launcher

    @property
    def capacity(self) -> Capacity:
        """What this job may use."""
        return self.launcher.capacity


def look_around(launcher: str | None) -> Site:
    """Read the facts of this machine and choose the launcher."""
    facts, capacity = facts_and_capacity()
    return Site(facts, launchers.choose(launcher, capacity))


def facts_and_capacity() -> tuple[Facts, Capacity]:
    """Read the facts of this machine, and what this job may use of it."""
    facts = read_facts(os.environ)
    job = facts.allocation
    cores = facts.usable_cores
    if job.slots is not None:
        cores = min(cores, max(job.slots // job.nodes, 1))
    capacity = Capacity(
        nodes=job.nodes,
        cores_per_node=cores,
        cpus=facts.usable_cpus if facts.affinity_restricted else None,
    )
    return facts, capacity


def refuse_crowds(arguments: argparse.Namespace, site: Site, wanted: Sequence[Shape]) -> None:
    """Refuse far more ranks than cores, probably a mistyped number, before any rank starts.

    Raises UsageError: there are far more ranks than cores, without --oversubscribe.
    """
    if not arguments.oversubscribe:
        in_a_job = site.facts.allocation.system is not None
        shapes.refuse_crowds(wanted, site.launcher, in_a_job, os.environ)


def measure(arguments: argparse.Namespace, wish: Wish) -> Path | None:
    """Plan, start and watch a new run; return its record file, or None after --dry-run.

    With --prepare only the header of the record is written.
    """
    site = look_around(arguments.launcher)
    request = request_of(arguments, site, wish)
    if arguments.dry_run:
        _print_plan(request, site, arguments)
        return None
    record = new_record(arguments)
    if arguments.probed is None:
        probed = probe(site, make_plan(request)[0].shape, record)
    else:
        probed = probing.read(arguments.probed)
    plan, header = planned(request, site, probed, record, arguments)
    warn(cautions(site, plan, probed, record))
    begin(record, header, arguments)
    if arguments.prepare:
        return record
    costs = Costs(probed.seconds, request.settings.case_seconds)
    with records.sole_writer(record):
        further = Further(plan, from_json(Settings, header["options"]))
        watch(driver(record, plan, site, costs, set(), arguments, further))
    return record


def planned(
    request: Request, site: Site, probed: Probe, record: Path, arguments: argparse.Namespace
) -> tuple[tuple[PlannedLaunch, ...], dict[str, Any]]:
    """Return the plan of a new run, and its header."""
    plan = commands.with_lines(make_plan(request), site.launcher, os.environ)
    header = header_line(
        record.stem,
        arguments.label,
        ["transrank", *arguments.words],
        request.settings,
        site.launcher,
        plan,
        probed,
        site.facts,
        _common_environment(site, plan),
    )
    return plan, header


def begin(record: Path, header: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Write the header of a new run."""
    _make_folder(record.parent)
    try:
        records.begin(record, header)
    except FileExistsError:
        raise exists(record, arguments) from None


def finish(arguments: argparse.Namespace) -> Path:
    """Finish the run that --resume names, with its own options; return its record file."""
    path = results.find(arguments.resume, arguments.store)
    with records.sole_writer(path):
        _finish(path, arguments)
    return path


def _finish(path: Path, arguments: argparse.Namespace) -> None:
    run = open_again(path)
    header = run.header
    assert header.options is not None
    if header.versus is not None:
        raise UsageError(
            f"{path.stem} is one of two variants of transrank versus",
            f"transrank versus --resume {runs.name_of(path, arguments.store)}",
        )
    if lacks_nothing(run):
        output.note(f"{path.stem} is complete: all its cases are finished")
        return
    again = shlex.join(["transrank", *arguments.words])
    site = look_around(arguments.launcher or resume.launcher_of(run, again))
    refuse_crowds(arguments, site, [planned.shape for planned in run.plan])
    done = records.finished_cases(run)
    if arguments.dry_run:
        _print_rest(path, Driver(path, run.plan, site.launcher, Costs(0, 0), done))
        return
    costs = resumed(run, site, arguments)
    further = Further(header.plan, header.options, states_of(run))
    further.take(run.cases)
    watch(driver(path, run.plan, site, costs, done, arguments, further, spent_seconds(run)))


def open_again(path: Path) -> Run:
    """Read a run that is to be finished; its last line is repaired if necessary."""
    run, repaired = resume.open_run(path)
    if repaired:
        output.warning(f"{path}: {repaired}")
    return run


def lacks_nothing(run: Run) -> bool:
    """Whether the run has ended, and with all its cases."""
    ended = any(event.event == "finished" for event in run.events)
    return ended and not records.lacking(run)


def resumed(run: Run, site: Site, arguments: argparse.Namespace) -> Costs:
    """Record that the run is resumed, if on the same machine; return the costs of its launches."""
    header = run.header
    assert header.options is not None
    probed = probe(site, header.plan[0].shape, run.path)
    for difference in resume.check_same_machine(run, site.facts, probed, arguments.force):
        output.warning(
            f"resumed although {difference}",
            "cases measured before and after may not be comparable",
        )
    warn(cautions(site, header.plan, probed, run.path))
    records.append_line(run.path, event_line("resumed"))
    return Costs(probed.seconds, header.options.max_time_seconds / header.options.launches)


def spent_seconds(run: Run) -> float:
    """Return how much of its time the run has used."""
    spent = sum(case.measuring_seconds or 0.0 for case in run.cases)
    return spent + OVERHEAD_SECONDS_PER_CASE * len(run.cases)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise RecordError(
            f"cannot create the folder {folder}: {cause.strerror}",
            "name another one with --store or -o",
        ) from cause


def _print_plan(request: Request, site: Site, arguments: argparse.Namespace) -> None:
    """Print the commands that measure a run by hand: its record file, then every launch."""
    settings = request.settings
    plan = make_plan(request)
    words = repetition.prepared(
        [installation.program(), *arguments.words],
        settings.seed,
        settings.launches,
        settings.max_time_seconds,
        settings.memory_bytes,
    )
    output.write(shlex.join(words) + "\n")
    for planned in plan:
        for line in commands.by_hand(planned, site.launcher, os.environ):
            output.write(line + "\n")


def _print_rest(record: Path, driver: Driver) -> None:
    """Print the commands that complete a copy of a run: for the cases that it lacks only."""
    output.write(shlex.join(["cp", str(record.absolute()), repetition.BY_HAND]) + "\n")
    whole = {planned.launch: planned for planned in driver.plan}
    for rest in driver.remaining():
        planned = whole[rest.launch]
        cases = rest.cases if len(rest.cases) < len(planned.cases) else ()
        for line in commands.by_hand(planned, driver.launcher, os.environ, cases):
            output.write(line + "\n")


def cautions(
    site: Site, plan: Sequence[PlannedLaunch], probed: Probe, record: Path
) -> list[Caution]:
    """Return everything that will distort the numbers."""
    widest = max((planned.shape for planned in plan), key=lambda shape: shape.ranks)
    situation = Situation(
        site.facts, site.launcher, widest, probed, dict(os.environ), record.parent
    )
    return [
        Caution(check.finding, check.hint)
        for check in checks.check_all(situation)
        if check.verdict == "warning"
    ]


def warn(found: Sequence[Caution]) -> None:
    """Print the warnings."""
    for caution in found:
        output.warning(caution.text, caution.hint)


def driver(
    record: Path,
    plan: Sequence[PlannedLaunch],
    site: Site,
    costs: Costs,
    done: set[tuple[int, str]],
    arguments: argparse.Namespace,
    further: Further,
    spent_seconds: float = 0.0,
) -> Driver:
    """Return the driver that launches the plan and reports to the user."""
    return Driver(
        record=record,
        plan=plan,
        launcher=site.launcher,
        costs=costs,
        finished=done,
        further=further,
        spent_seconds=spent_seconds,
        resume_command=resuming(record, arguments),
        say=lambda line: output.warning(line.removeprefix("transrank-run: ")),
        show_command=output.detail,
        announce=lambda waiting, most: output.note(
            f"{how_many(waiting)}; {how_long(waiting, most)}; results go to {record}"
        ),
    )


def resuming(record: Path, arguments: argparse.Namespace) -> str:
    """Return the command that finishes a run, with what a record does not supply."""
    words = ["transrank", arguments.verb, "--resume", runs.name_of(record, arguments.store)]
    for name in ("a", "b"):
        words += [
            word for setting in getattr(arguments, name, ()) for word in (f"--{name}", setting)
        ]
    if arguments.launcher is not None and not launchers.is_ours(arguments.launcher):
        words += ["--launcher", arguments.launcher]
    return shlex.join([*words, "--oversubscribe"] if arguments.oversubscribe else words)


def watch(driver: Driver) -> None:
    """Run the launches, and show the progress."""
    quiet = output.settings.quiet > 0
    driver.run(lambda total: progress.for_console(total, output.messages(), quiet))


def how_long(plan: Sequence[PlannedLaunch], most_seconds: float) -> str:
    """Return the expected duration of launches, in words."""
    if any("--count" in planned.arguments and not is_launch_study(planned) for planned in plan):
        return "for as long as the operations of --count take"
    return f"up to about {format_wait(most_seconds)}"


def how_many(plan: Sequence[PlannedLaunch]) -> str:
    """Return the numbers of cases and launches, in words."""
    cases = len({(planned.shape, case) for planned in plan for case in planned.cases})
    return f"{counted(cases, 'case')} in {counted(len(plan), 'launch', 'launches')}"


def probe(site: Site, shape: Shape, record: Path) -> Probe:
    """Start a first launch that reports its MPI, placement and clock."""
    log = record.with_suffix(".logs") / "probe.log"
    found = probing.probe(site.launcher, shape, _environment(site, shape), log)
    for line in found.said:
        output.detail(line)
    return found


def _common_environment(site: Site, plan: Sequence[PlannedLaunch]) -> dict[str, str]:
    """Return the environment that all launches have in common: shapes differ in some settings."""
    first, *others = (
        _environment(site, shape) for shape in dict.fromkeys(planned.shape for planned in plan)
    )
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def _environment(site: Site, shape: Shape) -> dict[str, str]:
    """Return the environment of a launch."""
    return {**os.environ, **site.launcher.environment(shape, os.environ)}


def request_of(arguments: argparse.Namespace, site: Site, wish: Wish) -> Request:
    """Return the request of the user, as far as this site can serve it."""
    chosen = _shapes(arguments, site, wish)
    refuse_crowds(arguments, site, chosen)
    settings = _settings(arguments, site, wish, chosen)
    return Request(
        wish.selections,
        chosen,
        settings,
        # Numbers of ranks that the user gives are measured as given.
        wish.repeat_small_studies and bool(arguments.ranks or arguments.ranks_per_node),
        packed=wish.quick,
        one_node=site.capacity.nodes == 1 and not isinstance(site.launcher, Template),
        ranks_per_domain=_domains(site, wish, settings, chosen),
    )


def _domains(
    site: Site, wish: Wish, settings: Settings, chosen: Sequence[Shape]
) -> dict[Shape, int]:
    """Print, and return, the defaults of the study `contention` for this machine."""
    wanted = [one for one in wish.selections if contention.STUDY in one.studies]
    facts = site.facts
    found = {
        shape: contention.ranks_per_domain(
            shape, site.capacity.ranks_per_node(shape), facts.topology, facts.usable_cpus
        )
        for shape in chosen
    }
    if any(contention.AXIS not in dict(one.axes) for one in wanted):
        for words in contention.domains_in_words(found):
            output.note(words)
    if any(one.sizes is None for one in wanted):
        _say_scaled(settings, chosen[0])
    return found


def _say_scaled(settings: Settings, shape: Shape) -> None:
    memory = settings.memory_bytes or MEMORY_BYTES
    options = ["--study", contention.STUDY, "--cache", settings.cache]
    used, usual = (
        int(catalogue.list_cases([*options, "--memory", str(each)], shape.ranks)[0].axes["bytes"])
        for each in (memory, 2**62)
    )
    if used < usual:
        output.note(contention.scaled_in_words(usual, used, memory))


def _shapes(arguments: argparse.Namespace, site: Site, wish: Wish) -> tuple[Shape, ...]:
    ranks, per_node = arguments.ranks, arguments.ranks_per_node
    if not ranks and not per_node:
        return shapes.default_shapes(site.launcher, wish.quick)
    if not ranks:
        ranks = [site.capacity.nodes * count for count in per_node]
    found, left_out = shapes.shapes(ranks, per_node or (), site.launcher)
    for words, hint in left_out:
        output.warning(f"left out: {words}", hint)
    return found


def _settings(
    arguments: argparse.Namespace, site: Site, wish: Wish, chosen: Sequence[Shape]
) -> Settings:
    given = {name: getattr(arguments, name) for name in OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    # Explicit numbers of launches or operations are kept.
    fixed = "count" in given or ("launches" in given and "most_launches" not in given)
    # A time that the user sets per case overrides the verb's limit.
    promised = None if "max_time_seconds" in given else wish.run_seconds
    busiest = max(site.capacity.ranks_per_node(shape) for shape in chosen)
    free = site.facts.free_memory_bytes
    found: dict[str, Any] = {
        "max_time_seconds": wish.max_time_seconds,
        "launches": min(Settings.launches, given.get("most_launches", Settings.launches)),
        "most_launches": None if fixed else MOST_LAUNCHES,
        "run_seconds": promised,
        "memory_bytes": int(free * MEMORY_SHARE / busiest) if free else MEMORY_BYTES,
        "seed": secrets.randbelow(2**31),
        "job_starts": wish.job_starts,
        **given,
    }
    return Settings(**{**found, "run_seconds": None if fixed else found["run_seconds"]})


def new_record(arguments: argparse.Namespace) -> Path:
    """Return the path of a record file that does not exist."""
    if arguments.output is None:
        return runs.run_path(runs.new_run_id(), arguments.store).absolute()
    record: Path = arguments.output.absolute()
    if record.is_dir():
        raise UsageError(f"{arguments.output} is a folder", f"-o {arguments.output / 'run.jsonl'}")
    if record.exists():
        raise exists(record, arguments)
    return record


def exists(record: Path, arguments: argparse.Namespace) -> UsageError:
    """Return the refusal to write over a record file."""
    return UsageError(
        f"{record} exists, and a record file is never overwritten",
        f"give another name, or: transrank {arguments.verb} --resume {record}",
    )
