// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

#include "transrank/layout/require.hpp"

/// Tables whose rows have names.
namespace transrank::layout {

/// The row of that name in a table that outlives it; null when there is none.
template <class Table>
[[nodiscard]] const auto* find_named(const Table& table, std::string_view name) {
    const auto found =
        std::ranges::find_if(table, [&](const auto& row) { return row.name == name; });
    return found == std::ranges::end(table) ? nullptr : &*found;
}

/// The same. When there is none, throws std::invalid_argument with what a row is, `kind`, and the
/// known names: `first`, which is that of no row, and those of the table.
template <class Table>
[[nodiscard]] const auto& named(const Table& table, std::string_view name, std::string_view kind,
                                std::string_view first = "") {
    const auto* const row = find_named(table, name);
    if (row == nullptr) {
        std::string known(first);
        for (const auto& each : table) {
            known.append(known.empty() ? "" : ", ").append(each.name);
        }
        refuse("unknown ", kind, " '", name, "'; known: ", known);
    }
    return *row;
}

}  // namespace transrank::layout
