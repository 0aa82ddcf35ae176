# SPDX-License-Identifier: BSD-3-Clause
"""transrank script: a job script for a batch system, on stdout."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from transrank import installation
from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.cli import options, output
from transrank.lab.launch import scripts
from transrank.lab.launch.scripts import Job

DEFAULT_COMMAND = ("survey",)
COMMAND_WORD = "--command-word"
EPILOG = """\
examples:
  transrank script slurm --nodes 4 --time 1h > survey.sh
  transrank script pbs --nodes 2 --ranks-per-node 8 -- survey --quick
  transrank script pjm --node-shape 4x6x16:torus:strict-io --queue large \\
      --ranks-per-node 4 --time 30min -- measure collectives --max-time 5s
  transrank script slurm --nodes 2,4,8 --ranks-per-node 4 -o ghost.sh \\
      -- measure ghost
  transrank script pjm --node-shape 48x12x48:strict-io --ranks-per-node 1 \\
      -- measure launch

The job runs the command after --, which is survey or measure with options
(default: survey). Each job writes a record file. If you give several record
files to `transrank report`, its figures show times over the number of ranks. If
the batch system restarts a job on the same kind of nodes, the job continues the
interrupted run.
"""


# The ranks per node and the memory of a plan if these are unknown.
LEAST_RANKS = 4
NO_LIMIT = 2**62


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.usage = "%(prog)s {slurm,pbs,pjm} [options] [-- COMMAND ...]"
    parser.description = "Print a job script that runs `transrank survey` or `transrank measure`."
    parser.epilog = EPILOG
    parser.add_argument(
        "system", choices=list(scripts.SYSTEMS), help="Slurm, PBS, or PJM (Fujitsu)"
    )
    # The words after -- arrive here, one each: see `rewrite`.
    parser.add_argument(COMMAND_WORD, action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument(
        "--nodes",
        metavar="N[,N...]",
        type=options.checked(options.parse_counts),
        help="number of nodes (default: 1); if you give several numbers, -o job.sh writes one "
        "script for each of them, e.g. job-2.sh for 2 nodes",
    )
    parser.add_argument(
        "--ranks-per-node",
        metavar="N",
        type=options.checked(units.parse_count),
        help="largest number of ranks per node (default for slurm: one per core; required for "
        "pbs and pjm)",
    )
    parser.add_argument(
        "--time",
        metavar="T",
        type=options.checked(parse_time),
        default=1800.0,
        help="time limit of the job, e.g. 2h, 1:30:00 or 1-12:00:00 (default: 30min)",
    )
    parser.add_argument(
        "--queue", metavar="NAME", help="partition (Slurm), queue (PBS) or resource group (PJM)"
    )
    parser.add_argument("--account", metavar="NAME", help="project or group to charge")
    parser.add_argument(
        "--node-shape",
        metavar="SHAPE",
        help="for pjm, instead of --nodes: arrangement of the nodes, e.g. 4x6x16:torus:strict-io",
    )
    parser.add_argument(
        "--launcher",
        metavar="NAME",
        help="how to start ranks, as in survey (default: srun for slurm, otherwise mpiexec)",
    )
    options.add_output_options(parser, formats=())


def rewrite(arguments: Sequence[str], known: Collection[str]) -> list[str]:  # noqa: ARG001
    """Hide the words after -- from argparse, which would look for options among them."""
    before = list(itertools.takewhile(lambda word: word != "--", arguments))
    return before + [f"{COMMAND_WORD}={word}" for word in arguments[len(before) + 1 :]]


def parse_time(text: str) -> float:
    """Read a time limit: ``30min``, ``[[days-]hours:]minutes:seconds``."""
    clock = re.fullmatch(r"(?:(?:(\d{1,3})-)?(\d{1,4}):)?(\d{1,4}):(\d{2})", text.strip(), re.ASCII)
    if clock:
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        total = (24.0 * days + hours) * 3600.0 + minutes * 60 + seconds
        if total > 0:
            return total
    return units.parse_duration(text)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    if arguments.node_shape and arguments.system != "pjm":
        raise UsageError("--node-shape is only for pjm", "use --nodes")
    given: list[int] = arguments.nodes or []
    shapes = arguments.node_shape.split(",") if arguments.node_shape else []
    jobs = {shape: scripts.nodes_of_shape(shape) for shape in shapes}
    jobs = jobs or {str(nodes): nodes for nodes in given or [1]}
    if shapes and given and given != sorted(jobs.values()):
        raise UsageError(
            f"--nodes {','.join(map(str, given))} contradicts --node-shape "
            f"{arguments.node_shape}, which has {', '.join(map(str, jobs.values()))}",
            "leave out --nodes",
        )
    if len(jobs) > 1 and str(arguments.output or "-") == "-":
        raise UsageError("several jobs are several scripts", "name their files: -o job.sh")
    for name, nodes in jobs.items():
        text = _script(arguments, nodes, name if shapes else None)
        file = arguments.output
        if len(jobs) > 1:
            file = file.with_stem(f"{file.stem}-{name.partition(':')[0]}")
        output.write(text, file)
        if len(jobs) > 1:
            output.write(f"{file}\n")
    return 0


def _script(arguments: argparse.Namespace, nodes: int, shape: str | None) -> str:
    """The script of one job."""
    # If the nodes' cores are not known yet: as many ranks as any study needs.
    ranks = nodes * (arguments.ranks_per_node or LEAST_RANKS)
    job = Job(
        nodes=nodes,
        ranks_per_node=arguments.ranks_per_node,
        seconds=arguments.time,
        command=tuple(arguments.command_word) or DEFAULT_COMMAND,
        transrank=Path(installation.program()),
        runner=installation.runner(),
        queue=arguments.queue,
        account=arguments.account,
        node_shape=shape,
        launcher=arguments.launcher,
        job_starts_alone=_studies(arguments.command_word, ranks) == ["launch"],
    )
    return scripts.SYSTEMS[arguments.system](job)


def _studies(words: Sequence[str], ranks: int) -> list[str]:
    """The studies that a command measures by name; a wrong command is refused before the job.

    Raises UsageError: with the message of the verb that would refuse it in the job.
    """
    if words[:1] not in (["measure"], ["survey"]):
        return []
    from transrank.lab.cli import measure
    from transrank.lab.cli.__main__ import parse

    parsed = parse(words)
    measure.refuse_contradictions(parsed)
    if parsed.output is not None:
        raise UsageError(
            "the job names its record after itself", "leave out -o of the command after --"
        )
    studies = list(getattr(parsed, "study", ()))
    if words[0] == "measure" and not parsed.resume:
        _check_selection(parsed, ranks)
    return studies


def _check_selection(parsed: argparse.Namespace, ranks: int) -> None:
    """Plan the job's launches for `ranks` ranks, whatever memory its nodes will have."""
    from transrank.lab.cli.measure import selections
    from transrank.lab.store.records import Shape
    from transrank.lab.store.settings import Settings
    from transrank.lab.survey.plan import Request, make_plan

    settings = Settings(launches=1, memory_bytes=NO_LIMIT)
    make_plan(Request(selections(parsed), (Shape(max(parsed.ranks or [ranks]), 0),), settings))
