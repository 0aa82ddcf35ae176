# SPDX-License-Identifier: BSD-3-Clause
"""Kernel, virtualisation, clock source, frequency governor: what else shapes a measurement."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transrank.lab.machine.files import Files

CPUFREQ = "sys/devices/system/cpu/cpu0/cpufreq"


@dataclass(frozen=True)
class System:
    """None where the kernel does not say. `ptrace_scope` above 0 forbids single-copy messages."""

    host: str
    kernel: str | None
    virtualisation: str | None
    clock_source: str | None
    ptrace_scope: int | None
    governor: str | None
    frequency_driver: str | None
    turbo: bool | None


def read_system(files: Files) -> System:
    """Read the facts about kernel and firmware."""
    kernel = re.match(r"Linux version (\S+)", files.text("proc/version") or "")
    return System(
        host=files.text("proc/sys/kernel/hostname") or "unknown",
        kernel=kernel.group(1) if kernel else None,
        virtualisation=_virtualisation(files),
        clock_source=files.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ptrace_scope=files.number("proc/sys/kernel/yama/ptrace_scope"),
        governor=files.text(f"{CPUFREQ}/scaling_governor"),
        frequency_driver=files.text(f"{CPUFREQ}/scaling_driver"),
        turbo=_turbo(files),
    )


def _virtualisation(files: Files) -> str | None:
    """Return what runs below the kernel and around the process; None: nothing that shows."""
    layers = []
    flags = files.fields("proc/cpuinfo").get("flags", "").split()
    vendor = files.text("sys/class/dmi/id/sys_vendor") or ""
    product = files.text("sys/class/dmi/id/product_name") or ""
    if "hypervisor" in flags or "KVM" in product or "QEMU" in vendor:
        layers.append(" ".join(word for word in (vendor, product) if word) or "virtual machine")
    elif files.text("sys/hypervisor/type"):
        layers.append(files.text("sys/hypervisor/type") or "")
    if files.exists(".dockerenv") or files.exists("run/.containerenv"):
        layers.append("container")
    return ", ".join(layers) or None


def _turbo(files: Files) -> bool | None:
    no_turbo = files.number("sys/devices/system/cpu/intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == 0
    boost = files.number("sys/devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == 1
