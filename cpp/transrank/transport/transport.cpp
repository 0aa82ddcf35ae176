// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/transport.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "transrank/transport/table.hpp"

namespace transrank::transport {
namespace {

// In the order in which `auto` prefers them.
const auto& table() {
    static const std::array entries{self_copy(), shared_direct(), shared_staged(), message()};
    return entries;
}

}  // namespace

std::span<const Entry> all() {
    return table();
}

const Entry& find(std::string_view name) {
    const auto found = std::ranges::find(table(), name, &Entry::name);
    if (found == table().end()) {
        std::string message = "unknown transport '" + std::string(name) + "'; known: auto";
        for (const auto& entry : table()) {
            message += ", " + std::string(entry.name);
        }
        throw std::invalid_argument(message);
    }
    return *found;
}

}  // namespace transrank::transport
