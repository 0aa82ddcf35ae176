// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/collective.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include "lab/study/collectives/table.hpp"

namespace transrank::lab::study::collectives {

std::string Collective::mpi_name(std::string_view suffix) const {
    std::string text = "MPI_" + std::string(name) + std::string(suffix);
    auto& initial = text[4];
    initial = static_cast<char>(std::toupper(static_cast<unsigned char>(initial)));
    return text;
}

std::span<const Collective> all() {
    static const std::array rows{allreduce(), reduce(),    allgather(), allgatherv(),
                                 gather(),    gatherv(),   scatter(),   scatterv(),
                                 alltoall(),  alltoallv(), bcast(),     barrier()};
    return rows;
}

const Collective& find(std::string_view name) {
    const auto found = std::ranges::find(all(), name, &Collective::name);
    if (found == all().end()) {
        throw std::out_of_range("no collective operation '" + std::string(name) + "'");
    }
    return *found;
}

}  // namespace transrank::lab::study::collectives
