// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/packet.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "transrank/layout/require.hpp"
#include "transrank/route/boxes.hpp"
#include "transrank/route/runs.hpp"

namespace transrank::redistribution {
namespace {

using route::Leg;
using transport::Field;
using Fields = std::span<const Field>;

/// What one message holds.
struct Load {
    Leg part;
    Fields fields;

    [[nodiscard]] std::int64_t bytes() const { return transport::packed_bytes(part, fields); }
};

std::vector<Leg> runs_of(const Leg& leg) {
    std::vector<Leg> runs;
    route::for_each_run(
        leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
            runs.push_back(
                {.peer = leg.peer,
                 .segments = {{.source = source, .destination = destination, .length = length}}});
        });
    return runs;
}

std::vector<Leg> boxes_of(const Leg& leg) {
    std::vector<Leg> found;
    for (const auto& box : route::boxes(leg)) {
        found.push_back({.peer = leg.peer, .segments = {box.begin(), box.end()}});
    }
    return found;
}

/// The parts of a leg that go in messages of their own.
std::vector<Leg> parts_of(const Leg& leg, const Cut& cut) {
    const bool of_points = cut.packing == Packing::per_run && cut.cells == Cells::points;
    if (cut.packing == Packing::none || of_points) {
        return runs_of(leg);
    }
    return cut.packing == Packing::per_run ? boxes_of(leg) : std::vector{leg};
}

std::vector<Load> loads_of(std::span<const Leg> legs, int rank, const Cut& cut, Fields fields) {
    const std::size_t together = cut.packing == Packing::none ? 1 : fields.size();
    std::vector<Load> loads;
    for (const auto& leg : legs) {
        if (leg.peer == rank) {
            continue;
        }
        for (auto& part : parts_of(leg, cut)) {
            for (std::size_t i = 0; i < fields.size(); i += together) {
                loads.push_back({.part = part, .fields = fields.subspan(i, together)});
            }
        }
    }
    return loads;
}

int counted(std::int64_t bytes, int peer) {
    layout::require(bytes <= std::numeric_limits<int>::max(), "a message of ", bytes,
                    " bytes with rank ", peer, " is longer than the ",
                    std::numeric_limits<int>::max(),
                    " bytes that MPI counts in int; leave mode and packing to auto");
    return static_cast<int>(bytes);
}

/// Where a load lies in the array as one run, so that it need not be packed; null elsewhere.
std::byte* place_in_array(const Load& load, Way way) {
    if (load.fields.size() != 1) {
        return nullptr;
    }
    const auto& field = load.fields.front();
    const auto unit = way == Way::out ? transport::contiguous_source(load.part)
                                      : transport::contiguous_destination(load.part);
    if (!unit) {
        return nullptr;
    }
    // MPI only reads what it sends.
    auto* base = way == Way::out ? const_cast<std::byte*>(field.source) : field.destination;
    return base + (*unit * field.unit_bytes);
}

Packet packet_of(const Load& load, Way way, std::byte*& free) {
    Packet packet{.peer = load.part.peer,
                  .bytes = counted(load.bytes(), load.part.peer),
                  .place = place_in_array(load, way),
                  .moves = {}};
    if (packet.place == nullptr) {
        packet.place = free;
        free += packet.bytes;
        packet.moves = way == Way::out
                           ? transport::make_packing(load.part, load.fields, packet.place)
                           : transport::make_unpacking(load.part, load.fields,
                                                       transport::Operation::assign, packet.place);
    }
    return packet;
}

}  // namespace

Packets::Packets(std::span<const Leg> legs, int rank, Way way, const Cut& cut, Fields fields) {
    const auto loads = loads_of(legs, rank, cut, fields);
    std::int64_t packed = 0;
    for (const auto& load : loads) {
        packed += place_in_array(load, way) == nullptr ? load.bytes() : 0;
    }
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(packed));
    std::byte* free = buffer_.get();
    for (const auto& load : loads) {
        packets_.push_back(packet_of(load, way, free));
    }
}

std::span<const Packet> Packets::with(int peer) const noexcept {
    const auto found = std::ranges::equal_range(packets_, peer, {}, &Packet::peer);
    return {found.begin(), found.end()};
}

std::int64_t Packets::bytes() const noexcept {
    std::int64_t sum = 0;
    for (const auto& packet : packets_) {
        sum += packet.bytes;
    }
    return sum;
}

}  // namespace transrank::redistribution
