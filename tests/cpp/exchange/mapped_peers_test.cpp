// SPDX-License-Identifier: BSD-3-Clause
// ranks: 4
// What a rank holds of the memory of its node's other ranks does not grow with their number: those
// that it has nothing to do with cost neither a mapping nor a descriptor.
#include <sys/stat.h>

#include "ring.hpp"

using namespace testing;

namespace {

using Files = std::set<std::uint64_t>;  // by inode

/// What this process has in its memory of the files that transrank makes.
Files mapped_files() {
    Files files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string skipped;
        std::uint64_t inode = 0;
        words >> skipped >> skipped >> skipped >> skipped >> inode;
        if (line.find("memfd:transrank") != std::string::npos) {
            files.insert(inode);
        }
    }
    return files;
}

/// The descriptors of this process whose link in /proc names `what`.
std::vector<std::string> descriptors_of(const std::string& what) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const auto target = std::filesystem::read_symlink(entry, gone).string();
        if (target.find(what) != std::string::npos) {
            paths.push_back(entry.path());
        }
    }
    return paths;
}

/// Of the files of rank `owner` those that this process has mapped. Collective.
std::int64_t count_mapped_of(int owner) {
    std::vector<std::uint64_t> files;
    for (const auto& path : descriptors_of("memfd:transrank")) {  // of its own: others' are closed
        struct stat file{};
        REQUIRE(stat(path.c_str(), &file) == 0);
        files.push_back(file.st_ino);
    }
    auto count = static_cast<int>(files.size());
    MPI_Bcast(&count, 1, MPI_INT, owner, MPI_COMM_WORLD);
    files.resize(static_cast<std::size_t>(count));
    MPI_Bcast(files.data(), count, MPI_UINT64_T, owner, MPI_COMM_WORLD);
    const auto mapped = mapped_files();
    return std::ranges::count_if(files, [&](auto file) { return mapped.contains(file); });
}

}  // namespace

TEST_CASE("a rank maps and watches its neighbors, and no other rank of its node") {
    Ring ring(world_rank(), world_size(), true);
    auto exchange = ring.bind("shared-direct");
    ring.write(7);
    exchange.run();
    CHECK(ring.has_received(7));
    for (int owner = 0; owner < world_size(); ++owner) {
        const int distance = (owner - world_rank() + world_size()) % world_size();
        const auto mapped = count_mapped_of(owner);
        CAPTURE(distance);
        CHECK((mapped > 0) == (distance != 2));
    }
    CHECK(descriptors_of("[pidfd]").size() <= 2);
}
