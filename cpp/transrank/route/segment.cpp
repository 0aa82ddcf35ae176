// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/segment.hpp"

namespace transrank::route {

std::vector<Loop> Segment::loops() const {
    std::vector<Loop> all;
    if (fastest() != Loop{} || !further.empty()) {
        all.push_back(fastest());
        all.insert(all.end(), further.begin(), further.end());
    }
    return all;
}

void Segment::repeat(const Loop& loop) {
    const auto goes_on_after = [&](const Loop& inner) {
        return loop.source_stride == inner.count * inner.source_stride &&
               loop.destination_stride == inner.count * inner.destination_stride;
    };
    if (loop.count == 1) {
        return;
    }
    if (count > 1 && !further.empty() && goes_on_after(further.back())) {
        further.back().count *= loop.count;
    } else if (count > 1 && further.empty() && goes_on_after(fastest())) {
        count *= loop.count;
    } else if (count > 1) {
        further.push_back(loop);
    } else if (goes_on_after({.count = length, .source_stride = 1, .destination_stride = 1})) {
        length *= loop.count;
    } else {
        set_fastest(loop);
    }
}

}  // namespace transrank::route
