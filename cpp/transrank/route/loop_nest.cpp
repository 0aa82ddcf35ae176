// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/loop_nest.hpp"

#include <span>

namespace transrank::route {
namespace {

std::size_t count_points(std::span<const Loop> loops) {
    std::size_t points = 1;
    for (const auto& loop : loops) {
        points *= static_cast<std::size_t>(loop.count);
    }
    return points;
}

/// Appends copies of `base`, one per point of the loops, the first loop varying fastest.
void repeat(const Segment& base, std::span<const Loop> loops, std::vector<Segment>& segments) {
    const std::size_t begin = segments.size();
    segments.resize(begin + count_points(loops), base);
    Segment* write = segments.data() + begin + 1;
    for (const auto& loop : loops) {
        // What is written so far, once more for each further step of this loop.
        const std::ptrdiff_t block = write - (segments.data() + begin);
        for (const Segment* const end = write + (block * (loop.count - 1)); write != end; ++write) {
            write->source = (write - block)->source + loop.source_stride;
            write->destination = (write - block)->destination + loop.destination_stride;
        }
    }
}

}  // namespace

void LoopNest::add(const Loop& loop) noexcept {
    if (loop.count == 1) {
        return;
    }
    if (size_ > 0) {
        Loop& inner = loops_[size_ - 1];
        if (inner.count * inner.source_stride == loop.source_stride &&
            inner.count * inner.destination_stride == loop.destination_stride) {
            inner.count *= loop.count;
            return;
        }
    }
    loops_[size_] = loop;
    ++size_;
}

void LoopNest::append_to(std::vector<Segment>& segments, std::int64_t source,
                         std::int64_t destination) const {
    auto loops = std::span<const Loop>(loops_).first(size_);
    Segment base{.source = source, .destination = destination, .length = 1};
    if (!loops.empty() && loops[0].source_stride == 1 && loops[0].destination_stride == 1) {
        base.length = loops[0].count;
        loops = loops.subspan(1);
    }
    if (!loops.empty()) {
        base.count = loops[0].count;
        base.source_stride = loops[0].source_stride;
        base.destination_stride = loops[0].destination_stride;
        loops = loops.subspan(1);
    }
    repeat(base, loops, segments);
}

}  // namespace transrank::route
