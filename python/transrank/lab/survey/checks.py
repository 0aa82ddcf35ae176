# SPDX-License-Identifier: BSD-3-Clause
"""What may spoil numbers on this machine: each check a function, all of them in one list.

A *warning* will spoil numbers, a *note* is worth knowing when they are read.
"""

from __future__ import annotations

import pwd
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from transrank.lab.launch.launcher import THREAD_VARIABLES, Launcher
from transrank.lab.launch.left_overs import LeftBehind, Segment
from transrank.lab.machine import mapping
from transrank.lab.machine.facts import Facts
from transrank.lab.machine.memory import SHARED_MEMORY
from transrank.lab.store.records import Shape
from transrank.lab.survey import variables
from transrank.lab.survey.placement import Host, hosts_of
from transrank.lab.survey.probe import Probe
from transrank.lab.units import counted, format_bytes, format_seconds, format_wait

BUSY_CORES = 0.3
STOLEN_SHARE = 0.02
# Containers get 64 MiB by default, which a few ranks with large messages fill.
LEAST_SHARED_MEMORY_BYTES = 128 << 20
LEAST_MEMORY_BYTES_PER_RANK = 256 << 20
LEAST_DISK_BYTES = 100 << 20
COARSE_CLOCK_SECONDS = 1e-6
SLOW_CLOCK_SOURCES = ("hpet", "acpi_pm", "jiffies", "pit")
SLOW_GOVERNORS = ("powersave", "ondemand", "conservative")


@dataclass(frozen=True)
class Check:
    """`verdict` is ok, note or warning; `hint` says what to do about it."""

    name: str
    verdict: str
    finding: str
    hint: str = ""


@dataclass(frozen=True)
class Situation:
    """All that the checks look at."""

    facts: Facts
    launcher: Launcher
    shape: Shape
    probed: Probe | None
    environment: Mapping[str, str]
    store: Path
    left_behind: LeftBehind = field(default_factory=LeftBehind)


def check_all(situation: Situation) -> list[Check]:
    """Return the checks in the order in which they matter."""
    return [
        *_mpi(situation),
        *_settings(situation),
        *_map(situation.facts),
        *_cores(situation),
        *_binding(situation),
        *_threads(situation),
        *_busy(situation.facts),
        *_quota(situation.facts),
        *_clock(situation),
        *_frequency(situation.facts),
        *_single_copy(situation.facts),
        *_shared_memory(situation.facts),
        *_left_behind(situation.left_behind),
        *_memory(situation),
        *_disk(situation.store),
        *_virtualisation(situation.facts),
    ]


def _mpi(situation: Situation) -> Iterator[Check]:
    if situation.probed is None:
        return
    started = format_seconds(situation.probed.seconds)
    # Open MPI continues with who built it, and where.
    library = situation.probed.mpi["library"].partition(",")[0]
    yield Check("MPI", "ok", f"{library}; a launch takes {started}")


def _settings(situation: Situation) -> Iterator[Check]:
    """Misspelt variables of the environment do nothing, and nobody says so."""
    if situation.probed is None:
        return
    for name, close in variables.unknown(situation.environment, situation.launcher.runner_path()):
        yield Check(
            "setting",
            "note",
            f"the MPI library has no setting {name}, which the environment sets",
            f"did you mean {close}?" if close else f"unset {name}",
        )


def _map(facts: Facts) -> Iterator[Check]:
    if facts.topology.source == "synthetic":
        yield Check(
            "map",
            "note",
            f"{mapping.summary(facts.topology)}: as {mapping.VARIABLE} says",
            f"unset {mapping.VARIABLE}",
        )
    else:
        yield Check("map", "ok", mapping.summary(facts.topology))


def _cores(situation: Situation) -> Iterator[Check]:
    capacity, shape = situation.launcher.capacity, situation.shape
    ranks, cores = capacity.ranks_per_node(shape), capacity.cores_per_node
    have = counted(cores, "core")
    if ranks > cores:
        yield Check(
            "cores",
            "warning",
            f"{counted(ranks, 'rank')} share {have}",
            f"-n {cores * capacity.nodes}" if cores > 1 else "a machine with two cores or more",
        )
    else:
        yield Check("cores", "ok", f"{counted(ranks, 'rank')} on {have}")
    if situation.facts.affinity_restricted:
        allowed = situation.facts.as_json()["affinity"]
        yield Check(
            "affinity",
            "note",
            f"only the CPUs {allowed} of this node may be used",
            "the whole node: taskset, cpuset or --cpus-per-task of the batch system",
        )


def _binding(situation: Situation) -> Iterator[Check]:
    if situation.probed is None:
        return
    hosts = hosts_of(situation.probed.placement)
    loose = [host for host in hosts if not host.pinned]
    if not loose:
        yield Check("binding", "ok", "every rank has cores of its own")
    elif any(host.oversubscribed for host in loose):
        return  # the check of the cores has said so
    else:
        yield Check("binding", "warning", _loosely(loose[0]), _binding_hint(situation.launcher))


def _loosely(host: Host) -> str:
    several = len(host.bindings)
    return f"{several} ranks on {host.name} may use each other's cores; they will move about"


def _binding_hint(launcher: Launcher) -> str:
    return {
        "srun": "let Slurm bind: TaskPlugin=task/affinity and --cpu-bind=cores",
        "hydra": "mpiexec was asked to (-bind-to core) and could not: a cpuset or a container "
        "may hide the cores",
        "openmpi": "mpiexec was asked to (--bind-to core) and could not: a cpuset or a container "
        "may hide the cores",
    }.get(launcher.name, "let the launcher bind each rank to a core: --launcher")


def _threads(situation: Situation) -> Iterator[Check]:
    cores = situation.launcher.capacity.cores_per_node
    ranks = situation.launcher.capacity.ranks_per_node(situation.shape)
    wanted = {
        name: threads
        for name in THREAD_VARIABLES
        if (threads := _threads_asked(situation.environment.get(name, ""))) is not None
    }
    name = max(wanted, key=lambda name: wanted[name], default=None)
    if name is None:
        yield Check("threads", "ok", "one per rank: OMP_NUM_THREADS=1 and the like are set")
    elif wanted[name] * ranks > cores:
        yield Check(
            "threads",
            "warning",
            f"{name}={wanted[name]}: {counted(ranks, 'rank')} with that many threads each are more "
            f"than {cores} cores",
            f"unset {name}; it is then set to 1",
        )
    else:
        yield Check("threads", "ok", f"{name}={wanted[name]} as you set it")


def _threads_asked(text: str) -> int | None:
    """How many threads a rank starts: of a list the first number, the outermost level of OpenMP."""
    first = text.partition(",")[0].strip()
    return int(first) if first.isdecimal() else None


def _busy(facts: Facts) -> Iterator[Check]:
    load = facts.load
    if load.busy_cores is None:
        yield Check("load", "note", "the kernel does not say how busy the machine is")
        return
    text = f"{load.busy_cores:.1f} of {len(facts.topology.cpus)} CPUs are in use"
    if load.busy_cores < BUSY_CORES:
        yield Check("load", "ok", text)
    else:
        others = ", ".join(f"{one.name} ({one.pid})" for one in load.busiest)
        yield Check(
            "load",
            "warning",
            f"{text} by others{f': {others}' if others else ''}",
            "wait until they have ended, or use an exclusive node",
        )
    if load.stolen is not None and load.stolen > STOLEN_SHARE:
        yield Check(
            "steal",
            "warning",
            f"the hypervisor keeps {100 * load.stolen:.0f} % of the CPU time for others",
            "a dedicated host or instance",
        )


def _quota(facts: Facts) -> Iterator[Check]:
    quota = facts.limits.cpus
    if quota is not None and quota < len(facts.usable_cpus):
        yield Check(
            "CPU quota",
            "warning",
            f"the control group grants {quota:g} CPUs of {len(facts.usable_cpus)}",
            "remove the limit (docker --cpus, Kubernetes limits.cpu), pin instead (--cpuset-cpus)",
        )


def _clock(situation: Situation) -> Iterator[Check]:
    source = situation.facts.system.clock_source
    if situation.probed is not None:
        clock = situation.probed.clock
        text = (
            f"{clock['name']}: resolution {format_seconds(clock['resolution_seconds'])}, "
            f"a reading takes {format_seconds(clock['cost_seconds'])}"
        )
        coarse = max(clock["resolution_seconds"], clock["cost_seconds"]) > COARSE_CLOCK_SECONDS
    else:
        text, coarse = f"the kernel's clock source is {source or 'not known'}", False
    if source in SLOW_CLOCK_SOURCES or coarse:
        hint = "boot with clocksource=tsc, if the processor's time stamp counter is invariant"
        yield Check("clock", "warning", f"{text}; source {source or 'unknown'}", hint)
    else:
        yield Check("clock", "ok", text)


def _frequency(facts: Facts) -> Iterator[Check]:
    governor, turbo = facts.system.governor, facts.system.turbo
    if governor is None:
        yield Check("frequency", "note", "the kernel does not show how the clock rate is governed")
    elif governor in SLOW_GOVERNORS and facts.system.frequency_driver != "intel_pstate":
        yield Check(
            "frequency",
            "warning",
            f"the governor is '{governor}'",
            "cpupower frequency-set -g performance",
        )
    else:
        boost = {True: ", turbo on", False: ", turbo off", None: ""}[turbo]
        yield Check("frequency", "ok", f"governor {governor}{boost}")


def _single_copy(facts: Facts) -> Iterator[Check]:
    scope = facts.system.ptrace_scope
    if scope:
        yield Check(
            "single copy",
            "warning",
            f"ptrace_scope is {scope}: ranks may not read each other's memory",
            "sysctl kernel.yama.ptrace_scope=0; in a container --cap-add=SYS_PTRACE",
        )
    else:
        yield Check("single copy", "ok", "ranks may read each other's memory (CMA)")


def _shared_memory(facts: Facts) -> Iterator[Check]:
    size = facts.memory.shared_memory_bytes
    if size is None:
        yield Check(
            "shared memory",
            "note",
            f"{SHARED_MEMORY} is not mounted",
            "mount it: MPI talks through it on a node",
        )
    elif size < LEAST_SHARED_MEMORY_BYTES:
        yield Check(
            "shared memory",
            "warning",
            f"{SHARED_MEMORY} has {format_bytes(size)}: MPI slows down or fails when it is full",
            "docker run --shm-size=1g",
        )
    else:
        yield Check("shared memory", "ok", f"{SHARED_MEMORY} has {format_bytes(size)}")


def _left_behind(found: LeftBehind) -> Iterator[Check]:
    """What killed jobs have left in shared memory takes memory until somebody removes it."""
    if found.unused:
        paths = " ".join(shlex.quote(str(one.path)) for one in found.unused)
        yield Check(
            "left over",
            "note",
            f"{SHARED_MEMORY} has {_segments(found.unused)} of killed MPI jobs, which no process "
            f"that is seen from here maps: {_each(found.unused)}",
            f"unless a job in another container has them: rm {paths}",
        )
    if found.unknown:
        yield Check(
            "left over",
            "note",
            f"{SHARED_MEMORY} has {_segments(found.unknown)} of other users, of running MPI jobs "
            f"or left by killed ones: {_each(found.unknown)}",
            "only they and root see whether a process maps them: their transrank doctor tells",
        )


def _segments(found: Sequence[Segment]) -> str:
    return f"{counted(len(found), 'segment')} ({format_bytes(sum(one.bytes for one in found))})"


def _each(found: Sequence[Segment]) -> str:
    """Name each with its size, age and owner."""
    return ", ".join(
        f"{one.path.name} ({format_bytes(one.bytes)}, {format_wait(one.age_seconds)} old, "
        f"of {_user(one.owner)})"
        for one in found
    )


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _memory(situation: Situation) -> Iterator[Check]:
    free = situation.facts.free_memory_bytes
    if free is None:
        return
    each = free // max(situation.launcher.capacity.ranks_per_node(situation.shape), 1)
    text = f"{format_bytes(free)} free, {format_bytes(each)} per rank"
    if each < LEAST_MEMORY_BYTES_PER_RANK:
        yield Check("memory", "warning", text, "fewer ranks; cases that need more are skipped")
    else:
        yield Check("memory", "ok", text)


def _disk(store: Path) -> Iterator[Check]:
    there = next((path for path in (store, *store.parents) if path.exists()), Path("/"))
    try:
        free = shutil.disk_usage(there).free
    except OSError as cause:
        yield Check("store", "warning", f"{store}: {cause.strerror}", "name another: --store")
        return
    if free < LEAST_DISK_BYTES:
        yield Check(
            "store",
            "warning",
            f"{store} has {format_bytes(free)} left; a survey may write more",
            "free some space, or name another: --store",
        )
    else:
        yield Check("store", "ok", f"{store}, {format_bytes(free)} free")


def _virtualisation(facts: Facts) -> Iterator[Check]:
    kind = facts.system.virtualisation
    if kind:
        yield Check("platform", "note", f"{kind}: others may share the hardware unseen")
