// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/redistribute/way.hpp"

#include <algorithm>
#include <array>

namespace transrank::study::redistribute {

std::span<const Way> ways() {
    static const std::array table = {memcpy_once(),  memcpy_per_field(),  nontemporal(),
                                     memcpy_runs(),  memcpy_from_peers(), mpi_packed(),
                                     mpi_alltoallw()};
    return table;
}

const Way* find_way(std::string_view name) {
    const auto found = std::ranges::find(ways(), name, &Way::name);
    return found == ways().end() ? nullptr : &*found;
}

}  // namespace transrank::study::redistribute
