// SPDX-License-Identifier: BSD-3-Clause
#include "planning.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <istream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "alltoall_counts.hpp"
#include "counting.hpp"
#include "lab/text/numbers.hpp"
#include "lab/text/sizes.hpp"
#include "transrank/discovery/route_files.hpp"
#include "transrank/grid/ghosts.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/route/file.hpp"
#include "transrank/route/ghost.hpp"
#include "transrank/route/halo.hpp"

namespace transrank::lab::runner {
namespace {

using layout::BlockGrid;
using layout::Distribution;
using layout::require;
using Numbers = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

constexpr std::int64_t most_cells = std::int64_t{1} << 40U;
// An alltoall has a block for each pair of ranks, which some algorithms forward.
constexpr int most_ranks_of_alltoall = 8192;
constexpr std::int64_t most_bytes_of_block = std::int64_t{1} << 36U;

Numbers numbers_of(const std::string& words, std::int64_t most) {
    auto numbers = text::parse_numbers(words, most);
    if (numbers.empty()) {
        throw UsageError("'" + words + "' is no list of numbers such as 512x1024x16, each from " +
                         "1 to " + std::to_string(most));
    }
    return numbers;
}

std::vector<Distribution> divided(const Numbers& extents, const Numbers& parts) {
    std::vector<Distribution> made;
    std::ranges::transform(extents, parts, std::back_inserter(made),
                           [](std::int64_t extent, std::int64_t number) {
                               return Distribution::even(extent, static_cast<int>(number));
                           });
    return made;
}

BlockGrid grid_of(const Numbers& extents, const std::string& words) {
    Numbers parts = numbers_of(words, std::numeric_limits<int>::max());
    if (parts.size() > extents.size()) {
        throw UsageError("'" + words + "' divides " + std::to_string(parts.size()) +
                         " dimensions of a grid that has " + std::to_string(extents.size()));
    }
    parts.resize(extents.size(), 1);
    auto distributions = divided(extents, parts);
    std::vector<int> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    return BlockGrid(std::move(distributions), {.part_order = layout::Order::first_fastest,
                                                .memory_order = std::move(order),
                                                .halo = {},
                                                .ranks = {}});
}

int rank_of(const std::string& word, int ranks) {
    const int rank = text::number_in<int>(word).value_or(-1);
    if (rank < 0 || rank >= ranks) {
        throw UsageError("'" + word + "' is no rank of the plan, which has ranks 0 to " +
                         std::to_string(ranks - 1));
    }
    return rank;
}

std::string count_redistribution(const Words& words, int ranks_per_node) {
    const auto extents = numbers_of(words[0], most_cells);
    const auto source = grid_of(extents, words[1]);
    const auto destination = grid_of(extents, words[2]);
    redistribution::check(source, destination);
    const int ranks = 1 + std::max(source.ranks().highest(), destination.ranks().highest());
    const auto of = [&](int rank) {
        return route::redistribution(rank, ranks, source, destination);
    };
    const Routes routes{
        .ranks = ranks, .of = of, .shape = [&](int rank) { return source.shape(rank); }};
    return words.size() == 4 ? count_one(routes, rank_of(words[3], ranks), ranks_per_node)
                             : count_routes(routes, ranks_per_node);
}

/// What transrank::grid::Grid does without parts.
Numbers parts_of(const std::string& words, std::size_t dimensions, int ranks) {
    if (!words.empty()) {
        return numbers_of(words, std::numeric_limits<int>::max());
    }
    std::vector<int> parts(dimensions);
    mpi::check(MPI_Dims_create(ranks, static_cast<int>(dimensions), parts.data()),
               "MPI_Dims_create");
    return {parts.begin(), parts.end()};
}

/// Numbers from 0.
Numbers counts_of(const std::string& words) {
    Numbers numbers;
    std::stringstream text(words);
    for (std::string word; std::getline(text, word, 'x');) {
        numbers.push_back(word == "0" ? 0 : numbers_of(word, most_cells).front());
    }
    return numbers;
}

std::string count_halo(const Words& words, const Options& options) {
    require(words.size() == 6 && (words[5] == "box" || words[5] == "star"),
            "write halo,GRID,PARTS,WIDTHS,PERIODIC,box or star");
    const auto extents = numbers_of(words[1], most_cells);
    require(extents.size() <= layout::max_dimensions, "a grid has up to ", layout::max_dimensions,
            " dimensions, not ", extents.size());
    const auto parts = parts_of(words[2], extents.size(), options.ranks);
    const auto widths = counts_of(words[3]);
    const auto periodic = counts_of(words[4]);
    for (const auto* given : {&parts, &widths, &periodic}) {
        require(given->size() == extents.size(), "the grid has ", extents.size(),
                " dimensions; parts, halo and periods need a number for each, not ", given->size());
    }
    std::vector<layout::Halo> halo;
    halo.reserve(extents.size());
    for (std::size_t d = 0; d < extents.size(); ++d) {
        halo.push_back({.low = widths[d], .high = widths[d], .periodic = periodic[d] != 0});
    }
    const BlockGrid grid(divided(extents, parts), {.halo = std::move(halo)});
    const int ranks = 1 + grid.ranks().highest();
    const auto corners = words[5] == "box" ? route::Corners::included : route::Corners::left_out;
    return count_routes({.ranks = ranks,
                         .of = [&](int rank) { return route::halo(rank, ranks, grid, corners); },
                         .shape = [&](int rank) { return grid.shape(rank); },
                         .within_one_array = true},
                        options.ranks_per_node);
}

/// The routes of transrank::grid::Ghosts.
std::string count_ghosts(std::istream& lists, int ranks_per_node) {
    std::vector<Numbers> wanted;
    Numbers boundaries{0};
    for (std::string line; std::getline(lists, line);) {
        std::istringstream numbers(line);
        std::int64_t owned = 0;
        numbers >> owned;
        require(0 <= owned && owned <= most_cells, "rank ", wanted.size(), " owns ", owned,
                " rows; the most are ", most_cells);
        boundaries.push_back(boundaries.back() + owned);
        wanted.emplace_back(std::istream_iterator<std::int64_t>(numbers),
                            std::istream_iterator<std::int64_t>());
        require(numbers.eof(), "the list of rank ", wanted.size() - 1,
                " has a word that is no index, after ", wanted.back().size(), " indices");
    }
    require(!wanted.empty(), "there is no list of ghosts");
    const auto owners = Distribution::irregular(boundaries);
    const int ranks = owners.parts();
    std::vector<std::vector<route::Leg>> sends(wanted.size());
    std::vector<std::vector<route::Leg>> receives;
    Numbers rows;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto owned = owners.range(rank);
        const auto ghosts = grid::ghosts_among(wanted[static_cast<std::size_t>(rank)], owned);
        receives.push_back(route::requests_by_owner(rank, owners, ghosts, owned.length()));
        rows.push_back(owned.length() + std::ssize(ghosts));
        for (const auto& leg : receives.back()) {
            sends[static_cast<std::size_t>(leg.peer)].push_back(
                {.peer = rank, .segments = leg.segments});
        }
    }
    const auto of = [&](int rank) {
        const auto at = static_cast<std::size_t>(rank);
        return route::Route(rank, ranks, owners.owned(rank), rows[at], std::move(sends[at]),
                            std::move(receives[at]));
    };
    return count_routes({.ranks = ranks, .of = of, .within_one_array = true}, ranks_per_node);
}

std::string count_saved(const std::string& place, int ranks_per_node) {
    const auto of = [&](int rank) { return route::load(discovery::route_file(place, rank)); };
    return count_routes({.ranks = of(0).ranks(), .of = of, .within_one_array = true},
                        ranks_per_node);
}

std::string count_alltoalls(const Words& words, const Options& options) {
    require(words.size() == 2 || words.size() == 3, "write alltoall,BYTES or alltoall,BYTES,NAME");
    const schedule::Problem problem{.ranks = options.ranks,
                                    .ranks_per_node = std::max(options.ranks_per_node, 1)};
    schedule::check(problem);
    require(problem.ranks <= most_ranks_of_alltoall, "an alltoall of ", problem.ranks,
            " ranks has too many blocks to count; the most are ", most_ranks_of_alltoall, " ranks");
    const auto bytes = text::parse_size(words[1]);
    require(bytes <= most_bytes_of_block, "a block of ", bytes, " bytes is too long; the most are ",
            most_bytes_of_block);
    std::string lines;
    for (const auto& algorithm : schedule::all()) {
        const auto reason = algorithm.reason_against(problem);
        if (words.size() == 3 ? words[2] == algorithm.name : reason.empty()) {
            require(reason.empty(), "the algorithm ", algorithm.name, " is ", reason);
            lines += count_alltoall(algorithm, problem, bytes);
        }
    }
    if (lines.empty()) {
        (void)schedule::find(words[2]);  // throws
    }
    return lines;
}

}  // namespace

bool plan_needs_mpi(const Options& options) {
    const auto words = text::split_list(options.plan);
    return words.size() > 2 && words[0] == "halo" && words[2].empty();
}

std::string plan(const Options& options, std::istream& lists) {
    const auto words = text::split_list(options.plan);
    try {
        if (words[0] == "halo") {
            return count_halo(words, options);
        }
        if (words[0] == "ghosts") {
            return count_ghosts(lists, options.ranks_per_node);
        }
        if (words[0] == "routes") {
            return count_saved(
                options.plan.substr(std::min(options.plan.size(), words[0].size() + 1)),
                options.ranks_per_node);
        }
        if (words[0] == "alltoall") {
            return count_alltoalls(words, options);
        }
        if (words.size() == 3 || words.size() == 4) {
            return count_redistribution(words, options.ranks_per_node);
        }
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    } catch (const route::FileError& error) {
        throw UsageError(error.what());
    }
    throw UsageError("--plan '" + options.plan +
                     "': write GRID,FROM,TO or GRID,FROM,TO,RANK, such as 512x1024x16,2x4,4x2; or "
                     "halo, ghosts, routes or alltoall and what belongs to it");
}

}  // namespace transrank::lab::runner
