// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::runner {

/// Consecutive ranks share a node; the last node may have fewer.
struct Nodes {
    int ranks = 1;
    int ranks_per_node = 1;

    [[nodiscard]] int count() const { return ((ranks - 1) / ranks_per_node) + 1; }
    [[nodiscard]] int begin(int node) const { return node * ranks_per_node; }
    [[nodiscard]] int end(int node) const { return node + 1 == count() ? ranks : begin(node + 1); }
    /// 1 between nodes, 0 within one: the place in `Sides`.
    [[nodiscard]] std::size_t side(int one, int other) const {
        return one / ranks_per_node == other / ranks_per_node ? 0 : 1;
    }
};

/// One value for what stays within nodes, and one for what goes between them.
template <class T>
using Sides = std::array<T, 2>;
inline constexpr Sides<const char*> side_names{"within", "between"};

/// What one rank sends to other ranks and receives from them, in cells.
struct Traffic {
    std::int64_t messages = 0;
    std::int64_t sent = 0;
    std::int64_t received = 0;
};

/// `"within": {"messages": 2, "sent": 64, "received": 64}, "between": ...` in an open object.
void write_traffic(const Sides<Traffic>& traffic, text::JsonWriter& json);

/// `{"node": 0, "within": 12, "between": 34}`: the cells that its ranks need of each other, and of
/// other nodes.
[[nodiscard]] std::string node_line(int node, const Sides<std::int64_t>& distinct);

/// The routes of all ranks, each made when it is counted.
struct Routes {
    int ranks = 0;
    std::function<route::Route(int rank)> of;
    /// The shape of a rank's source where the routes are between blocks of a grid.
    std::function<route::Shape(int rank)> shape = [](int /*rank*/) { return route::Shape(); };
    /// Whether a rank sends from the array in which it receives.
    bool within_one_array = false;
};

/// A line for each rank, and one for each node unless `ranks_per_node` is 0. Throws UsageError when
/// the lines would be too long.
[[nodiscard]] std::string count_routes(const Routes& routes, int ranks_per_node);
/// The line of one rank.
[[nodiscard]] std::string count_one(const Routes& routes, int rank, int ranks_per_node);

}  // namespace transrank::lab::runner
