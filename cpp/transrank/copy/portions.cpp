// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/portions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "transrank/copy/nest.hpp"

namespace transrank::copy {
namespace {

using route::Loop;

// Longer runs fill lines by themselves.
constexpr std::int64_t longest_turned_units = 16;

class Cutter {
public:
    Cutter(int peer, std::int64_t units) : peer_(peer), units_(units) { begin_portion(); }

    /// A transposed nest that one portion cannot hold goes in blocks, which have whole lines of
    /// both sides.
    void add(const Nest& nest) {
        const auto& row = nest.loops[nest.fastest(&Loop::destination_stride)];
        const auto& column = nest.loops[nest.fastest(&Loop::source_stride)];
        const auto edge = static_cast<std::int64_t>(
            std::sqrt(static_cast<double>(units_) / static_cast<double>(nest.length)));
        const auto rows = std::clamp<std::int64_t>(edge, 1, column.count);
        const auto row_units = std::max<std::int64_t>(1, units_ / (rows * nest.length));
        std::vector<Loop> outer;
        std::ranges::copy_if(nest.used(), std::back_inserter(outer),
                             [&](const Loop& loop) { return &loop != &row && &loop != &column; });
        for_each_step(outer, nest.source, nest.destination, [&](auto source, auto destination) {
            for (std::int64_t i = 0; i < column.count; i += rows) {
                for (std::int64_t j = 0; j < row.count; j += row_units) {
                    add_block(
                        {.source = source + (i * column.source_stride) + (j * row.source_stride),
                         .destination = destination + (i * column.destination_stride) +
                                        (j * row.destination_stride),
                         .length = nest.length,
                         .count = std::min(row_units, row.count - j),
                         .source_stride = row.source_stride,
                         .destination_stride = row.destination_stride},
                        column, std::min(rows, column.count - i));
                }
            }
        });
    }

    void add(const route::Segment& segment) {
        if (segment.length > units_) {
            add_long_runs(segment);
        } else {
            add_whole_runs(segment);
        }
    }

    [[nodiscard]] std::vector<route::Leg> portions() && { return std::move(portions_); }

private:
    void add_block(route::Segment row, const Loop& column, std::int64_t rows) {
        if (row.units() * rows > room_) {
            begin_portion();
        }
        for (std::int64_t i = 0; i < rows; ++i) {
            add_whole_runs(row);
            row.source += column.source_stride;
            row.destination += column.destination_stride;
        }
    }

    void begin_portion() {
        portions_.push_back({.peer = peer_, .segments = {}});
        room_ = units_;
    }

    void add_whole_runs(route::Segment rest) {
        while (rest.count > 0 && rest.length > 0) {
            if (rest.length > room_) {
                begin_portion();
            }
            auto fitting = rest;
            fitting.count = std::min(rest.count, room_ / rest.length);
            portions_.back().segments.push_back(fitting);
            room_ -= fitting.units();
            rest.source += fitting.count * rest.source_stride;
            rest.destination += fitting.count * rest.destination_stride;
            rest.count -= fitting.count;
        }
    }

    void add_long_runs(const route::Segment& segment) {
        for (std::int64_t run = 0; run < segment.count; ++run) {
            const auto source = segment.source + (run * segment.source_stride);
            const auto destination = segment.destination + (run * segment.destination_stride);
            for (std::int64_t done = 0; done < segment.length; done += units_) {
                add_whole_runs({.source = source + done,
                                .destination = destination + done,
                                .length = std::min(units_, segment.length - done)});
            }
        }
    }

    int peer_;
    std::int64_t units_;
    std::int64_t room_ = 0;
    std::vector<route::Leg> portions_;
};

}  // namespace

std::vector<route::Leg> portions_of(const route::Leg& leg, std::int64_t units) {
    Cutter cutter(leg.peer, units);
    const auto add = [&](const route::Segment& segment) { cutter.add(segment); };
    for_each_box(leg, add, [&](const Nest& nest, std::span<const route::Segment> segments) {
        if (nest.length <= std::min(longest_turned_units, units) && nest.units() > units &&
            nest.is_transposed()) {
            cutter.add(nest);
        } else {
            std::ranges::for_each(segments, add);
        }
    });
    return std::move(cutter).portions();
}

}  // namespace transrank::copy
