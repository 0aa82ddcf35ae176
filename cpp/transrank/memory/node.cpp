// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/node.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <sched.h>
#include <system_error>

#include "transrank/mpi/error.hpp"

namespace transrank::memory {
namespace {

const std::string elsewhere = "on another node";

/// What a rank tells its node-mates of itself.
struct Introduction {
    SegmentHandle doorbell;
    int rank = -1;    ///< in the communicator asked about
    cpu_set_t cores;  ///< that it may run on
};

Doorbell& doorbell_in(std::span<std::byte> memory) {
    return *std::launder(reinterpret_cast<Doorbell*>(memory.data()));
}

/// This process's doorbell. Where there is no shared memory to be had it lies in private memory and
/// is announced by an empty handle: the rank then shares memory with nobody.
struct OwnDoorbell {
    std::unique_ptr<SharedSegment> segment;
    Doorbell* doorbell = nullptr;
    SegmentHandle handle;

    OwnDoorbell() {
        try {
            segment = std::make_unique<SharedSegment>(sizeof(Doorbell));
            handle = segment->handle();
            doorbell = new (segment->bytes().data()) Doorbell;
        } catch (const std::system_error&) {
            handle = {};
            doorbell = new Doorbell;
        }
    }
};

// Never destroyed: a peer may ring after our main() has ended.
OwnDoorbell& doorbell_of_process() {
    static auto* const own = new OwnDoorbell;
    return *own;
}

cpu_set_t usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    return set;
}

std::vector<Introduction> introduce(const mpi::Communicator& node, int rank) {
    Introduction own{
        .doorbell = doorbell_of_process().handle, .rank = rank, .cores = usable_cores()};
    std::vector<Introduction> all(static_cast<std::size_t>(node.size()));
    mpi::check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE,
                             node.handle()),
               "MPI_Allgather");
    return all;
}

// What the node-mates found about me, in exchange for what I found about them.
std::vector<char> swap_findings(const mpi::Communicator& node, const std::vector<char>& own) {
    std::vector<char> theirs(own.size());
    mpi::check(MPI_Alltoall(own.data(), 1, MPI_CHAR, theirs.data(), 1, MPI_CHAR, node.handle()),
               "MPI_Alltoall");
    return theirs;
}

bool too_few_cores(const std::vector<Introduction>& all) {
    cpu_set_t together;
    CPU_ZERO(&together);
    for (const auto& one : all) {
        CPU_OR(&together, &together, &one.cores);
    }
    return CPU_COUNT(&together) < static_cast<int>(all.size());
}

}  // namespace

Doorbell& own_doorbell() {
    return *doorbell_of_process().doorbell;
}

Node::Node(const mpi::Communicator& comm) {
    const auto node = comm.split_node();
    const auto all = introduce(node, comm.rank());
    std::vector<char> reached(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        Mate mate{.rank = all[i].rank, .mapping = nullptr, .process = nullptr};
        try {
            if (mate.rank != comm.rank()) {
                mate.mapping = MappedSegment::get(all[i].doorbell);
                mate.process = WatchedProcess::get(all[i].doorbell.process);
            }
            reached[i] = 1;
            mates_.push_back(std::move(mate));
        } catch (const std::exception& error) {
            obstacles_.emplace_back(all[i].rank, error.what());
        }
    }
    const auto reached_me = swap_findings(node, reached);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (reached[i] != 0 && reached_me[i] == 0) {
            std::erase_if(mates_, [&](const Mate& mate) { return mate.rank == all[i].rank; });
            obstacles_.emplace_back(all[i].rank, "it cannot map this rank's memory");
        }
    }
    oversubscribed_ = too_few_cores(all);
}

const Node::Mate* Node::find(int rank) const {
    const auto found = std::ranges::lower_bound(mates_, rank, {}, &Mate::rank);
    return found != mates_.end() && found->rank == rank ? &*found : nullptr;
}

bool Node::shares_with(int rank) const {
    return find(rank) != nullptr;
}

const std::string& Node::obstacle(int rank) const {
    const auto found = std::ranges::find(obstacles_, rank, &std::pair<int, std::string>::first);
    return found == obstacles_.end() ? elsewhere : found->second;
}

Doorbell& Node::doorbell(int rank) const {
    const auto* mate = find(rank);
    return mate->mapping ? doorbell_in(mate->mapping->bytes()) : own_doorbell();
}

bool Node::is_alive(int rank) const {
    const auto* mate = find(rank);
    return mate == nullptr || mate->process == nullptr || mate->process->is_alive();
}

}  // namespace transrank::memory
