// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::study::plan_scaling {

/// Cells of a block of the source along a divided dimension, and of the grid along another one: as
/// on 2048 ranks of the published benchmark.
inline constexpr std::int64_t block_extent = 16;

enum class Blocks : std::uint8_t { regular, irregular };

/// A redistribution among any number of ranks, none of which is there: a grid of three dimensions,
/// of which the first two or all three are divided, with blocks of the same size at every number of
/// ranks.
class Planned {
public:
    Planned(int divided, Blocks blocks, int ranks);

    [[nodiscard]] int ranks() const noexcept { return ranks_; }
    /// What a rank does to store: it checks and keeps the boundary tables that it is given, where
    /// blocks are irregular, and makes its route.
    [[nodiscard]] route::Route store(int rank) const;

    /// What all ranks do together, except that tables are made once for all of them. Returns the
    /// cells that move.
    [[nodiscard]] std::int64_t store_all() const;

    /// Of the boundaries of both layouts, which every rank has.
    [[nodiscard]] std::int64_t table_bytes() const noexcept;

    struct Layouts {
        layout::BlockGrid source;
        layout::BlockGrid destination;
    };
    [[nodiscard]] Layouts layouts() const;

private:
    using Parts = std::array<int, 3>;
    /// Boundaries by dimension; empty where a formula is known.
    using Tables = std::array<std::vector<std::int64_t>, 3>;
    [[nodiscard]] Tables tables_for(const Parts& parts) const;
    [[nodiscard]] layout::BlockGrid layout_of(const Parts& parts, const Tables& tables) const;

    Blocks blocks_;
    int ranks_;
    Parts source_;
    Parts destination_;
    std::array<std::int64_t, 3> extents_{};
    Tables source_tables_;
    Tables destination_tables_;
};

/// The bytes that a route keeps.
[[nodiscard]] std::int64_t bytes_of(const route::Route& route) noexcept;

}  // namespace transrank::lab::study::plan_scaling
