// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transrank/layout/distribution.hpp"
#include "transrank/layout/rank_map.hpp"

namespace transrank::layout {

inline constexpr int max_dimensions = 6;
/// One value per dimension; those beyond the grid's dimensions are not used.
template <class T>
struct PerDimension : std::array<T, max_dimensions> {
    template <std::integral Dimension>
    [[nodiscard]] constexpr T& operator[](Dimension dimension) noexcept {
        return this->data()[dimension];
    }
    template <std::integral Dimension>
    [[nodiscard]] constexpr const T& operator[](Dimension dimension) const noexcept {
        return this->data()[dimension];
    }
};

/// Rows of cells that surround a block in one dimension, in the local array only.
struct Halo {
    std::int64_t low = 0;
    std::int64_t high = 0;
    /// Whether the cells beyond one end of the grid are those at the other end.
    bool periodic = false;
    friend bool operator==(const Halo&, const Halo&) = default;
};

enum class Order : std::uint8_t {
    last_fastest,   ///< C: the last dimension varies fastest
    first_fastest,  ///< Fortran: the first one does
};

/// Whatever differs from a C-ordered grid of bare blocks on the ranks from 0 on.
struct GridOptions {
    // NOLINTBEGIN(readability-redundant-member-init): g++ warns where a designated initializer
    // leaves out a member that has none.
    /// Which coordinate of a part varies fastest with the part's number.
    Order part_order = Order::last_fastest;
    /// The dimensions from the fastest to the slowest in local arrays; empty: the last is fastest.
    std::vector<int> memory_order{};
    /// One per dimension, of any width; empty: there is none to update.
    std::vector<Halo> halo{};
    /// Without: part p lies on rank p.
    std::optional<RankMap> ranks{};
    // NOLINTEND(readability-redundant-member-init)
};

/// A grid of 1 to 6 dimensions, each divided by itself: a part owns the cells whose index in each
/// dimension belongs to the part's coordinate there. A rank keeps its cells, one unit each, and
/// their halo in one dense local array. A part that owns no cell has no array, hence no halo.
class BlockGrid {
public:
    /// One of `distributions` for each dimension. Throws std::invalid_argument that names the
    /// dimension and the values.
    explicit BlockGrid(std::vector<Distribution> distributions, GridOptions options = {});

    [[nodiscard]] int dimensions() const noexcept {
        return static_cast<int>(distributions_.size());
    }
    [[nodiscard]] const Distribution& distribution(int dimension) const noexcept {
        return distributions_[static_cast<std::size_t>(dimension)];
    }
    [[nodiscard]] const Halo& halo(int dimension) const noexcept { return halo_[dimension]; }
    [[nodiscard]] std::span<const Distribution> distributions() const noexcept {
        return distributions_;
    }
    [[nodiscard]] std::span<const Halo> halos() const noexcept {
        return {halo_.data(), distributions_.size()};
    }
    /// Whether halos were given, if only of width 0.
    [[nodiscard]] bool has_halo() const noexcept { return has_halo_; }

    [[nodiscard]] Order part_order() const noexcept { return part_order_; }
    [[nodiscard]] const RankMap& ranks() const noexcept { return ranks_; }
    /// The dimensions from the fastest to the slowest.
    [[nodiscard]] std::span<const int> memory_order() const noexcept {
        return {memory_order_.data(), distributions_.size()};
    }

    /// Where a part lies among the parts of each `dimension`, the part at such `coordinates`, and
    /// its rank.
    [[nodiscard]] PerDimension<int> coordinates(int part) const noexcept;
    [[nodiscard]] int part(const PerDimension<int>& coordinates) const noexcept;
    [[nodiscard]] int rank(const PerDimension<int>& coordinates) const noexcept {
        return ranks_.rank(part(coordinates));
    }

    /// Length of a part's local array in one dimension, in cells, halo included.
    [[nodiscard]] std::int64_t local_extent(int dimension, int coordinate) const noexcept;
    /// Units between neighbors in each dimension of a part's local array. Throws
    /// std::invalid_argument when the array has more units than 64 bits can count.
    [[nodiscard]] PerDimension<std::int64_t> strides(const PerDimension<int>& coordinates) const;
    /// Units of a rank's local array, halo included; 0 on a rank without a part. Throws
    /// std::invalid_argument as strides.
    [[nodiscard]] std::int64_t units(int rank) const;
    /// Lengths of a rank's local array, halo included: 0 in the dimensions in which its part is
    /// empty; all 0 on a rank without a part.
    [[nodiscard]] PerDimension<std::int64_t> local_extents(int rank) const noexcept;
    /// The same in the order of memory, the slowest dimension first: the shape of a C array.
    [[nodiscard]] std::vector<std::int64_t> shape(int rank) const;
    /// The cells that a rank owns, as ranges of the whole grid's indices; from 0 to 0 in the
    /// dimensions in which its part is empty, and in all on a rank without a part. Throws
    /// std::invalid_argument when they are several ranges in a dimension.
    [[nodiscard]] PerDimension<IndexRange> box(int rank) const;

    /// What it is: words that differ where grids do, one for each thing that may.
    [[nodiscard]] std::vector<std::string> words() const;

private:
    struct Local {
        PerDimension<std::int64_t> strides{};
        std::int64_t units = 0;
    };
    [[nodiscard]] Local local(const PerDimension<int>& coordinates) const;
    void adopt_memory_order(const std::vector<int>& order);
    void adopt_halo(const std::vector<Halo>& halo);

    std::vector<Distribution> distributions_;
    PerDimension<Halo> halo_{};
    bool has_halo_ = false;
    PerDimension<int> memory_order_{};
    Order part_order_;
    RankMap ranks_;
};

}  // namespace transrank::layout
