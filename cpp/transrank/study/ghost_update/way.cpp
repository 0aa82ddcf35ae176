// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/ghost_update/way.hpp"

#include <algorithm>
#include <array>

namespace transrank::study::ghost_update {

std::span<const Way> ways() {
    static const std::array table = {floor(),         floor_from_peers(), mpi_packed(),
                                     mpi_datatype(),  mpi_neighborhood(), mpi_packed_neighborhood(),
                                     mpi_put_fence(), mpi_put_post()};
    return table;
}

const Way* find_way(std::string_view name) {
    const auto found = std::ranges::find(ways(), name, &Way::name);
    return found == ways().end() ? nullptr : &*found;
}

}  // namespace transrank::study::ghost_update
