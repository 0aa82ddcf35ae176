// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/schedule/algorithm.hpp"

#include <array>

#include "transrank/layout/named.hpp"
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
    return layout::named(all(), name, "alltoall algorithm");
}

}  // namespace transrank::schedule
