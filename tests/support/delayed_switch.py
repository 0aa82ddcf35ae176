# SPDX-License-Identifier: BSD-3-Clause
"""A switch between virtual hosts that hands each frame on after a time, as a long line would.

    python delayed_switch.py SECONDS BITS_PER_SECOND NAMESPACE=DEVICE ...

Makes in each network namespace a TAP device of that name and hands what arrives at one of them on
to the one that its address was last seen at, or to all others, one frame after the other at the
given rate. For kernels without netem. Says `ready` when all devices are there, and runs until it is
killed.
"""

import ctypes
import fcntl
import heapq
import os
import selectors
import struct
import sys
import time
from pathlib import Path

NAMESPACES = Path("/run/netns")
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
PR_SET_TIMERSLACK = 29
FRAME_BYTES = 1 << 16
ADDRESS = 6


def open_device(namespace: str, name: str) -> int:
    """Make a TAP device in a namespace; the descriptor works from everywhere."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(NAMESPACES / namespace, os.O_RDONLY)
    try:
        if libc.setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    finally:
        libc.setns(home, CLONE_NEWNET)
        os.close(home)
        os.close(there)
    return device


def switch(devices: list[int], delay: float, bits_per_second: float) -> None:
    """Hand frames on for ever."""
    busy_until = dict.fromkeys(devices, 0.0)
    waiting: list[tuple[float, int, int, bytes]] = []
    place: dict[bytes, int] = {}
    count = 0
    # Of the selectors, select alone waits for less than a millisecond.
    with selectors.SelectSelector() as selector:
        for device in devices:
            selector.register(device, selectors.EVENT_READ)
        while True:
            wait = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
            for key, _ in selector.select(wait):
                frame = os.read(key.fd, FRAME_BYTES)
                target, source = frame[:ADDRESS], frame[ADDRESS : 2 * ADDRESS]
                place[source] = key.fd
                known = place.get(target)
                to = [known] if known else [one for one in devices if one != key.fd]
                for device in to:
                    count += 1
                    begin = max(time.monotonic(), busy_until[device])
                    busy_until[device] = begin + 8 * len(frame) / bits_per_second
                    heapq.heappush(waiting, (busy_until[device] + delay, count, device, frame))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, device, frame = heapq.heappop(waiting)
                try:
                    os.write(device, frame)
                except OSError:
                    pass  # the device is down, or its queue is full: the frame is lost


def main() -> None:
    delay, bits_per_second = map(float, sys.argv[1:3])
    pairs = [argument.split("=") for argument in sys.argv[3:]]
    devices = [open_device(namespace, name) for namespace, name in pairs]
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)  # a wait may else last 50 us longer
    print("ready", flush=True)
    switch(devices, delay, bits_per_second)


if __name__ == "__main__":
    main()
