# SPDX-License-Identifier: BSD-3-Clause
"""A ring of ranks: what arrives is right, and each rank tells what serves which of its peers.

Prints `RANK PEER TRANSPORT` for each peer of each rank, rank 0 for all.
"""

import re

from python.exchange.ring import WORLD, Ring

EPOCHS = 3
PEER = re.compile(r"^ +(\d+)(?: +\d+){3} +(\S+) ", re.MULTILINE)


def main() -> None:
    ring = Ring()
    with ring.bind() as exchange:
        for epoch in range(EPOCHS):
            ring.write(epoch)
            exchange.start()
            exchange.wait()
            assert ring.has_arrived(epoch), f"rank {WORLD.rank} has {ring.destination}"
        told = PEER.findall(exchange.explain())
        for rank, peers in enumerate(WORLD.gather(told) or ()):
            for peer, transport in peers:
                print(rank, peer, transport)


if __name__ == "__main__":
    main()
