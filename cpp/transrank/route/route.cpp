// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/route.hpp"

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::route {
namespace {

using layout::require;

/// The side of its legs that a rank can check: its own array.
struct Side {
    std::string_view verb;   // "sends to", "receives from"
    std::string_view array;  // "source", "destination"
    std::int64_t Segment::* offset;
    std::int64_t Loop::* stride;
    std::int64_t Outline::* end;
    std::int64_t extent;
};

std::string further_loops(const Segment& segment) {
    std::string text;
    for (const auto& loop : segment.further) {
        text += ", " + std::to_string(loop.count) + " times with strides " +
                std::to_string(loop.source_stride) + " and " +
                std::to_string(loop.destination_stride);
    }
    return text;
}

void check_segment(int rank, int peer, const Segment& segment, const Side& side) {
    require(is_well_formed(segment), "the leg that rank ", rank, " ", side.verb, " rank ", peer,
            " has a segment of ", segment.count, " runs of ", segment.length, " units, source ",
            layout::counted(segment.source), " stride ", segment.source_stride, ", destination ",
            layout::counted(segment.destination), " stride ", segment.destination_stride,
            further_loops(segment),
            "; lengths and counts are at least 1 and their product fits 64 bits, the others are at "
            "least 0, strides 0 when there is one run, and further loops have 2 steps or more");
    Outline alone;
    alone.add(segment, {});
    require(alone.ill_formed == 0 && alone.*side.end <= side.extent, "the leg that rank ", rank,
            " ", side.verb, " rank ", peer, " has ", segment.count, " runs of ", segment.length,
            " units from unit ", layout::counted(segment.*side.offset), " with stride ",
            segment.fastest().*side.stride, further_loops(segment), ", beyond the ", side.extent,
            " units of the rank's ", side.array, " array");
}

void check_legs(int rank, int ranks, std::span<const Leg> legs, const Side& side) {
    for (const auto& leg : legs) {
        require(leg.peer >= 0 && leg.peer < ranks, "rank ", rank, " ", side.verb, " rank ",
                leg.peer, ", but there are ", ranks, " ranks");
        const auto outline = leg.segments.outline();
        if (outline.ill_formed == 0 && outline.*side.end <= side.extent) {
            continue;
        }
        std::int64_t units = 0;
        for (const auto& segment : leg.segments) {
            check_segment(rank, leg.peer, segment, side);
            require(!__builtin_add_overflow(units, segment.units(), &units), "the leg that rank ",
                    rank, " ", side.verb, " rank ", leg.peer,
                    " has more units than 64 bits can count");
        }
    }
    const auto twice = std::ranges::adjacent_find(legs, {}, &Leg::peer);
    require(twice == legs.end(), "rank ", rank, " ", side.verb, " rank ",
            twice == legs.end() ? -1 : twice->peer, " in two legs; put them into one");
}

void sort_and_drop_empty(std::vector<Leg>& legs) {
    std::erase_if(legs, [](const Leg& leg) { return leg.segments.empty(); });
    if (!std::ranges::is_sorted(legs, {}, &Leg::peer)) {
        std::ranges::sort(legs, {}, &Leg::peer);
    }
}

void check_leg_to_itself(const Route& route) {
    const Leg* sent = find_leg(route.sends(), route.rank());
    const Leg* received = find_leg(route.receives(), route.rank());
    const bool same = sent == nullptr || received == nullptr ? sent == received
                                                             : sent->segments == received->segments;
    require(same, "rank ", route.rank(), " sends itself ", sent == nullptr ? 0 : sent->units(),
            " units in ", sent == nullptr ? 0 : sent->runs(), " runs and receives ",
            received == nullptr ? 0 : received->units(), " units in ",
            received == nullptr ? 0 : received->runs(),
            " runs from itself; both must be the same leg");
}

void check_shape(int rank, const Side& side, const Shape& shape) {
    std::int64_t units = 1;
    bool valid = shape.size() <= layout::max_dimensions;
    for (const std::int64_t length : std::views::reverse(shape)) {  // as the grid counted them
        valid = valid && length >= 0 && !__builtin_mul_overflow(units, length, &units);
    }
    require(shape.empty() || (valid && units == side.extent), "the shape of rank ", rank, "'s ",
            side.array, " array does not have the ", side.extent, " units of its extent");
}

}  // namespace

Route::Route(int rank, int ranks, std::int64_t source_extent, std::int64_t destination_extent,
             std::vector<Leg> sends, std::vector<Leg> receives, Shapes shapes)
    : rank_(rank),
      ranks_(ranks),
      source_extent_(source_extent),
      destination_extent_(destination_extent),
      sends_(std::move(sends)),
      receives_(std::move(receives)),
      shapes_(std::move(shapes)) {
    require(ranks >= 1 && rank >= 0 && rank < ranks, "rank ", rank, " of ", ranks,
            " ranks does not exist");
    require(source_extent >= 0 && destination_extent >= 0, "rank ", rank, " has arrays of ",
            source_extent, " and ", destination_extent, " units; both must be at least 0");
    sort_and_drop_empty(sends_);
    sort_and_drop_empty(receives_);
    const Side sending{.verb = "sends to",
                       .array = "source",
                       .offset = &Segment::source,
                       .stride = &Loop::source_stride,
                       .end = &Outline::source_end,
                       .extent = source_extent};
    const Side receiving{.verb = "receives from",
                         .array = "destination",
                         .offset = &Segment::destination,
                         .stride = &Loop::destination_stride,
                         .end = &Outline::destination_end,
                         .extent = destination_extent};
    check_shape(rank, sending, shapes_.source);
    check_shape(rank, receiving, shapes_.destination);
    check_legs(rank, ranks, sends_, sending);
    check_legs(rank, ranks, receives_, receiving);
    check_leg_to_itself(*this);
}

std::vector<Leg> turned(std::span<const Leg> legs) {
    std::vector<Leg> made;
    made.reserve(legs.size());
    for (const auto& leg : legs) {
        made.push_back({.peer = leg.peer, .segments = turned(leg.segments)});
    }
    return made;
}

const Leg* find_leg(std::span<const Leg> legs, int peer) noexcept {
    const auto found = std::ranges::lower_bound(legs, peer, {}, &Leg::peer);
    return found != legs.end() && found->peer == peer ? &*found : nullptr;
}

Route Route::transposed() const {
    Route made(rank_, ranks(), destination_extent_, source_extent_, turned(receives_),
               turned(sends_), {.source = shapes_.destination, .destination = shapes_.source});
    made.way_.is_back = !way_.is_back;
    return made;
}

}  // namespace transrank::route
