// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>

#include "transrank/exchange/strips.hpp"
#include "transrank/transport/runs.hpp"

namespace transrank::exchange {
namespace {

using transport::Field;
using transport::Operation;

std::string name_of(std::size_t index, int rank) {
    return "field " + std::to_string(index) + " on rank " + std::to_string(rank);
}

void check_length(const std::string& what, const char* side, std::int64_t extent,
                  std::int64_t unit_bytes, std::int64_t bytes) {
    if (extent > bytes / unit_bytes) {
        throw std::invalid_argument(
            what + ": the " + side + " holds " + std::to_string(bytes / unit_bytes) + " rows of " +
            std::to_string(unit_bytes) + " bytes, the route needs " + std::to_string(extent));
    }
}

void check_address(const std::string& what, const char* side, const void* address,
                   std::int64_t bytes) {
    if (address == nullptr && bytes > 0) {
        throw std::invalid_argument(what + ": the " + side + " has " + std::to_string(bytes) +
                                    " bytes but no address");
    }
}

std::vector<Strip> strips_of(std::span<const route::Leg> legs, std::int64_t route::Segment::* begin,
                             std::int64_t route::Segment::* stride, std::int64_t unit_bytes,
                             std::intptr_t base, bool written) {
    std::vector<Strip> strips;
    for (const auto& leg : legs) {
        for (const auto& segment : leg.segments) {
            strips.push_back({.begin = base + (segment.*begin * unit_bytes),
                              .length = segment.length * unit_bytes,
                              .count = segment.count,
                              .stride = segment.*stride * unit_bytes,
                              .written = written});
        }
    }
    return strips;
}

// What the route reads and writes of one array, as addresses.
void check_apart(const std::string& what, const route::Route& route, const Field& field) {
    const auto address = [](const std::byte* memory) {
        return reinterpret_cast<std::intptr_t>(memory);
    };
    const auto source = address(field.source);
    const auto destination = address(field.destination);
    if (source + field.source_bytes <= destination ||
        destination + field.destination_bytes <= source) {
        return;
    }
    auto strips = strips_of(route.sends(), &route::Segment::source, &route::Segment::source_stride,
                            field.unit_bytes, source, false);
    const auto writes =
        strips_of(route.receives(), &route::Segment::destination,
                  &route::Segment::destination_stride, field.unit_bytes, destination, true);
    strips.insert(strips.end(), writes.begin(), writes.end());
    if (is_written_where_read(strips)) {
        throw std::invalid_argument(
            what +
            ": the route writes rows of its memory that it also reads; give source and "
            "destination memory of their own");
    }
}

}  // namespace

std::vector<int> sources_of(const route::Route& route) {
    std::vector<int> ranks;
    std::ranges::transform(route.receives(), std::back_inserter(ranks), &route::Leg::peer);
    return ranks;
}

bool needs_order(const route::Route& route, Operation operation) {
    if (operation != Operation::assign) {
        return true;
    }
    return is_written_twice(strips_of(route.receives(), &route::Segment::destination,
                                      &route::Segment::destination_stride, 1, 0, true));
}

void check_fields(const route::Route& route, const mpi::Communicator& comm,
                  std::span<const Field> fields, Operation operation) {
    if (route.ranks() != comm.size() || route.rank() != comm.rank()) {
        throw std::invalid_argument(
            "a route made for rank " + std::to_string(route.rank()) + " of " +
            std::to_string(route.ranks()) + " is bound on rank " + std::to_string(comm.rank()) +
            " of " + std::to_string(comm.size()) + "; make it for this communicator");
    }
    if (fields.empty()) {
        throw std::invalid_argument("no field given on rank " + std::to_string(comm.rank()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto& field = fields[i];
        const auto what = name_of(i, comm.rank());
        if (field.unit_bytes <= 0) {
            throw std::invalid_argument(what + ": rows of " + std::to_string(field.unit_bytes) +
                                        " bytes cannot be moved");
        }
        if (field.unit_bytes % transport::scalar_bytes(field.scalar) != 0) {
            throw std::invalid_argument(what + ": rows of " + std::to_string(field.unit_bytes) +
                                        " bytes do not consist of scalars of " +
                                        std::to_string(transport::scalar_bytes(field.scalar)) +
                                        " bytes");
        }
        check_length(what, "source", route.source_extent(), field.unit_bytes, field.source_bytes);
        check_length(what, "destination", route.destination_extent(), field.unit_bytes,
                     field.destination_bytes);
        check_address(what, "source", field.source, field.source_bytes);
        check_address(what, "destination", field.destination, field.destination_bytes);
        check_apart(what, route, field);
        (void)transport::combine_kernel(operation, field.scalar);
    }
}

}  // namespace transrank::exchange
