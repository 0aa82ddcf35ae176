// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// What arrives is what a serial walk through the grid says, whatever the layouts, the transports
// and the stores; what was not to be written is untouched.
#include "transrank/redistribution/redistribution.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../exchange/world.hpp"
#include "transrank/memory/shared_segment.hpp"

using namespace testing;
using namespace transrank;
using copy::Stores;
using exchange::Options;
using layout::BlockGrid;
using layout::Distribution;
using layout::Halo;
using redistribution::Points;
using redistribution::Redistribution;

namespace {

constexpr std::int64_t nothing = -1;
constexpr unsigned char untouched = 0xA5;

/// A dimension, and which indices each part owns, said once more without the library.
struct Dimension {
    Distribution distribution;
    std::vector<std::vector<std::int64_t>> owned;
};

Dimension with_boundaries(const std::vector<std::int64_t>& boundaries, bool even) {
    const int parts = static_cast<int>(boundaries.size()) - 1;
    Dimension made{.distribution = even ? Distribution::even(boundaries.back(), parts)
                                        : Distribution::irregular(boundaries),
                   .owned = {}};
    for (std::size_t part = 0; part + 1 < boundaries.size(); ++part) {
        auto& own = made.owned.emplace_back(
            static_cast<std::size_t>(boundaries[part + 1] - boundaries[part]));
        std::iota(own.begin(), own.end(), boundaries[part]);
    }
    return made;
}

Dimension even(std::int64_t extent, int parts) {
    std::vector<std::int64_t> boundaries{0};
    for (int part = 0; part < parts; ++part) {
        boundaries.push_back(boundaries.back() + (extent / parts) +
                             (part < extent % parts ? 1 : 0));
    }
    return with_boundaries(boundaries, true);
}

/// All to one part in the middle; those around it are empty, or, from three on, all but the first.
Dimension lopsided(std::int64_t extent, int parts) {
    std::vector<std::int64_t> boundaries(static_cast<std::size_t>(parts) + 1, extent);
    boundaries[0] = 0;
    for (int part = 1; part < parts; ++part) {
        boundaries[static_cast<std::size_t>(part)] = part <= parts / 2 ? 0 : extent - 1;
    }
    return with_boundaries(boundaries, false);
}

Dimension block_cyclic(std::int64_t extent, int parts, std::int64_t block, int first) {
    Dimension made{
        .distribution = Distribution::block_cyclic(extent, parts, block, first),
        .owned = std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(parts))};
    for (std::int64_t index = 0; index < extent; ++index) {
        made.owned[static_cast<std::size_t>((index / block + first) % parts)].push_back(index);
    }
    return made;
}

/// One side of a redistribution: a layout, and the cell that each unit of this rank's array is for.
struct Side {
    redistribution::Layout layout;
    std::vector<std::int64_t> cells;
};

struct Shape {
    std::vector<int> memory_order{};  // NOLINT(readability-redundant-member-init)
    std::vector<Halo> halo{};         // NOLINT(readability-redundant-member-init)
    std::vector<int> ranks{};         // NOLINT(readability-redundant-member-init): all in turn
    bool fills_halo = false;
};

/// Grid indices along a local array; `nothing` where no cell is to arrive.
std::vector<std::int64_t> along(const std::vector<std::int64_t>& owned, std::int64_t extent,
                                const Halo& halo, bool fills_halo) {
    std::vector<std::int64_t> indices;
    if (owned.empty()) {
        return indices;
    }
    const auto beyond = [&](std::int64_t index) {
        const auto wrapped = halo.periodic ? (index + extent) % extent : index;
        return fills_halo && wrapped >= 0 && wrapped < extent ? wrapped : nothing;
    };
    for (auto i = halo.low; i > 0; --i) {
        indices.push_back(beyond(owned.front() - i));
    }
    indices.insert(indices.end(), owned.begin(), owned.end());
    for (std::int64_t i = 1; i <= halo.high; ++i) {
        indices.push_back(beyond(owned.back() + i));
    }
    return indices;
}

/// Blocks of a two-dimensional grid, numbered with the last dimension fastest.
Side blocks(const Dimension& rows, const Dimension& columns, const Shape& shape = {}) {
    auto ranks = shape.ranks;
    if (ranks.empty()) {
        ranks.resize(rows.owned.size() * columns.owned.size());
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    const auto halo = shape.halo.empty() ? std::vector<Halo>(2) : shape.halo;
    Side side{.layout = BlockGrid({rows.distribution, columns.distribution},
                                  {.memory_order = shape.memory_order,
                                   .halo = halo,
                                   .ranks = layout::RankMap::listed(ranks)}),
              .cells = {}};
    const auto mine = std::ranges::find(ranks, world_rank());
    if (mine == ranks.end()) {
        return side;
    }
    const auto part = static_cast<std::size_t>(mine - ranks.begin());
    const auto height = rows.distribution.extent();
    const auto width = columns.distribution.extent();
    const auto i =
        along(rows.owned[part / columns.owned.size()], height, halo[0], shape.fills_halo);
    const auto j =
        along(columns.owned[part % columns.owned.size()], width, halo[1], shape.fills_halo);
    const auto cell = [&](std::int64_t row, std::int64_t column) {
        return row == nothing || column == nothing ? nothing : (row * width) + column;
    };
    const bool first_fastest = shape.memory_order == std::vector{0, 1};
    for (const auto outer : first_fastest ? j : i) {
        for (const auto inner : first_fastest ? i : j) {
            side.cells.push_back(first_fastest ? cell(inner, outer) : cell(outer, inner));
        }
    }
    return side;
}

/// Each rank lists every so many of all cells, the last first.
Side listed(std::int64_t cells) {
    Points points;
    for (auto cell = cells - 1 - world_rank(); cell >= 0; cell -= world_size()) {
        points.cells.push_back(cell);
    }
    return {.layout = points, .cells = points.cells};
}

/// A field of units of some bytes, in memory that node-mates can map or not.
class Field {
public:
    Field(const Side& source, const Side& destination, std::int64_t unit_bytes, bool shared)
        : unit_bytes_(unit_bytes),
          source_(bytes_of(source)),
          destination_(bytes_of(destination)),
          own_source_(bytes_of(source)),
          own_destination_(bytes_of(destination)),
          shared_(shared) {}

    [[nodiscard]] copy::Field bound() {
        return {.source = before().data(),
                .source_bytes = static_cast<std::int64_t>(before().size()),
                .destination = after().data(),
                .destination_bytes = static_cast<std::int64_t>(after().size()),
                .unit_bytes = unit_bytes_};
    }
    void write(const Side& source, int round) {
        for (std::size_t i = 0; i < source.cells.size(); ++i) {
            for (std::int64_t k = 0; k < unit_bytes_; ++k) {
                before()[(i * step()) + static_cast<std::size_t>(k)] =
                    value(source.cells[i], k, round);
            }
        }
        std::ranges::fill(after(), std::byte{untouched});
    }
    [[nodiscard]] std::int64_t wrong_bytes(const Side& destination, int round) {
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < destination.cells.size(); ++i) {
            for (std::int64_t k = 0; k < unit_bytes_; ++k) {
                const auto expected = destination.cells[i] == nothing
                                          ? std::byte{untouched}
                                          : value(destination.cells[i], k, round);
                wrong += after()[(i * step()) + static_cast<std::size_t>(k)] == expected ? 0 : 1;
            }
        }
        return wrong;
    }

private:
    static std::byte value(std::int64_t cell, std::int64_t byte, int round) {
        return static_cast<std::byte>((cell * 7) + (cell / 256) + (byte * 31) + (round * 5));
    }
    [[nodiscard]] std::size_t step() const { return static_cast<std::size_t>(unit_bytes_); }
    [[nodiscard]] std::size_t bytes_of(const Side& side) const {
        return side.cells.size() * step();
    }
    std::span<std::byte> before() {
        return shared_ ? source_.bytes().first(own_source_.size()) : std::span(own_source_);
    }
    std::span<std::byte> after() {
        return shared_ ? destination_.bytes().first(own_destination_.size())
                       : std::span(own_destination_);
    }

    std::int64_t unit_bytes_;
    memory::SharedSegment source_;
    memory::SharedSegment destination_;
    std::vector<std::byte> own_source_;
    std::vector<std::byte> own_destination_;
    bool shared_;
};

struct Pair {
    std::string name;
    Side source;
    Side destination;
    route::Coverage coverage = route::Coverage::owned;
};

std::vector<Pair> pairs() {
    const int ranks = world_size();
    constexpr std::int64_t height = 9;
    constexpr std::int64_t width = 14;
    const auto rows = [&] { return blocks(even(height, ranks), even(width, 1)); };
    std::vector<int> descending(static_cast<std::size_t>(ranks));
    std::iota(descending.rbegin(), descending.rend(), 0);
    std::vector<Pair> all;
    all.push_back({"rows to columns", rows(), blocks(even(height, 1), even(width, ranks))});
    all.push_back({"transposed", rows(),
                   blocks(even(height, 1), even(width, ranks), {.memory_order = {0, 1}})});
    all.push_back({"the same in other ranks", rows(),
                   blocks(even(height, ranks), even(width, 1), {.ranks = descending})});
    all.push_back({"empty blocks", blocks(even(height, 1), lopsided(width, ranks)),
                   blocks(lopsided(height, ranks), even(width, 1), {.memory_order = {0, 1}})});
    all.push_back({"block-cyclic",
                   blocks(block_cyclic(height, ranks, 3, ranks - 1), even(width, 1)),
                   blocks(even(height, 1), block_cyclic(width, ranks, 4, 0))});
    all.push_back({"halo filled", rows(),
                   blocks(even(height, 1), even(width, ranks),
                          {.memory_order = {0, 1},
                           .halo = {{.low = 2, .high = 1, .periodic = true}, {.low = 1, .high = 3}},
                           .fills_halo = true}),
                   route::Coverage::owned_and_halo});
    all.push_back({"halo left alone",
                   blocks(even(height, ranks), even(width, 1),
                          {.halo = {{.low = 1, .high = 2}, {.low = 3, .high = 0}}}),
                   blocks(even(height, 1), even(width, ranks),
                          {.halo = {{.low = 2, .high = 1, .periodic = true}, {}}})});
    all.push_back({"from one rank to another", blocks(even(height, 1), even(width, 1)),
                   blocks(even(height, 1), even(width, 1), {.ranks = {ranks - 1}})});
    all.push_back({"blocks to lists", rows(), listed(height * width)});
    all.push_back({"lists to blocks", listed(height * width), rows()});
    all.push_back({"more parts than indices", blocks(even(1, ranks), even(width, 1)),
                   blocks(even(1, 1), even(width, ranks))});
    return all;
}

Options options(std::string transport, Stores stores = Stores::measured) {
    Options made;
    made.transport = std::move(transport);
    made.stores = stores;
    return made;
}

/// Each transport that can serve all peers, and both kinds of stores.
std::vector<Options> all_options() {
    std::vector<Options> all{options("auto", Stores::cached), options("auto", Stores::streamed)};
    for (const auto& name : transports()) {
        if (name != "self-copy") {
            all.push_back(options(name));
        }
    }
    return all;
}

void check_arrival(const Pair& pair, const Options& options, const std::vector<std::int64_t>& units,
                   bool shared) {
    CAPTURE(pair.name);
    CAPTURE(options.transport);
    std::deque<Field> fields;  // which cannot be moved
    std::vector<copy::Field> bound;
    for (const auto unit_bytes : units) {
        fields.emplace_back(pair.source, pair.destination, unit_bytes, shared);
        bound.push_back(fields.back().bound());
    }
    Redistribution redistribution(MPI_COMM_WORLD, pair.source.layout, pair.destination.layout,
                                  pair.coverage);
    redistribution.store(bound, options);
    for (int round = 0; round < 2; ++round) {
        for (auto& field : fields) {
            field.write(pair.source, round);
        }
        MPI_Barrier(MPI_COMM_WORLD);  // nobody's destination is filled once data may move
        redistribution.run();
        std::int64_t wrong = 0;
        for (auto& field : fields) {
            wrong += field.wrong_bytes(pair.destination, round);
        }
        CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("every transport moves layouts of every kind") {
    for (const auto& pair : pairs()) {
        for (const auto& each : all_options()) {
            check_arrival(pair, each, {8, 12}, true);
        }
        check_arrival(pair, {}, {1, 16}, false);
    }
}

TEST_CASE("runs long enough to be stored past the caches arrive whole, unaligned ones too") {
    for (const auto& pair : pairs()) {
        for (const auto stores : {Stores::cached, Stores::streamed}) {
            check_arrival(pair, options("auto", stores), {200, 51}, true);
        }
    }
}

TEST_CASE("a cell goes to every list that it is in") {
    Points everything;
    for (std::int64_t unit = 0; unit < 2 * 9 * 14; ++unit) {
        everything.cells.push_back(unit / 2);
    }
    const Pair pair{"each cell twice on every rank", pairs().front().source,
                    Side{.layout = everything, .cells = everything.cells}};
    for (const auto& each : all_options()) {
        check_arrival(pair, each, {8}, true);
    }
}

TEST_CASE("there and back again restores every byte") {
    const auto all = pairs();
    for (const auto& pair : all) {
        if (pair.coverage != route::Coverage::owned) {
            continue;
        }
        CAPTURE(pair.name);
        Field there(pair.source, pair.destination, 8, true);
        Field back(pair.destination, pair.source, 8, true);
        Redistribution out(MPI_COMM_WORLD, pair.source.layout, pair.destination.layout);
        Redistribution home(MPI_COMM_WORLD, pair.destination.layout, pair.source.layout);
        auto returned = back.bound();
        returned.source = there.bound().destination;
        returned.source_bytes = there.bound().destination_bytes;
        out.store({there.bound()});
        home.store({returned});
        there.write(pair.source, 3);
        back.write(pair.destination, 4);
        MPI_Barrier(MPI_COMM_WORLD);
        out.run();
        home.run();
        CHECK(back.wrong_bytes(pair.source, 3) == 0);
    }
}

TEST_CASE("an error of one rank is the error of all, and what was stored goes on") {
    const auto all = pairs();
    const auto& pair = all.front();
    Field field(pair.source, pair.destination, 8, true);
    Redistribution redistribution(MPI_COMM_WORLD, pair.source.layout, pair.destination.layout);
    CHECK_THROWS_AS(redistribution.run(), std::logic_error);
    redistribution.store({field.bound()});
    const auto refused = [&](const std::vector<copy::Field>& fields, const Options& options) {
        std::string words;
        try {
            redistribution.store(fields, options);
        } catch (const std::exception& error) {
            words = error.what();
        }
        CHECK_FALSE(words.empty());
        CHECK(same_on_all_ranks(words));
        return words;
    };
    const bool last = world_rank() == world_size() - 1;
    auto shorter = field.bound();
    shorter.source_bytes -= last ? 8 : 0;
    refused({shorter}, {});
    CHECK(refused({field.bound()}, options("pigeon")).find("pigeon") != std::string::npos);
    if (world_size() > 1) {
        const auto fields =
            last ? std::vector{field.bound(), field.bound()} : std::vector{field.bound()};
        CHECK(refused(fields, {}).find("fields") != std::string::npos);
        refused({field.bound()}, options(last ? "message" : "shared-staged"));
    }
    field.write(pair.source, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    redistribution.run();
    CHECK(field.wrong_bytes(pair.destination, 1) == 0);
}
