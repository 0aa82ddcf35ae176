// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/rows.hpp"

#include <cstddef>
#include <iterator>

#include "transrank/layout/require.hpp"
#include "transrank/route/compressor.hpp"

namespace transrank::route {

using layout::require;

std::vector<RowPlace> row_places(const Leg& leg, End end, const layout::Rows& rows) {
    std::vector<RowPlace> places;
    for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
        const std::int64_t first = end == End::source ? source : destination;
        require(first >= 0 && first <= rows.rows() - length, "the leg with rank ", leg.peer,
                " counts rows ", layout::counted(first), " to ",
                layout::counted(first + length - 1), ", but there are ", rows.rows(), " rows");
        for (std::int64_t row = first; row < first + length; ++row) {
            places.push_back({.begin = rows.begin(row), .length = rows.length(row)});
        }
    });
    return places;
}

Leg in_units(const Leg& leg, std::span<const RowPlace> sources,
             std::span<const RowPlace> destinations) {
    const std::int64_t rows = leg.units();
    require(std::ssize(sources) == rows && std::ssize(destinations) == rows, "the leg with rank ",
            leg.peer, " has ", rows, " rows, but ", sources.size(), " source rows and ",
            destinations.size(), " destination rows are given");
    Compressor runs;
    for (std::size_t row = 0; row < sources.size(); ++row) {
        const auto& source = sources[row];
        const auto& destination = destinations[row];
        require(source.length == destination.length, "row ", layout::counted(row),
                " of the leg with rank ", leg.peer, " has ", source.length,
                " units at its source and room for ", destination.length,
                " at its destination; give the destination the lengths of the source");
        if (source.length > 0) {
            runs.add(source.begin, destination.begin, source.length);
        }
    }
    return {.peer = leg.peer, .segments = runs.finish()};
}

}  // namespace transrank::route
