// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Tables whose rows have names.
namespace transrank::lab::study {

/// The row of that name in a table that outlives it; null when there is none.
template <class Table>
[[nodiscard]] auto* find_named(const Table& table, std::string_view name) {
    const auto named = [&](const auto& row) { return row.name == name; };
    const auto found = std::ranges::find_if(table, named);
    return found == std::ranges::end(table) ? nullptr : &*found;
}

/// The same; throws std::out_of_range when there is none. `kind`: what a row is, for the message.
template <class Table>
[[nodiscard]] const auto& named(const Table& table, std::string_view name, const char* kind) {
    const auto* const row = find_named(table, name);
    if (row == nullptr) {
        throw std::out_of_range("no " + std::string(kind) + " '" + std::string(name) + "'");
    }
    return *row;
}

/// In their order.
template <class Table>
[[nodiscard]] std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const auto& row : table) {
        names.emplace_back(row.name);
    }
    return names;
}

}  // namespace transrank::lab::study
