// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transrank/layout/rows.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {

/// Where a row lies in its array, in units.
struct RowPlace {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    friend bool operator==(const RowPlace&, const RowPlace&) = default;
};

/// The places of the rows of a leg that counts in rows, in the leg's order: what an owner sends the
/// rank that asked for them, and with it the lengths of the rows that will arrive.
/// Throws std::invalid_argument when the leg names a row that is not there.
[[nodiscard]] std::vector<RowPlace> row_places(const Leg& leg, End end, const layout::Rows& rows);

/// The leg in units of a leg in rows. Rows of length 0 vanish. Throws std::invalid_argument when
/// the two sides are not the rows of the leg or a row differs in length between them.
[[nodiscard]] Leg in_units(const Leg& leg, std::span<const RowPlace> sources,
                           std::span<const RowPlace> destinations);

}  // namespace transrank::route
