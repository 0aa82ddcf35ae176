// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/owners.hpp"

#include <string>

#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::discovery {

void agree_on_owners(const mpi::Communicator& comm, const layout::Distribution& owners) {
    mpi::agree_on(comm, "gives as owners of rows", {owners.words()});
}

void agree_on_owners(const mpi::Communicator& comm, const Numbering& owners) {
    if (owners.owners()) {
        agree_on_owners(comm, *owners.owners());
    } else {
        mpi::agree_on(comm, "gives as owners of rows",
                      {std::to_string(owners.extent()) + " indices, numbered without a table"});
    }
}

void check_parts(const layout::Distribution& owners, int rank, int ranks) {
    layout::require(owners.parts() == ranks, "on rank ", rank, " the distribution has ",
                    owners.parts(), " parts, but the communicator has ", ranks,
                    " ranks; each rank owns one part");
}

}  // namespace transrank::discovery
