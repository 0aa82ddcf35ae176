// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "transrank/route/compression.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::route {

/// Makes legs from runs that come in any order of peers. The runs of one peer keep their order.
class LegBuilder {
public:
    void add(int peer, std::int64_t source, std::int64_t destination, std::int64_t length) {
        append_run(leg(peer).segments, source, destination, length);
    }
    /// The leg of a peer; valid until the next call.
    [[nodiscard]] Leg& leg(int peer);
    /// The compressed legs, ascending by peer.
    [[nodiscard]] std::vector<Leg> finish();
    /// The same with the runs of each leg in ascending order of their destination.
    [[nodiscard]] std::vector<Leg> finish_by_destination();

private:
    std::vector<Leg> legs_;
    std::size_t last_ = 0;  // the leg that was asked for last
    // Filled once there are more legs than a search in line is good for.
    std::unordered_map<int, std::size_t> positions_;
};

}  // namespace transrank::route
