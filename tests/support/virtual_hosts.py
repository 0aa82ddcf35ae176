# SPDX-License-Identifier: BSD-3-Clause
"""Several hosts on one machine: each a network and UTS namespace, joined by a bridge.

A host has its own name, address and /dev/shm; the file system and the processes are shared. Its
link can be given a bandwidth, whole or toward one other host, and be cut; or all links are long and
take a time. That needs root, and `ip` and `tc` of iproute2, so tests ask `reason_against()` first.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType

NETWORK = "10.77.0"
# Several sets of hosts of one process have names of their own, and the same addresses.
_numbers = itertools.count()
TAP = "/dev/net/tun"
NAMESPACE_FILES = Path("/etc/netns")
# What a shell does to become a host: $0 is its name.
SETTLE = 'hostname "$0" && mount -t tmpfs tmpfs /dev/shm'
# What a launcher calls in place of ssh: options, host, command.
AGENT = """\
#!/bin/sh
while [ "${1#-}" != "$1" ]; do
    case $1 in -o | -p | -l | -i) shift ;; esac
    shift
done
host=$1
shift
if [ -e "@folder@/down-$host" ]; then
    echo "ssh: connect to host $host port 22: No route to host" >&2
    exit 255
fi
ip netns exec "@prefix@-$host" unshare --uts --mount \\
    sh -c '@settle@ && exec sh -c "$1"' "$host" "$*"
status=$?
if [ $status -gt 128 ]; then
    echo "Connection to $host closed by remote host." >&2
    exit 255
fi
exit $status
"""
# The switch that is a program is busy with each frame.
JUMBO_FRAME = "9000"
# How many bytes may pass at once: two segments of the largest size.
BURST = "128k"


def reason_against() -> str | None:
    """Why there can be no virtual hosts here; None when there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "tc", "unshare"):
        if shutil.which(program) is None:
            return f"{program} is not installed (Debian: iproute2, util-linux)"
    probe = f"transrank-probe-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if made.returncode != 0:
        return f"network namespaces are refused: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


def reason_against_shaping() -> str | None:
    """Why links can have no bandwidth here, where there can be virtual hosts; None when they can.

    A kernel may lack the queueing discipline or the filter that `shape` and `throttle` use.
    """
    with VirtualHosts(2) as hosts:
        try:
            hosts.shape("node0", 10**9)
            hosts.throttle("node0", "node1", 10**8)
        except subprocess.CalledProcessError as refused:
            return f"links cannot be shaped: {refused.stderr.strip()}"
    return None


def reason_against_delay() -> str | None:
    """Why there can be no long lines here; None when there can."""
    return None if os.access(TAP, os.R_OK | os.W_OK) else f"{TAP} cannot be used"


class VirtualHosts:
    """Hosts node0, node1, ... for as long as the context lasts; what runs on them then ends.

    With a `delay`, seconds from any host to any other, the switch is a program (delayed_switch.py)
    that gives all links one bandwidth, and they can be neither cut nor shaped.
    """

    def __init__(
        self, count: int, delay: float = 0.0, bits_per_second: float = float("inf")
    ) -> None:
        self._delay = delay
        self._bits_per_second = bits_per_second
        self._program: subprocess.Popen[str] | None = None
        self.names = [f"node{number}" for number in range(count)]
        self.addresses = [f"{NETWORK}.{number + 1}" for number in range(count)]
        self._prefix = f"tr{os.getpid()}-{next(_numbers)}"
        self._switch = f"{self._prefix}-switch"

    def __enter__(self) -> VirtualHosts:
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def command(self, host: str, *arguments: str | Path) -> list[str]:
        """Return the command line that runs `arguments` on `host`.

        What it starts shares memory among itself, and with nothing else on that host.
        """
        enter = ["ip", "netns", "exec", self._namespace(host), "unshare", "--uts", "--mount"]
        return [*enter, "sh", "-c", f'{SETTLE} && exec "$@"', host, *map(str, arguments)]

    def agent(self, folder: Path) -> Path:
        """Write a program that launchers call as they would ssh; `refuse` makes it fail."""
        script = folder / "agent"
        text = AGENT.replace("@prefix@", self._prefix).replace("@settle@", SETTLE)
        script.write_text(text.replace("@folder@", str(folder)))
        script.chmod(0o755)
        return script

    def refuse(self, host: str, folder: Path) -> None:
        """Let the agent of this folder no longer reach `host`."""
        (folder / f"down-{host}").touch()

    def shape(self, host: str, bits_per_second: int) -> None:
        """Give the link of `host` this bandwidth, in each direction."""
        rate = ("rate", str(bits_per_second), "burst", BURST)
        ends = ((self._namespace(host), "eth0"), (self._switch, f"to-{host}"))
        for namespace, device in ends:
            _tc(namespace, "qdisc", "replace", "dev", device, "root", "handle", "1:", "htb",
                "default", "1")  # fmt: skip
            _tc(namespace, "class", "replace", "dev", device, "parent", "1:", "classid", "1:1",
                "htb", *rate, "quantum", "60000")  # fmt: skip

    def throttle(self, host: str, toward: str, bits_per_second: int) -> None:
        """Give what `host`, whose link is shaped, sends to one other host less bandwidth."""
        namespace, number = self._namespace(host), self.names.index(toward) + 2
        _tc(namespace, "class", "replace", "dev", "eth0", "parent", "1:", "classid", f"1:{number}",
            "htb", "rate", str(bits_per_second), "burst", BURST, "quantum", "60000")  # fmt: skip
        address = self.addresses[self.names.index(toward)]
        _tc(namespace, "filter", "add", "dev", "eth0", "parent", "1:", "protocol", "ip", "prio",
            str(number), "u32", "match", "ip", "dst", f"{address}/32", "flowid",
            f"1:{number}")  # fmt: skip

    def free(self, host: str) -> None:
        """Take the bandwidths of the link of `host` away."""
        _tc(self._namespace(host), "qdisc", "del", "dev", "eth0", "root")
        _tc(self._switch, "qdisc", "del", "dev", f"to-{host}", "root")

    def cut(self, host: str) -> None:
        """Let nothing through to `host` or from it any more."""
        _ip("-n", self._switch, "link", "set", f"to-{host}", "down")

    def heal(self, host: str) -> None:
        """Undo `cut`."""
        _ip("-n", self._switch, "link", "set", f"to-{host}", "up")

    def kill(self, host: str) -> None:
        """Kill all that runs on `host`, as when it loses power."""
        _kill(self._namespace(host))

    def _namespace(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    def _make(self) -> None:
        _ip("netns", "add", self._switch)
        _ip("-n", self._switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "bridge", "up")
        pairs = list(zip(self.names, self.addresses, strict=True))
        hosts = "".join(f"{address} {name}\n" for name, address in pairs)
        for name in self.names:
            namespace = self._namespace(name)
            _ip("netns", "add", namespace)
            # `ip netns exec` shows these files in place of those of /etc.
            files = NAMESPACE_FILES / namespace
            files.mkdir(parents=True)
            (files / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
            (files / "nsswitch.conf").write_text("hosts: files\n")
            if not self._delay:
                self._plug_in(name)
        if self._delay:
            self._start_switch()
        for name, address in pairs:
            namespace = self._namespace(name)
            _ip("-n", namespace, "link", "set", "lo", "up")
            if self._delay:
                _ip("-n", namespace, "link", "set", "eth0", "mtu", JUMBO_FRAME)
            _ip("-n", namespace, "addr", "add", f"{address}/24", "dev", "eth0")
            _ip("-n", namespace, "link", "set", "eth0", "up")

    def _plug_in(self, name: str) -> None:
        port = f"to-{name}"
        _ip("-n", self._switch, "link", "add", port, "type", "veth", "peer", "name", "eth0",
            "netns", self._namespace(name))  # fmt: skip
        _ip("-n", self._switch, "link", "set", port, "master", "bridge", "up")

    def _start_switch(self) -> None:
        program = Path(__file__).with_name("delayed_switch.py")
        plugs = [f"{self._namespace(name)}=eth0" for name in self.names]
        self._program = subprocess.Popen(
            [sys.executable, program, str(self._delay), str(self._bits_per_second), *plugs],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._program.stdout is not None
        if self._program.stdout.readline() != "ready\n":
            raise OSError("the delayed switch does not start")

    def _remove(self) -> None:
        if self._program is not None:
            self._program.kill()
            self._program.communicate()
        for namespace in [*map(self._namespace, self.names), self._switch]:
            _kill(namespace)
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)
            shutil.rmtree(NAMESPACE_FILES / namespace, ignore_errors=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def _tc(namespace: str, *arguments: str) -> None:
    _ip("netns", "exec", namespace, "tc", *arguments)


def _kill(namespace: str) -> None:
    found = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True)
    for pid in found.stdout.split():
        subprocess.run(["kill", "-KILL", pid], capture_output=True)
