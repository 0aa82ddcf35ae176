// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/blocks.hpp"

#include <cstddef>
#include <vector>

#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/route/alltoall.hpp"

namespace transrank::discovery {
namespace {

using layout::require;
using Values = std::vector<std::int64_t>;

/// What the peers say of the blocks that this rank has in common with them.
struct PeerBlocks {
    Values counts;
    Values displacements;
};

void check_lists(const mpi::Communicator& comm, const char* side, const BlockList& blocks) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    require(blocks.counts.size() == ranks && blocks.displacements.size() == ranks,
            blocks.counts.size(), " ", side, " counts and ", blocks.displacements.size(),
            " displacements on rank ", comm.rank(), " of ", ranks, "; give one of each per rank");
}

PeerBlocks ask_peers(const mpi::Communicator& comm, const BlockList& blocks) {
    Values own;
    for (std::size_t peer = 0; peer < blocks.counts.size(); ++peer) {
        own.insert(own.end(), {blocks.counts[peer], blocks.displacements[peer]});
    }
    const auto theirs = mpi::swapped(comm, own);
    PeerBlocks peers;
    for (std::size_t i = 0; i < theirs.size(); i += 2) {
        peers.counts.push_back(theirs[i]);
        peers.displacements.push_back(theirs[i + 1]);
    }
    return peers;
}

route::Blocks with(const BlockList& blocks, const PeerBlocks& peers) {
    return {.counts = blocks.counts,
            .displacements = blocks.displacements,
            .displacements_at_peer = peers.displacements};
}

}  // namespace

route::Route alltoallv(const mpi::Communicator& comm, const BlockList& sends,
                       const BlockList& receives) {
    const mpi::Call call(comm, "route.alltoallv");
    mpi::agree(comm, [&] {
        check_lists(comm, "send", sends);
        check_lists(comm, "receive", receives);
    });
    const auto at_targets = ask_peers(comm, receives);
    const auto at_origins = ask_peers(comm, sends);
    return mpi::agreed(comm, [&] {
        for (std::size_t peer = 0; peer < sends.counts.size(); ++peer) {
            require(sends.counts[peer] == at_targets.counts[peer], "rank ", comm.rank(), " sends ",
                    sends.counts[peer], " units to rank ", peer, ", which receives ",
                    at_targets.counts[peer], " from it");
        }
        return route::alltoallv(comm.rank(), with(sends, at_targets), with(receives, at_origins));
    });
}

}  // namespace transrank::discovery
