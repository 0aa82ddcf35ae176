// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/portions.hpp"

#include <algorithm>
#include <utility>

namespace transrank::transport {
namespace {

class Cutter {
public:
    Cutter(int peer, std::int64_t units) : peer_(peer), units_(units) { begin_portion(); }

    void add(const route::Segment& segment) {
        if (segment.length > units_) {
            add_long_runs(segment);
        } else {
            add_whole_runs(segment);
        }
    }

    [[nodiscard]] std::vector<route::Leg> portions() && { return std::move(portions_); }

private:
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
    for (const auto& segment : leg.segments) {
        cutter.add(segment);
    }
    return std::move(cutter).portions();
}

}  // namespace transrank::transport
