// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lab/study/redistribute/waves.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::study::redistribute {

/// Which sides of a redistribution are blocks, and which are lists of cells.
struct Layouts {
    std::string_view name;
    bool source_listed;
    bool destination_listed;
};

inline constexpr std::array layout_kinds{
    Layouts{.name = "blocks", .source_listed = false, .destination_listed = false},
    Layouts{.name = "blocks-to-lists", .source_listed = false, .destination_listed = true},
    Layouts{.name = "lists-to-blocks", .source_listed = true, .destination_listed = false}};

/// `name` is one of the table.
[[nodiscard]] const Layouts& layouts_named(std::string_view name);

/// More cells are not put into lists here: each of them is a message where nothing is packed.
inline constexpr std::int64_t most_listed_cells = std::int64_t{1} << 17U;

/// One side of a redistribution, and what a rank has there.
struct Side {
    redistribution::Layout layout;
    Share share;
};

/// One redistribution: grid, layouts, this rank's part in them.
struct Task {
    Grid grid;
    Side source;
    Side destination;
    int rank;
    int ranks;

    Task(const Grid& wanted, const Layouts& kinds, const Partition& partition, int rank_of,
         int ranks_of);

    /// Doubles of the whole bundle on this rank.
    [[nodiscard]] std::int64_t source_values() const { return fields * cells_of(source.share); }
    [[nodiscard]] std::int64_t destination_values() const {
        return fields * cells_of(destination.share);
    }
    /// Collective.
    [[nodiscard]] route::Route route(MPI_Comm comm) const;
};

}  // namespace transrank::lab::study::redistribute
