// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/text/json.hpp"

namespace transrank::lab::measure {

/// What an operation has computed, as far as people want to see it beside its time.
struct Outcome {
    template <class Value>
    using Named = std::vector<std::pair<std::string, Value>>;

    /// Numbers on a grid, row by row.
    struct Field {
        std::array<std::int64_t, 2> extents{};
        std::vector<double> values;
    };

    Named<double> values;
    /// Those that belong together have one length.
    Named<std::vector<double>> series;
    Named<Field> fields;

    /// Writes the `outcome` member of a case line.
    void describe(text::JsonWriter& json) const;
};

}  // namespace transrank::lab::measure
