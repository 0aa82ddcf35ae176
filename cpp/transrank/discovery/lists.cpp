// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/lists.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "transrank/discovery/directory.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"

namespace transrank::discovery {
namespace {

using Indices = std::span<const std::int64_t>;

void check_indices(int rank, std::string_view side, Indices indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        layout::require(indices[i] >= 0 && indices[i] < std::numeric_limits<std::int64_t>::max(),
                        "entry ", layout::counted(i), " of the ", side, " list of rank ", rank,
                        " is index ", layout::counted(indices[i]), "; an index is at least ",
                        layout::first_index, " and at most 2^63 - ", 2 - layout::first_index);
    }
}

// One more than the highest index of any list.
std::int64_t common_extent(const mpi::Communicator& comm, Indices source, Indices destination) {
    std::int64_t own = 0;
    for (const auto list : {source, destination}) {
        for (const std::int64_t index : list) {
            own = std::max(own, index + 1);
        }
    }
    return mpi::reduced(comm, own, MPI_MAX);
}

}  // namespace

route::Route lists_to_lists(const mpi::Communicator& comm, Indices source, Indices destination) {
    const mpi::Call call(comm, "route.lists");
    mpi::agree(comm, [&] {
        check_indices(comm.rank(), "source", source);
        check_indices(comm.rank(), "destination", destination);
    });
    const auto extent = common_extent(comm, source, destination);
    const auto directory = layout::Distribution::even(extent, comm.size());
    Lists lists{.sources = {},
                .destinations = {},
                .source_extent = static_cast<std::int64_t>(source.size()),
                .destination_extent = static_cast<std::int64_t>(destination.size())};
    mpi::agree(comm, [&] {
        lists.sources = route::runs_by_directory(comm.rank(), source, directory);
        lists.destinations = route::runs_by_directory(comm.rank(), destination, directory);
    });
    return match(comm, lists);
}

}  // namespace transrank::discovery
