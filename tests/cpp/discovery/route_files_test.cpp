// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// A route saved by all ranks is loaded by all ranks or by none.
#include "transrank/discovery/route_files.hpp"

#include "oracle.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/route/file.hpp"

using namespace testing;
using namespace transrank::discovery;
namespace fs = std::filesystem;

namespace {

/// A folder of all ranks, removed at the end.
struct SharedFolder {
    std::optional<Folder> own;
    fs::path path;

    SharedFolder() {
        std::array<char, 256> name{};
        if (world_rank() == 0) {
            own.emplace();
            own->path.string().copy(name.data(), name.size() - 1);
        }
        MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        path = name.data();
    }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;
    ~SharedFolder() { MPI_Barrier(MPI_COMM_WORLD); }
};

/// Every rank takes `count` rows of rank 0.
Route some_route(std::int64_t count) {
    const auto owners = Distribution::even(8 * world_size(), world_size());
    Indices ghosts(static_cast<std::size_t>(count));
    std::iota(ghosts.begin(), ghosts.end(), 0);
    return ghost_pull(world(), owners, ghosts, {.begin = 0, .extent = count});
}

std::string words_of_loading(const fs::path& place) {
    MPI_Barrier(MPI_COMM_WORLD);
    return agreed_words([&] { return load(world(), place); });
}

/// What one rank alone does to its file.
template <class Work>
void on_last(const Work& work) {
    if (is_last()) {
        work();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

TEST_CASE("a route comes back as it was saved, from a folder and from a pattern") {
    const SharedFolder folder;
    const auto route = some_route(3);
    for (const auto& place : {folder.path / "a" / "b", folder.path / "of-{rank}" / "x{rank}.bin"}) {
        save(world(), route, place);
        CHECK(load(world(), place) == route);
        save(world(), some_route(4), place);
        CHECK(load(world(), place) == some_route(4));
    }
    CHECK(fs::exists(folder.path / "a" / "b" / "rank-0.route"));
    CHECK(fs::exists(folder.path / "of-0" / "x0.bin"));
}

TEST_CASE("files of another rank, of other numbers of ranks or of different routes are refused") {
    const SharedFolder folder;
    const auto own = route_file(folder.path, world_rank());
    const auto ranks = std::to_string(world_size());
    save(world(), some_route(3), folder.path);
    const Route lone(world_rank(), world_size() + 1, 0, 0, {}, {});
    on_last([&] { transrank::route::save(lone, own); });
    CHECK(words_of_loading(folder.path) ==
          own.parent_path().string() + "/rank-" + last() + ".route holds the route of rank " +
              last() + " of " + std::to_string(world_size() + 1) + ", but is loaded on rank " +
              last() + " of " + ranks + "; load it with as many ranks as it was saved with");
    if (world_size() == 1) {
        return;
    }
    save(world(), some_route(4), folder.path / "other");
    save(world(), some_route(3), folder.path);
    const auto overwrite = fs::copy_options::overwrite_existing;
    on_last(
        [&] { fs::copy_file(route_file(folder.path / "other", world_rank()), own, overwrite); });
    CHECK(words_of_loading(folder.path)
              .find("the route files were not saved together: the leg from rank 0 to rank " +
                    last() + " differs: rank 0 sends 3 units in 1 segments") == 0);
    on_last([&] { fs::copy_file(route_file(folder.path, 0), own, overwrite); });
    CHECK(words_of_loading(folder.path).find("holds the route of rank 0 of " + ranks) !=
          std::string::npos);
    // A rank that knows of nothing, while rank 0 has something for it.
    const Route nothing(world_rank(), world_size(), 0, 0, {}, {});
    on_last([&] { transrank::route::save(nothing, own); });
    CHECK(words_of_loading(folder.path).find("rank " + last() + " receives no leg") !=
          std::string::npos);
    // And the other way round.
    save(world(), some_route(3), folder.path);
    if (world_rank() == 0) {
        transrank::route::save(nothing, own);
    }
    CHECK(words_of_loading(folder.path).find("rank 0 sends no leg") != std::string::npos);
}

TEST_CASE("routes that do not belong together are not saved") {
    const SharedFolder folder;
    if (world_size() > 1) {
        const auto route = some_route(3);
        const Route nothing(world_rank(), world_size(), 0, 0, {}, {});
        CHECK(agreed_words([&] {
                  save(world(), is_last() ? nothing : route, folder.path / "routes");
              }).find("receives no leg") != std::string::npos);
        CHECK(!fs::exists(folder.path / "routes"));
    }
}

TEST_CASE("a rank that cannot write is the same error on every rank") {
    const SharedFolder folder;
    const auto place = is_last() ? folder.path / "file" / "sub" : folder.path / "good";
    on_last([&] { std::ofstream(folder.path / "file") << "no folder"; });
    CHECK(agreed_words([&] { save(world(), some_route(1), place); }).find("cannot make folder ") ==
          0);
}
