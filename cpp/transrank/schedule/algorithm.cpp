// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/schedule/algorithm.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "transrank/schedule/table.hpp"

namespace transrank::schedule {

std::span<const Algorithm> all() {
    static const std::array rows{
        linear(),  linear_bounded(),     pairwise(),    double_spread(), two_process(),
        bruck(),   recursive_doubling(), node_leader(), node_leaders(),  torus_3d(),
        torus_6d()};
    return rows;
}

const Algorithm& find(std::string_view name) {
    const auto found = std::ranges::find(all(), name, &Algorithm::name);
    if (found == all().end()) {
        std::string message = "unknown alltoall algorithm '" + std::string(name) + "'; known:";
        for (const auto& row : all()) {
            message += ' ' + std::string(row.name);
        }
        throw std::invalid_argument(message);
    }
    return *found;
}

}  // namespace transrank::schedule
