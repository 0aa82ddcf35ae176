// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/fields.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

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

/// Runs as [begin, end) of destination units.
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Ranges destination_runs(const route::Route& route) {
    Ranges runs;
    for (const auto& leg : route.receives()) {
        for (const auto& segment : leg.segments) {
            for (std::int64_t i = 0; i < segment.count; ++i) {
                const auto begin = segment.destination + (i * segment.destination_stride);
                runs.emplace_back(begin, begin + segment.length);
            }
        }
    }
    return runs;
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
    auto runs = destination_runs(route);
    std::ranges::sort(runs);
    return std::ranges::adjacent_find(runs, [](const auto& one, const auto& next) {
               return next.first < one.second;
           }) != runs.end();
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
        (void)transport::combine_kernel(operation, field.scalar);
    }
}

}  // namespace transrank::exchange
