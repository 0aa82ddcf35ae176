// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// The path of the file of `rank`: `place` with the rank's number instead of every `{rank}`. If
/// `place` contains no `{rank}`, the path is `rank-{rank}.route` in the folder `place`. Throws
/// route::FileError if `place` is empty.
[[nodiscard]] std::filesystem::path route_file(const std::filesystem::path& place, int rank);

/// Collective. Every rank writes `route` to its own file, route_file of `place`; missing folders
/// are made. `place` may differ between ranks (local disks). Throws mpi::AgreedError, the same on
/// every rank, if the routes do not fit together (nothing is then written), or if some rank cannot
/// write its file. In the second case, the files of other ranks stay, and `load` refuses the
/// mixture of old and new files.
void save(const mpi::Communicator& comm, const route::Route& route,
          const std::filesystem::path& place);

/// Collective. Returns this rank's route, which `save` wrote to `place` on the same number of
/// ranks. Throws mpi::AgreedError, the same on every rank, if a file is missing, truncated,
/// altered, or of another rank or number of ranks, or if the files do not fit together.
[[nodiscard]] route::Route load(const mpi::Communicator& comm, const std::filesystem::path& place);

}  // namespace transrank::discovery
