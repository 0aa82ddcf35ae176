// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/leg_builder.hpp"

#include <algorithm>
#include <utility>

namespace transrank::route {

namespace {
constexpr std::size_t searched_in_line = 16;
}

Leg& LegBuilder::leg(int peer) {
    if (last_ < legs_.size() && legs_[last_].peer == peer) {
        return legs_[last_];
    }
    last_ = legs_.size();
    if (legs_.size() < searched_in_line) {
        const auto found = std::ranges::find(legs_, peer, &Leg::peer);
        last_ = static_cast<std::size_t>(found - legs_.begin());
    } else {
        for (std::size_t i = positions_.size(); i < legs_.size(); ++i) {
            positions_.emplace(legs_[i].peer, i);
        }
        last_ = positions_.try_emplace(peer, legs_.size()).first->second;
    }
    if (last_ == legs_.size()) {
        if (legs_.empty()) {
            legs_.reserve(4);
        }
        legs_.push_back({.peer = peer, .segments = {}});
    }
    return legs_[last_];
}

std::vector<Leg> LegBuilder::finish() {
    for (auto& leg : legs_) {
        compress(leg.segments);
    }
    if (!std::ranges::is_sorted(legs_, {}, &Leg::peer)) {
        std::ranges::sort(legs_, {}, &Leg::peer);
    }
    positions_.clear();
    last_ = 0;
    return std::exchange(legs_, {});
}

std::vector<Leg> LegBuilder::finish_by_destination() {
    for (auto& leg : legs_) {
        std::ranges::sort(leg.segments, {}, [](const Segment& run) {
            return std::pair(run.destination, run.source);
        });
        std::vector<Segment> joined;
        for (const auto& run : leg.segments) {
            append_run(joined, run.source, run.destination, run.length);
        }
        leg.segments = std::move(joined);
    }
    return finish();
}

}  // namespace transrank::route
