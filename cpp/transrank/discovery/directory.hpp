// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transrank/layout/distribution.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/directory.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Runs of a list by the rank that looks after their part of the index space.
using RunsByPart = std::vector<std::pair<int, std::vector<route::ListRun>>>;

/// The lists of one rank.
struct Lists {
    RunsByPart sources;
    RunsByPart destinations;
    std::int64_t source_extent = 0;
    std::int64_t destination_extent = 0;
};

/// Collective. The route that gives each wanted index from where it stands. Every rank keeps
/// the directory of a part of the indices: it receives the runs there and sends each owner and each
/// receiver the legs between them, so that no rank ever knows of more than its share (distributed
/// directory, as in YAXT and Zoltan). Throws mpi::AgreedError when an index is in the sources
/// twice, or is wanted and in none.
[[nodiscard]] route::Route match(const mpi::Communicator& comm, const Lists& lists);

}  // namespace transrank::discovery
