// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/alltoall.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "transrank/layout/require.hpp"

namespace transrank::route {
namespace {

using layout::require;

void check(int rank, const Blocks& blocks, std::string_view verb) {
    const std::size_t peers = blocks.counts.size();
    require(blocks.displacements.size() == peers && blocks.displacements_at_peer.size() == peers,
            "rank ", rank, " ", verb, " its peers blocks with ", peers, " counts, ",
            blocks.displacements.size(), " displacements and ", blocks.displacements_at_peer.size(),
            " displacements at the peers; give one of each per rank");
    for (std::size_t peer = 0; peer < peers; ++peer) {
        const std::int64_t count = blocks.counts[peer];
        const std::int64_t displacement = blocks.displacements[peer];
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        require(count >= 0 && displacement >= 0 && blocks.displacements_at_peer[peer] >= 0 &&
                    displacement <= most - count,
                "rank ", rank, " ", verb, " rank ", peer, " a block of ", count,
                " units at displacement ", layout::counted(displacement), ", at displacement ",
                layout::counted(blocks.displacements_at_peer[peer]),
                " at the peer; counts are at least 0, displacements at least ", layout::first_index,
                ", and all end within 64 bits");
    }
}

std::int64_t extent(const Blocks& blocks) {
    std::int64_t end = 0;
    for (std::size_t peer = 0; peer < blocks.counts.size(); ++peer) {
        if (blocks.counts[peer] > 0) {
            end = std::max(end, blocks.displacements[peer] + blocks.counts[peer]);
        }
    }
    return end;
}

std::vector<Leg> legs(std::span<const std::int64_t> counts, std::span<const std::int64_t> sources,
                      std::span<const std::int64_t> destinations) {
    std::vector<Leg> made;
    for (std::size_t peer = 0; peer < counts.size(); ++peer) {
        if (counts[peer] > 0) {
            made.push_back({.peer = static_cast<int>(peer),
                            .segments = {{.source = sources[peer],
                                          .destination = destinations[peer],
                                          .length = counts[peer]}}});
        }
    }
    return made;
}

}  // namespace

Route alltoall(int rank, int ranks, std::int64_t units) {
    std::int64_t extent = 0;
    require(ranks >= 1 && units >= 0 && !__builtin_mul_overflow(units, ranks, &extent),
            "blocks of ", units, " units for ", ranks,
            " ranks are out of range; both must not be negative nor their product exceed 64 bits");
    std::vector<Leg> sends;
    std::vector<Leg> receives;
    for (int peer = 0; units > 0 && peer < ranks; ++peer) {
        const Segment out{.source = peer * units, .destination = rank * units, .length = units};
        const Segment in{.source = rank * units, .destination = peer * units, .length = units};
        sends.push_back({.peer = peer, .segments = {out}});
        receives.push_back({.peer = peer, .segments = {in}});
    }
    return {rank, ranks, extent, extent, std::move(sends), std::move(receives)};
}

Route alltoallv(int rank, const Blocks& sends, const Blocks& receives) {
    check(rank, sends, "sends to");
    check(rank, receives, "receives from");
    require(sends.counts.size() == receives.counts.size() &&
                sends.counts.size() <= std::numeric_limits<int>::max(),
            "rank ", rank, " has send counts for ", sends.counts.size(),
            " ranks and receive counts for ", receives.counts.size());
    return {rank,
            static_cast<int>(sends.counts.size()),
            extent(sends),
            extent(receives),
            legs(sends.counts, sends.displacements, sends.displacements_at_peer),
            legs(receives.counts, receives.displacements_at_peer, receives.displacements)};
}

}  // namespace transrank::route
