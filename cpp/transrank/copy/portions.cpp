// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/portions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace transrank::copy {
namespace {

using route::Segment;

// Longer runs fill lines by themselves.
constexpr std::int64_t longest_turned_units = 16;

Segment first_run(const Segment& segment) {
    return {.source = segment.source, .destination = segment.destination, .length = segment.length};
}

}  // namespace

void Cutter::add(const Segment& segment) {
    if (takes(segment.units())) {
        write(segment);
        return;
    }
    const bool turns = !segment.further.empty() && segment.units() > units_ &&
                       segment.length <= std::min(longest_turned_units, units_);
    if (const auto planes = turns ? planes_of(segment) : std::nullopt) {
        add_blocks(segment, *planes);
    } else if (!segment.further.empty()) {
        auto inner = segment;
        inner.further.pop_back();
        add_steps(inner, segment.further.back());
    } else if (segment.count > 1) {
        add_steps(first_run(segment), segment.fastest());
    } else {
        add_run(segment);
    }
}

void Cutter::write_next(const Segment& segment) {
    begin_portion();
    room_ = units_ - segment.units();
    write(segment);
}

/// As many whole steps as there is room for go together.
void Cutter::add_steps(Segment inner, const route::Loop& loop) {
    for (std::int64_t step = 0; step < loop.count;) {
        const auto fitting = std::clamp<std::int64_t>(room_ / inner.units(), 1, loop.count - step);
        auto steps = inner;
        steps.repeat(loop.times(fitting));
        add(steps);
        step += fitting;
        inner.source += fitting * loop.source_stride;
        inner.destination += fitting * loop.destination_stride;
    }
}

void Cutter::add_run(const Segment& run) {
    if (run.length <= units_) {
        write_next(run);
        return;
    }
    for (std::int64_t done = 0; done < run.length; done += units_) {
        add({.source = run.source + done,
             .destination = run.destination + done,
             .length = std::min(units_, run.length - done)});
    }
}

/// What one portion cannot hold goes in blocks of planes, which have whole lines of both sides.
void Cutter::add_blocks(const Segment& segment, const Planes& planes) {
    const auto& row = planes.row;
    const auto& column = planes.column;
    const auto edge = static_cast<std::int64_t>(
        std::sqrt(static_cast<double>(units_) / static_cast<double>(segment.length)));
    const auto rows = std::clamp<std::int64_t>(edge, 1, column.count);
    const auto row_units = std::max<std::int64_t>(1, units_ / (rows * segment.length));
    for_each_step(planes.outer, segment.source, segment.destination, [&](auto source, auto to) {
        for (std::int64_t i = 0; i < column.count; i += rows) {
            for (std::int64_t j = 0; j < row.count; j += row_units) {
                Segment block{
                    .source = source + (i * column.source_stride) + (j * row.source_stride),
                    .destination =
                        to + (i * column.destination_stride) + (j * row.destination_stride),
                    .length = segment.length};
                block.repeat(row.times(std::min(row_units, row.count - j)));
                block.repeat(column.times(std::min(rows, column.count - i)));
                if (takes(block.units())) {
                    write(block);
                } else {
                    write_next(block);
                }
            }
        }
    });
}

}  // namespace transrank::copy
