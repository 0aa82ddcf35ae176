// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/leg_builder.hpp"

#include <algorithm>

namespace transrank::route {

namespace {
constexpr std::size_t searched_in_line = 16;
}

/// Makes `last_` the leg of a peer, a new one if need be.
void LegBuilder::find(int peer) {
    if (growing_.size() < searched_in_line) {
        const auto found = std::ranges::find(growing_, peer, &GrowingLeg::peer);
        last_ = static_cast<std::size_t>(found - growing_.begin());
    } else {
        for (std::size_t i = positions_.size(); i < growing_.size(); ++i) {
            positions_.emplace(growing_[i].peer, i);
        }
        last_ = positions_.try_emplace(peer, growing_.size()).first->second;
    }
    if (last_ == growing_.size()) {
        growing_.push_back({.peer = peer, .runs = {}});
    }
}

std::vector<Leg> LegBuilder::finish() {
    std::vector<Leg> legs;
    legs.reserve(growing_.size());
    for (auto& leg : growing_) {
        legs.push_back({.peer = leg.peer, .segments = leg.runs.finish()});
    }
    if (!std::ranges::is_sorted(legs, {}, &Leg::peer)) {
        std::ranges::sort(legs, {}, &Leg::peer);
    }
    growing_.clear();
    positions_.clear();
    last_ = 0;
    return legs;
}

}  // namespace transrank::route
