// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/transport/offer.hpp"

namespace transrank::transport {

/// What this node sends to another one in an epoch, or receives from it, as one message.
struct NodeStream {
    /// The ranks of this node that have a part in it, ascending; none where nothing moves.
    std::vector<int> members;
    int leader = -1;      ///< the one of them that sends or receives it
    int far_leader = -1;  ///< its counterpart
    std::int64_t bytes = 0;
    std::int64_t piece_bytes = 0;  ///< the longest message; 0: whatever the length
    std::int64_t replaced = 0;  ///< pairs of ranks, of which each would have a message of its own
};

/// This node and another one between which this rank moves data.
struct NodePair {
    int node = -1;       ///< the lowest rank of the other one
    std::string reason;  ///< why they cannot have one message; empty where they can
    NodeStream out;
    NodeStream in;
};

/// Where in its node's message the data of one peer lie.
struct NodePlace {
    int rank = -1;  ///< of the peer
    /// Where they begin, in bytes; where the sender's units go once to several ranks, where all
    /// units of that sender begin.
    std::int64_t out = 0;
    std::int64_t in = 0;
    /// How many units the sender sends to the node, each once; 0: those of each rank go apart, in
    /// the order of its leg.
    std::int64_t out_distinct_units = 0;
    std::int64_t in_distinct_units = 0;
};

/// What this rank sends to other nodes in an epoch: by messages of its own, and its part of those
/// that the ranks of its node have in common.
struct OwnTraffic {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t common_messages = 0;
    std::int64_t distinct_bytes = 0;
};
[[nodiscard]] OwnTraffic traffic_between_nodes(int own_node, std::span<const copy::Field> fields,
                                               std::span<const PeerOffer> offers);

/// How the data of one exchange would go between nodes: who carries the message of each pair of
/// nodes, and where in it everything lies. The ranks of a node tell each other what they move to
/// which node, and the peers on other nodes what that makes of it; nobody learns of pairs of nodes
/// that are not its own's.
class NodePlan {
public:
    /// Collective over each node, and over the peers on different nodes.
    NodePlan(const mpi::Communicator& comm, const memory::Node& node,
             std::span<const copy::Field> fields, std::span<const PeerOffer> offers);

    [[nodiscard]] const memory::Node& node() const noexcept { return node_; }
    /// The pairs of nodes in which this rank moves data, ascending.
    [[nodiscard]] std::span<const NodePair> pairs() const noexcept { return pairs_; }
    [[nodiscard]] const NodePair& pair_with(int node) const;
    [[nodiscard]] const NodePlace& place_of(int rank) const;

private:
    struct Crossing;
    struct Report;
    void lay_out(int own_rank, std::span<const Crossing> crossings,
                 std::span<const PeerOffer> offers, std::int64_t unit_bytes);
    void swap_layouts(const mpi::Communicator& comm, std::span<const PeerOffer> offers);

    const memory::Node& node_;
    std::int64_t piece_bytes_ = 0;
    std::vector<NodePair> pairs_;
    std::vector<NodePlace> places_;  ///< ascending by rank
};

}  // namespace transrank::transport
