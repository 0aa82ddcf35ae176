// SPDX-License-Identifier: BSD-3-Clause
#include "counting.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "distinct_cells.hpp"
#include "options.hpp"

namespace transrank::lab::runner {
namespace {

// Of the lines that are read back at once.
constexpr std::size_t most_bytes = std::size_t{64} << 20U;

void write_legs(std::string_view key, std::span<const route::Leg> legs, text::JsonWriter& json) {
    json.key(key).begin_array();
    for (const auto& leg : legs) {
        json.begin_object().key("peer").value(leg.peer).key("cells").value(leg.units());
        json.key("runs").value(leg.runs()).end_object();
    }
    json.end_array();
}

Sides<Traffic> traffic_of(const route::Route& route, const Nodes& nodes) {
    Sides<Traffic> traffic{};
    for (const auto& leg : route.sends()) {
        auto& side = traffic[nodes.side(route.rank(), leg.peer)];
        const bool is_moved = leg.peer != route.rank();
        side.messages += is_moved ? 1 : 0;
        side.sent += is_moved ? leg.units() : 0;
    }
    for (const auto& leg : route.receives()) {
        auto& side = traffic[nodes.side(route.rank(), leg.peer)];
        side.received += leg.peer == route.rank() ? 0 : leg.units();
    }
    return traffic;
}

/// What one node needs, by the rank that has it.
class Needs {
public:
    Needs(const Routes& routes, const Nodes& nodes) : routes_(routes), nodes_(nodes) {}

    void add(const route::Route& route) {
        for (const auto& leg : route.receives()) {
            if (leg.peer != route.rank()) {
                of_.try_emplace(leg.peer, routes_.shape(leg.peer)).first->second.add(leg);
            }
        }
    }
    [[nodiscard]] Sides<std::int64_t> distinct(int node) const {
        Sides<std::int64_t> cells{};
        for (const auto& [owner, needed] : of_) {
            cells[nodes_.side(nodes_.begin(node), owner)] += needed.count();
        }
        return cells;
    }

private:
    const Routes& routes_;
    const Nodes& nodes_;
    std::map<int, DistinctCells> of_;
};

std::string line_of(const route::Route& route, const Routes& routes, const Nodes& nodes) {
    text::JsonWriter json;
    json.begin_object().key("rank").value(route.rank()).key("arrays");
    json.value(route.destination_extent() + (routes.within_one_array ? 0 : route.source_extent()));
    const auto* const own = route::find_leg(route.sends(), route.rank());
    json.key("kept").value(own == nullptr ? 0 : own->units());
    write_traffic(traffic_of(route, nodes), json);
    write_legs("sends", route.sends(), json);
    write_legs("receives", route.receives(), json);
    return json.end_object().text() + '\n';
}

/// Each rank one of its own unless they are known.
Nodes nodes_of(const Routes& routes, int ranks_per_node) {
    return {.ranks = routes.ranks, .ranks_per_node = std::max(ranks_per_node, 1)};
}

}  // namespace

void write_traffic(const Sides<Traffic>& traffic, text::JsonWriter& json) {
    for (std::size_t i = 0; i < traffic.size(); ++i) {
        const auto& [messages, sent, received] = traffic[i];
        json.key(side_names[i]).begin_object().key("messages").value(messages);
        json.key("sent").value(sent).key("received").value(received).end_object();
    }
}

std::string node_line(int node, const Sides<std::int64_t>& distinct) {
    text::JsonWriter json;
    json.begin_object().key("node").value(node);
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        json.key(side_names[i]).value(distinct[i]);
    }
    return json.end_object().text() + '\n';
}

std::string count_one(const Routes& routes, int rank, int ranks_per_node) {
    return line_of(routes.of(rank), routes, nodes_of(routes, ranks_per_node));
}

std::string count_routes(const Routes& routes, int ranks_per_node) {
    const auto nodes = nodes_of(routes, ranks_per_node);
    std::string lines;
    for (int node = 0; node < nodes.count(); ++node) {
        Needs needs(routes, nodes);
        for (int rank = nodes.begin(node); rank < nodes.end(node); ++rank) {
            const auto route = routes.of(rank);
            lines += line_of(route, routes, nodes);
            if (lines.size() > most_bytes) {
                throw UsageError("the plan of " + std::to_string(routes.ranks) +
                                 " ranks is too long: ranks 0 to " + std::to_string(rank) +
                                 " alone fill 64 MiB; plan fewer ranks");
            }
            if (ranks_per_node > 0) {
                needs.add(route);
            }
        }
        if (ranks_per_node > 0) {
            lines += node_line(node, needs.distinct(node));
        }
    }
    return lines;
}

}  // namespace transrank::lab::runner
