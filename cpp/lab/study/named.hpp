// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "transrank/layout/named.hpp"

/// Tables whose rows have names.
namespace transrank::lab::study {

using layout::find_named;
using layout::named;

/// Their names, in their order.
template <class Table>
[[nodiscard]] std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const auto& row : table) {
        names.emplace_back(row.name);
    }
    return names;
}

}  // namespace transrank::lab::study
