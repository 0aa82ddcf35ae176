// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transrank/memory/doorbell.hpp"
#include "transrank/memory/node_mate.hpp"
#include "transrank/memory/watched_process.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::memory {

/// The ranks of a communicator with which this one can share memory, found by trying. Which ranks
/// are on this node is asked of MPI: shared memory may be visible between what MPI calls nodes.
class Node {
public:
    /// Collective. Every pair of node-mates reads each other's memory; a pair shares memory only
    /// when both succeed. Nothing stays mapped.
    explicit Node(const mpi::Communicator& comm);
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// Whether memory can be shared with `rank` of the communicator; true for this rank itself.
    [[nodiscard]] bool shares_with(int rank) const;

    /// Why not: `on another node`, or what failed.
    [[nodiscard]] const std::string& reason_against(int rank) const;

    /// Why this rank and `rank`, which shares memory with it, may not copy from each other's
    /// private memory; empty when both may. The same answer for both, but for the words.
    [[nodiscard]] const std::string& reason_against_reading(int rank) const;

    /// The doorbell of a rank that shares memory, mapped when it is asked for. Throws as
    /// MappedSegment.
    [[nodiscard]] Doorbell& doorbell(int rank) const;

    /// The process of `rank`, whose doorbell has been asked for; nullptr for others: they are not
    /// watched.
    [[nodiscard]] const WatchedProcess* process(int rank) const;

    /// Whether the process of `rank` is known to have ended.
    [[nodiscard]] bool has_ended(int rank) const;

    /// The ranks on this node that share memory with this one, itself included, ascending.
    [[nodiscard]] std::vector<int> mates() const;

    /// The ranks that MPI says are on this node, whether or not memory can be shared with them,
    /// ascending: the same on each of them.
    [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }

    /// Which processes these are: equal where nodes of several communicators have the same ranks,
    /// and on each of them.
    using Identity = std::vector<std::uint64_t>;
    [[nodiscard]] const Identity& identity() const noexcept { return identity_; }

    /// Whether there are fewer cores than ranks on this node, or less processor time by the quotas
    /// of their control groups: then spinning only delays. Ranks outside the communicator are
    /// unknown.
    [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

private:
    struct Mate {
        int rank;
        std::shared_ptr<NodeMate> process;  ///< null for this one
        std::string reason_against_reading = "";
    };
    [[nodiscard]] const Mate* find(int rank) const;

    void remember(const mpi::Communicator& comm) const;

    std::vector<Mate> mates_;  ///< ascending by rank
    std::vector<std::pair<int, std::string>> reasons_;
    std::vector<int> ranks_;
    Identity identity_;
    bool oversubscribed_ = false;
};

/// A rank of `comm` whose process has ended, or has begun to finalize MPI: of those that share
/// memory with this one in any communicator of which there is a Node. Not collective.
[[nodiscard]] std::optional<int> rank_that_has_left(MPI_Comm comm);

}  // namespace transrank::memory
