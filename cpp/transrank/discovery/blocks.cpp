// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/blocks.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
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
    std::vector<std::array<std::int64_t, 2>> own;
    for (std::size_t peer = 0; peer < blocks.counts.size(); ++peer) {
        own.push_back({blocks.counts[peer], blocks.displacements[peer]});
    }
    std::vector<std::array<std::int64_t, 2>> theirs(own.size());
    mpi::check(
        MPI_Alltoall(own.data(), 2, MPI_INT64_T, theirs.data(), 2, MPI_INT64_T, comm.handle()),
        "MPI_Alltoall");
    PeerBlocks peers;
    for (const auto& [count, displacement] : theirs) {
        peers.counts.push_back(count);
        peers.displacements.push_back(displacement);
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
