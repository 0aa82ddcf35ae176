// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/layout/rows.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/route/rows.hpp"

namespace transrank::discovery {

/// What is known of the rows that will arrive by a route that counts in rows.
struct ArrivingRows {
    /// Units of each row of the destination; 0 where none arrives.
    std::vector<std::int64_t> lengths;
    /// Where the rows of each received leg lie at their source, in the order of the leg.
    std::vector<std::vector<route::RowPlace>> sources;
};

/// Collective. Lets the receivers of `route`, which counts in rows, know the lengths of the rows
/// that will arrive. `source` says how this rank's own rows lie. Throws mpi::AgreedError when the
/// route belongs to other ranks or names a row that is not there, or when rows of different length
/// arrive in the same place.
[[nodiscard]] ArrivingRows arriving_rows(const mpi::Communicator& comm, const route::Route& route,
                                         const layout::Rows& source);

/// Collective. The route in units of a route in rows, once each rank has made room: `destination`
/// says where its rows lie, and must have the lengths of `arriving` where rows arrive. The extents
/// are the units of both arrays. Throws mpi::AgreedError when rows differ in length or number.
[[nodiscard]] route::Route in_units(const mpi::Communicator& comm, const route::Route& route,
                                    const ArrivingRows& arriving, const layout::Rows& source,
                                    const layout::Rows& destination);

}  // namespace transrank::discovery
