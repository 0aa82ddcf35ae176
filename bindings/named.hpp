// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "transrank/layout/require.hpp"

namespace transrank::bindings {

/// The value that a table of pairs gives a name; throws std::invalid_argument when it has none.
template <class Table>
auto named(const Table& table, std::string_view name, const char* what) {
    for (const auto& [known, value] : table) {
        if (known == name) {
            return value;
        }
    }
    layout::refuse("unknown ", what, " '", name, "'");
}

}  // namespace transrank::bindings
