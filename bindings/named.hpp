// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::bindings {

/// The value whose name stands at its place in a table; throws std::invalid_argument when none has
/// that name.
template <class Value, class Table, class NameOf = std::identity>
[[nodiscard]] Value named(const Table& table, std::string_view name, const char* what,
                          NameOf name_of = {}) {
    const auto found = std::ranges::find(table, name, name_of);
    layout::require(found != table.end(), "unknown ", what, " '", name, "'");
    return static_cast<Value>(found - table.begin());
}

/// `C` or `F`, as in NumPy; throws std::invalid_argument on anything else.
[[nodiscard]] layout::Order order_named(std::string_view name);

}  // namespace transrank::bindings
