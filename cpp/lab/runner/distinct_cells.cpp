// SPDX-License-Identifier: BSD-3-Clause
#include "distinct_cells.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace transrank::lab::runner {

DistinctCells::DistinctCells(route::Shape shape) : shape_(std::move(shape)) {
    if (shape_.empty()) {
        shape_ = {std::numeric_limits<std::int64_t>::max()};
    }
}

// A segment that has as many cells as the box between its first and its last one is that box, since
// legs between blocks step along dimensions. Others are taken run by run, and row by row.
void DistinctCells::add(const route::Leg& leg) {
    for (const auto& segment : leg.segments) {
        auto last = segment.source + segment.length - 1;
        for (const auto& loop : segment.loops()) {
            last += (loop.count - 1) * loop.source_stride;
        }
        if (const auto whole = box(segment.source, last); volume(whole) == segment.units()) {
            boxes_.push_back(whole);
            continue;
        }
        route::for_each_run(route::Leg{.peer = leg.peer, .segments = {segment}},
                            [&](std::int64_t begin, std::int64_t /*to*/, std::int64_t length) {
                                for (const auto end = begin + length; begin < end;) {
                                    const auto row = shape_.back() - (begin % shape_.back());
                                    const auto next = begin + std::min(row, end - begin);
                                    boxes_.push_back(box(begin, next - 1));
                                    begin = next;
                                }
                            });
    }
}

std::int64_t DistinctCells::count() const {
    return united(boxes_, 0);
}

DistinctCells::Box DistinctCells::box(std::int64_t first, std::int64_t last) const {
    Box made{};
    for (auto d = shape_.size(); d-- > 0;) {
        made[d] = {.begin = first % shape_[d], .end = (last % shape_[d]) + 1};
        first /= shape_[d];
        last /= shape_[d];
    }
    return made;
}

std::int64_t DistinctCells::volume(const Box& box) const {
    std::int64_t volume = 1;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
        volume *= std::max<std::int64_t>(box[d].length(), 0);
    }
    return volume;
}

std::int64_t DistinctCells::united(std::vector<Box> boxes, std::size_t dimension) const {
    std::int64_t cells = 0;
    if (dimension + 1 == shape_.size()) {
        std::ranges::sort(boxes, {}, [&](const Box& box) { return box[dimension].begin; });
        std::int64_t end = 0;
        for (const auto& box : boxes) {
            cells +=
                std::max<std::int64_t>(box[dimension].end - std::max(box[dimension].begin, end), 0);
            end = std::max(end, box[dimension].end);
        }
        return cells;
    }
    std::set<std::int64_t> cuts;
    for (const auto& box : boxes) {
        cuts.insert({box[dimension].begin, box[dimension].end});
    }
    for (auto at = cuts.begin(); at != cuts.end() && std::next(at) != cuts.end(); ++at) {
        std::vector<Box> within;
        std::ranges::copy_if(boxes, std::back_inserter(within),
                             [&](const Box& box) { return box[dimension].contains(*at); });
        if (!within.empty()) {
            cells += (*std::next(at) - *at) * united(std::move(within), dimension + 1);
        }
    }
    return cells;
}

}  // namespace transrank::lab::runner
