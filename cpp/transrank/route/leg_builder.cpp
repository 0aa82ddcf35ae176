// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/leg_builder.hpp"

#include <algorithm>
#include <utility>

namespace transrank::route {

namespace {

constexpr std::size_t searched_in_line = 16;

Leg merged(std::span<const Leg> parts) {
    std::vector<Segment> runs;
    for (const auto& part : parts) {
        for_each_run(part, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
            runs.push_back({.source = source, .destination = destination, .length = length});
        });
    }
    std::ranges::sort(runs, {}, &Segment::destination);
    Compressor compressor;
    for (const auto& run : runs) {
        compressor.add(run.source, run.destination, run.length);
    }
    return {.peer = parts.front().peer, .segments = compressor.finish()};
}

}  // namespace

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

std::vector<Leg> merged_by_peer(std::vector<Leg> legs) {
    std::ranges::sort(legs, {}, &Leg::peer);
    std::vector<Leg> made;
    for (auto next = legs.begin(); next != legs.end();) {
        const auto end = std::find_if(
            next, legs.end(), [peer = next->peer](const Leg& leg) { return leg.peer != peer; });
        made.push_back(end - next == 1 ? std::move(*next) : merged({next, end}));
        next = end;
    }
    return made;
}

}  // namespace transrank::route
