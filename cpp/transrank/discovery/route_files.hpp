// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// The path of the file of `rank`: `place` with every `{rank}` in it replaced or, if it has none,
/// `rank-{rank}.route` in the folder `place`. Throws route::FileError if `place` is empty.
[[nodiscard]] std::filesystem::path route_file(const std::filesystem::path& place, int rank);

/// Collective. Every rank writes its own file; missing folders are made. `place` may differ between
/// ranks (local disks). Throws mpi::AgreedError, the same on every rank, when the routes do not fit
/// together, and then nothing is written, or when some rank cannot write its file; the files of
/// other ranks then stay, and `load` refuses the mixture.
void save(const mpi::Communicator& comm, const route::Route& route,
          const std::filesystem::path& place);

/// Collective. Reads this rank's route that `save` wrote to `place` with the same number of ranks.
/// Throws mpi::AgreedError, the same on every rank, when a file is missing, truncated, altered, of
/// another rank or number of ranks, or when the files do not fit together.
[[nodiscard]] route::Route load(const mpi::Communicator& comm, const std::filesystem::path& place);

}  // namespace transrank::discovery
