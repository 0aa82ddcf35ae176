# SPDX-License-Identifier: BSD-3-Clause
"""Trees of /proc and /sys: a captured virtual machine, a large server; maps as hwloc has them."""

import json
from pathlib import Path

CAPTURED = Path(__file__).with_name("virtual_machine.json")

PACKAGES, DIES, CORES, THREADS = 2, 2, 4, 2
ALL_CORES = PACKAGES * DIES * CORES
# Of the memory domains of an XT6 node, as Linux tells them there.
XT6_DISTANCES = (10, 16, 16, 22, 16, 10, 22, 16, 16, 22, 10, 16, 22, 16, 16, 10)


def plant(root: Path, files: dict[str, str]) -> Path:
    """Write a tree of files below `root`."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return root


def virtual_machine() -> dict[str, str]:
    """A two-core virtual machine as its kernel showed itself."""
    return dict(json.loads(CAPTURED.read_text()))


def server() -> dict[str, str]:
    """Two sockets, two dies each, a NUMA node per die, four cores a die, two threads a core.

    The second threads are numbered after all first ones, as Linux does on such machines.
    """
    files = {
        "proc/version": "Linux version 5.14.0-427.el9.x86_64 (mock@build) (gcc 11) #1 SMP",
        "proc/sys/kernel/hostname": "node017\n",
        "proc/cpuinfo": _cpuinfo(),
        "proc/meminfo": "MemTotal:  263000000 kB\nMemAvailable: 250000000 kB\nSwapTotal: 0 kB\n"
        "HugePages_Total:     128\nHugepagesize:    2048 kB\n",
        "proc/mounts": "tmpfs /dev/shm tmpfs rw,nosuid,nodev,inode64 0 0\n",
        "proc/self/status": "Name:\tpython3\nCpus_allowed_list:\t0-31\n",
        "proc/self/cgroup": "0::/user.slice/session-7.scope\n",
        "proc/sys/kernel/yama/ptrace_scope": "1\n",
        "proc/loadavg": "0.02 0.05 0.10 1/812 4711\n",
        "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
        "sys/fs/cgroup/user.slice/memory.max": "max\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        "sys/devices/system/cpu/online": "0-31\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": "acpi-cpufreq\n",
        "sys/devices/system/cpu/cpufreq/boost": "1\n",
    }
    for core in range(ALL_CORES):
        for thread in range(THREADS):
            files |= _cpu(core + thread * ALL_CORES, core)
    for node in range(PACKAGES * DIES):
        files |= _node(node)
    return files


def _siblings(first: int, count: int) -> str:
    """The CPUs of `count` cores from `first` on, both threads of each."""
    last = first + count - 1
    return f"{first}-{last},{first + ALL_CORES}-{last + ALL_CORES}\n"


def _cpu(cpu: int, core: int) -> dict[str, str]:
    base = f"sys/devices/system/cpu/cpu{cpu}"
    die = core // CORES
    files = {
        # As on processors of several dies that the kernel does not tell apart.
        f"{base}/topology/core_id": f"{core % (CORES // 2)}\n",
        f"{base}/topology/thread_siblings_list": f"{core},{core + ALL_CORES}\n",
        f"{base}/topology/die_id": f"{die % DIES}\n",
        f"{base}/topology/physical_package_id": f"{die // DIES}\n",
    }
    own, shared = _siblings(core, 1), _siblings(die * CORES, CORES)
    caches = ((1, "Data", "48K", own), (2, "Unified", "2048K", own), (3, "Unified", "32M", shared))
    for index, (level, kind, size, cpus) in enumerate(caches):
        files |= {
            f"{base}/cache/index{index}/level": f"{level}\n",
            f"{base}/cache/index{index}/type": f"{kind}\n",
            f"{base}/cache/index{index}/size": f"{size}\n",
            f"{base}/cache/index{index}/shared_cpu_list": cpus,
        }
    return files


def _node(node: int) -> dict[str, str]:
    base = f"sys/devices/system/node/node{node}"
    near = node // DIES
    distances = [
        10 if other == node else 12 if other // DIES == near else 32
        for other in range(PACKAGES * DIES)
    ]
    return {
        f"{base}/cpulist": _siblings(node * CORES, CORES),
        f"{base}/meminfo": f"Node {node} MemTotal:       65750000 kB\n",
        f"{base}/distance": " ".join(map(str, distances)) + "\n",
    }


def _cpuinfo() -> str:
    one = "processor\t: {}\nmodel name\t: Example(R)  Server   9000 @ 2.40GHz\nflags\t\t: fpu tsc\n"
    return "\n".join(one.format(cpu) for cpu in range(ALL_CORES * THREADS))


def part(kind: str, cpus: range | tuple[int, ...], *inside: str, **attributes: int) -> str:
    """An object as hwloc's XML has it."""
    mask = sum(1 << cpu for cpu in cpus)
    words = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<object type="{kind}" cpuset="{mask:#x}"{words}>{"".join(inside)}</object>'


def cores(cpus: range, threads: int = 1, apart: int = 0) -> str:
    """Cores whose further threads are numbered `apart` CPUs later each."""
    return "".join(
        part(
            "Core",
            members := tuple(cpu + thread * apart for thread in range(threads)),
            *(part("PU", (one,), os_index=one) for one in members),
            os_index=cpu,
        )
        for cpu in cpus
    )


def xt6_xml(version: int) -> str:
    """Two packages of two dies of six cores, as hwloc 1 or hwloc 2 writes them."""
    first = version == 1

    def die(node: int) -> str:
        cpus = range(6 * node, 6 * node + 6)
        numa = {"os_index": node, "local_memory": 8 << 30}
        cache = {"cache_size": 6 << 20, "depth": 3, "cache_type": 0}
        if first:
            return part("NUMANode", cpus, part("Cache", cpus, cores(cpus), **cache), **numa)
        return part("L3Cache", cpus, part("NUMANode", cpus, **numa), cores(cpus), **cache)

    sockets = [
        part(
            "Socket" if first else "Package",
            range(12 * one, 12 * one + 12),
            *map(die, (2 * one, 2 * one + 1)),
            os_index=one,
        )
        for one in (0, 1)
    ]
    latencies = "".join(f'<latency value="{one / 10}"/>' for one in XT6_DISTANCES)
    relative = 'nbobjs="4" relative_depth="2" latency_base="10.000000"'
    values = "".join(
        f'<u64values length="24">{" ".join(map(str, half))} </u64values>'
        for half in (XT6_DISTANCES[:8], XT6_DISTANCES[8:])
    )
    machine = part(
        "Machine",
        range(24),
        '<info name="CPUModel" value="AMD Opteron(tm)  Processor 6172"/>',
        *([f"<distances {relative}>{latencies}</distances>"] if first else []),
        *sockets,
        os_index=0,
    )
    if first:
        return f'<!DOCTYPE topology SYSTEM "hwloc.dtd">\n<topology>{machine}</topology>'
    return (
        f'<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">{machine}'
        '<distances2 type="NUMANode" nbobjs="4" kind="5" name="NUMALatency" indexing="os">'
        f'<indexes length="8">0 1 2 3 </indexes>{values}</distances2></topology>'
    )
