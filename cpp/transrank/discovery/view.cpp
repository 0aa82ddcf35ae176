// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/view.hpp"

#include <string>

#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::discovery {

View view_of(const layout::Distribution& owners, int owner) {
    const auto range = owners.range(owner);
    return {.extent = owners.extent(),
            .owned = owners.owned(owner),
            .begin = range.begin,
            .end = range.end};
}

void check_view(const View& own, int owner, int viewer, const View& seen) {
    layout::require(seen == own, "rank ", owner, " owns ", own.owned, " of ", own.extent,
                    " rows, first those of ", layout::indices(own.begin, own.end), ", but on rank ",
                    viewer, " the distribution says ", seen.owned, " of ", seen.extent,
                    ", first those of ", layout::indices(seen.begin, seen.end),
                    "; pass the same distribution on every rank");
}

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
