// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/layout/rows.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/route/rows.hpp"

namespace transrank::discovery {

/// The rows that will arrive at a rank along a route whose unit is a row.
struct ArrivingRows {
    /// The number of units (elements) in each row of the destination; 0 if no row arrives there.
    std::vector<std::int64_t> lengths;
    /// For each leg (what one peer sends): where its rows lie in the peer's array, in the order of
    /// the leg.
    std::vector<std::vector<route::RowPlace>> sources;
};

/// Collective. Tells the receivers of `route`, whose unit is a row, the lengths of the rows that
/// will arrive, and returns the rows that will arrive at this rank. `source` says where this rank's
/// own rows lie. Throws mpi::AgreedError if the route belongs to other ranks or names a row that
/// does not exist, or if rows of different lengths arrive in the same place.
[[nodiscard]] ArrivingRows arriving_rows(const mpi::Communicator& comm, const route::Route& route,
                                         const layout::Rows& source);

/// Collective. Converts `route`, whose unit is a row, to a route whose units are the elements of
/// the rows. `source` and `destination` say where this rank's rows lie; `arriving` is what
/// arriving_rows has returned. Where a row arrives, the row of `destination` must have its length.
/// The new extents are the numbers of units in both arrays. Throws mpi::AgreedError if rows differ
/// in length or number.
[[nodiscard]] route::Route in_units(const mpi::Communicator& comm, const route::Route& route,
                                    const ArrivingRows& arriving, const layout::Rows& source,
                                    const layout::Rows& destination);

}  // namespace transrank::discovery
