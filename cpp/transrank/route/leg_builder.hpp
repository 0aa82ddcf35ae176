// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "transrank/route/compressor.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {

/// Makes legs from runs that come in any order of peers. The runs of one peer keep their order.
class LegBuilder {
public:
    void add(int peer, std::int64_t source, std::int64_t destination, std::int64_t length) {
        runs_with(peer).add(source, destination, length);
    }
    /// The same as adding runs of one unit each, see Compressor::add_units.
    void add_units(int peer, std::span<const std::int64_t> sources, std::int64_t shift,
                   std::int64_t destination) {
        runs_with(peer).add_units(sources, shift, destination);
    }
    /// The legs, ascending by peer; leaves the builder empty.
    [[nodiscard]] std::vector<Leg> finish();

private:
    struct GrowingLeg {
        int peer;
        Compressor runs;
    };
    Compressor& runs_with(int peer) {
        if (last_ == growing_.size() || growing_[last_].peer != peer) {
            find(peer);
        }
        return growing_[last_].runs;
    }
    void find(int peer);

    std::vector<GrowingLeg> growing_;
    std::size_t last_ = 0;  // the one that grew last
    // Used once there are too many legs for a linear search.
    std::unordered_map<int, std::size_t> positions_;
};

/// One leg per peer, ascending, from legs of which several may have the same peer: their runs in
/// the order of the destination, compressed anew. A peer's only leg stays as it is. Both ranks of a
/// pair get the same leg whatever the order in which they learned of its parts, if no unit of the
/// destination is in two of them.
[[nodiscard]] std::vector<Leg> merged_by_peer(std::vector<Leg> legs);

}  // namespace transrank::route
