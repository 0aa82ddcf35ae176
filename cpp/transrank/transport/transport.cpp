// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/transport.hpp"

#include <algorithm>
#include <array>

#include "transrank/layout/named.hpp"
#include "transrank/transport/table.hpp"

namespace transrank::transport {
namespace {

// In the order in which `auto` prefers them.
const auto& table() {
    static const std::array entries{self_copy(),     shared_direct(), kernel_copy(),
                                    shared_staged(), node_staged(),   message()};
    return entries;
}

}  // namespace

std::span<const Entry> all() {
    return table();
}

bool may_choose(std::string_view wanted, const Entry& entry) {
    return wanted == automatic || wanted == entry.name;
}

const Entry& find(std::string_view name) {
    return layout::named(table(), name, "transport", automatic);
}

bool prefers_shared_arrays(std::string_view wanted) {
    return std::ranges::any_of(table(), [&](const Entry& entry) {
        return entry.needs_shared_arrays && may_choose(wanted, entry);
    });
}

}  // namespace transrank::transport
