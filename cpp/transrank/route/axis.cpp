// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/axis.hpp"

#include <algorithm>
#include <cstdint>

#include "transrank/route/leg_builder.hpp"

namespace transrank::route {
namespace {

using layout::IndexRange;
using layout::Stretch;

/// Calls `visit` for each owner of some of the range, which begins at `position` in a local array,
/// in ascending order: with the position there and that in the owner's array.
template <class Visit>
void for_each_owner(const Axis& axis, const IndexRange& range, std::int64_t position,
                    const Visit& visit) {
    for (std::int64_t index = range.begin; index < range.end;) {
        const Stretch stretch = axis.distribution.stretch(index);
        const IndexRange common = intersection(stretch.range, range);
        visit(stretch.part, position + (common.begin - range.begin),
              axis.halo.low + stretch.position + (common.begin - stretch.range.begin),
              common.length());
        index = stretch.range.end;
    }
}

/// Calls `visit` with each range of a part and the position where it begins in the local array.
template <class Visit>
void for_each_range(const Axis& axis, int part, const Visit& visit) {
    const std::int64_t ranges = axis.distribution.ranges(part);
    for (std::int64_t number = 0; number < ranges; ++number) {
        visit(axis.distribution.range(part, number),
              axis.halo.low + axis.distribution.position(number));
    }
}

bool wants_halo(const Axis& axis) {
    return axis.fills_halo && (axis.halo.low > 0 || axis.halo.high > 0);
}

/// Calls `visit` with how far the images of the grid that halos can see lie apart, ascending.
template <class Visit>
void for_each_shift(const Axis& axis, const Visit& visit) {
    if (!wants_halo(axis) || !axis.halo.periodic) {
        visit(0);
        return;
    }
    const std::int64_t extent = axis.distribution.extent();
    visit(-extent);
    visit(0);
    visit(extent);
}

/// A part's range and its halo; in the numbering of an image it may lie outside [0, extent).
IndexRange with_halo(const IndexRange& range, const layout::Halo& halo) {
    return {.begin = range.begin - halo.low, .end = range.end + halo.high};
}

/// Sends `range`, which begins at `position` locally, to every part whose range or halo meets it.
template <class Add>
void send_to_halos(const IndexRange& range, std::int64_t position, const Axis& destination,
                   const Add& add) {
    const auto& [distribution, halo, fills_halo] = destination;
    std::int64_t index = std::max<std::int64_t>(range.begin - halo.high, 0);
    while (index < distribution.extent()) {
        const Stretch stretch = distribution.stretch(index);
        if (stretch.range.begin - halo.low >= range.end) {
            return;
        }
        const IndexRange wanted = with_halo(stretch.range, halo);
        const IndexRange common = intersection(range, wanted);
        if (!common.empty()) {
            add(stretch.part, position + (common.begin - range.begin), common.begin - wanted.begin,
                common.length());
        }
        index = stretch.range.end;
    }
}

/// Receives `range` from its owners, to lie from `position` on.
template <class Add>
void receive_range(const Axis& source, const IndexRange& range, std::int64_t position,
                   const Add& add) {
    for_each_owner(source, range, position,
                   [&](int part, std::int64_t here, std::int64_t there, std::int64_t length) {
                       add(part, there, here, length);
                   });
}

template <class Add>
void send_part(const Axis& source, int part, const Axis& destination, const Add& add) {
    for_each_shift(destination, [&](std::int64_t shift) {
        for_each_range(source, part, [&](const IndexRange& range, std::int64_t position) {
            const IndexRange shifted{.begin = range.begin + shift, .end = range.end + shift};
            if (wants_halo(destination)) {
                send_to_halos(shifted, position, destination, add);
            } else {
                for_each_owner(destination, shifted, position, add);
            }
        });
    });
}

template <class Add>
void receive_part(const Axis& source, const Axis& destination, int part, const Add& add) {
    if (!wants_halo(destination)) {
        for_each_range(destination, part, [&](const IndexRange& range, std::int64_t position) {
            receive_range(source, range, position, add);
        });
        return;
    }
    const IndexRange owned = destination.distribution.range(part);
    const IndexRange wanted = with_halo(owned, destination.halo);
    const std::int64_t extent = destination.distribution.extent();
    for_each_shift(destination, [&](std::int64_t shift) {
        const IndexRange seen = intersection(wanted, {.begin = shift, .end = shift + extent});
        if (!owned.empty() && !seen.empty()) {
            receive_range(source, {.begin = seen.begin - shift, .end = seen.end - shift},
                          seen.begin - wanted.begin, add);
        }
    });
}

/// Whether two parts share one piece at most, and the pieces of a part ascend with its peers.
bool shares_one_piece(const Axis& source, const Axis& destination) {
    return source.distribution.is_contiguous() && destination.distribution.is_contiguous() &&
           !(wants_halo(destination) && destination.halo.periodic);
}

/// The legs that `collect` adds runs to. Where there is one run per leg, nothing needs compressing:
/// that is most of the cost of a route between blocks.
template <class Collect>
std::vector<Leg> pieces(bool one_each, const Collect& collect) {
    if (one_each) {
        std::vector<Leg> legs;
        legs.reserve(4);
        collect([&](int peer, std::int64_t source, std::int64_t destination, std::int64_t length) {
            legs.push_back(
                {.peer = peer,
                 .segments = {{.source = source, .destination = destination, .length = length}}});
        });
        return legs;
    }
    LegBuilder legs;
    collect([&](int peer, std::int64_t source, std::int64_t destination, std::int64_t length) {
        legs.add(peer, source, destination, length);
    });
    return legs.finish();
}

}  // namespace

std::vector<Leg> pieces_sent(const Axis& source, int part, const Axis& destination) {
    return pieces(shares_one_piece(source, destination),
                  [&](const auto& add) { send_part(source, part, destination, add); });
}

std::vector<Leg> pieces_received(const Axis& source, const Axis& destination, int part) {
    return pieces(shares_one_piece(source, destination),
                  [&](const auto& add) { receive_part(source, destination, part, add); });
}

}  // namespace transrank::route
