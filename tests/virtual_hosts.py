# SPDX-License-Identifier: BSD-3-Clause
"""Several hosts on one machine: each a network and UTS namespace, joined by a bridge.

A host has its own name, address and /dev/shm; the file system and the processes are shared. That
needs root and `ip` of iproute2, so tests ask `obstacle()` first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

NETWORK = "10.77.0"
NAMESPACE_FILES = Path("/etc/netns")
# What a shell does to become a host: $0 is its name.
SETTLE = 'hostname "$0" && mount -t tmpfs tmpfs /dev/shm'


def obstacle() -> str | None:
    """Why there can be no virtual hosts here; None when there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "unshare"):
        if shutil.which(program) is None:
            return f"{program} is not installed (Debian: iproute2, util-linux)"
    probe = f"transrank-probe-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if made.returncode != 0:
        return f"network namespaces are refused: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


class VirtualHosts:
    """Hosts node0, node1, ... for as long as the context lasts; what runs on them then ends."""

    def __init__(self, count: int) -> None:
        self.names = [f"node{number}" for number in range(count)]
        self.addresses = [f"{NETWORK}.{number + 1}" for number in range(count)]
        self._prefix = f"tr{os.getpid()}"
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

    def _namespace(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    def _make(self) -> None:
        _ip("netns", "add", self._switch)
        _ip("-n", self._switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "bridge", "up")
        pairs = list(zip(self.names, self.addresses, strict=True))
        hosts = "".join(f"{address} {name}\n" for name, address in pairs)
        for name, address in pairs:
            namespace = self._namespace(name)
            _ip("netns", "add", namespace)
            # `ip netns exec` shows these files in place of those of /etc.
            files = NAMESPACE_FILES / namespace
            files.mkdir(parents=True)
            (files / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
            (files / "nsswitch.conf").write_text("hosts: files\n")
            port = f"to-{name}"
            _ip("-n", self._switch, "link", "add", port, "type", "veth", "peer", "name", "eth0",
                "netns", namespace)  # fmt: skip
            _ip("-n", self._switch, "link", "set", port, "master", "bridge", "up")
            _ip("-n", namespace, "link", "set", "lo", "up")
            _ip("-n", namespace, "addr", "add", f"{address}/24", "dev", "eth0")
            _ip("-n", namespace, "link", "set", "eth0", "up")

    def _remove(self) -> None:
        for namespace in [*map(self._namespace, self.names), self._switch]:
            found = subprocess.run(
                ["ip", "netns", "pids", namespace], capture_output=True, text=True
            )
            for pid in found.stdout.split():
                subprocess.run(["kill", "-KILL", pid], capture_output=True)
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)
            shutil.rmtree(NAMESPACE_FILES / namespace, ignore_errors=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
