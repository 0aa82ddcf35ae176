// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/merging.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "transrank/route/compressor.hpp"
#include "transrank/route/runs.hpp"

namespace transrank::route {
namespace {

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
