// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/node.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <sched.h>
#include <span>

#include "transrank/memory/control_groups.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::memory {
namespace {

const std::string elsewhere = "on another node";

// The cores that a process may run on, as a bit each.
using CoreSet = std::vector<unsigned long>;
constexpr std::size_t core_words = CPU_SETSIZE / (CHAR_BIT * sizeof(unsigned long));

/// What a rank reports about itself to its node-mates.
struct RankInfo {
    NodeMate::Address address;
    int rank = -1;            ///< in the communicator asked about
    int core_set_length = 0;  ///< in words
    ProcessorQuota quota;
    std::array<unsigned long, core_words> cores{};  ///< as many of them as there is room for
};

// cpu_set_t ends at 1024; the kernel says EINVAL as long as the set given is shorter than its own.
CoreSet usable_cores() {
    constexpr std::size_t longest = 1U << 16U;
    for (std::size_t words = core_words; words < longest; words *= 2) {
        CoreSet set(words, 0);
        if (sched_getaffinity(0, words * sizeof(unsigned long),
                              reinterpret_cast<cpu_set_t*>(set.data())) == 0) {
            return set;
        }
    }
    return {};
}

/// What a rank has found that it can read of a node-mate.
enum Reached : char { nothing, shared, all_memory };

std::vector<RankInfo> gather_infos(const mpi::Communicator& node, int rank, const CoreSet& cores) {
    RankInfo own{.address = NodeMate::own(),
                 .rank = rank,
                 .core_set_length = static_cast<int>(cores.size()),
                 .quota = processor_quota()};
    std::copy_n(cores.begin(), std::min(cores.size(), own.cores.size()), own.cores.begin());
    std::vector<RankInfo> all(static_cast<std::size_t>(node.size()));
    mpi::check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE,
                             node.handle()),
               "MPI_Allgather");
    return all;
}

// What the node-mates found about me, in exchange for what I found about them.
std::vector<char> swap_results(const mpi::Communicator& node, const std::vector<char>& own) {
    std::vector<char> theirs(own.size());
    mpi::check(MPI_Alltoall(own.data(), 1, MPI_CHAR, theirs.data(), 1, MPI_CHAR, node.handle()),
               "MPI_Alltoall");
    return theirs;
}

// Whether some control group grants less time than its ranks of this node would spin away.
bool have_too_little_time(std::span<const RankInfo> ranks) {
    return std::ranges::any_of(ranks, [&](const RankInfo& rank) {
        const auto sharing = std::ranges::count_if(ranks, [&](const RankInfo& other) {
            return other.quota.device == rank.quota.device && other.quota.inode == rank.quota.inode;
        });
        return rank.quota.cores < static_cast<double>(sharing);
    });
}

// Collective where some rank has a longer set than it could report.
CoreSet united_cores(const mpi::Communicator& node, std::span<const RankInfo> ranks, CoreSet own) {
    const auto length = static_cast<std::size_t>(
        std::ranges::max(ranks, {}, &RankInfo::core_set_length).core_set_length);
    own.resize(std::max(length, core_words), 0);
    if (length <= core_words) {
        for (const auto& rank : ranks) {
            std::ranges::transform(own, rank.cores, own.begin(), std::bit_or());
        }
    } else {
        mpi::check(MPI_Allreduce(MPI_IN_PLACE, own.data(), static_cast<int>(own.size()),
                                 MPI_UNSIGNED_LONG, MPI_BOR, node.handle()),
                   "MPI_Allreduce");
    }
    return own;
}

bool are_fewer_than(std::size_t ranks, const CoreSet& cores) {
    std::size_t together = 0;
    for (const auto word : cores) {
        together += static_cast<std::size_t>(std::popcount(word));
    }
    return together < ranks;
}

/// The processes of all nodes' ranks by their rank in MPI_COMM_WORLD, as long as some node lives.
struct KnownProcesses {
    std::mutex mutex;
    std::map<int, std::weak_ptr<NodeMate>> of_world;
};

}  // namespace

std::optional<int> rank_that_has_left(MPI_Comm comm) {
    std::vector<int> left;
    {
        auto& known = mpi::lasting<KnownProcesses>();
        const std::lock_guard lock(known.mutex);
        for (const auto& [rank, entry] : known.of_world) {
            if (const auto mate = entry.lock(); mate && mate->has_left()) {
                left.push_back(rank);
            }
        }
    }
    for (const int rank : mpi::translated(left, MPI_COMM_WORLD, comm)) {
        if (rank != MPI_UNDEFINED) {
            return rank;
        }
    }
    return std::nullopt;
}

Node::Node(const mpi::Communicator& comm) {
    const auto node = comm.split_node();
    const auto cores = usable_cores();
    const auto all = gather_infos(node, comm.rank(), cores);
    std::vector<char> reached(all.size(), Reached::nothing);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int rank = all[i].rank;
        try {
            mates_.push_back(
                {.rank = rank,
                 .process = rank == comm.rank() ? nullptr : NodeMate::get(all[i].address)});
            auto& mate = mates_.back();
            if (mate.process) {
                mate.reason_against_reading = mate.process->reason_against_reading();
            }
            reached[i] =
                mate.reason_against_reading.empty() ? Reached::all_memory : Reached::shared;
        } catch (const std::exception& error) {
            reasons_.emplace_back(rank, error.what());
        }
    }
    const auto reached_me = swap_results(node, reached);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (reached[i] != Reached::nothing && reached_me[i] == Reached::nothing) {
            std::erase_if(mates_, [&](const Mate& mate) { return mate.rank == all[i].rank; });
            reasons_.emplace_back(all[i].rank, "it cannot map this rank's memory");
        } else if (reached[i] == Reached::all_memory && reached_me[i] == Reached::shared) {
            std::ranges::find(mates_, all[i].rank, &Mate::rank)->reason_against_reading =
                "it may not read this rank's private memory";
        }
    }
    remember(comm);
    std::ranges::transform(all, std::back_inserter(ranks_), &RankInfo::rank);
    std::ranges::transform(all, std::back_inserter(identity_),
                           [](const RankInfo& each) { return each.address.nonce; });
    oversubscribed_ =
        are_fewer_than(all.size(), united_cores(node, all, cores)) || have_too_little_time(all);
}

// So that other communicators with the same ranks can ask for them.
void Node::remember(const mpi::Communicator& comm) const {
    const auto of_world = mpi::translated(mates(), comm.handle(), MPI_COMM_WORLD);
    auto& known = mpi::lasting<KnownProcesses>();
    const std::lock_guard lock(known.mutex);
    for (std::size_t i = 0; i < mates_.size(); ++i) {
        if (of_world[i] != MPI_UNDEFINED && mates_[i].process != nullptr) {
            known.of_world[of_world[i]] = mates_[i].process;
        }
    }
}

const Node::Mate* Node::find(int rank) const {
    const auto found = std::ranges::lower_bound(mates_, rank, {}, &Mate::rank);
    return found != mates_.end() && found->rank == rank ? &*found : nullptr;
}

bool Node::shares_with(int rank) const {
    return find(rank) != nullptr;
}

const std::string& Node::reason_against(int rank) const {
    const auto found = std::ranges::find(reasons_, rank, &std::pair<int, std::string>::first);
    return found == reasons_.end() ? elsewhere : found->second;
}

const std::string& Node::reason_against_reading(int rank) const {
    return find(rank)->reason_against_reading;
}

Doorbell& Node::doorbell(int rank) const {
    const auto* mate = find(rank);
    return mate->process ? mate->process->doorbell() : own_doorbell();
}

const WatchedProcess* Node::process(int rank) const {
    const auto* mate = find(rank);
    return mate == nullptr || !mate->process ? nullptr : mate->process->process();
}

bool Node::has_ended(int rank) const {
    const auto* mate = find(rank);
    return mate != nullptr && mate->process && mate->process->has_ended();
}

std::vector<int> Node::mates() const {
    std::vector<int> ranks;
    std::ranges::transform(mates_, std::back_inserter(ranks), &Mate::rank);
    return ranks;
}

}  // namespace transrank::memory
