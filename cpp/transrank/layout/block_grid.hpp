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
/// One value per dimension. Values beyond the grid's dimensions are not used.
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

/// The number of halo cells before (`low`) and after (`high`) a block in one dimension. Only local
/// arrays have halo cells.
struct Halo {
    std::int64_t low = 0;
    std::int64_t high = 0;
    /// Whether the cells beyond one end of the grid are the cells at the other end.
    bool periodic = false;
    friend bool operator==(const Halo&, const Halo&) = default;
};

enum class Order : std::uint8_t {
    last_fastest,   ///< C: the last dimension varies fastest
    first_fastest,  ///< Fortran: the first dimension varies fastest
};

/// Options of a BlockGrid. By default: C order, no halo, and part p on rank p.
struct GridOptions {
    // NOLINTBEGIN(readability-redundant-member-init): g++ warns where a designated initializer
    // leaves out a member that has none.
    /// Which coordinate of a part varies fastest with the part's number.
    Order part_order = Order::last_fastest;
    /// The dimensions from the fastest to the slowest in local arrays. If empty, the last is
    /// fastest.
    std::vector<int> memory_order{};
    /// One halo per dimension; it may be wider than a block. If empty, there is no halo to update.
    std::vector<Halo> halo{};
    /// Which rank holds which part. If absent, part p lies on rank p.
    std::optional<RankMap> ranks{};
    // NOLINTEND(readability-redundant-member-init)
};

/// A grid of 1 to 6 dimensions, each divided independently. A part has a coordinate in each
/// dimension, and owns the cells whose indices belong to its coordinates. A rank keeps its cells
/// and their halo in one dense local array, where each cell is one unit. A part that owns no cell
/// has no array, and hence no halo.
class BlockGrid {
public:
    /// Makes a grid with one of `distributions` for each dimension. Throws std::invalid_argument,
    /// naming the dimension and the values, when the grid or its halo is invalid.
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
    /// Whether halos were given, even if of width 0.
    [[nodiscard]] bool has_halo() const noexcept { return has_halo_; }

    [[nodiscard]] Order part_order() const noexcept { return part_order_; }
    [[nodiscard]] const RankMap& ranks() const noexcept { return ranks_; }
    /// The dimensions from the fastest to the slowest in local arrays.
    [[nodiscard]] std::span<const int> memory_order() const noexcept {
        return {memory_order_.data(), distributions_.size()};
    }

    /// coordinates() returns the place of `part` among the parts of each dimension, part() the part
    /// at these `coordinates`, and rank() the rank that holds that part.
    [[nodiscard]] PerDimension<int> coordinates(int part) const noexcept;
    [[nodiscard]] int part(const PerDimension<int>& coordinates) const noexcept;
    [[nodiscard]] int rank(const PerDimension<int>& coordinates) const noexcept {
        return ranks_.rank(part(coordinates));
    }

    /// The length of a local array in `dimension`, in cells, halo included, for a part whose
    /// coordinate in that dimension is `coordinate`.
    [[nodiscard]] std::int64_t local_extent(int dimension, int coordinate) const noexcept;
    /// The distance in units between neighboring cells in each dimension of the local array of the
    /// part at `coordinates`. Throws std::invalid_argument if the array has more units than 64 bits
    /// can count.
    [[nodiscard]] PerDimension<std::int64_t> strides(const PerDimension<int>& coordinates) const;
    /// The number of units (cells) in the local array of `rank`, halo included; 0 if the rank holds
    /// no part. Throws std::invalid_argument if there are more units than 64 bits can count.
    [[nodiscard]] std::int64_t units(int rank) const;
    /// The lengths of the local array of `rank` in cells, halo included: 0 in the dimensions in
    /// which its part is empty, and all 0 on a rank without a part.
    [[nodiscard]] PerDimension<std::int64_t> local_extents(int rank) const noexcept;
    /// The lengths of the local array of `rank` as a C array's shape: in the order of memory, the
    /// slowest dimension first, halo included.
    [[nodiscard]] std::vector<std::int64_t> shape(int rank) const;
    /// The cells that `rank` owns, as a range of the whole grid's indices in each dimension. It is
    /// from 0 to 0 in the dimensions in which the rank's part is empty, and in all dimensions on a
    /// rank without a part. Throws std::invalid_argument if the rank owns several ranges in a
    /// dimension.
    [[nodiscard]] PerDimension<IndexRange> box(int rank) const;

    /// A description in words, with one text for each property. Different grids have different
    /// descriptions.
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
