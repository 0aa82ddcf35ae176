// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/group.hpp"

#include <algorithm>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {

Group::Group(std::vector<int> ranks, const Communicator& comm) {
    std::ranges::sort(ranks);
    const auto repeated = std::ranges::unique(ranks);
    ranks.erase(repeated.begin(), repeated.end());
    MPI_Group all = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm.handle(), &all), "MPI_Comm_group");
    const int status = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
    check(status, "MPI_Group_incl");
}

Group::~Group() {
    if (is_usable() && group_ != MPI_GROUP_EMPTY) {
        MPI_Group_free(&group_);
    }
}

}  // namespace transrank::mpi
