// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Grids of any shape and division, and ghosts of rows, against the indices of the whole.
#include "transrank/grid/grid.hpp"

#include "transrank/grid/ghosts.hpp"
#include "world.hpp"

using namespace testing;
using namespace transrank;
using grid::Ghosts;
using grid::Grid;
using Numbers = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t untouched = -1;

/// Two axes of a random grid, the same on every rank.
struct Case {
    Numbers shape;
    grid::Options options;
    std::vector<int> others;
};

std::vector<int> parts_of(std::mt19937& random) {
    const int down = 1 + static_cast<int>(random() % static_cast<unsigned>(world_size()));
    return {down, world_size() / down};
}

Case draw(std::mt19937& random) {
    Case made{.shape = {8 + static_cast<std::int64_t>(random() % 9),
                        8 + static_cast<std::int64_t>(random() % 9)},
              .options = {.halo = {grid::Width(random() % 3, random() % 3),
                                   grid::Width(random() % 3, random() % 3)},
                          .periodic = {random() % 2 == 0, random() % 2 == 0}},
              .others = parts_of(random)};
    if (random() % 2 == 0) {
        made.options.parts = parts_of(random);
    }
    return made;
}

/// The number of a cell of the whole grid; `untouched` beyond the ends of an axis without period.
std::int64_t number(const Case& of, std::int64_t i, std::int64_t j) {
    const std::array<std::int64_t*, 2> place{&i, &j};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        auto& index = *place[axis];
        const auto extent = of.shape[axis];
        if (of.options.periodic.of(2, "periodic")[axis]) {
            index = (index + extent) % extent;
        } else if (index < 0 || index >= extent) {
            return untouched;
        }
    }
    return (i * of.shape[1]) + j;
}

/// Calls `visit(row, number)` for each cell of this rank's array, or for its owned ones.
template <class Visit>
void for_each_cell(const Case& of, const Grid& grid, bool with_halo, const Visit& visit) {
    const auto halo = of.options.halo.of(2, "halo");
    const auto rows = grid.owned(0);
    const auto columns = grid.owned(1);
    if (rows.empty() || columns.empty()) {
        return;
    }
    const auto wide = [&](std::int64_t width) { return with_halo ? width : 0; };
    for (auto i = -wide(halo[0].low); i < rows.length() + wide(halo[0].high); ++i) {
        for (auto j = -wide(halo[1].low); j < columns.length() + wide(halo[1].high); ++j) {
            visit(grid.at(i, j), number(of, rows.begin + i, columns.begin + j));
        }
    }
}

array::ParArray<std::int64_t, 2> numbered(const Case& of, const Grid& grid) {
    auto cells = grid.array<std::int64_t, 2>();
    std::ranges::fill(cells.data(), untouched);
    for_each_cell(of, grid, false, [&](auto row, auto value) {
        cells[row][0] = value;
        cells[row][1] = 2 * value;
    });
    return cells;
}

/// Whether all cells have their numbers, those of the halo too.
bool holds(const Case& of, const Grid& grid, const array::ParArray<std::int64_t, 2>& cells) {
    bool right = true;
    for_each_cell(of, grid, true, [&](auto row, auto value) {
        right = right && cells[row][0] == value &&
                cells[row][1] == (value == untouched ? untouched : 2 * value);
    });
    return right;
}

/// Collective. Whether all ranks throw mpi::AgreedError with one text, these words in it.
template <class Work>
bool refused(const std::string& words, const Work& work) {
    try {
        work();
    } catch (const mpi::AgreedError& error) {
        const std::string text = error.what();
        INFO(text);
        return same_on_all_ranks(text) && text.find(words) != std::string::npos;
    }
    return false;
}

}  // namespace

TEST_CASE("grids move what the indices of the whole say") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 60; ++trial) {
        const auto it = draw(random);
        const Grid grid(MPI_COMM_WORLD, it.shape, it.options);
        auto cells = numbered(it, grid);
        Numbers plain(static_cast<std::size_t>(cells.size()));
        for_each_cell(it, grid, false, [&](auto row, auto value) {
            plain[static_cast<std::size_t>(row)] = value + 7;
        });
        auto halo = grid.halo(cells, plain);
        halo.run();
        CHECK(holds(it, grid, cells));
        for_each_cell(it, grid, true, [&](auto row, auto value) {
            CHECK(plain[static_cast<std::size_t>(row)] == (value == untouched ? 0 : value + 7));
        });

        const auto pencils = grid.with_parts(it.others);
        auto moved = pencils.array<std::int64_t, 2>();
        std::ranges::fill(moved.data(), untouched);
        grid.to(pencils, cells, moved);
        const auto wanted = numbered(it, pencils);
        CHECK(std::ranges::equal(moved.data(), wanted.data()));

        const int root = static_cast<int>(random() % static_cast<unsigned>(world_size()));
        const auto whole = grid.gather(cells, root);
        CHECK(std::ssize(whole) ==
              (world_rank() == root ? 2 * it.shape[0] * it.shape[1] : std::int64_t{0}));
        bool right = true;
        for (std::size_t k = 0; k < whole.size(); ++k) {
            right = right && whole[k] == static_cast<std::int64_t>(k / 2 * (1 + k % 2));
        }
        CHECK(right);
        auto back = numbered(it, pencils);
        std::ranges::fill(back.data(), untouched);
        pencils.scatter(whole, back, root);
        CHECK(std::ranges::equal(back.data(), wanted.data()));
        const auto plain_whole = grid.gather(plain, root);
        CHECK(plain_whole.size() == whole.size() / 2);
        for (std::size_t k = 0; k < plain_whole.size(); ++k) {
            right = right && plain_whole[k] == static_cast<std::int64_t>(k) + 7;
        }
        CHECK(right);
        Numbers pairs(back.data().size(), untouched);
        pencils.scatter(whole, std::span(pairs), root, 2);
        CHECK(std::ranges::equal(pairs, back.data()));
        CHECK(pencils.gather(pairs, root, 2) == whole);
        pencils.update(back, array::field(moved));
        CHECK(holds(it, pencils, back));
        CHECK(holds(it, pencils, moved));
    }
}

TEST_CASE("staggered points lie beside the cells of their rank") {
    const Case points_of{
        .shape = {10, 8}, .options = {.halo = 1, .periodic = {false, true}}, .others = {}};
    const Grid cells(MPI_COMM_WORLD, {9, 8}, points_of.options);
    const auto edges = cells.staggered(0);
    CHECK(edges.layout().distribution(0).extent() == 10);
    CHECK(edges.owned(0).begin == cells.owned(0).begin);
    CHECK(edges.owned(0).end - cells.owned(0).end == (cells.at_boundary(0, 1) ? 1 : 0));
    CHECK(cells.at_boundary(0, -1) == (cells.owned(0).begin == 0));
    CHECK_FALSE(cells.at_boundary(1, 1));
    CHECK(cells.staggered(1).layout().distribution(1).extent() == 8);
    auto points = numbered(points_of, edges);
    edges.update(points);
    CHECK(holds(points_of, edges, points));
}

TEST_CASE("any arrays are updated, those of a known kind by calls that are not collective") {
    const Case of{.shape = {9, 8}, .options = {.halo = 1, .periodic = true}, .others = {}};
    const Grid grid(MPI_COMM_WORLD, of.shape, of.options);
    const auto halo_of_two = [&](auto& one, auto& two) {
        return grid.halo({array::fields(one), array::fields(two)});
    };
    auto one = numbered(of, grid);
    auto two = numbered(of, grid);
    auto swapped = halo_of_two(one, two);
    for (int step = 0; step < 6; ++step) {
        auto third = numbered(of, grid);  // elsewhere in each step
        grid.update(third);
        CHECK(holds(of, grid, third));
        auto& next = (step + world_rank()) % 2 == 0 ? one : two;
        swapped.run_with(array::fields(next));
        CHECK(holds(of, grid, next));
        CHECK_THROWS_AS(swapped.start_with(array::fields(third)), std::invalid_argument);
    }
    std::vector<double> wrong(3);
    CHECK_THROWS_AS(swapped.start_with(array::fields(wrong)), std::invalid_argument);
    swapped.run();
    CHECK(refused("no arrays", [&] { (void)grid.halo(std::vector<std::vector<copy::Field>>{}); }));
}

TEST_CASE("a Cartesian communicator gives parts and periods") {
    const std::array<int, 2> dims{world_size(), 1};
    const std::array<int, 2> periods{0, 1};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &comm);
    {
        const Grid grid(comm, {12, 6}, {.halo = 1});
        CHECK(grid.layout().distribution(0).parts() == world_size());
        CHECK_FALSE(grid.layout().halo(0).periodic);
        CHECK(grid.layout().halo(1).periodic);
        CHECK(refused("2 dimensions, the grid 3 axes", [&] { (void)Grid(comm, {4, 4, 4}); }));
    }
    MPI_Comm_free(&comm);
}

TEST_CASE("what does not fit is refused on every rank") {
    const bool last = world_rank() == world_size() - 1;
    const Grid grid(MPI_COMM_WORLD, {8, 8}, {.halo = 1});
    auto cells = grid.array<double>();
    std::vector<double> wrong(cells.data().size() + (last ? 1 : 0));
    CHECK(refused("rank " + std::to_string(world_size() - 1), [&] { grid.update(wrong); }));
    CHECK(refused("root is 99", [&] { (void)grid.gather(cells, last ? 99 : 0); }));
    CHECK((world_size() == 1 || refused("binds root 1, rank 0 root 0",
                                        [&] { (void)grid.gather(cells, last ? 1 : 0); })));
    CHECK(refused("halo", [&] { (void)Grid(MPI_COMM_WORLD, {8, 8}, {.halo = {1, 1, 1}}); }));
    CHECK(refused("as many ranks",
                  [&] { (void)Grid(MPI_COMM_WORLD, {8, 8}, {.parts = {world_size() + 1, 1}}); }));
    CHECK(
        refused("give one for each", [&] { (void)Grid(MPI_COMM_WORLD, {8}, {.parts = {1, 1}}); }));
    CHECK_THROWS_AS((void)grid.owned(2), std::invalid_argument);
    CHECK_THROWS_AS((void)grid.staggered(-1), std::invalid_argument);
    CHECK_THROWS_AS((void)grid.at_boundary(0, 0), std::invalid_argument);
    CHECK(refused("no axes", [] { (void)Grid(MPI_COMM_WORLD, {}); }));
    CHECK(refused("its distribution 7", [] {
        (void)Grid(MPI_COMM_WORLD, {8}, {.distributions = {layout::Distribution::even(7, 1)}});
    }));
    CHECK_THROWS_WITH_AS((void)array::field(wrong, 0), doctest::Contains("0 components"),
                         std::invalid_argument);
    if (world_size() > 1) {
        CHECK(refused("makes", [&] { (void)Grid(MPI_COMM_WORLD, {8, last ? 9 : 8}); }));
    }
}

TEST_CASE("fields know the numbers of a row and their type, and last as long as their memory") {
    static_assert(array::LastingMemory<std::vector<double>&>);
    static_assert(!array::LastingMemory<std::vector<double>>);
    static_assert(array::components_of<array::ParArray<double, 3>> == 3);
    constexpr copy::ScalarKind kind = copy::kind_of(array::ScalarOf<std::array<float, 2>>::value);
    CHECK(kind.name == "float32");
    CHECK(kind.bytes == sizeof(float));
}

TEST_CASE("ghosts are copies of rows, and sums go back to the owners") {
    constexpr std::int64_t owned = 5;
    const auto all = owned * world_size();
    const auto next = owned * ((world_rank() + 1) % world_size());
    const Numbers wanted{next + 2, next, next + 2, owned * world_rank(), all - 1};
    const Ghosts mesh(MPI_COMM_WORLD, owned, wanted);
    auto rows = mesh.array<std::int64_t, 3>();
    for (std::int64_t row = 0; row < mesh.owned(); ++row) {
        std::ranges::fill(rows[row], mesh.index(row) + 1);
    }
    auto halo = mesh.halo(rows);
    halo.run();
    for (std::int64_t row = 0; row < mesh.rows(); ++row) {
        CHECK(rows[row][2] == mesh.index(row) + 1);
        CHECK(mesh.local(mesh.index(row)) == row);
    }
    for (const auto index : wanted) {
        CHECK(mesh.index(mesh.local(index)) == index);
    }
    Numbers ones(static_cast<std::size_t>(mesh.rows()), 1);
    mesh.update(ones);
    mesh.add(ones);
    auto total = std::accumulate(ones.begin(), ones.begin() + owned, std::int64_t{0});
    auto copies = mesh.rows() - owned;
    for (auto* sum : {&total, &copies}) {
        MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    CHECK(total == all + copies);
    Numbers threes(3 * ones.size(), 1);
    const std::string hint = "pass field(array, k)";
    CHECK(refused(hint, [&] { (void)mesh.halo(threes); }));
    CHECK(refused(hint, [&] { (void)mesh.halo(world_rank() == 0 ? threes : ones); }));
    CHECK(refused(hint, [&] { mesh.add(threes); }));
    CHECK(refused(hint, [&] { mesh.update(array::field(threes, 2)); }));
    CHECK(refused(hint, [&] { (void)mesh.halo(array::field(ones, threes)); }));
    Numbers short_one(ones.size() - 1, 1);
    CHECK(refused(hint, [&] { mesh.update(short_one); }));
    mesh.update(array::field(threes, 3));
    CHECK_THROWS_WITH_AS((void)mesh.local(all), doctest::Contains("is neither among the rows"),
                         std::invalid_argument);
    CHECK(refused(std::to_string(all), [&] {
        const Numbers beyond{all};
        (void)Ghosts(MPI_COMM_WORLD, owned, beyond);
    }));
}
