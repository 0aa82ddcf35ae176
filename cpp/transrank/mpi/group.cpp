// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/group.hpp"

#include <algorithm>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {

namespace {

MPI_Group all_of(MPI_Comm comm) {
    MPI_Group all = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm, &all), "MPI_Comm_group");
    return all;
}

}  // namespace

Group::Group(std::vector<int> ranks, const Communicator& comm) {
    std::ranges::sort(ranks);
    const auto repeated = std::ranges::unique(ranks);
    ranks.erase(repeated.begin(), repeated.end());
    MPI_Group all = all_of(comm.handle());
    const int status = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
    check(status, "MPI_Group_incl");
}

Group::~Group() {
    if (is_usable() && group_ != MPI_GROUP_EMPTY) {
        MPI_Group_free(&group_);
    }
}

std::vector<int> translated(const std::vector<int>& ranks, MPI_Comm from, MPI_Comm to) {
    std::vector<int> found(ranks.size(), MPI_UNDEFINED);
    MPI_Group ours = all_of(from);
    MPI_Group theirs = all_of(to);
    const int status = MPI_Group_translate_ranks(ours, static_cast<int>(ranks.size()), ranks.data(),
                                                 theirs, found.data());
    MPI_Group_free(&ours);
    MPI_Group_free(&theirs);
    check(status, "MPI_Group_translate_ranks");
    return found;
}

}  // namespace transrank::mpi
