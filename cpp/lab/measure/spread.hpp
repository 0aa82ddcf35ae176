// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lab/text/json.hpp"

namespace transrank::lab::measure {

/// What is recorded of a time per rank where ranks are too many to list.
struct Spread {
    static constexpr std::array probabilities{0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0};
    static constexpr std::size_t most_extremes = 4;

    using Extremes = std::vector<std::pair<int, double>>;  ///< ranks and their times

    std::size_t count = 0;  ///< ranks that have a part in the case
    double first = std::numeric_limits<double>::quiet_NaN();  ///< rank 0's
    double mean = first;
    std::array<double, probabilities.size()> quantiles{};
    Extremes fastest;  ///< in order; of equal times those of the lower ranks
    Extremes slowest;  ///< the slowest first

    void describe(text::JsonWriter& json) const;
};

/// `by_rank` has NaN for a rank that has no part in the case; times of none are NaN. Quantiles
/// between two times are interpolated linearly (Hyndman & Fan, The American Statistician, 1996,
/// type 7).
[[nodiscard]] Spread spread_of(std::span<const double> by_rank);

}  // namespace transrank::lab::measure
