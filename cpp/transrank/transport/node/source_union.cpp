// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/node/source_union.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "transrank/layout/index_range.hpp"

namespace transrank::transport {

SourceUnion::SourceUnion(std::span<const route::Leg* const> legs) {
    std::vector<Stretch> runs;
    for (const auto* leg : legs) {
        route::for_each_run(
            *leg, [&](std::int64_t source, std::int64_t /*destination*/, std::int64_t length) {
                runs.push_back({.begin = source, .end = source + length, .position = 0});
            });
    }
    std::ranges::sort(runs, {}, &Stretch::begin);
    for (const auto& run : runs) {
        if (stretches_.empty() || stretches_.back().end < run.begin) {
            stretches_.push_back(run);
        } else {
            stretches_.back().end = std::max(stretches_.back().end, run.end);
        }
    }
    for (auto& stretch : stretches_) {
        stretch.position = units_;
        units_ += stretch.end - stretch.begin;
    }
}

std::int64_t SourceUnion::position(std::int64_t source) const {
    const auto after = std::ranges::upper_bound(stretches_, source, {}, &Stretch::begin);
    const auto& stretch = *std::prev(after);
    return stretch.position + (source - stretch.begin);
}

route::Leg SourceUnion::gathering() const {
    route::Leg leg;
    for (const auto& stretch : stretches_) {
        leg.segments.push_back({.source = stretch.begin,
                                .destination = stretch.position,
                                .length = stretch.end - stretch.begin});
    }
    return leg;
}

bool may_read_alike(std::span<const route::Leg* const> legs) {
    std::vector<layout::IndexRange> ranges;
    for (const auto* leg : legs) {
        auto& range = ranges.emplace_back(
            layout::IndexRange{.begin = std::numeric_limits<std::int64_t>::max()});
        route::for_each_run(
            *leg, [&](std::int64_t source, std::int64_t /*destination*/, std::int64_t length) {
                range.begin = std::min(range.begin, source);
                range.end = std::max(range.end, source + length);
            });
    }
    return layout::some_meet(std::move(ranges));
}

}  // namespace transrank::transport
