// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::mpi {

/// Some ranks of a communicator, each once. Not collective.
class Group {
public:
    /// `ranks` in any order, also repeatedly.
    Group(std::vector<int> ranks, const Communicator& comm);
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group();

    [[nodiscard]] MPI_Group handle() const noexcept { return group_; }

private:
    MPI_Group group_ = MPI_GROUP_NULL;
};

/// These ranks of `from` as ranks of `to`, MPI_UNDEFINED where they are none. Not collective.
[[nodiscard]] std::vector<int> translated(const std::vector<int>& ranks, MPI_Comm from,
                                          MPI_Comm to);

}  // namespace transrank::mpi
