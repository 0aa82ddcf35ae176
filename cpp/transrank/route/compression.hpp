// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// Appends a run; one that goes on where the last ended on both sides prolongs it.
inline void append_run(std::vector<Segment>& runs, std::int64_t source, std::int64_t destination,
                       std::int64_t length) {
    if (!runs.empty()) {
        auto& last = runs.back();
        if (last.count == 1 && last.source + last.length == source &&
            last.destination + last.length == destination) {
            last.length += length;
            return;
        }
    }
    runs.push_back({.source = source, .destination = destination, .length = length});
}

/// Joins runs (segments of count 1) of equal length at equal distances into strided segments, in
/// place and in one pass. The order of the runs stays.
void compress(std::vector<Segment>& runs);

}  // namespace transrank::route
