// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/route_files.hpp"

#include <string>
#include <system_error>

#include "transrank/discovery/route_check.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/file.hpp"

namespace transrank::discovery {
namespace {

void make_folder(const std::filesystem::path& folder) {
    std::error_code cause;
    if (!folder.empty() && !std::filesystem::is_directory(folder) &&
        !std::filesystem::create_directories(folder, cause) && cause) {
        throw route::FileError("cannot make folder " + folder.string() +
                               " for route files: " + cause.message());
    }
}

route::Route load_own(const mpi::Communicator& comm, const std::filesystem::path& path) {
    auto route = route::load(path);
    if (route.rank() != comm.rank() || route.ranks() != comm.size()) {
        throw route::FileError(path.string() + " holds the route of rank " +
                               std::to_string(route.rank()) + " of " +
                               std::to_string(route.ranks()) + ", but is loaded on rank " +
                               std::to_string(comm.rank()) + " of " + std::to_string(comm.size()) +
                               "; load it with as many ranks as it was saved with");
    }
    return route;
}

}  // namespace

std::filesystem::path route_file(const std::filesystem::path& place, int rank) {
    if (place.empty()) {
        throw route::FileError(
            "the place of the route files is empty; name a folder (\".\" for the current one), or "
            "a "
            "path with {rank} in it");
    }
    const std::string mark = "{rank}";
    const std::string number = std::to_string(rank);
    std::string text = place.string();
    auto found = text.find(mark);
    if (found == std::string::npos) {
        return place / ("rank-" + number + ".route");
    }
    for (; found != std::string::npos; found = text.find(mark, found + number.size())) {
        text.replace(found, mark.size(), number);
    }
    return text;
}

void save(const mpi::Communicator& comm, const route::Route& route,
          const std::filesystem::path& place) {
    const mpi::Call call(comm, "route.save");
    check_consistent(comm, route);
    mpi::agree(comm, [&] {
        const auto path = route_file(place, comm.rank());
        make_folder(path.parent_path());
        route::save(route, path);
    });
}

route::Route load(const mpi::Communicator& comm, const std::filesystem::path& place) {
    const mpi::Call call(comm, "route.load");
    auto route = mpi::agreed(comm, [&] { return load_own(comm, route_file(place, comm.rank())); });
    try {
        check_consistent(comm, route);
    } catch (const mpi::AgreedError& problem) {
        throw mpi::AgreedError("the route files were not saved together: " +
                               std::string(problem.what()));
    }
    return route;
}

}  // namespace transrank::discovery
